/// What a sender does that its provider asks it not to do.
package enum SenderFault: String, CaseIterable, Sendable, BitwiseCopyable {
  case urgentBackground = "background pushes with priority 10"
  case goneAgain = "pushes to tokens that had been answered 410"
  case renewedTooOften = "provider tokens renewed within 20 minutes"
  case burst = "bursts to one phone"
  case ignoredRetryAfter = "requests before Retry-After was over"
  case noType = "pushes without apns-push-type"
  case streamsTooSoon = "connections that opened streams beyond the limit"

  /// Says what Apple asks for, as a sentence.
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
    case .ignoredRetryAfter: "After 429 and 503 a sender waits as long as Retry-After says."
    case .noType: "Every push names its type; what has none may be delayed or dropped."
    case .streamsTooSoon:
      "With token authentication a connection has one stream until its first push was accepted."
    }
  }
}

/// How often each fault of a sender was seen, with one example.
package struct SenderFaults: Equatable, Sendable {
  /// One fault.
  package struct Count: Equatable, Sendable {
    package var fault: SenderFault
    package var count: Int
    /// The first of them: the phone's token, or what else tells which it was.
    package var example: String
  }
  private var counts: [SenderFault: Count] = [:]

  /// Lists what was seen, in the order of `SenderFault`.
  package var all: [Count] { SenderFault.allCases.compactMap { counts[$0] } }

  /// Returns how often one was seen.
  package func count(_ fault: SenderFault) -> Int { counts[fault]?.count ?? 0 }

  mutating func add(_ fault: SenderFault, _ example: @autoclosure () -> String) {
    if counts[fault] == nil { counts[fault] = Count(fault: fault, count: 0, example: example()) }
    counts[fault]?.count += 1
  }
}
