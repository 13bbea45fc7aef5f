/// Answers that wait for the client's window, oldest first.
struct StalledFrames {
  private var items: [(frames: [UInt8], dataBytes: Int)] = []
  private var head = 0
  private(set) var bytes = 0

  var isEmpty: Bool { head == items.count }

  mutating func append(_ frames: [UInt8], dataBytes: Int) {
    bytes += frames.count
    items.append((frames, dataBytes))
  }

  mutating func popFirst() -> (frames: [UInt8], dataBytes: Int)? {
    guard head < items.count else { return nil }
    let item = items[head]
    items[head].frames = []
    bytes -= item.frames.count
    head += 1
    if head == items.count {
      items.removeAll(keepingCapacity: true)
      head = 0
    }
    return item
  }
}
