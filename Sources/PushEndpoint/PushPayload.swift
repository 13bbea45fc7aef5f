/// What the endpoint looks for in a payload, which the provider hands on as it is.
enum PushPayload {
  private static let key = Array(#""content-available""#.utf8)

  /// Whether it says `"content-available": 1` anywhere: what asks the phone for time to run.
  static func asksToRun(_ body: UnsafeRawBufferPointer) -> Bool {
    guard body.count > key.count else { return false }
    for start in 0..<body.count - key.count where body[start] == key[0] {
      guard body[start..<start + key.count].elementsEqual(key) else { continue }
      var place = start + key.count
      while place < body.count, body[place] == 0x20 || body[place] == 0x3A { place += 1 }
      return place < body.count && body[place] == UInt8(ascii: "1")
    }
    return false
  }
}
