package import Core
package import Scenarios

/// A phone's state for all silent pushes, also those whose answer the server no longer awaits. The
/// phone holds and charges a push from before the measured time, or a late push, like any other.
/// `PushDelivery` is the state of the push that the server awaits.
package struct PushState: Sendable, BitwiseCopyable {
  /// The instant since which the app runs for a push; `distantFuture` if it runs for no push.
  package internal(set) var runsSince = SimInstant.distantFuture
  /// The budget of the app or of its location push extension, since a scenario has pushes of one
  /// kind only.
  package internal(set) var budget: PushBudget
  var usedSatellites = false
  /// The gate that holds the one deferred push; `open` if none is held.
  package internal(set) var deferredBy = PushGate.open
  /// The manner of the last push, which is the only push that may be held.
  package internal(set) var manner = PushManner.ofScenario
  /// `closedUntil` in seconds of scenario time since 1970, to keep the phone small.
  private var closedUntilSecond: UInt32 = 0
  private var openedSecond: UInt32 = 0

  /// - Parameter isUnopened: whether the owner has not opened the app for a week.
  package init(
    _ kind: PushRequest.Kind, _ push: PhonePushSettings, on system: PhoneSystem, now: SimInstant,
    isUnopened: Bool = false
  ) {
    budget = PushBudget(capacity: system.rules.pushCapacity(for: kind, push), now: now)
    let unopened: SimDuration = isUnopened ? .hours(24 * 7) : .zero
    if !system.rules.isForExtension(kind) {
      budget.weaken(push.interest(unopenedFor: unopened), push)
    }
    openedAt = now - unopened
  }

  /// SP9: The instant before which silent pushes launch no app, in whole seconds.
  var closedUntil: SimInstant {
    get { SimInstant(microseconds: Int64(closedUntilSecond) * 1_000_000) }
    set { closedUntilSecond = UInt32(clamping: newValue.microseconds / 1_000_000) }
  }

  /// SP12: The instant at which the owner last opened the app, in whole seconds.
  var openedAt: SimInstant {
    get { SimInstant(microseconds: Int64(openedSecond) * 1_000_000) }
    set { openedSecond = UInt32(clamping: newValue.microseconds / 1_000_000) }
  }

  /// SP9: Closes the phone to silent pushes for a time after its start or first unlock.
  mutating func started(at now: SimInstant, _ push: borrowing PushConditions) {
    closedUntil = max(closedUntil, now + push.limits.closedAfterStart)
  }

  /// SP9: Closes the phone to silent pushes for a time if a long outage ends now.
  mutating func returned(
    from outage: Window, at now: SimInstant, _ push: borrowing PushConditions
  ) {
    guard outage.end == now, now - outage.start >= push.limits.longOutage else { return }
    closedUntil = max(closedUntil, now + push.limits.closedAfterOutage)
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
    let interest = push.limits.interest(unopenedFor: now - situation.openedAt)
    budget.openWindow(at: now, interest: Float(interest), push.limits) {
      push.power.refillPace(at: $0, situation, push.limits)
    }
  }

  /// Refills the budget up to `now` at the old pace. Call this before the situation changes.
  mutating func settle(
    _ situation: PushSituation, at now: SimInstant, _ push: borrowing PushConditions
  ) {
    guard !push.isForExtension else { return }
    budget.settle(at: now, push.limits) { push.power.refillPace(at: $0, situation, push.limits) }
  }

  /// Ends the run for a push, because the app has stopped or runs for another reason. Charges the
  /// time of the run, and counts a heavy run.
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
