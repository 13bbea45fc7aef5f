internal import Core
internal import Foundation

/// Makes and checks OAuth 2 access tokens, which contain an expiry and a proof of origin. No token
/// is stored, so tokens survive a restart.
struct AccessTokens: Sendable {
  private let key: UInt64

  /// The lifetime of a token in seconds, the same as that of Google's tokens.
  static let lifetime: Int64 = 3_600

  init(seed: UInt64) { key = Draw.mix(seed ^ 0x6F61_7574_6832_0001) }

  private func text(until: UInt64) -> String {
    let proof = Draw.mix(Draw.mix(until ^ key) &+ 1)
    return [until, proof].map { word in
      let digits = String(word, radix: 16)
      return String(repeating: "0", count: 16 - digits.count) + digits
    }.joined()
  }

  /// - Parameter now: seconds since 1970.
  func make(at now: Int64) -> String {
    "ya29.flotilla-" + text(until: UInt64(clamping: now + Self.lifetime))
  }

  func isGood(_ authorization: UnsafeRawBufferPointer?, at now: Int64) -> Bool {
    guard let given = authorization?.behind("Bearer ya29.flotilla-"), given.count == 32 else {
      return false
    }
    // swift-format-ignore: non-ASCII text is not a token.
    let digits = String(decoding: given, as: UTF8.self)
    guard let until = UInt64(digits.prefix(16), radix: 16), digits == text(until: until) else {
      return false
    }
    return UInt64(clamping: now) < until
  }
}

/// A request for an access token: a service account's JSON web token, signed with RS256 (RFC 7523).
struct AccountAssertion {
  var keyID: String?
  var email: String
  var audience: String
  var scope: String
  var issuedAt: Int64
  var expiresAt: Int64
  var signed: [UInt8]
  var signature: [UInt8]

  private static let bytesMax = 8_192

  /// Parses an assertion without checking the signature; nil if malformed.
  init?(_ text: UnsafeRawBufferPointer) {
    guard text.count <= Self.bytesMax else { return nil }
    let parts = text.split(
      separator: UInt8(ascii: "."), maxSplits: 3, omittingEmptySubsequences: false)
    guard parts.count == 3, let head = ProviderToken.object(parts[0]),
      let claims = ProviderToken.object(parts[1]), let signature = ProviderToken.bytes(parts[2]),
      head["alg"] as? String == "RS256", let email = claims["iss"] as? String,
      let audience = claims["aud"] as? String, let issuedAt = claims["iat"] as? Double,
      let expiresAt = claims["exp"] as? Double, issuedAt.magnitude < 1e15,
      expiresAt.magnitude < 1e15
    else { return nil }
    keyID = head["kid"] as? String
    self.email = email
    self.audience = audience
    scope = claims["scope"] as? String ?? ""
    self.issuedAt = Int64(issuedAt)
    self.expiresAt = Int64(expiresAt)
    signed = Array(text[..<parts[1].endIndex])
    self.signature = signature
  }
}
