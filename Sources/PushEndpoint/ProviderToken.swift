internal import Foundation

/// A sender's own token: a JSON web token (RFC 7519) that names team and key, signed with ES256.
package struct ProviderToken: Equatable, Sendable {
  /// Is the key that signed it, as Apple calls it (`kid`): ten characters.
  package var keyID: String
  /// Is whose it is (`iss`).
  package var team: String
  /// Is when it was made, in seconds since 1970 (`iat`).
  package var issuedAt: Int64
  /// Is what was signed: head and claims, as they stand in the token.
  package var signed: [UInt8]
  /// Is the signature: two numbers of 32 bytes.
  package var signature: [UInt8]

  /// A token of a sender has some 200 bytes.
  private static let bytesMax = 4_096

  /// Reads a token without judging its signature; nil: it is none of a sender's.
  package init?(_ text: UnsafeRawBufferPointer) {
    guard text.count <= Self.bytesMax else { return nil }
    let parts = text.split(
      separator: UInt8(ascii: "."), maxSplits: 3, omittingEmptySubsequences: false)
    guard parts.count == 3, let head = Self.object(parts[0]), let claims = Self.object(parts[1]),
      let signature = Self.bytes(parts[2]), signature.count == 64
    else { return nil }
    guard head["alg"] as? String == "ES256", let keyID = head["kid"] as? String, !keyID.isEmpty,
      let team = claims["iss"] as? String, !team.isEmpty, let issuedAt = claims["iat"] as? Double,
      issuedAt.magnitude < 1e15
    else { return nil }
    self.keyID = keyID
    self.team = team
    self.issuedAt = Int64(issuedAt)
    signed = Array(text[..<(parts[1].endIndex)])
    self.signature = signature
  }

  static func object(_ part: UnsafeRawBufferPointer.SubSequence) -> [String: Any]? {
    guard let bytes = bytes(part) else { return nil }
    return (try? JSONSerialization.jsonObject(with: Data(bytes))) as? [String: Any]
  }

  /// Base64 for URLs, without padding (RFC 4648, section 5); nil: it is none.
  static func bytes(_ part: UnsafeRawBufferPointer.SubSequence) -> [UInt8]? {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(part.count * 3 / 4)
    var held: UInt32 = 0
    var bits = 0
    for byte in part {
      guard let value = sextet(byte) else { return nil }
      held = held << 6 | UInt32(value)
      bits += 6
      if bits >= 8 {
        bits -= 8
        bytes.append(UInt8(truncatingIfNeeded: held >> UInt32(bits)))
      }
    }
    return bits == 6 ? nil : bytes
  }

  private static func sextet(_ byte: UInt8) -> UInt8? {
    switch byte {
    case 0x41...0x5A: byte - 0x41
    case 0x61...0x7A: byte - 0x61 + 26
    case 0x30...0x39: byte - 0x30 + 52
    case 0x2D: 62
    case 0x5F: 63
    default: nil
    }
  }
}
