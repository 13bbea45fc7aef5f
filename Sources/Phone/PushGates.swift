package import Scenarios
package import SimulationCore
package import Telemetry

/// Holds what decides about a silent push and is shared by many phones.
///
/// It is not copyable, so that its 400 bytes or so are lent and never copied.
package struct PushConditions: ~Copyable, Sendable {
  /// Is what the server writes into each push.
  package let request: PushRequest
  /// Holds the scenario's limits on pushes on the phone: budgets, grouping, and whether closed
  /// gates hold a push.
  package let limits: PhonePushSettings
  /// Models what the system does to save power whatever the charge.
  package let power: PowerHabits
  private let seed: UInt64

  /// Makes the conditions from the scenario's seed and settings and the habits of a cohort.
  package init(
    seed: UInt64, _ request: PushRequest, _ limits: PhonePushSettings, _ power: PowerHabits
  ) {
    self.seed = seed
    self.request = request
    self.limits = limits
    self.power = power
  }

  /// Is true if the push may wake an app; one of priority 1 may not.
  var mayWake: Bool { request.priority > 1 }

  /// Is true if the push is for the location push extension, which has a separate budget and passes
  /// all other gates.
  var isForExtension: Bool { request.kind == .location }

  /// Returns whether a push that meets this gate waits on the phone until the gate opens.
  func holds(at gate: PushGate) -> Bool {
    switch (request.kind, gate) {
    case (.location, _), (_, .forceQuit), (_, .open): false
    case (.background, _), (.alert, _): limits.holds
    }
  }

  /// Returns until when the phone saves power and accepts no push of this priority; nil if it
  /// accepts it.
  package func restrictedUntil(_ now: SimInstant, phone: PhoneID) -> SimInstant? {
    guard !PushGrouping.isUrgent(priority: request.priority) else { return nil }
    return power.restrictedUntil(now, phone: phone)
  }

  /// Returns how long the push with this id is delayed to spare the radio.
  package func groupingWait(
    _ id: UInt64, phone: PhoneID, isForeground: Bool, isCharging: Bool
  ) -> SimDuration {
    PushGrouping.wait(
      id, phone: phone.rawValue, seed: seed, priority: request.priority,
      isForeground: isForeground, isCharging: isCharging, limits)
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

/// Names the first closed gate that a silent push meets on its phone, or `open`.
package enum PushGate: UInt8, Sendable, BitwiseCopyable {
  case open
  case forceQuit
  case lowPower
  case refreshOff
  case throttled

  /// Returns the first closed gate, in the order in which outcomes are charged: force-quit (LC11),
  /// Low Power Mode, Background App Refresh (BR1), and the budget. An app in the foreground gets
  /// its push whatever the settings.
  ///
  /// - Parameter grants: whether the budget has a token; asked only when all else is open.
  package static func decide(_ phone: PushSituation, grants: () -> Bool) -> PushGate {
    if phone.isForceQuit { return .forceQuit }
    if phone.isForeground { return .open }
    if phone.lowPower { return .lowPower }
    if phone.refreshOff { return .refreshOff }
    if phone.isUnopened { return .throttled }
    return grants() ? .open : .throttled
  }
}
