internal import Phone

enum EnergyDayMeasures {
  static var all: [ClaimMeasure] { resting + screens + sparse + drives }

  private static func day(
    _ policy: String, _ system: String, _ energy: String, mobility: String? = nil
  ) -> FleetPlan {
    FleetPlan(policy: policy, system: system).with {
      $0.energy = energy
      $0.mobility = mobility
      $0.phones = 16
      $0.traced = nil
    }
  }

  private static func screen(_ id: String, _ plan: FleetPlan) -> ClaimMeasure {
    ClaimMeasure(id, .phones(plan) { $0.screenPercent }, .median)
  }

  private static let silent = "send: { interval: 24h, maxFixes: 4000 }"

  // MARK: A tracker that rests

  /// LocoKit's recorder: a fix every 10 m while moving; 3 km accuracy after three minutes at rest.
  private static let locoKit: String = {
    let mode = """
      { standard: continuous, accuracy: best, distanceFilter: 10m, pausesAutomatically: false, \
      filter: { rule: everything }, rest: { sign: { still: { time: 180s, within: 50m } }, \
      standard: continuous, accuracy: threeKilometers, distanceFilter: none, \
      pausesAutomatically: false } }
      """
    return """
      { base: elastic, app: { showsIndicator: true }, significantChange: true, visits: true, \
      regionRadius: none, foreground: \(mode), background: \(mode), \(silent) }
      """
  }()

  private static var resting: [ClaimMeasure] {
    func saving(_ accuracy: String) -> ClaimCase {
      let policies = ["owntracks-move", "elastic"].map { base in
        """
        { base: \(base), app: { showsIndicator: true }, foreground: { accuracy: \(accuracy) }, \
        background: { accuracy: \(accuracy) }, send: { interval: 1h, maxFixes: 200 } }
        """
      }
      let parts = policies.map { policy in
        ClaimPart.phones(day(policy, "ios12", "legacy2015")) { $0.wholePercentAnHour }
      }
      return ClaimCase(accuracy, parts) { parts in
        EnergyMeasures.medianRatio(parts[1], parts[0]).map { 100 * (1 - $0) }
      }
    }
    return [
      ClaimMeasure("E-geofence-duty-cycle-saving", ["best", "hundredMeters"].map(saving)),
      ClaimMeasure(
        "E-locokit-hours-on-a-charge",
        EnergyMeasures.profiles.map { energy in
          ClaimCase(
            energy,
            .phones(day(locoKit, "ios17", energy)) { phone in
              PhoneFigures(values: phone.wholePercentAnHour.values.map { 100 / $0 })
            }, .median)
        }),
      screen("E-arc-day-at-home", day(locoKit, "ios12", "legacy2015", mobility: "homebody")),
      screen("E-arc-day-iphone6s", day(locoKit, "ios12", "legacy2015")),
      screen("E-arc-day-iphone14pro", day(locoKit, "ios17", "modern2022")),
      ClaimMeasure(
        "E-gps-sdk-day-ios13",
        EnergyMeasures.profiles.map { energy in
          let both = ["commuter", "homebody"].map { people in
            ClaimPart.phones(day("elastic", "ios15", energy, mobility: people)) {
              $0.screenPercent
            }
          }
          return ClaimCase(energy, both) { ClaimStatistic.mean.value(of: $0[0] + $0[1]) }
        }),
    ]
  }

  // MARK: A row of the battery screen

