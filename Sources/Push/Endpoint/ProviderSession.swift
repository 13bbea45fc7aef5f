/// The authentication of a connection's sender: its team, key and token.
///
///     none ────first good token──▶ bound to team and key ──newer token, 20 min on──▶ renewed
///        │                             │ another team ▶ InvalidProviderToken
///        └─ bad token ▶ 403            │ another key ▶ UnrelatedKeyIdInToken
///                                      │ newer token too soon ▶ TooManyProviderTokenUpdates
///                                      └ older than an hour ▶ ExpiredProviderToken
///
/// The time comes with each request, not from a clock. A known token is not verified again.
package struct ProviderSession: Sendable {
  private var text: [UInt8] = []
  private var token: ProviderToken?
  /// The time at which this connection first used the token, in seconds since 1970.
  private var since: Int64 = 0
  /// Whether a push was accepted, so that the connection may have more streams.
  package var hasPushed = false

  /// The age limit of a token in seconds (Apple, "Establishing a token-based connection").
  static let ageMax: Int64 = 3_600
  /// The minimum time between renewals of a token, in seconds (Apple, same page).
  static let renewalMin: Int64 = 1_200
  static let aheadMax: Int64 = 300

  /// Returns why a token is invalid at `now`, in seconds since 1970; nil if the token is valid.
  mutating func refusal(
    _ authorization: UnsafeRawBufferPointer?, _ keys: ProviderKeys, isSandbox: Bool, at now: Int64
  ) -> ProviderTokenError? {
    guard let authorization else {
      return ProviderTokenError(.missingProviderToken, .noToken, "no authorization")
    }
    guard let bearer = authorization.behind("bearer ") ?? authorization.behind("Bearer "),
      !bearer.isEmpty
    else {
      return ProviderTokenError(.missingProviderToken, .noToken, "no bearer token")
    }
    if let token, bearer.elementsEqual(text) { return Self.age(of: token, at: now) }
    let fresh: ProviderToken
    do throws(ProviderTokenError) { fresh = try ProviderToken(bearer) } catch { return error }
    if let refusal = keys.refusal(of: fresh, isSandbox: isSandbox) { return refusal }
    if let refusal = Self.age(of: fresh, at: now) { return refusal }
    if let token {
      if fresh.team != token.team {
        return ProviderTokenError(
          .invalidProviderToken, .changedKey, "iss \(JSONText.shown(fresh.team)) after another")
      }
      if fresh.keyID != token.keyID {
        return ProviderTokenError(
          .unrelatedKeyID, .changedKey, "kid \(JSONText.shown(fresh.keyID)) after another")
      }
      if now - since < Self.renewalMin {
        return ProviderTokenError(
          .tooManyProviderTokenUpdates, .renewedTooOften, "\(now - since) s after the last")
      }
    }
    text = Array(bearer)
    token = fresh
    since = now
    return nil
  }

  private static func age(of token: ProviderToken, at now: Int64) -> ProviderTokenError? {
    let age = now - token.issuedAt
    if age > ageMax {
      return ProviderTokenError(.expiredProviderToken, .oldToken, "iat \(age) s ago")
    }
    return -age > aheadMax
      ? ProviderTokenError(.invalidProviderToken, .earlyToken, "iat \(-age) s ahead") : nil
  }
}
