/// What an endpoint has answered, since it was made.
package struct EndpointTally: Equatable, Sendable {
  /// Counts the requests that were accepted, those withheld among them.
  package private(set) var accepted = 0
  /// Counts the accepted pushes that a draw keeps from their phones.
  package private(set) var withheld = 0
  private var refused = [Int](repeating: 0, count: PushReason.allCases.count)
  /// Says what the sender does wrong.
  package internal(set) var faults = SenderFaults()

  /// Counts all requests.
  package var requests: Int { accepted + refused.reduce(0, +) }

  /// Returns how many were refused for a reason.
  package func refused(_ reason: PushReason) -> Int { refused[reason.index] }

  /// Lists the reasons that were given, with how often each was.
  package var reasons: [(reason: PushReason, count: Int)] {
    PushReason.allCases.compactMap { reason in
      refused(reason) == 0 ? nil : (reason, refused(reason))
    }
  }

  mutating func note(_ verdict: PushVerdict) {
    switch verdict {
    case .accepted(let push):
      accepted += 1
      if push.isWithheld { withheld += 1 }
    case .refused(let reason, since: _): refused[reason.index] += 1
    }
  }
}
