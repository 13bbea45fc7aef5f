/// A sender's JSON web token (RFC 7519) with team and key, signed with ES256.
package struct ProviderToken: Equatable, Sendable {
  /// Apple's key id (`kid`): ten characters.
  package var keyID: String
  /// The team id (`iss`).
  package var team: String
  /// The time of issue (`iat`), in seconds since 1970.
  package var issuedAt: Int64
  /// The signed text: head and claims.
  package var signed: [UInt8]
  /// The signature's two numbers of 32 bytes each.
  package var signature: [UInt8]

  /// The size limit in bytes, far above the usual 200.
  private static let bytesMax = 4_096

  /// Parses a token without checking the signature.
  package init(_ text: UnsafeRawBufferPointer) throws(ProviderTokenError) {
    guard text.count <= Self.bytesMax else { throw .unreadable("it has \(text.count) bytes") }
    let parts = text.split(
      separator: UInt8(ascii: "."), maxSplits: 3, omittingEmptySubsequences: false)
    guard parts.count == 3 else { throw .unreadable("it is not three parts separated by dots") }
    guard let head = Self.object(parts[0]) else {
      throw .unreadable("its header is not a JSON object")
    }
    guard let claims = Self.object(parts[1]) else {
      throw .unreadable("its claims are not a JSON object")
    }
    guard head["alg"] as? String == "ES256" else {
      throw .unreadable("alg is \(head["alg"].map(JSONText.shown) ?? "missing"), not ES256")
    }
    keyID = try Self.text("kid", of: head)
    team = try Self.text("iss", of: claims)
    issuedAt = try Self.instant("iat", of: claims)
    guard let signature = Self.bytes(parts[2]), signature.count == 64 else {
      throw .unreadable("its signature is not 64 bytes in base64url")
    }
    signed = Array(text[..<(parts[1].endIndex)])
    self.signature = signature
  }

  private static func text(
    _ name: String, of object: [String: Any]
  ) throws(ProviderTokenError) -> String {
    guard let text = object[name] as? String, !text.isEmpty else {
      throw .unreadable("\(name) is \(object[name].map(JSONText.shown) ?? "missing")")
    }
    return text
  }

  /// Returns the seconds since 1970 in a claim, which may be a number or, as at Apple, text.
  private static func instant(
    _ name: String, of object: [String: Any]
  ) throws(ProviderTokenError) -> Int64 {
    let value = object[name]
    if let digits = value as? String,
      let seconds = Array(digits.utf8).withUnsafeBytes({ $0.wholeNumber })
    {
      return seconds
    }
    guard let value, let seconds = JSONText.number(value), seconds.magnitude < 1e15 else {
      throw .unreadable("\(name) is \(value.map(JSONText.shown) ?? "missing")")
    }
    return Int64(seconds)
  }

  static func object(_ part: UnsafeRawBufferPointer.SubSequence) -> [String: Any]? {
    bytes(part)?.withUnsafeBytes { JSONText.object($0) }
  }

  /// Returns the bytes of base64url without padding (RFC 4648, section 5); nil if invalid.
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

  static func sextet(_ byte: UInt8) -> UInt8? {
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

package struct ProviderTokenError: Error, Equatable {
  var reason: PushReason
  var fault: SenderFault
  var seen: String

  init(_ reason: PushReason, _ fault: SenderFault, _ seen: String) {
    (self.reason, self.fault, self.seen) = (reason, fault, seen)
  }

  static func unreadable(_ seen: String) -> Self {
    Self(.invalidProviderToken, .unreadableToken, seen)
  }
}
