/// Curves of the seconds from the request of a push, for pushes that the phone's policy can answer.
extension WakeLedger {
  /// Returns the curve of the time to the answer; nil if no such time is known.
  package func answerCurve() -> KaplanMeier? {
    guard pushes.contains(where: { ($0.answeredAfter ?? .zero) > .zero }) else { return nil }
    return curve(\.answeredAfter)
  }

  /// Returns the curve of the time to a fix from the push's wake; nil if no such time is known.
  package func causedCurve() -> KaplanMeier? {
    pushes.contains { $0.causedAfter != nil } ? curve(\.causedAfter) : nil
  }

  /// Returns the curve of the time to a report with the push withheld; nil if not simulated.
  package func counterfactualCurve() -> KaplanMeier? {
    var done: [Double] = []
    var left: [Double] = []
    for push in pushes where !push.isWithheld && push.canBeAnswered {
      switch push.counterfactual {
      case .unknown: break
      case .reported(let after) where after <= within: done.append(after.seconds)
      case .silent, .reported: left.append(within.seconds)
      }
    }
    return done.isEmpty && left.isEmpty ? nil : KaplanMeier(done: done, left: left)
  }

  /// Returns the curve of pushes observed until the longest W, the phone's next push or the end.
  private func curve(_ time: KeyPath<WakePush, SimDuration?>) -> KaplanMeier {
    var next = [SimInstant](repeating: end, count: phones)
    var done: [Double] = []
    var left: [Double] = []
    let longest = windows.last ?? within
    for push in pushes.reversed() {
      let until = min(push.requestedAt + longest, min(next[Int(push.phone)], end))
      next[Int(push.phone)] = push.requestedAt
      guard !push.isWithheld, push.canBeAnswered, until > push.requestedAt else { continue }
      let watched = until - push.requestedAt
      if let took = push[keyPath: time], took <= watched {
        done.append(took.seconds)
      } else {
        left.append(watched.seconds)
      }
    }
    return KaplanMeier(done: done, left: left)
  }
}
