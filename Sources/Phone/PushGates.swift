package import Scenarios
package import SimulationCore

/// The token bucket that throttles an app's silent pushes on its phone.
///
/// "Two or three per hour" is Apple's advice; capacity and refill are scenario data (rule book
/// section 5).
package struct PushBudget: Sendable, BitwiseCopyable {
  var tokens: Float
  var refilledAt: SimInstant

  package init(capacity: Double, now: SimInstant) {
    tokens = Float(capacity)
    refilledAt = now
  }

  package mutating func take(now: SimInstant, capacity: Double, refillPerHour: Double) -> Bool {
    let hours = (now - refilledAt).seconds / 3_600
    tokens = Float(min(capacity, Double(tokens) + hours * refillPerHour))
    refilledAt = now
    guard tokens >= 1 else { return false }
    tokens -= 1
    return true
  }
}

/// What a phone does with a silent push that has reached it, first gate first.
package enum PushGate: Sendable, Equatable {
  case open
  case forceQuit
  case lowPower
  case refreshOff
  case throttled

  /// LC11 force-quit, BR1 Background App Refresh, and the budget, in the order in which outcomes
  /// are charged. An app in the foreground gets its push whatever the settings.
  package static func decide(
    isForceQuit: Bool, isForeground: Bool, lowPower: Bool, refreshOff: Bool,
    budget: inout PushBudget, now: SimInstant, push: PhonePushSettings
  ) -> PushGate {
    if isForceQuit { return .forceQuit }
    if isForeground { return .open }
    if lowPower { return .lowPower }
    if refreshOff { return .refreshOff }
    let granted = budget.take(
      now: now, capacity: push.bucketCapacity, refillPerHour: push.bucketRefillPerHour)
    return granted ? .open : .throttled
  }
}
