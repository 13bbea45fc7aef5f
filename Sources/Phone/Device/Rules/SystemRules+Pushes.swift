package import Core
internal import Scenarios

// Defines what iOS does with a push: which gates stop it, its cost for the app's budget, and
// whether the app or an extension of it runs.

extension SystemRules {
  func mayWake(_ request: PushRequest) -> Bool { request.priority > 1 }

  /// Returns whether a push is for the location push extension, which has a separate budget.
  func isForExtension(_ kind: PushRequest.Kind) -> Bool {
    switch kind {
    case .background, .alert: false
    case .location: true
    }
  }

  /// AL2: Returns whether a push has priority 10, so that the phone gets it regardless of energy.
  func isUrgent(_ request: PushRequest) -> Bool { request.priority >= 10 }

  func isAlert(_ kind: PushRequest.Kind) -> Bool {
    switch kind {
    case .background, .location: false
    case .alert: true
    }
  }

  func hasToken(for kind: PushRequest.Kind) -> Bool {
    !isForExtension(kind) || hasLocationPushExtension
  }

  func pushCapacity(for kind: PushRequest.Kind, _ limits: PhonePushSettings) -> Double {
    isForExtension(kind) ? limits.extensionCapacity : limits.grantsAtOnce
  }

  // MARK: Gates

  /// Returns the gates that a kind of push must pass before anything runs for the push.
  ///
  /// | gate | background | alert (AL1) | location |
  /// |---|---|---|---|
  /// | not unlocked since the start (SP8) | closed | closed, and it is shown | closed |
  /// | force-quit (LC11) | closed | closed, and it is shown | open |
  /// | Low Power Mode (BT2, SP14) | closed | open | closed to some pushes |
  /// | Background App Refresh off (BR1) | closed | open | open |
  /// | after a start or a long outage (SP9) | closed | open | open |
  /// | unused on battery at night, but for slots (SP10) | closed | open | open |
  /// | budget used up | closed | open | closed: the extension's own |
  ///
  /// Gates do not keep an alert from being shown. Only the phone's owner can prevent alerts.
  static func gates(for kind: PushRequest.Kind) -> PushGates {
    switch kind {
    case .background: [.forceQuit, .lowPower, .refreshOff, .quiet, .budget]
    case .alert: .forceQuit
    case .location: .extensionBudget
    }
  }

  func gate(
    of phone: inout Device, at now: SimInstant, _ push: borrowing PushConditions
  ) -> PushGate {
    let id = phone.id
    let request = push.request(phone.pushes.manner)
    let gates = Self.gates(for: request.kind)
    var situation = phone.pushSituation
    situation.asksToRun = request.asksToRun
    situation.mayWake = push.mayWake(phone.pushes.manner)
    situation.extensionWaits =
      gates.contains(.extensionBudget) && situation.lowPower
      && !push.runsExtensionInLowPower(at: now, phone: id)
    situation.isQuiet =
      gates.contains(.quiet) && push.power.quietUntil(now, of: id, situation, push.limits) > now
    return Self.firstClosed(gates, situation) {
      if gates.contains(.extensionBudget) {
        return phone.pushes.budget.take(
          now: now, capacity: push.limits.extensionCapacity,
          refillPerHour: push.limits.extensionRefillPerHour)
      }
      return phone.pushes.budget.take(
        now: now, day: push.power.pushDay(at: now, phone: id).number, push.limits,
        spread: push.windowSpread(from: now, phone: id)
      ) { push.power.refillPace(at: $0, situation, push.limits) }
    }
  }

