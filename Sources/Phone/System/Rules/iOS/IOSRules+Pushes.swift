internal import Scenarios
internal import SimulationCore
internal import Telemetry

// This file decides what iOS does with a silent push (rule book 2.2 and section 5): which gates
// stop it, what it costs the app's budget, and whether the app or an extension of it runs.

extension IOSRules {
  /// Returns whether a push may wake an app; one of priority 1 may not.
  func mayWake(_ request: PushRequest) -> Bool { request.priority > 1 }

  /// Returns whether a push is for the location push extension, which has a separate budget and
  /// passes all other gates.
  func isForExtension(_ kind: PushRequest.Kind) -> Bool {
    switch kind {
    case .background, .alert: false
    case .location: true
    }
  }

  /// Returns whether an app has a valid token for pushes of a kind.
  func hasToken(for kind: PushRequest.Kind) -> Bool {
    !isForExtension(kind) || hasLocationPushExtension
  }

  /// Returns how many tokens a full budget holds.
  func pushCapacity(for kind: PushRequest.Kind, _ limits: PhonePushSettings) -> Double {
    isForExtension(kind) ? limits.extensionCapacity : limits.bucketCapacity
  }

  // MARK: Gates

  /// Returns the first closed gate; if all are open, the push has taken its token from the budget.
  func gate(
    of phone: inout PhoneOS, at now: SimInstant, _ push: borrowing PushConditions
  ) -> PushGate {
    isForExtension(push.request.kind)
      ? extensionGate(of: &phone, at: now, push) : appGate(of: &phone, at: now, push)
  }

  private func appGate(
    of phone: inout PhoneOS, at now: SimInstant, _ push: borrowing PushConditions
  ) -> PushGate {
    let id = phone.id
    var situation = phone.pushSituation
    situation.lowPower = situation.lowPower || !push.mayWake
    return Self.firstClosed(situation) {
      phone.pushes.budget.take(
        now: now, day: push.power.pushDay(at: now, phone: id).number, push.limits
      ) { push.power.refillPace(at: $0, situation, push.limits) }
    }
  }

  /// Returns the first closed gate, in the order in which outcomes are charged: force-quit (LC11),
  /// Low Power Mode, Background App Refresh (BR1), and the budget. An app in the foreground gets
  /// its push whatever the settings.
  ///
  /// - Parameter grants: whether the budget has a token; asked only when all else is open.
  static func firstClosed(_ phone: PushSituation, grants: () -> Bool) -> PushGate {
    if phone.isForceQuit { return .forceQuit }
    if phone.isForeground { return .open }
    if phone.lowPower { return .lowPower }
    if phone.refreshOff { return .refreshOff }
    if phone.isUnopened { return .throttled }
    return grants() ? .open : .throttled
  }

  /// The location push extension needs only a token of its own budget: neither force-quit nor
  /// Background App Refresh nor Low Power Mode keeps it from running (rule book, section 5).
  private func extensionGate(
    of phone: inout PhoneOS, at now: SimInstant, _ push: borrowing PushConditions
  ) -> PushGate {
    if !push.mayWake && phone.process.state != .foreground { return .lowPower }
    let isGranted = phone.pushes.budget.take(
      now: now, capacity: push.limits.extensionCapacity,
      refillPerHour: push.limits.extensionRefillPerHour)
    return isGranted ? .open : .throttled
  }

  // MARK: Held pushes

  /// Returns whether a push that meets this gate waits on the phone until the gate opens.
  func holds(_ kind: PushRequest.Kind, at gate: PushGate, _ limits: PhonePushSettings) -> Bool {
    switch gate {
    case .open, .forceQuit: false
    case .lowPower, .refreshOff, .throttled: !isForExtension(kind) && limits.holds
    }
  }

  /// Returns when the gate that holds the phone's push may open without the user; `distantFuture`
  /// if none is held, or if only an event opens its gate, as the charge that ends Low Power Mode
  /// does.
  func opening(
    on phone: borrowing PhoneOS, at now: SimInstant, _ push: borrowing PushConditions
  ) -> SimInstant {
    guard push.mayWake else { return .distantFuture }
    let id = phone.id
    switch phone.pushes.deferredBy {
    case .open, .forceQuit, .lowPower, .refreshOff: return .distantFuture
    case .throttled:
      guard !phone.traits.contains(.unopened) else { return .distantFuture }
      let (budget, situation) = (phone.pushes.budget, phone.pushSituation)
      let grant = budget.nextGrant(after: now, push.limits) {
        push.power.refillPace(at: $0, situation, push.limits)
      }
      let day = push.power.pushDay(at: now, phone: id)
      return budget.isUsedUp(day.number, push.limits) ? max(grant, day.ends) : grant
    }
  }
}

/// Holds the conditions that a phone's system checks when a silent push has reached it.
package struct PushSituation: Equatable, Sendable, BitwiseCopyable {
  /// Is true if the user force-quit the app (LC11).
  package var isForceQuit = false
  /// Is true if the app is in the foreground.
  package var isForeground = false
  /// Is true in Low Power Mode; also if the push may not wake an app.
  package var lowPower = false
  /// Is true if Background App Refresh is off (BR1).
  package var refreshOff = false
  /// Is true if the user has not opened the app for a week, so that the system throttles all of its
  /// pushes (rule book 2.2).
  package var isUnopened = false
  /// Is true on a charger, where the budget fills faster.
  package var isCharging = false
  /// Is true at or below the warning of 20 %, where the budget fills more slowly.
  package var isLow = false

  /// Makes a situation in which no condition stops a push that the budget allows.
  package init() {}
}

/// Pushes to a locked phone are grouped to spare its radio (rule book section 5).
enum PushGrouping {
  /// Is true for priority 10, which is delivered at once whatever it costs.
  static func isUrgent(priority: Int) -> Bool { priority >= 10 }

  /// Returns how long a push is delayed: not at all when it is urgent or the phone is in use, else
  /// a uniform draw up to the limit for battery or charger.
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
