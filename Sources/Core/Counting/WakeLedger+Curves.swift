/// The time to answer of pushes that the phone's policy can answer, in seconds from the request.
extension WakeLedger {
  /// Until the report that counts as the answer; nil if its time is unknown.
  package func answerCurve() -> KaplanMeier? {
    guard pushes.contains(where: { ($0.answeredAfter ?? .zero) > .zero }) else { return nil }
    return curve(\.answeredAfter)
  }

  /// Until the fix of the push's own wake reached the server; nil if its time is unknown.
  package func causedCurve() -> KaplanMeier? {
    pushes.contains { $0.causedAfter != nil } ? curve(\.causedAfter) : nil
  }

  /// Until the phone would have reported by itself with the push withheld; nil if unknown.
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

  /// A push is observed for the longest W, until its phone's next push, or until the end.
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
