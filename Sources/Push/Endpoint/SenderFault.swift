package enum SenderFault: String, CaseIterable, Sendable, BitwiseCopyable {
  case urgentBackground = "background pushes with priority 10"
  case goneAgain = "pushes to tokens that had been answered 410"
  case renewedTooOften = "provider tokens renewed within 20 minutes"
  case burst = "bursts to one phone"
  case tooOften = "background pushes to one phone beyond three in an hour"
  case unshownStart = "starts of Live Activities on one phone beyond ten in an hour"
  case unshownUpdate = "urgent updates of Live Activities that a phone does not show"
  case ignoredRetryAfter = "requests before Retry-After was over"
  case asksNothing = "background pushes without content-available"
  case notJSON = "pushes whose payload is no JSON object"
  case noType = "pushes without apns-push-type"
  case streamsTooSoon = "connections that opened streams beyond the limit"
  case freshPhone = "pushes to phones that were not silent"
  case unreachablePhone = "pushes to phones that were off or without a network"
  case replaced = "pushes that a newer one to the same phone replaced"
  case forceQuitApp = "pushes to apps that were force-quit"
  case noPermission = "pushes to phones without permission"
  case noToken = "requests without a provider token"
  case unreadableToken = "provider tokens that cannot be read"
  case unknownKey = "provider tokens of a team or key that is not known"
  case wrongSignature = "provider tokens with a wrong signature"
  case wrongEnvironment = "provider tokens of a key for the other environment"
  case oldToken = "provider tokens older than an hour"
  case earlyToken = "provider tokens from the future"
  case changedKey = "connections that changed their team or key"

  /// Apple's rule or behaviour, as a sentence.
  package var advice: String {
    switch self {
    case .urgentBackground:
      "Send background pushes with priority 5 or 1; 10 is refused as BadPriority."
    case .goneAgain:
      "After a 410, stop sending to the token until the app registers again."
    case .renewedTooOften:
      "Renew a provider token at most every 20 minutes and at least every hour."
    case .burst:
      "Leave time between pushes to one phone; only the newest is kept."
    case .tooOften:
      "The system limits background pushes: send at most two or three per hour."
    case .unshownStart:
      "A phone starts about ten Live Activities for pushes, then none for a time: update one that "
        + "runs."
    case .unshownUpdate:
      "A phone shows urgent updates every 30 to 60 s; send the others with priority 5."
    case .ignoredRetryAfter: "After a 429 or 503, wait for the time in Retry-After."
    case .asksNothing: "Set content-available to the number 1 in aps; nothing else wakes the app."
    case .notJSON: "Send a JSON object with the key aps; phones drop any other payload."
    case .noType: "Set apns-push-type on every push; a push without it may be delayed or dropped."
    case .streamsTooSoon:
      "With token authentication, open one stream until the first push is accepted."
    case .freshPhone:
      "Each background push uses up the app's budget; do not push a phone that has just "
        + "reported."
    case .unreachablePhone:
      "The provider stores one push per app and phone until apns-expiration; a newer one "
        + "replaces it."
    case .replaced:
      "Provider and phone keep only the newest push of an app: a second one before the first is "
        + "answered has no effect."
    case .forceQuitApp:
      "A background push does not start a force-quit app until its owner opens it again."
    case .noPermission:
      "Without permission a woken app gets no position: report the permission to your server "
        + "and skip those phones."
    case .noToken: "Send 'authorization: bearer TOKEN' with every request."
    case .unreadableToken:
      "A provider token is a JWT: alg ES256 and kid in the header, iss and iat in the claims, "
        + "a 64-byte signature; each part in base64url."
    case .unknownKey: "Use a team (iss) and key (kid) that the endpoint knows."
    case .wrongSignature: "Sign a token with the private key of its kid (ES256)."
    case .wrongEnvironment: "A key is valid for one environment only."
    case .oldToken: "Renew a provider token before it is an hour old."
    case .earlyToken: "A token's iat must not be in the future: check the sender's clock."
    case .changedKey:
      "A connection is bound to the team and key of its first token: open another for others."
    }
  }
}

package struct SenderFaults: Equatable, Sendable {
  package struct Count: Equatable, Sendable {
    package var fault: SenderFault
    package var count: Int
    /// The details of the first occurrence, such as phone and token.
    package var example: String
    package var at: Int64
  }
  private var counts: [SenderFault: Count] = [:]

  package var all: [Count] { SenderFault.allCases.compactMap { counts[$0] } }

  package func count(_ fault: SenderFault) -> Int { counts[fault]?.count ?? 0 }

  mutating func add(_ fault: SenderFault, at now: Int64, _ example: @autoclosure () -> String) {
    if counts[fault] == nil {
      counts[fault] = Count(fault: fault, count: 0, example: example(), at: now)
    }
    counts[fault]?.count += 1
  }
}
