package import Scenarios
package import SimulationCore
internal import Telemetry

/// Holds what a phone's system remembers of silent pushes.
///
/// The one push that the server waits for is a `PushDelivery`. This state belongs to the phone and
/// covers every push: one from before the measured time, or one that came too late, is held and
/// charged like any other.
package struct PushState: Sendable, BitwiseCopyable {
  /// Is the instant since which the app runs only for a push; `distantFuture` if it does not.
  package internal(set) var runsSince = SimInstant.distantFuture
  /// Is the budget of the app or of its location push extension, since a scenario has pushes of one
  /// kind.
  package internal(set) var budget: PushBudget
  var usedSatellites = false
  /// Is the gate that keeps the one push that is held on the phone; `open` if none is held.
  package internal(set) var deferredBy = PushGate.open

  /// Makes the state of a phone without pushes, with a full budget for pushes of `kind`.
  package init(_ kind: PushRequest.Kind, _ push: PhonePushSettings, now: SimInstant) {
    let capacity =
      switch kind {
      case .background, .alert: push.bucketCapacity
      case .location: push.extensionCapacity
      }
    budget = PushBudget(capacity: capacity, now: now)
  }

  var runsForPush: Bool { runsSince < .distantFuture }

  mutating func beginRun(now: SimInstant) {
    runsSince = now
    usedSatellites = false
  }
}

// MARK: - Gates

extension PushState {
  /// Returns the first closed gate; if all are open, the push has taken its token from the budget.
  mutating func gate(
    _ situation: PushSituation, of phone: PhoneID, at now: SimInstant,
    _ push: borrowing PushConditions
  ) -> PushGate {
    switch push.request.kind {
    case .background, .alert: appGate(situation, of: phone, at: now, push)
    case .location: extensionGate(situation, at: now, push)
    }
  }

  private mutating func appGate(
    _ situation: PushSituation, of phone: PhoneID, at now: SimInstant,
    _ push: borrowing PushConditions
  ) -> PushGate {
    var situation = situation
    situation.lowPower = !push.mayWake || situation.lowPower
    return PushGate.decide(situation) {
      budget.take(
        now: now, day: push.power.pushDay(at: now, phone: phone).number, push.limits
      ) { push.power.refillPace(at: $0, situation, push.limits) }
    }
  }

  /// The location push extension needs only a token of its own budget: neither force-quit nor
  /// Background App Refresh nor Low Power Mode keeps it from running (rule book, section 5).
  private mutating func extensionGate(
    _ situation: PushSituation, at now: SimInstant, _ push: borrowing PushConditions
  ) -> PushGate {
    if !push.mayWake && !situation.isForeground { return .lowPower }
    let isGranted = budget.take(
      now: now, capacity: push.limits.extensionCapacity,
      refillPerHour: push.limits.extensionRefillPerHour)
    return isGranted ? .open : .throttled
  }

  /// Returns when the held push may go on without the user; `distantFuture` if none is held, or if
  /// only an event opens its gate, as the charge that ends Low Power Mode does.
  func heldUntil(
    _ situation: PushSituation, of phone: PhoneID, at now: SimInstant,
    _ push: borrowing PushConditions
  ) -> SimInstant {
    guard push.mayWake else { return .distantFuture }
    switch deferredBy {
    case .open, .forceQuit, .lowPower, .refreshOff: return .distantFuture
    case .throttled:
      guard !situation.isUnopened else { return .distantFuture }
      let grant = budget.nextGrant(after: now, push.limits) {
        push.power.refillPace(at: $0, situation, push.limits)
      }
      let day = push.power.pushDay(at: now, phone: phone)
      return budget.isUsedUp(day.number, push.limits) ? max(grant, day.ends) : grant
    }
  }

  /// Fills the budget up to now at the pace of a situation that is about to change.
  mutating func settle(
    _ situation: PushSituation, at now: SimInstant, _ push: borrowing PushConditions
  ) {
    guard !push.isForExtension else { return }
    budget.settle(at: now, push.limits) { push.power.refillPace(at: $0, situation, push.limits) }
  }

  // MARK: Charges

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

  /// Charges what the app sends while it runs for a push to its daily allowance.
  mutating func charge(
    bytes: Int, of phone: PhoneID, at now: SimInstant, _ push: borrowing PushConditions
  ) {
    guard runsForPush, !push.isForExtension else { return }
    budget.charge(bytes: bytes, day: push.power.pushDay(at: now, phone: phone).number)
  }
}
