package import Core
package import Scenarios

package struct RefillPace: Sendable, BitwiseCopyable {
  /// The factor on `bucketRefillPerHour`, or on the frequency of windows.
  package var factor: Double
  package var until: SimInstant
}

/// Throttles an app's silent pushes by tokens and by a daily allowance. SP4: Tokens return together
/// when a window opens, timed from the first token taken, or drip one by one. Apple advises "two or
/// three per hour", but the scenario sets all limits. The count n of heavy runs decays with
/// `penaltyLasts` and slows the refill by factor^n, down to a floor. SP11: Negative tokens are a
/// debt, which later windows pay off.
package struct PushBudget: Sendable, BitwiseCopyable {
  var tokens: Float
  var heavyRuns: Float = 0
  /// The instant at which tokens and heavy runs are valid.
  var refilledAt: SimInstant
  var day = Int32.min
  var processorSeconds: Float = 0
  var bytes: Float = 0
  /// The time until the next window at a pace of 1, in hours; 0 while no token is missing.
  var untilWindow: Float = 0

  /// The tokens that a push needs: slightly below 1, so that rounding does not delay a grant.
  private static let whole: Float = 1 - rounding
  private static let rounding: Float = 1e-5
  /// The time ahead for which a grant is computed. A later grant counts as never.
  private static let horizon = SimDuration.hours(7 * 24)

  package init(capacity: Double, now: SimInstant) {
    tokens = Float(capacity)
    refilledAt = now
  }

  /// SP12: Reduces the tokens to the share `interest`. The next window restores the other tokens.
  mutating func weaken(_ interest: Double, _ push: PhonePushSettings) {
    guard interest < 1 else { return }
    tokens *= Float(interest)
    untilWindow = Float(push.window.every.seconds / 3_600)
  }

  /// Takes a token from a bucket that fills steadily, like that of the location push extension.
  /// Returns false if there is no token.
  package mutating func take(now: SimInstant, capacity: Double, refillPerHour: Double) -> Bool {
    let hours = (now - refilledAt).seconds / 3_600
    tokens = Float(min(capacity, Double(tokens) + hours * refillPerHour))
    refilledAt = now
    guard tokens >= 1 else { return false }
    tokens -= 1
    return true
  }

  /// Takes a token, if there is one and the day's allowance is not used up. `spread` is the time to
  /// the next window relative to the mean, drawn only at a window's first token.
  package mutating func take(
    now: SimInstant, day: Int32, _ push: PhonePushSettings, spread: @autoclosure () -> Double = 1,
    pace: (SimInstant) -> RefillPace
  ) -> Bool {
    refill(to: now, push, pace: pace)
    guard tokens >= Self.whole, !isUsedUp(day, push) else { return false }
    if push.budget == .windows, untilWindow <= 0 {
      untilWindow = Float(push.window.every.seconds / 3_600 * spread())
    }
    tokens = max(0, tokens - 1)
    return true
  }

  /// SP4, SP7: Opens a window at once, because the app is opened or the phone is on a charger. Has
  /// no effect if tokens drip. An app that its owner does not open gets only the share `interest`
  /// of the tokens (SP12).
  package mutating func openWindow(
    at now: SimInstant, interest: Float, _ push: PhonePushSettings, pace: (SimInstant) -> RefillPace
  ) {
    switch push.budget {
    case .drip: return
    case .windows: break
    }
    refill(to: now, push, pace: pace)
    tokens = max(tokens, Float(push.grantsAtOnce) * interest + min(0, tokens))
    if tokens >= Float(push.grantsAtOnce) { untilWindow = 0 }
  }

  /// Returns when the next token comes, regardless of the daily allowance; `distantFuture` if it
  /// does not come within a week.
  package func nextGrant(
    after now: SimInstant, _ push: PhonePushSettings, pace: (SimInstant) -> RefillPace
  ) -> SimInstant {
    guard push.grantsAtOnce >= 1 else { return .distantFuture }
    var ahead = self
    ahead.refill(to: now, push, pace: pace)
    while ahead.refilledAt < now + Self.horizon {
      if ahead.tokens >= Self.whole { return ahead.refilledAt }
      let step = pace(ahead.refilledAt)
      let perHour = ahead.progressPerHour(push, step)
      let seconds = ahead.missing(push) / perHour * 3_600
      let isSoon = perHour > 0 && seconds <= (step.until - ahead.refilledAt).seconds
      let next =
        isSoon ? ahead.refilledAt + SimDuration(seconds: seconds) + .milliseconds(1) : step.until
      ahead.refill(to: next, push, pace: pace)
    }
    return .distantFuture
  }

  package mutating func settle(
    at now: SimInstant, _ push: PhonePushSettings, pace: (SimInstant) -> RefillPace
  ) {
    refill(to: now, push, pace: pace)
  }

  /// Returns whether runs or sends have used up the processor time or the data of `day`.
  package func isUsedUp(_ day: Int32, _ push: PhonePushSettings) -> Bool {
    guard day == self.day else { return false }
    return push.dayRunTime > .zero && Double(processorSeconds) >= push.dayRunTime.seconds
      || push.dayData.bytes > 0 && Int64(bytes) >= push.dayData.bytes
  }

  /// Charges one run of the app for a push. `satellites`: whether the run used satellites.
  package mutating func charge(
    run: SimDuration, satellites: Bool, day: Int32, _ push: PhonePushSettings
  ) {
    begin(day)
    processorSeconds += Float(run.seconds * push.runCost)
    // SP11: The system had to end the run.
    if run >= push.runTime { tokens -= Float(push.unfinishedCost) }
    if satellites || run > push.penaltyAfter { heavyRuns += 1 }
  }

  package mutating func charge(bytes sent: Int, day: Int32) {
    begin(day)
    bytes += Float(sent)
  }

  private mutating func begin(_ day: Int32) {
    guard day != self.day else { return }
    self.day = day
    processorSeconds = 0
    bytes = 0
  }

  /// Returns what is missing for the next grant: a part of a token, or hours until a window opens.
  private func missing(_ push: PhonePushSettings) -> Double {
    switch push.budget {
    case .windows: Double(untilWindow)
    case .drip: 1 - Double(tokens)
    }
  }

  private func progressPerHour(_ push: PhonePushSettings, _ step: RefillPace) -> Double {
    let pace = step.factor * push.penalty(heavyRuns: Double(heavyRuns))
    return switch push.budget {
    case .windows: pace
    case .drip: push.bucketRefillPerHour * pace
    }
  }

  /// Refills in steps of constant pace. Each step uses the penalty at the beginning of the step.
  private mutating func refill(
    to now: SimInstant, _ push: PhonePushSettings, pace: (SimInstant) -> RefillPace
  ) {
    while refilledAt < now {
      guard Double(tokens) < push.grantsAtOnce else { return forget(until: now, push) }
      let step = pace(refilledAt)
      let end = min(now, step.until)
      advance(
        by: (end - refilledAt).seconds / 3_600 * progressPerHour(push, step), push)
      forget(until: end, push)
    }
  }

  private mutating func advance(by progress: Double, _ push: PhonePushSettings) {
    switch push.budget {
    case .windows:
      untilWindow -= Float(progress)
      guard untilWindow <= Self.rounding else { return }
      tokens = Float(push.grantsAtOnce) + min(0, tokens)
      untilWindow = tokens < Float(push.grantsAtOnce) ? Float(push.window.every.seconds / 3_600) : 0
    case .drip:
      tokens = Float(min(push.bucketCapacity, Double(tokens) + progress))
    }
  }

  private mutating func forget(until now: SimInstant, _ push: PhonePushSettings) {
    if heavyRuns > 0, now > refilledAt {
      heavyRuns *= Float(push.penaltyLeft(after: now - refilledAt))
    }
    refilledAt = now
  }
}
