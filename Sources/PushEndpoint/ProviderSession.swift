/// What a connection's sender has shown of itself: its team, its key and its token.
///
///     nobody ──first good token──▶ bound to team and key ──newer token, 20 min on──▶ renewed
///        │                             │ another team ▶ InvalidProviderToken
///        └─ bad token ▶ 403            │ another key ▶ UnrelatedKeyIdInToken
///                                      │ newer token too soon ▶ TooManyProviderTokenUpdates
///                                      └ older than an hour ▶ ExpiredProviderToken
///
/// Pure: keys and the clock come with each request. A token that came before is compared byte by
/// byte and not checked again.
package struct ProviderSession: Sendable {
  private var text: [UInt8] = []
  private var token: ProviderToken?
  /// When the token was first used on this connection, in seconds since 1970.
  private var since: Int64 = 0
  /// A push was accepted: the connection may have more streams.
  package var hasPushed = false

  /// A token older than this is refused (Apple, "Establishing a token-based connection").
  static let ageMax: Int64 = 3_600
  /// A token is renewed no more often than this (as above).
  static let renewalMin: Int64 = 1_200
  /// Clocks may differ by so much: a token from further ahead is none.
  static let aheadMax: Int64 = 300

  /// Makes the session of a connection on which nothing has come.
  package init() {}

  /// Judges the token of a request at `now`, in seconds since 1970; nil: it is good.
  mutating func refusal(
    _ authorization: UnsafeRawBufferPointer?, _ keys: ProviderKeys, isSandbox: Bool, at now: Int64
  ) -> ProviderTokenError? {
    guard let authorization else {
      return ProviderTokenError(.missingProviderToken, .noToken, "no authorization")
    }
    guard let bearer = authorization.behind("bearer ") ?? authorization.behind("Bearer "),
      !bearer.isEmpty
    else {
      return ProviderTokenError(.missingProviderToken, .noToken, "authorization has no bearer")
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
