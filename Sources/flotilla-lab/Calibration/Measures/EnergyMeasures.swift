internal import Core
internal import Fleet
internal import Phone
internal import Scenarios

enum EnergyMeasures {
  static var all: [ClaimMeasure] {
    idle + accuracies + continuous + EnergyDayMeasures.all + BatteryMeasures.all
  }

  static let profiles = ["legacy2015", "modern2022"]

  /// Returns a day of one fix per second from morning to evening, read every ten minutes.
  static func byDay(
    _ policy: String, _ system: String, _ energy: String, _ place: FleetPlan.Place = .claims
  ) -> FleetPlan {
    FleetPlan(place, policy: policy, system: system).with {
      $0.energy = energy
      $0.phones = 12
      $0.start = "2026-03-03T06:00"
      $0.warmStart = "6h"
      $0.duration = "14h"
      $0.phone = ["sessionsPerDay=12"]
      $0.metersEvery = .minutes(10)
      $0.traced = nil
    }
  }

  // MARK: Without a tracker

  private static var idle: [ClaimMeasure] {
    func plan(_ policy: String, start: String, hours: Int) -> FleetPlan {
      FleetPlan(policy: policy, system: "ios12").with {
        $0.energy = "legacy2015"
        $0.start = "2026-03-\(start)"
        $0.duration = "\(hours)h"
        $0.traced = nil
        $0.metersEvery = .hours(1)
      }
    }
    return [
      ClaimMeasure(
        "E-idle-iphone6-night",
        .phones(plan(PushMeasures.quiet, start: "03T23:00", hours: 7)) { $0.idlePercentAnHour },
        .median),
      ClaimMeasure(
        "E-idle-iphone6s-standby",
        .phones(plan(PushMeasures.quiet, start: "03T00:00", hours: 24)) { $0.idlePercentAnHour },
        .median),
      ClaimMeasure(
        "E-idle-night-with-logger",
        .phones(plan("significant-change", start: "04T00:00", hours: 6)) { phone in
          phone.idlePercentAnHour(while: .resting)
        }, .median),
    ]
  }

  // MARK: Accuracies

  private static func alone(_ service: String) -> String {
    EnergyClaims.always(service, send: "interval: 24h, maxFixes: 4000")
  }

  private static let best = alone("accuracy: best, distanceFilter: none")

  private static var accuracies: [ClaimMeasure] {
    func hours(_ a: FleetPlan, over b: FleetPlan, _ name: String = "") -> ClaimCase {
      let parts = [b, a].map { plan in ClaimPart.phones(plan) { $0.idlePercentAnHour } }
      return ClaimCase(name, parts) { Self.medianRatio($0[0], $0[1]) }
    }
    func coarse(_ energy: String) -> ClaimCase {
      hours(
        byDay(alone("accuracy: threeKilometers, distanceFilter: none"), "ios12", energy),
        over: byDay(best, "ios12", energy), energy)
    }
    let polled = """
      { standard: { polled: { every: 15s, timeout: 10s } } }
      """
    let slow = """
      { base: radar-continuous, foreground: \(polled), background: \(polled), \
      send: { interval: 24h, maxFixes: 4000 }, outbox: { capacity: 5000 } }
      """
    return [
      ClaimMeasure(
        "E-gps-against-wifi-hours",
        [
          hours(
            byDay(
              alone("accuracy: hundredMeters, distanceFilter: none"), "ios12",
              "{ base: legacy2015, hundredMeterSatelliteShare: 0% }"),
            over: byDay(best, "ios12", "legacy2015"))
        ]),
      ClaimMeasure("E-gps-against-cell-hours", profiles.map(coarse)),
      ClaimMeasure(
        "E-gps-1hz-against-15s",
        [hours(byDay(slow, "ios17", "modern2022"), over: byDay(best, "ios17", "modern2022"))]),
    ]
  }

  static func medianRatio(_ a: [PhoneFigures], _ b: [PhoneFigures]) -> Double? {
    Sample.median(
      zip(a, b).compactMap { Sample.ratio(Sample.mean($0.values), Sample.mean($1.values)) })
  }

  // MARK: Continuous

