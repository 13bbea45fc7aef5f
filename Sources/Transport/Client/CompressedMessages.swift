package struct CompressedMessages: Equatable, Sendable {
  package private(set) var count = 0
  package private(set) var plainBytes = 0
  package private(set) var bytes = 0

  package static func + (one: Self, other: Self) -> Self {
    var sum = one
    sum.add(plainBytes: other.plainBytes, bytes: other.bytes, messages: other.count)
    return sum
  }

  mutating func add(plainBytes: Int, bytes: Int, messages: Int = 1) {
    count += messages
    self.plainBytes += plainBytes
    self.bytes += bytes
  }
}
