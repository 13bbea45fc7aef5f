internal import SimulationCore

/// How long a push takes that its phone's policy can answer, in seconds from the request.
extension WakeLedger {
  /// Until the report that the server takes for its answer; nil: when it came is not known.
  package func answerCurve() -> KaplanMeier? {
    guard pushes.contains(where: { ($0.answeredAfter ?? .zero) > .zero }) else { return nil }
    return curve(\.answeredAfter)
  }

  /// Until the fix of its own wake reached the server; nil: when it came is not known.
  package func causedCurve() -> KaplanMeier? {
    pushes.contains { $0.causedAfter != nil } ? curve(\.causedAfter) : nil
  }

  /// Until the phone would have reported by itself, had the same push been withheld; nil: not
  /// known.
  package func counterfactualCurve() -> KaplanMeier? {
    let observations = pushes.compactMap { push -> KaplanMeier.Observation? in
      guard !push.isWithheld, push.canBeAnswered else { return nil }
      switch push.counterfactual {
      case .unknown: return nil
      case .silent: return .init(time: within.seconds, isEvent: false)
      case .reported(let after):
        return .init(time: min(after, within).seconds, isEvent: after <= within)
      }
    }
    return observations.isEmpty ? nil : KaplanMeier(observations)
  }

  /// A push is watched for the longest W, until its phone's next one, or until the end.
  private func curve(_ time: KeyPath<WakePush, SimDuration?>) -> KaplanMeier {
    var next: [UInt32: SimInstant] = [:]
    var observations: [KaplanMeier.Observation] = []
    observations.reserveCapacity(pushes.count)
    let longest = windows.last ?? within
    for push in pushes.reversed() {
      let until = min(push.requestedAt + longest, min(next[push.phone] ?? end, end))
      next[push.phone] = push.requestedAt
      guard !push.isWithheld, push.canBeAnswered, until > push.requestedAt else { continue }
      let watched = until - push.requestedAt
      if let took = push[keyPath: time], took <= watched {
        observations.append(.init(time: took.seconds, isEvent: true))
      } else {
        observations.append(.init(time: watched.seconds, isEvent: false))
      }
    }
    return KaplanMeier(observations)
  }
}
