internal import SimulationCore

/// A fleet that measures share: which phones live which days under which policy.
struct FleetPlan: Hashable, Sendable {
  /// Whose days are lived.
  enum Place: String, Sendable {
    /// Commuters of a city.
    case claims
    /// Commuters, cyclists and people at home of the shipped scenarios.
    case city, country

    fileprivate var cohorts: Int { self == .claims ? 1 : 3 }
  }

  var place = Place.claims
  var policy: String
  var system: String
  /// nil: the default profile.
  var energy: String?
  /// nil: what the system brings.
  var significantChange: String?
  /// Of all phones; nil: as the scenario says.
  var mobility: String?
  var phones = 40
  /// A Tuesday.
  var start = "2026-03-03T00:00"
  var warmStart = "12h"
  var duration = "24h"
  /// Every phone is in order and nobody opens the app; else the default mix.
  var isHealthy = true
  /// What differs from that, such as `sessionsPerDay=3`.
  var phone: [String] = []
  /// Under `push`; empty: the server pushes nobody.
  var push: [String] = []
  /// Whether every phone's life is written down.
  var isTraced = true
  var metersEvery: SimDuration?

  init(_ place: Place = .claims, policy: String, system: String) {
    self.place = place
    self.policy = policy
    self.system = system
  }

  /// The same with some changes.
  func with(_ change: (inout FleetPlan) -> Void) -> FleetPlan {
    var copy = self
    change(&copy)
    return copy
  }

  /// What `claims.yaml` says of its phones, for scenarios whose phones are a mix.
  private static let inOrder = [
    "always=100%", "whenInUse=0%", "forceQuit=0%", "refreshOff=0%", "lowPower=0%", "offline=0%",
    "switchedOff=0%", "unregistered=0%", "provisionalDenied=0%", "reducedAccuracy=0%",
    "airplane=0%", "airplaneAtNight=0%", "withoutSIM=0%", "unopened=0%", "motionDenied=0%",
    "staleToken=0%", "sessionsPerDay=0", "wifiOff=0%", "chargesAtNight=100%",
    "battery.healthLeast=1", "battery.chargeLeast=1", "battery.chargesAtWork=100%",
    "battery.chargesInCar=100%", "battery.chargesWhenLow=100%", "battery.lowPowerWhenLow=0%",
    "memory.perScreenHour=0", "memory.perIdleHour=0", "updates.perYear=0", "reinstalls.perYear=0",
    "permission.secondPromptAhead=0%", "permission.allowOnce=0%", "permission.takenBack=0%",
  ]

  /// Nobody charges: what is measured is measured on battery.
  static let uncharged = [
    "chargesAtNight=0%", "battery.chargesAtWork=0%", "battery.chargesInCar=0%",
    "battery.chargesWhenLow=0%",
  ]

  /// The settings that make the scenario of it.
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

  /// The scenario, its policy and its system, as progress lines print them.
  var name: String {
    let short = policy.count > 40 ? policy.prefix(37) + "..." : policy[...]
    return "\(place.rawValue), \(short), \(system), \(phones) phones, \(duration)"
  }

  /// Lives the fleet on one thread.
  func live(_ bench: CalibrationBench, seed: UInt64) throws -> TracedFleet {
    let alone = CalibrationBench(
      seeds: bench.seeds, library: bench.library, dataFolder: nil, threads: 1)
    return try TracedFleet(
      alone, place.rawValue, seed: seed, settings: settings, isTraced: isTraced,
      metersEvery: metersEvery)
  }
}
