package import Core
package import Scenarios

/// A phone's state for silent pushes, whether or not the server waits for them: one from before the
/// measured time, or one that came too late, is held and charged like any other. See `PushDelivery`
/// for the push that the server waits for.
package struct PushState: Sendable, BitwiseCopyable {
  /// The instant since which the app runs only for a push; `distantFuture` if it does not.
  package internal(set) var runsSince = SimInstant.distantFuture
  /// The budget of the app or of its location push extension, since a scenario has pushes of one
  /// kind.
  package internal(set) var budget: PushBudget
  var usedSatellites = false
  /// The gate that holds the one deferred push; `open` if none is held.
  package internal(set) var deferredBy = PushGate.open
  /// The purpose of the last push, which is also the one that may be held.
  package internal(set) var manner = PushManner.ofScenario

  package init(
    _ kind: PushRequest.Kind, _ push: PhonePushSettings, on system: PhoneSystem, now: SimInstant
  ) {
    budget = PushBudget(capacity: system.rules.pushCapacity(for: kind, push), now: now)
  }

  var runsForPush: Bool { runsSince < .distantFuture }

  mutating func beginRun(now: SimInstant) {
    runsSince = now
    usedSatellites = false
  }
}

// MARK: - Charges

extension PushState {
  mutating func openWindow(
    _ situation: PushSituation, at now: SimInstant, _ push: borrowing PushConditions
  ) {
    guard !push.isForExtension else { return }
    budget.openWindow(at: now, push.limits) {
      push.power.refillPace(at: $0, situation, push.limits)
    }
  }

  /// Fills the budget up to now at the old pace, before the situation changes.
  mutating func settle(
    _ situation: PushSituation, at now: SimInstant, _ push: borrowing PushConditions
  ) {
    guard !push.isForExtension else { return }
    budget.settle(at: now, push.limits) { push.power.refillPace(at: $0, situation, push.limits) }
  }

  /// Ends the run for a push, because the app has stopped or runs for another reason: charges the
  /// time, and counts the run if it was heavy.
  mutating func endRun(of phone: PhoneID, at now: SimInstant, _ push: borrowing PushConditions) {
    guard runsForPush else { return }
    let run = max(.zero, now - runsSince)
    runsSince = .distantFuture
    guard !push.isForExtension else { return }
    budget.charge(
      run: run, satellites: usedSatellites,
      day: push.power.pushDay(at: now, phone: phone).number, push.limits)
  }

  mutating func charge(
    bytes: Int, of phone: PhoneID, at now: SimInstant, _ push: borrowing PushConditions
  ) {
    guard runsForPush, !push.isForExtension else { return }
    budget.charge(bytes: bytes, day: push.power.pushDay(at: now, phone: phone).number)
  }
}
