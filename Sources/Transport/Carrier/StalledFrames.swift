/// The answers that wait for the client's window, oldest first.
struct StalledFrames {
  private var line = WaitingLine<(frames: [UInt8], dataBytes: Int)>()
  private(set) var bytes = 0

  var isEmpty: Bool { line.isEmpty }

  mutating func append(_ frames: [UInt8], dataBytes: Int) {
    bytes += frames.count
    line.append((frames, dataBytes))
  }

  mutating func popFirst() -> (frames: [UInt8], dataBytes: Int)? {
    let item = line.popFirst()
    bytes -= item?.frames.count ?? 0
    return item
  }
}
