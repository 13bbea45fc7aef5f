package import Scenarios
package import SimulationCore
internal import Telemetry

/// What a phone's system keeps of silent pushes, whichever they were.
///
/// The one push that the server waits for is a `PushDelivery`; this is the phone's own: a push from
/// before the measured time, or one that came too late, is held and charged like any other.
package struct PushState: Sendable, BitwiseCopyable {
  /// Since when the app runs for nothing but a push; `distantFuture`: it does not.
  package internal(set) var runsSince = SimInstant.distantFuture
  /// Of the app, or of its location push extension: a scenario has pushes of one kind.
  package internal(set) var budget: PushBudget
  var usedSatellites = false
  /// What keeps the one push that is held on the phone; `open`: none is.
  package internal(set) var deferredBy = PushGate.open

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
  /// The first closed gate; an open one has taken what it costs.
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
    situation.lowPower = !push.mayWake || push.power.lowPower(at: now, phone: phone)
    return PushGate.decide(situation) {
      budget.take(
        now: now, day: push.power.pushDay(at: now, phone: phone).number, push.limits
      ) { push.power.refillPace(at: $0, phone: phone, push.limits) }
    }
  }

  /// The location push extension asks for nothing but its own budget: neither force-quit nor
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

  /// When the held push may go on without its user; `distantFuture`: never, or none is held.
  func heldUntil(
    of phone: PhoneID, at now: SimInstant, isUnopened: Bool, _ push: borrowing PushConditions
  ) -> SimInstant {
    guard push.mayWake else { return .distantFuture }
    switch deferredBy {
    case .open, .forceQuit, .refreshOff: return .distantFuture
    case .lowPower: return push.power.lowPowerEnds(at: now, phone: phone) ?? now
    case .throttled:
      guard !isUnopened else { return .distantFuture }
      let grant = budget.nextGrant(after: now, push.limits) {
        push.power.refillPace(at: $0, phone: phone, push.limits)
      }
      let day = push.power.pushDay(at: now, phone: phone)
      return budget.isUsedUp(day.number, push.limits) ? max(grant, day.ends) : grant
    }
  }

  // MARK: Charges

  /// The app runs no longer, or for another reason: what it ran for a push is charged, and a heavy
  /// run is remembered.
  mutating func endRun(of phone: PhoneID, at now: SimInstant, _ push: borrowing PushConditions) {
    guard runsForPush else { return }
    let run = max(.zero, now - runsSince)
    runsSince = .distantFuture
    guard !push.isForExtension else { return }
    budget.charge(
      run: run, satellites: usedSatellites,
      day: push.power.pushDay(at: now, phone: phone).number, push.limits)
  }

  /// What the app sends while it runs for a push counts against its day.
  mutating func charge(
    bytes: Int, of phone: PhoneID, at now: SimInstant, _ push: borrowing PushConditions
  ) {
    guard runsForPush, !push.isForExtension else { return }
    budget.charge(bytes: bytes, day: push.power.pushDay(at: now, phone: phone).number)
  }
}
