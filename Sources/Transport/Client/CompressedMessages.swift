/// Messages that travelled compressed, and what that saved.
package struct CompressedMessages: Equatable, Sendable {
  /// Counts them.
  package private(set) var count = 0
  /// Sums their sizes before compression, in bytes.
  package private(set) var plainBytes = 0
  /// Sums their sizes as they travelled, in bytes.
  package private(set) var bytes = 0

  /// Adds up what two clients counted.
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