  private static var screens: [ClaimMeasure] {
    let filtered = "{ distanceFilter: 400m }"
    let traccar = """
      { base: traccar, significantChange: false, foreground: \(filtered), \
      background: \(filtered), \(silent) }
      """
    let batched = "{ base: owntracks-move, send: { interval: 30min, maxFixes: 200 } }"
    let each = EnergyClaims.always("accuracy: best, distanceFilter: 25m", send: "interval: 0s")
    let workday = day("owntracks-move", "ios12", "legacy2015").with {
      $0.start = "2026-03-03T07:00"
      $0.duration = "9h"
    }
    let small = day("{ base: owntracks-significant, \(silent) }", "ios12", "legacy2015")
    return [
      screen("E-standard-100m-day", day(traccar, "ios12", "legacy2015")),
      screen("E-standard-best-batched-day", day(batched, "ios17", "modern2022")),
      screen("E-filter-25m-send-each", day(each, "ios12", "legacy2015")),
      screen("E-owntracks-move-day", workday),
      ClaimMeasure(
        "E-standard-100m-against-significant",
        [
          ClaimCase(
            "",
            [day(traccar, "ios12", "legacy2015"), small].map { plan in
              .phones(plan) { $0.trackingPercentAnHour }
            }
          ) { EnergyMeasures.medianRatio($0[0], $0[1]) }
        ]),
    ]
  }

  // MARK: Few fixes

  private static var sparse: [ClaimMeasure] {
    func wide(_ plan: FleetPlan) -> FleetPlan { plan.with { $0.phones = 60 } }
    // The app is opened once a day; the position at the opening is the first region's centre.
    let burst = "standard: { burst: { for: 1s, minInterval: 3min } }, accuracy: hundredMeters"
    let regionOnly = """
      { base: hybrid, significantChange: false, visits: false, regionRadius: 100m, \
      foreground: { \(burst) }, background: { \(burst) }, send: { interval: 0s } }
      """
    func opened(_ energy: String) -> FleetPlan {
      wide(day(regionOnly, "ios17", energy)).with {
        $0.phone = ["sessionsPerDay=1"]
        $0.warmStart = "48h"
      }
    }
    let pushed = wide(
      day(PushMeasures.short, "ios8", "legacy2015").with {
        $0.push = PushMeasures.every("15min", within: "15min")
      })
    return [
      ClaimMeasure(
        "E-significant-or-visits-under-one",
        ["radar-efficient", "owntracks-significant"].map { policy in
          ClaimCase(
            policy, .phones(wide(day(policy, "ios17", "modern2022"))) { $0.screenPercent }, .median)
        }),
      ClaimMeasure(
        "E-region-only-vendor",
        EnergyMeasures.profiles.map { energy in
          ClaimCase(energy, .phones(opened(energy)) { $0.trackingPercentADay }, .median)
        }),
      screen("E-silent-push-96-a-day", pushed),
    ]
  }

  // MARK: Days by car

  static func drivers(_ policy: String) -> FleetPlan {
    EnergyMeasures.byDay(policy, "ios26", "modern2022", .country).with {
      $0.phones = 40
      $0.phone = ["sessionsPerDay=3"]
    }
  }

  /// A day with 370 km by car, which no simulated person drives: 4.5 h at the mean power of driving
  /// phones, and the rest at the mean power of resting phones, both over the policies.
  private static func drive(_ id: String, _ policies: [String]) -> ClaimMeasure {
    let powers: [@Sendable (LivedPhone) -> [Double]] = [
      { $0.watts(while: .riding(.car)) }, { $0.watts(while: .resting) },
      { [$0.fleet.ownScreenWatts($0.cohort)] }, { [$0.restWatts] },
    ]
    let parts = policies.flatMap { policy in
      powers.map { power in
        ClaimPart.phones(drivers(policy)) { PhoneFigures(values: power($0)) }
      }
    }
    let ofDay = ClaimCase("", parts) { parts in
      let watts = powers.indices.compactMap { power in
        let own = stride(from: power, to: parts.count, by: powers.count).map { parts[$0] }
        return ClaimStatistic.mean.value(of: own.flatMap { $0 })
      }
      guard watts.count == powers.count else { return nil }
      let app = (4.5 * watts[0] + 19.5 * watts[1]) / 24 + watts[2]
      return 100 * app / (app + watts[3])
    }
    return ClaimMeasure(id, [ofDay])
  }

  private static var drives: [ClaimMeasure] {
    [
      drive("E-drive-370km-continuous", ["elastic"]),
      drive("E-drive-370km-low-power-events", ["significant-change", "hybrid"]),
    ]
  }
}