  /// Returns the first closed gate, in the order of attribution: an alert that requests no run
  /// time, SP8, LC15 and LC16, force-quit (LC11), a priority that wakes no app, Low Power Mode,
  /// BR1, SP9 and SP10, and the budget. An app in the foreground passes all gates after force-quit,
  /// except the extension's budget. `grants` is called only if all other gates are open.
  static func firstClosed(
    _ gates: PushGates, _ phone: PushSituation, grants: () -> Bool
  ) -> PushGate {
    if !phone.asksToRun { return .alertOnly }
    if phone.isLocked { return .beforeFirstUnlock }
    // LC15, LC16: an app that its owner must open first does not run.
    if phone.needsOpening { return .throttled }
    if gates.contains(.forceQuit), phone.isForceQuit { return .forceQuit }
    if !phone.isForeground {
      if phone.extensionWaits { return .lowPower }
      if !phone.mayWake || gates.contains(.lowPower) && phone.lowPower { return .lowPower }
      if gates.contains(.refreshOff), phone.refreshOff { return .refreshOff }
      if gates.contains(.quiet), phone.isQuiet { return .throttled }
    }
    let isCharged =
      gates.contains(.extensionBudget) || gates.contains(.budget) && !phone.isForeground
    return !isCharged || grants() ? .open : .throttled
  }

  // MARK: Held pushes

  func holds(_ kind: PushRequest.Kind, at gate: PushGate, _ limits: PhonePushSettings) -> Bool {
    switch gate {
    case .open, .forceQuit, .stopped, .alertOnly: false
    case .doze: true
    case .lowPower, .refreshOff, .throttled, .beforeFirstUnlock:
      !isForExtension(kind) && limits.holds
    }
  }

  /// Returns when the gate of the held push may open without the user. Returns `distantFuture` if
  /// no push is held, or if only an event opens the gate, such as charging in Low Power Mode.
  func opening(
    on phone: borrowing Device, at now: SimInstant, _ push: borrowing PushConditions
  ) -> SimInstant {
    guard push.mayWake(phone.pushes.manner) else { return .distantFuture }
    let id = phone.id
    switch phone.pushes.deferredBy {
    case .open, .forceQuit, .stopped, .refreshOff, .alertOnly: return .distantFuture
    // The phone itself knows when Doze ends.
    case .doze: return .distantFuture
    case .lowPower: return phone.battery.isInLowPowerMode ? .distantFuture : now
    case .beforeFirstUnlock: return phone.battery.isLocked ? .distantFuture : now
    case .throttled:
      let (budget, situation) = (phone.pushes.budget, phone.pushSituation)
      if situation.needsOpening { return .distantFuture }
      var grant = budget.nextGrant(after: now, push.limits) {
        push.power.refillPace(at: $0, situation, push.limits)
      }
      let day = push.power.pushDay(at: now, phone: id)
      if budget.isUsedUp(day.number, push.limits) { grant = max(grant, day.ends) }
      guard Self.gates(for: push.request(phone.pushes.manner).kind).contains(.quiet),
        grant < .distantFuture
      else { return grant }
      return push.power.quietUntil(grant, of: id, situation, push.limits)
    }
  }
}

package struct PushSituation: Equatable, Sendable, BitwiseCopyable {
  /// Whether the push requests time to run, which an alert need not do (AL1).
  package var asksToRun = true
  package var mayWake = true
  /// Whether the phone has not been unlocked since it started (SP8).
  package var isLocked = false
  /// Whether the app runs only after its owner opens it (LC15, LC16).
  package var needsOpening = false
  package var isForceQuit = false
  package var isForeground = false
  package var lowPower = false
  /// SP14: Whether Low Power Mode stops the location push extension from running for this push.
  package var extensionWaits = false
  package var refreshOff = false
  /// The instant at which the owner last opened the app (SP12).
  package var openedAt = SimInstant.distantFuture
  /// SP9: The instant before which silent pushes launch no app.
  package var closedUntil = SimInstant.distantPast
  /// Whether the phone is moving (SP10).
  package var isMoving = false
  /// Whether SP9 or SP10 closes the phone to silent pushes now.
  package var isQuiet = false
  /// Whether the phone is on a charger, where the budget fills faster.
  package var isCharging = false
  /// Whether the charge is at or below 20 %, where the budget does not fill (SP7).
  package var isLow = false
}
