internal import Core
internal import Fleet
internal import Scenarios

struct FleetPlan: Hashable, Sendable {
  enum Place: String, Sendable {
    /// Commuters of a city, all in one cohort.
    case claims
    case city, country

    fileprivate var cohorts: Int { self == .claims ? 1 : 3 }
  }

  var place = Place.claims
  var policy: String
  var system: String
  var energy: String?
  /// The significant-change profile; nil for the system's own.
  var significantChange: String?
  var mobility: String?
  var phones = 40
  /// The start of the measured part, which is a Tuesday.
  var start = "2026-03-03T00:00"
  var warmStart = "12h"
  var duration = "24h"
  /// Whether all phones work normally and no app is opened; otherwise phones are the default mix.
  var isHealthy = true
  var phone: [String] = []
  /// The settings under `push`; empty for no pushes.
  var push: [String] = []
  /// What the phones' traces record; nil for no traces.
  var traced: PhoneTrace.Scope? = .everything
  var metersEvery: SimDuration?

  init(_ place: Place = .claims, policy: String, system: String) {
    self.place = place
    self.policy = policy
    self.system = system
  }

  func with(_ change: (inout FleetPlan) -> Void) -> FleetPlan {
    var copy = self
    change(&copy)
    return copy
  }

  /// The phone settings of `claims.yaml`, for scenarios that have a mix of phones.
  private static let inOrder = [
    "always=100%", "whenInUse=0%", "forceQuit=0%", "refreshOff=0%", "lowPower=0%", "offline=0%",
    "switchedOff=0%", "unregistered=0%", "provisionalDenied=0%", "reducedAccuracy=0%",
    "airplane=0%", "airplaneAtNight=0%", "withoutSIM=0%", "unopened=0%", "motionDenied=0%",
    "staleToken=0%", "restricted=0%", "restrictedAtNight=0%", "sessionsPerDay=0",
    "sessionsSigma=0", "daysUnopened=0%", "wifiOff=0%", "chargesAtNight=100%",
    "battery.healthLeast=1", "battery.chargeLeast=1", "battery.chargesAtWork=100%",
    "battery.chargesInCar=100%", "battery.chargesWhenLow=100%", "battery.lowPowerWhenLow=0%",
    "battery.adaptivePower=0%",
    "memory.perScreenHour=0", "memory.perIdleHour=0", "updates.perYear=0", "reinstalls.perYear=0",
    "permission.secondPromptAhead=0%", "permission.allowOnce=0%", "permission.takenBack=0%",
  ]

  /// The settings of phones that are never charged, for measurements on battery.
  static let uncharged = [
    "chargesAtNight=0%", "battery.chargesAtWork=0%", "battery.chargesInCar=0%",
    "battery.chargesWhenLow=0%",
  ]

  var settings: [String] {
    var settings = [
      "fleet.phones=\(phones)", "start=\(start)", "warmStart=\(warmStart)", "duration=\(duration)",
      "phases.ramp=0s", "faults=[]", "push.holdout=0%", "slo={ lost: 0 }",
    ]
    for cohort in 0..<place.cohorts {
      let path = "fleet.cohorts[\(cohort)]"
      settings += ["\(path).policy=\(policy)", "\(path).os=\(system)"]
      if let energy { settings.append("\(path).energy=\(energy)") }
      if let significantChange {
        settings.append("\(path).significantChange=\(significantChange)")
      }
      if let mobility { settings.append("\(path).mobility=\(mobility)") }
    }
    let mix = (isHealthy ? Self.inOrder : []) + phone
    settings += mix.map { "fleet.phone.\($0)" }
    settings += push.isEmpty ? ["push.scheduler=none"] : push.map { "push.\($0)" }
    return settings
  }

  var name: String {
    let short = [policy, system].map { $0.count > 40 ? $0.prefix(37) + "..." : $0[...] }
    return "\(place.rawValue), \(short[0]), \(short[1]), \(phones) phones, \(duration)"
  }

  /// The paths that the claim sets, which are thus no uncertain parameters of the model. A path
  /// with a leading period is only the last part of a path: a key of an inline profile.
  var conditions: [String] {
    let inline = (system + (energy ?? "")).matches(of: /(\w+):/).map { ".\($0.1)" }
    return settings.map { String($0.prefix { $0 != "=" }) } + inline
  }

  func live(_ scenario: Scenario) -> TracedFleet {
    TracedFleet(scenario, threads: 1, traced: traced, metersEvery: metersEvery)
  }
}
