package enum SenderFault: String, CaseIterable, Sendable, BitwiseCopyable {
  case urgentBackground = "background pushes with priority 10"
  case goneAgain = "pushes to tokens that had been answered 410"
  case renewedTooOften = "provider tokens renewed within 20 minutes"
  case burst = "bursts to one phone"
  case tooOften = "background pushes to one phone beyond three in an hour"
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
      "A background push has priority 5, or 1; with 10 it is refused as BadPriority."
    case .goneAgain:
      "After 410 nothing more is sent to the token until the app registers anew."
    case .renewedTooOften:
      "A provider token is renewed no more than once in 20 minutes, and used for an hour at most."
    case .burst:
      "Pushes to one phone are sent with time between them; it keeps the newest alone."
    case .tooOften:
      "The system limits background pushes: no more than two or three an hour should be tried."
    case .ignoredRetryAfter: "After 429 and 503 a sender waits as long as Retry-After says."
    case .asksNothing: "Only content-available: 1, a number within aps, asks for time to run."
    case .notJSON: "A payload is a JSON object with the key aps; a phone drops anything else."
    case .noType: "Every push names its type; what has none may be delayed or dropped."
    case .streamsTooSoon:
      "With token authentication a connection has one stream until its first push was accepted."
    case .freshPhone:
      "A background push says that there is something new; each one spends the app's budget, and "
        + "a phone that has just reported has nothing to add."
    case .unreachablePhone:
      "The provider stores one push an app and phone, until apns-expiration: a newer one replaces "
        + "it, so more of them reach nobody."
    case .replaced:
      "Provider and phone keep the newest push of an app alone: a second one before the first was "
        + "answered adds nothing."
    case .forceQuitApp:
      "A background push does not start an app that its owner force-quit, until it is opened again."
    case .noPermission:
      "An app that was woken gets no position without permission: let it tell your server, and "
        + "leave those phones out."
    case .noToken: "Every request has a field authorization: bearer, and behind it the token."
    case .unreadableToken:
      "A provider token is a JSON web token: alg ES256 and kid in its head, iss and iat in its "
        + "claims, and a signature of 64 bytes; each part in base64 for URLs."
    case .unknownKey: "Team (iss) and key (kid) are among those that the endpoint was given."
    case .wrongSignature: "A token is signed with the private key that belongs to its kid (ES256)."
    case .wrongEnvironment: "A key for one environment is refused by the other."
    case .oldToken: "A provider token is made anew before it is an hour old."
    case .earlyToken: "A token's iat is now: set the clock of the sender's machine."
    case .changedKey:
      "A connection belongs to the team and the key of its first token: open another for others."
    }
  }
}

package struct SenderFaults: Equatable, Sendable {
  package struct Count: Equatable, Sendable {
    package var fault: SenderFault
    package var count: Int
    /// The first occurrence: phone and token, or other details.
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
