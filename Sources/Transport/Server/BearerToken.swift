/// The secret that every call must send. A comparison covers all bytes, padded to `bytesMax`, so
/// its time depends only on the length of the given value.
package struct BearerToken: Sendable {
  /// The maximum length in bytes, enough for a small JSON web token.
  package static let bytesMax = 256
  private static let prefix = Array("Bearer ".utf8)

  private let padded: [UInt8]
  private let count: Int

  /// Creates a token, or returns nil if `text` is empty, too long or not printable ASCII.
  package init?(_ text: String) {
    let bytes = Array(text.utf8)
    guard !bytes.isEmpty, bytes.count <= Self.bytesMax,
      bytes.allSatisfy({ (0x21...0x7E).contains($0) })
    else { return nil }
    let whole = Self.prefix + bytes
    count = whole.count
    padded =
      whole + [UInt8](repeating: 0, count: Self.prefix.count + Self.bytesMax - whole.count)
  }

  /// Returns whether `given` is "Bearer TOKEN".
  package func matches(_ given: UnsafeRawBufferPointer) -> Bool {
    matches(count: given.count) { given[$0] }
  }

  /// Compares every position, regardless of earlier results.
  func matches(count given: Int, byte: (Int) -> UInt8) -> Bool {
    var difference = given ^ count
    for place in padded.indices {
      difference |= Int(padded[place] ^ (place < given ? byte(place) : 0))
    }
    return difference == 0
  }
}
