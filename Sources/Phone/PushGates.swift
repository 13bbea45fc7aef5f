package import Core
package import Scenarios

/// The conditions for pushes that many phones share. The type is noncopyable, so that its 400 bytes
/// or so are borrowed and never copied.
package struct PushConditions: ~Copyable, Sendable {
  let system: PhoneSystem
  package let request: PushRequest
  package let limits: PhonePushSettings
  package let power: PowerHabits
  private let notificationsAllowed: Double
  private let seed: UInt64

  package init(
    seed: UInt64, _ system: PhoneSystem, _ request: PushRequest, _ limits: PhonePushSettings,
    mix: PhoneMix, clock: CivilClock
  ) {
    self.seed = seed
    self.system = system
    self.request = request
    self.limits = limits
    power = PowerHabits(seed: seed, mix: mix, clock: clock)
    notificationsAllowed = mix.notificationsAllowed
  }

  /// AL1: Returns whether the phone shows the push, which must be an alert that its owner allows.
  func isShown(on phone: PhoneID, _ manner: PushManner) -> Bool {
    guard manner.isOfScenario || manner.kind == .alert, system.rules.isAlert(request(manner).kind)
    else {
      return false
    }
    var draw = Draw(seed: seed, phone: phone.rawValue, .notifications)
    return draw.chance(notificationsAllowed)
  }

  func request(_ manner: PushManner) -> PushRequest { request.request(manner) }

  /// Whether the push's priority, which is that of APNs, lets it wake an app.
  func mayWake(_ manner: PushManner) -> Bool {
    provider.hasOwnPriority || system.rules.mayWake(request(manner))
  }

  /// Whether the scenario's pushes run an extension instead of the app, so that the extension's
  /// budget counts.
  var isForExtension: Bool { system.rules.isForExtension(request.kind) }

  func isForExtension(_ manner: PushManner) -> Bool {
    system.rules.isForExtension(request(manner).kind)
  }

  package var hasToken: Bool { system.rules.hasToken(for: request.kind) }

  package var provider: ProviderKind { system.provider }

  func holds(at gate: PushGate, _ manner: PushManner) -> Bool {
    system.rules.holds(request(manner).kind, at: gate, limits)
  }

  /// Returns when the phone accepts pushes of this priority again; nil if it accepts them at `now`.
  package func restrictedUntil(
    _ now: SimInstant, phone: PhoneID, _ manner: PushManner = .ofScenario
  ) -> SimInstant? {
    guard !system.rules.isUrgent(request(manner)) else { return nil }
    return power.restrictedUntil(now, phone: phone)
  }

  /// SP6, AL2: Returns the wait before a launch for a push: zero if the push is urgent, the app
  /// in use, or the system one that starts it at once.
  package func launchWait(
    isForeground: Bool, _ manner: PushManner = .ofScenario
  ) -> SimDuration {
    isForeground || system.startsAppAtOnce || system.rules.isUrgent(request(manner))
      ? .zero : limits.pendingLaunch
  }

  /// SP14: Returns whether a location push that arrives in Low Power Mode runs its extension.
  func runsExtensionInLowPower(at now: SimInstant, phone: PhoneID) -> Bool {
    var draw = Draw(seed: seed, phone: phone.rawValue, .extensionInLowPower, now.microseconds)
    return draw.chance(limits.extensionInLowPower)
  }

  /// SP4: Returns the time to the next window as a multiple of the mean.
  func windowSpread(from now: SimInstant, phone: PhoneID) -> Double {
    switch limits.window.spacing {
    case .fixed: return 1
    case .exponential:
      var draw = Draw(seed: seed, phone: phone.rawValue, .pushWindow, now.microseconds)
      return draw.exponential(mean: 1)
    }
  }
}

/// The first closed gate that a push meets on its phone, or `open`.
package enum PushGate: UInt8, Sendable, BitwiseCopyable {
  case open
  case forceQuit
  case lowPower
  case refreshOff
  case throttled
  case alertOnly
  case beforeFirstUnlock
  /// On Android: nothing reaches the app until its owner opens it (AFC11).
  case stopped
  /// On Android: the app answers the push in a job, which waits for the end of Doze (AFC14).
  case doze
}

struct PushGates: OptionSet, Sendable, BitwiseCopyable {
  let rawValue: UInt8

  static let forceQuit = PushGates(rawValue: 1)
  static let lowPower = PushGates(rawValue: 2)
  static let refreshOff = PushGates(rawValue: 4)
  static let quiet = PushGates(rawValue: 8)
  static let budget = PushGates(rawValue: 16)
  static let extensionBudget = PushGates(rawValue: 32)
}
