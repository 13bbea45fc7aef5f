internal import Core
internal import Scenarios

// Defines what iOS does with a push (rule book 2.2 and section 5): which gates stop it, its cost
// for the app's budget, and whether the app or an extension of it runs.

extension IOSRules {
  func mayWake(_ request: PushRequest) -> Bool { request.priority > 1 }

  /// Whether a push is for the location push extension, which has a separate budget and passes all
  /// other gates.
  func isForExtension(_ kind: PushRequest.Kind) -> Bool {
    switch kind {
    case .background, .alert: false
    case .location: true
    }
  }

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

  /// The gates of a kind of push before anything runs for it.
  ///
  /// | gate | background | alert (AL1) | location |
  /// |---|---|---|---|
  /// | not unlocked since the start (SP8) | closed | closed, and it is shown | closed |
  /// | force-quit (LC11) | closed | closed, and it is shown | open |
  /// | Low Power Mode (BT2) | closed | open | open |
  /// | Background App Refresh off (BR1) | closed | open | open |
  /// | not opened for a week | closed | open | open |
  /// | budget used up | closed | open | closed: the extension's own |
  ///
  /// Only its owner can keep an alert from being shown.
  static func gates(for kind: PushRequest.Kind) -> PushGates {
    switch kind {
    case .background: [.forceQuit, .lowPower, .refreshOff, .unopened, .budget]
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

  /// The first closed of `gates`, in the order in which outcomes are attributed: an alert that
  /// requests no run time, SP8, LC15 and LC16, force-quit (LC11), a priority that wakes no app and
  /// Low Power Mode, BR1, and the budget. An app in the foreground gets its push. `grants` is
  /// called only if everything else is open.
  static func firstClosed(
    _ gates: PushGates, _ phone: PushSituation, grants: () -> Bool
  ) -> PushGate {
    if !phone.asksToRun { return .alertOnly }
    if phone.isLocked { return .beforeFirstUnlock }
    // LC15, LC16: an app that its owner must open first does not run.
    if phone.needsOpening { return .throttled }
    if gates.contains(.forceQuit), phone.isForceQuit { return .forceQuit }
    if !phone.isForeground {
      if !phone.mayWake || gates.contains(.lowPower) && phone.lowPower { return .lowPower }
      if gates.contains(.refreshOff), phone.refreshOff { return .refreshOff }
      if gates.contains(.unopened), phone.isUnopened { return .throttled }
    }
    let isCharged =
      gates.contains(.extensionBudget) || gates.contains(.budget) && !phone.isForeground
    return !isCharged || grants() ? .open : .throttled
  }

  // MARK: Held pushes

  func holds(_ kind: PushRequest.Kind, at gate: PushGate, _ limits: PhonePushSettings) -> Bool {
    switch gate {
    case .open, .forceQuit, .alertOnly: false
    case .lowPower, .refreshOff, .throttled, .beforeFirstUnlock:
      !isForExtension(kind) && limits.holds
    }
  }

  /// When the gate of the held push may open without the user; `distantFuture` if none is held, or
  /// if only an event opens it, as the charge that ends Low Power Mode does.
  func opening(
    on phone: borrowing Device, at now: SimInstant, _ push: borrowing PushConditions
  ) -> SimInstant {
    guard push.mayWake(phone.pushes.manner) else { return .distantFuture }
    let id = phone.id
    switch phone.pushes.deferredBy {
    case .open, .forceQuit, .refreshOff, .alertOnly: return .distantFuture
    case .lowPower: return phone.battery.isInLowPowerMode ? .distantFuture : now
    case .beforeFirstUnlock: return phone.battery.isLocked ? .distantFuture : now
    case .throttled:
      let (budget, situation) = (phone.pushes.budget, phone.pushSituation)
      if situation.isUnopened || situation.needsOpening { return .distantFuture }
      let grant = budget.nextGrant(after: now, push.limits) {
        push.power.refillPace(at: $0, situation, push.limits)
      }
      let day = push.power.pushDay(at: now, phone: id)
      return budget.isUsedUp(day.number, push.limits) ? max(grant, day.ends) : grant
    }
  }
}

package struct PushSituation: Equatable, Sendable, BitwiseCopyable {
  /// Whether the push requests time to run; an alert need not (AL1).
  package var asksToRun = true
  package var mayWake = true
  /// Whether the phone was not unlocked since it started (SP8).
  package var isLocked = false
  /// Whether the app runs only after its owner opens it (LC15, LC16).
  package var needsOpening = false
  package var isForceQuit = false
  package var isForeground = false
  package var lowPower = false
  package var refreshOff = false
  /// Whether the user has not opened the app for a week, so that the system throttles all of its
  /// pushes (rules 2.2).
  package var isUnopened = false
  /// True on a charger, where the budget fills faster.
  package var isCharging = false
  /// Whether the charge is at or below 20 %, where the budget fills more slowly.
  package var isLow = false
}

/// Pushes to a locked phone are grouped to spare its radio.
enum PushGrouping {
  /// AL2: Returns whether the priority is 10, which is delivered at once, regardless of energy.
  static func isUrgent(priority: Int) -> Bool { priority >= 10 }

  /// None for an urgent push or a phone in use, otherwise a uniform draw up to the limit for
  /// battery or charger.
  static func wait(
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
