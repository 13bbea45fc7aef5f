package struct EndpointTally: Equatable, Sendable {
  /// The number of accepted pushes, withheld pushes included.
  package private(set) var accepted = 0
  package private(set) var withheld = 0
  private var refused = [Int](repeating: 0, count: PushReason.allCases.count)
  package internal(set) var faults = SenderFaults()
  /// The times of the first and the last request, in milliseconds since 1970; nil if none.
  package private(set) var span: ClosedRange<Int64>?
  private var second = Int64.min
  private var inSecond = [Int](repeating: 0, count: PushReason.allCases.count + 2)
  private var busiest = [Int](repeating: 0, count: PushReason.allCases.count + 2)

  private var ofKind = [Int](repeating: 0, count: PushType.allCases.count * 6)

  package struct Kind: Equatable, Sendable {
    package var type: PushType
    /// The priority: 10, 5 or 1.
    package var priority: Int
    /// Whether pushes of this kind request time to run.
    package var asksToRun: Bool
    package var count: Int
  }

  private static let priorities = [10, 5, 1]

  /// The kinds of accepted pushes, most frequent first.
  package var kinds: [Kind] {
    PushType.allCases.enumerated().flatMap { number, type in
      (0..<6).compactMap { way in
        let count = ofKind[number * 6 + way]
        guard count > 0 else { return nil }
        return Kind(
          type: type, priority: Self.priorities[way / 2], asksToRun: way % 2 == 1, count: count)
      }
    }.sorted { $0.count > $1.count }
  }

  private static let acceptedPlace = PushReason.allCases.count
  private static let allPlace = PushReason.allCases.count + 1

  package var requests: Int { accepted + refused.reduce(0, +) }

  package func refused(_ reason: PushReason) -> Int { refused[reason.index] }

  package var reasons: [(reason: PushReason, count: Int)] {
    PushReason.allCases.compactMap { reason in
      refused(reason) == 0 ? nil : (reason, refused(reason))
    }
  }

  package var busiestSecond: Int { busiest[Self.allPlace] }

  /// - Parameter reason: the reason of refused pushes; nil for accepted pushes.
  package func busiestSecond(of reason: PushReason?) -> Int {
    busiest[reason?.index ?? Self.acceptedPlace]
  }

  mutating func note(_ verdict: PushVerdict, at now: Int64) {
    span = min(span?.lowerBound ?? now, now)...max(span?.upperBound ?? now, now)
    if now / 1_000 != second {
      second = now / 1_000
      for place in inSecond.indices { inSecond[place] = 0 }
    }
    count(Self.allPlace)
    switch verdict {
    case .accepted(let push):
      accepted += 1
      count(Self.acceptedPlace)
      if push.isWithheld { withheld += 1 }
      let way =
        (push.priority == 10 ? 0 : push.priority == 5 ? 1 : 2) * 2 + (push.asksToRun ? 1 : 0)
      ofKind[push.type.index * 6 + way] += 1
    case .refused(let reason, since: _):
      refused[reason.index] += 1
      count(reason.index)
    }
  }

  private mutating func count(_ place: Int) {
    inSecond[place] += 1
    if inSecond[place] > busiest[place] { busiest[place] = inSecond[place] }
  }
}
