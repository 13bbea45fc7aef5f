package import Scenarios
package import SimulationCore
package import Telemetry

/// Holds what decides about a silent push and is shared by many phones.
///
/// It is not copyable, so that its 400 bytes or so are lent and never copied.
package struct PushConditions: ~Copyable, Sendable {
  /// Is the system whose rules decide.
  let system: PhoneSystem
  /// Is what the server writes into each push.
  package let request: PushRequest
  /// Holds the scenario's limits on pushes on the phone: budgets, grouping, and whether closed
  /// gates hold a push.
  package let limits: PhonePushSettings
  /// Models what the system does to save power whatever the charge.
  package let power: PowerHabits
  private let seed: UInt64

  /// Makes the conditions from the scenario's seed and settings and the system and habits of a
  /// cohort.
  package init(
    seed: UInt64, _ system: PhoneSystem, _ request: PushRequest, _ limits: PhonePushSettings,
    _ power: PowerHabits
  ) {
    self.seed = seed
    self.system = system
    self.request = request
    self.limits = limits
    self.power = power
  }

  /// Is true if the push may wake an app.
  var mayWake: Bool { system.mayWake(request) }

  /// Is true if the push runs an extension instead of the app.
  var isForExtension: Bool { system.isForExtension(request.kind) }

  /// Is true if an app on these phones has a valid token for the pushes.
  package var hasToken: Bool { system.hasToken(for: request.kind) }

  /// Names the service that brings the pushes to these phones.
  package var provider: ProviderKind { system.provider }

  /// Returns whether a push that meets this gate waits on the phone until the gate opens.
  func holds(at gate: PushGate) -> Bool { system.holds(request.kind, at: gate, limits) }

  /// Returns until when the phone saves power and accepts no push of this priority; nil if it
  /// accepts it.
  package func restrictedUntil(_ now: SimInstant, phone: PhoneID) -> SimInstant? {
    guard !system.isUrgent(request) else { return nil }
    return power.restrictedUntil(now, phone: phone)
  }

  /// Returns how long the push with this id is delayed to spare the radio.
  package func groupingWait(
    _ id: UInt64, phone: PhoneID, isForeground: Bool, isCharging: Bool
  ) -> SimDuration {
    system.groupingWait(
      id, phone: phone, seed: seed, isForeground: isForeground, isCharging: isCharging, self)
  }
}

/// Names the first closed gate that a silent push meets on its phone, or `open`.
package enum PushGate: UInt8, Sendable, BitwiseCopyable {
  case open
  case forceQuit
  case lowPower
  case refreshOff
  case throttled
}
