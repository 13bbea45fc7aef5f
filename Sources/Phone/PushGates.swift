package import Scenarios
package import SimulationCore
package import Telemetry

/// What many phones share of what decides about a silent push.
///
/// Not copyable: some 400 bytes that are lent.
package struct PushConditions: ~Copyable, Sendable {
  /// What the server writes into it.
  package let request: PushRequest
  package let limits: PhonePushSettings
  package let power: PowerHabits
  private let seed: UInt64

  package init(
    seed: UInt64, _ request: PushRequest, _ limits: PhonePushSettings, _ power: PowerHabits
  ) {
    self.seed = seed
    self.request = request
    self.limits = limits
    self.power = power
  }

  /// One of priority 1 wakes nobody.
  var mayWake: Bool { request.priority > 1 }

  /// The location push extension has a budget of its own, and nothing else counts against it.
  var isForExtension: Bool { request.kind == .location }

  /// Whether a push that meets this gate waits on the phone until the gate opens.
  func holds(at gate: PushGate) -> Bool {
    switch (request.kind, gate) {
    case (.location, _), (_, .forceQuit), (_, .open): false
    case (.background, _), (.alert, _): limits.holds
    }
  }

  /// Until when the phone saves power and takes no push of this priority; nil: it does take it.
  package func restrictedUntil(_ now: SimInstant, phone: PhoneID) -> SimInstant? {
    guard !PushGrouping.isUrgent(priority: request.priority) else { return nil }
    return power.restrictedUntil(now, phone: phone)
  }

  /// How long the push with this id is kept back to spare the radio.
  package func groupingWait(
    _ id: UInt64, at t: SimInstant, phone: PhoneID, isForeground: Bool
  ) -> SimDuration {
    PushGrouping.wait(
      id, phone: phone.rawValue, seed: seed, priority: request.priority,
      isForeground: isForeground, isCharging: power.isCharging(at: t, phone: phone), limits)
  }
}

/// What a phone's system looks at when a silent push has reached it.
package struct PushSituation: Equatable, Sendable, BitwiseCopyable {
  package var isForceQuit = false
  package var isForeground = false
  /// Low Power Mode; also when the push is one that may not wake anything.
  package var lowPower = false
  package var refreshOff = false
  /// Nobody has opened the app for a week: it is starved of its pushes (rule book 2.2).
  package var isUnopened = false

  package init() {}
}

/// What a phone does with a silent push that has reached it, first gate first.
package enum PushGate: UInt8, Sendable, BitwiseCopyable {
  case open
  case forceQuit
  case lowPower
  case refreshOff
  case throttled

  /// LC11 force-quit, BR1 Background App Refresh, and the budget, in the order in which outcomes
  /// are charged. An app in the foreground gets its push whatever the settings.
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
