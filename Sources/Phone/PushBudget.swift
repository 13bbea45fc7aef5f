package import Scenarios
package import SimulationCore

/// How fast a token bucket fills, compared with `bucketRefillPerHour`, and how long that holds.
package struct RefillPace: Sendable, BitwiseCopyable {
  package var factor: Double
  package var until: SimInstant

  package init(factor: Double, until: SimInstant) {
    self.factor = factor
    self.until = until
  }
}

/// What throttles an app's silent pushes on its phone: a token bucket, and what a day allows.
///
/// "Two or three per hour", and less for an app whose pushes cost much, is Apple's advice; the
/// numbers are scenario data (rule book section 5). 32 bytes. Heavy runs are kept as a count that
/// is forgotten exponentially with `penaltyLasts`: n of them multiply the refill by factor^n, and
/// not below the floor.
package struct PushBudget: Sendable, BitwiseCopyable {
  var tokens: Float
  var heavyRuns: Float = 0
  /// Tokens and heavy runs are as of here.
  var refilledAt: SimInstant
  /// The day that the next two belong to.
  var day = Int32.min
  var processorSeconds: Float = 0
  var bytes: Float = 0

  /// A grant is computed ahead to the millisecond; what rounding takes away is not missed.
  private static let whole: Float = 1 - 1e-5
  /// Further ahead nobody waits for a grant.
  private static let horizon = SimDuration.hours(7 * 24)

  package init(capacity: Double, now: SimInstant) {
    tokens = Float(capacity)
    refilledAt = now
  }

  /// A bucket that fills steadily: the location push extension's.
  package mutating func take(now: SimInstant, capacity: Double, refillPerHour: Double) -> Bool {
    let hours = (now - refilledAt).seconds / 3_600
    tokens = Float(min(capacity, Double(tokens) + hours * refillPerHour))
    refilledAt = now
    guard tokens >= 1 else { return false }
    tokens -= 1
    return true
  }

  /// A token, if there is one and the day is not used up.
  package mutating func take(
    now: SimInstant, day: Int32, _ push: PhonePushSettings, pace: (SimInstant) -> RefillPace
  ) -> Bool {
    refill(to: now, push, pace: pace)
    guard tokens >= Self.whole, !isUsedUp(day, push) else { return false }
    tokens = max(0, tokens - 1)
    return true
  }

  /// When there will be a token again, whatever the day allows; `distantFuture`: not in a week.
  package func nextGrant(
    after now: SimInstant, _ push: PhonePushSettings, pace: (SimInstant) -> RefillPace
  ) -> SimInstant {
    guard push.bucketCapacity >= 1 else { return .distantFuture }
    var ahead = self
    ahead.refill(to: now, push, pace: pace)
    while ahead.refilledAt < now + Self.horizon {
      if ahead.tokens >= Self.whole { return ahead.refilledAt }
      let step = pace(ahead.refilledAt)
      let perHour = ahead.refillPerHour(push, step)
      let missing = 1 - Double(ahead.tokens)
      if perHour > 0, missing / perHour * 3_600 <= (step.until - ahead.refilledAt).seconds {
        return ahead.refilledAt + SimDuration(seconds: missing / perHour * 3_600)
          + .milliseconds(1)
      }
      ahead.refill(to: step.until, push, pace: pace)
    }
    return .distantFuture
  }

  package func isUsedUp(_ day: Int32, _ push: PhonePushSettings) -> Bool {
    guard day == self.day else { return false }
    return push.dayRunTime > .zero && Double(processorSeconds) >= push.dayRunTime.seconds
      || push.dayData.bytes > 0 && Int64(bytes) >= push.dayData.bytes
  }

  /// The app ran for a push.
  ///
  /// - Parameter satellites: it asked them for a position.
  package mutating func charge(
    run: SimDuration, satellites: Bool, day: Int32, _ push: PhonePushSettings
  ) {
    begin(day)
    processorSeconds += Float(run.seconds * push.runCost)
    if satellites || run > push.penaltyAfter { heavyRuns += 1 }
  }

  /// It sent something meanwhile.
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

  private func refillPerHour(_ push: PhonePushSettings, _ step: RefillPace) -> Double {
    push.bucketRefillPerHour * step.factor * push.penalty(heavyRuns: Double(heavyRuns))
  }

  /// Step by step, in each of which the pace is one; the penalty is that of its beginning.
  private mutating func refill(
    to now: SimInstant, _ push: PhonePushSettings, pace: (SimInstant) -> RefillPace
  ) {
    while refilledAt < now {
      guard Double(tokens) < push.bucketCapacity, push.bucketRefillPerHour > 0 else {
        return forget(until: now, push)
      }
      let step = pace(refilledAt)
      let end = min(now, step.until)
      let hours = (end - refilledAt).seconds / 3_600
      tokens = Float(
        min(push.bucketCapacity, Double(tokens) + hours * refillPerHour(push, step)))
      forget(until: end, push)
    }
  }

  private mutating func forget(until now: SimInstant, _ push: PhonePushSettings) {
    if heavyRuns > 0, now > refilledAt {
      heavyRuns *= Float(push.penaltyLeft(after: now - refilledAt))
    }
    refilledAt = now
  }
}

/// Pushes to a locked phone are grouped to spare its radio (rule book section 5).
package enum PushGrouping {
  /// A push of priority 10 is brought at once, whatever it costs.
  static func isUrgent(priority: Int) -> Bool { priority >= 10 }

  /// How long after its time a push comes: not at all when it is urgent or the phone is in use,
  /// else uniformly up to what battery or charger allow.
  package static func wait(
    _ id: UInt64, phone: UInt32, seed: UInt64, priority: Int, isForeground: Bool,
    isCharging: Bool, _ push: PhonePushSettings
  ) -> SimDuration {
    guard !isUrgent(priority: priority), !isForeground else { return .zero }
    var draw = Draw(seed: seed, phone: phone, .grouping, Int64(bitPattern: id))
    if draw.chance(push.inUse) { return .zero }
    let longest = isCharging ? push.groupingOnCharger : push.groupingOnBattery
    return SimDuration(seconds: draw.uniform() * longest.seconds)
  }
}
