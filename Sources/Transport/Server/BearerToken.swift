/// The secret that every call to a server must carry, and a comparison that tells nothing about it.
///
/// How long a comparison takes follows from the length of what was given alone, which its sender
/// knows: the secret is padded to `bytesMax`, every place of that is looked at, and the lengths are
/// compared with the bytes.
package struct BearerToken: Sendable {
  /// Of the token itself. 256: a JSON web token of the smallest kind, and eight times what a
  /// random secret needs.
  package static let bytesMax = 256
  private static let prefix = Array("Bearer ".utf8)

  private let padded: [UInt8]
  private let count: Int

  /// nil for what cannot be a token: empty, too long, or with other than printable ASCII.
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

  /// Whether `given` is "Bearer TOKEN".
  package func matches(_ given: UnsafeRawBufferPointer) -> Bool {
    matches(count: given.count) { given[$0] }
  }

  /// Asks for every byte that there is a place for, whatever the ones before it were.
  func matches(count given: Int, byte: (Int) -> UInt8) -> Bool {
    var difference = given ^ count
    for place in padded.indices {
      difference |= Int(padded[place] ^ (place < given ? byte(place) : 0))
    }
    return difference == 0
  }
}