  private static var continuous: [ClaimMeasure] {
    func whole(
      _ id: String, _ plan: FleetPlan, while doing: LivedPhone.Doing
    ) -> ClaimMeasure {
      ClaimMeasure(id, .phones(plan) { $0.wholePercentAnHour(while: doing) }, .median)
    }
    func alone(_ id: String, _ plan: FleetPlan) -> ClaimMeasure {
      ClaimMeasure(id, .phones(plan) { $0.idlePercentAnHour }, .median)
    }
    let modern = byDay(best, "ios17", "modern2022")
    let hourly = """
      { base: owntracks-move, app: { showsIndicator: true }, send: { interval: 1h, maxFixes: 200 } }
      """
    let cycle = byDay("duty-cycle", "ios8", "legacy2015")
    return [
      ClaimMeasure(
        "E-gps-hour-1hz-measured", .phones(modern) { $0.idlePercentAnHour(while: .moving) },
        .median),
      whole(
        "E-gps-ride-background", modern.with { $0.mobility = "cyclist" }, while: .riding(.bicycle)),
      whole("E-ultra-run-11h", modern, while: .riding(.walk)),
      ClaimMeasure(
        "E-gps-quarter-hour-app", .phones(modern) { $0.trackingPercentAnHour }, .median),
      alone("E-osmand-new-phones", modern),
      alone("E-osmand-old-phones", byDay(best, "ios12", "legacy2015")),
      ClaimMeasure(
        "E-gps-hour-iphone-range",
        profiles.map { energy in
          ClaimCase(
            energy,
            .phones(byDay(hourly, "ios17", energy)) { $0.wholePercentAnHour(while: .moving) },
            .median)
        }),
      whole("E-restart-each-minute-rest", cycle.with { $0.mobility = "homebody" }, while: .resting),
      whole("E-restart-each-minute-moving", cycle, while: .moving),
      whole(
        "E-driving-motion-hour-ios26", EnergyDayMeasures.drivers("elastic"), while: .riding(.car)),
    ]
  }
}

extension LivedPhone {
  var cohort: Int { fleet.fleet.context.cohort(of: number) }

  var prices: EnergyPrices { fleet.fleet.context.prices(cohort) }

  var trackingWatts: Double { fleet.trackingWatts[number] }

  private func percentAnHour(_ watts: Double) -> Double {
    100 * watts * 3_600 / prices.batteryJoules
  }

  private var idleWatts: Double { prices.profile.idleMilliwatts / 1_000 }

  var trackingPercentAnHour: PhoneFigures {
    PhoneFigures(values: [percentAnHour(trackingWatts)])
  }

  /// The use by the tracker and the idle phone, with a dark screen and no other app.
  var idlePercentAnHour: PhoneFigures {
    PhoneFigures(values: [percentAnHour(trackingWatts + idleWatts)])
  }

  func idlePercentAnHour(while doing: Doing) -> PhoneFigures {
    PhoneFigures(values: watts(while: doing).map { percentAnHour($0 + idleWatts) })
  }

  /// The power of the idle phone and of other apps, which run while the owner is awake.
  private var darkWatts: Double {
    idleWatts + awakeShare * prices.profile.backgroundMilliwatts / 1_000
  }

  var wholePercentAnHour: PhoneFigures {
    PhoneFigures(values: [percentAnHour(trackingWatts + darkWatts)])
  }

  func wholePercentAnHour(while doing: Doing) -> PhoneFigures {
    let dark = darkWatts
    return PhoneFigures(values: watts(while: doing).map { percentAnHour($0 + dark) })
  }

  func litPercentAnHour(while doing: Doing) -> PhoneFigures {
    let profile = prices.profile
    let others =
      profile.idleMilliwatts + profile.screenMilliwatts + profile.backgroundMilliwatts
    return PhoneFigures(
      values: watts(while: doing).map { percentAnHour($0 + others / 1_000) })
  }

  var trackingPercentADay: PhoneFigures {
    PhoneFigures(values: [24 * percentAnHour(trackingWatts)])
  }

  /// The mean power of idling, search for cells, screen and other apps, in watts, without the
  /// tracker and its app.
  var restWatts: Double {
    idleWatts + searchWatts + awakeShare * Double(fleet.usageMilliwatts[number]) / 1_000
  }

  /// BT9: The mean power of the search for a better cell, in watts.
  private var searchWatts: Double {
    let habits = fleet.fleet.context.habits(cohort)
    let phone = PhoneID(rawValue: UInt32(number))
    let traits = habits.traits(of: phone)
    let weak = segments.reduce(0.0) { sum, segment in
      guard habits.link(of: segment, phone: phone, traits).contains(.weakSignal) else { return sum }
      return sum + (min(segment.end, end) - max(segment.start, start)).seconds
    }
    return weak / (end - start).seconds * prices.profile.searchMilliwatts / 1_000
  }

  /// BT6: the percentage on the battery screen of a tracker whose app is never in front.
  var screenPercent: PhoneFigures {
    PhoneFigures(values: [100 * trackingWatts / (trackingWatts + restWatts)])
  }
}
