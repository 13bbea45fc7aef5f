internal import SimulationCore

// The people of a city: what `scenarios/people/standard.yaml` spells out, with its sources.

extension PeopleProfile {
  /// Is the people of a city without a file: the values that `scenarios/people/standard.yaml`
  /// spells out with their sources.
  package static var standard: PeopleProfile {
    PeopleProfile(
      name: "standard", description: "", work: .standard, outings: .standard, places: .standard,
      travel: .standard, modes: .standard)
  }
}

extension WorkHabits {
  static var standard: WorkHabits {
    WorkHabits(
      weekday: 0.81, weekend: 0.06,
      distance: spread(.meters(5_600), 0.9, .meters(300), .meters(38_000)),
      bicycleDistance: spread(.meters(4_000), 0.5, .meters(300), .meters(11_000)),
      rush: 1.2,
      leaves: [
        0, 0, 0, 0, 0, 0, 0, 0, 0.4, 3.0, 3.0, 4.6, 8.7, 10.8, 15.0, 15.8, 10.9, 5.3, 3.3, 2.2,
        1.3, 1.0, 0.6, 0.5, 1.2, 1.4, 1.5, 1.3, 0.8, 0.6, 0.5, 0.4, 1.6, 1.4, 1.2, 0.9, 0.7, 0.5,
        0.3, 0.2, 0, 0, 0, 0, 0, 0, 0, 0,
      ],
      punctuality: .minutes(12), length: .hours(8), lengthDeviation: .minutes(72), lunch: 0.28,
      lunchStay: spread(.minutes(34), 0.25, .minutes(10), .minutes(90)),
      lunchReach: .meters(700), errandsAfter: [0.3, 0.39, 0.31], eveningOut: 0.22)
  }
}

extension OutingHabits {
  static var standard: OutingHabits {
    OutingHabits(
      staysHome: 0.25, tours: [0.46, 0.41, 0.13], errands: [0.25, 0.33, 0.27, 0.15],
      weekdayStarts: [
        0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0.5, 2, 4, 5, 5, 5, 5, 5, 5, 5, 5, 5, 4.5, 4, 4, 4, 3.5,
        3.5, 3.5, 3.5, 3, 3, 3, 3, 2.5, 2, 1.5, 1.2, 1, 0.8, 0.5, 0.2, 0, 0, 0, 0,
      ],
      weekendStarts: [
        0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0.3, 0.5, 0.8, 1.2, 2, 2.5, 3.5, 4, 4.5, 4.5, 4.5, 4.5,
        4.5, 4.5, 4, 4, 4, 4, 4, 4, 3.5, 3.5, 3.5, 3.5, 3.5, 3.5, 3, 2.5, 2, 1.5, 1, 0.5, 0, 0, 0,
        0,
      ],
      weekdayStay: spread(.minutes(30), 0.27, .minutes(8), .hours(6)),
      weekendStay: spread(.minutes(32), 0.3, .minutes(8), .hours(7)), pause: .minutes(25),
      bedtime: 22, bedtimeDeviation: 0.8)
  }
}

extension PlaceHabits {
  static var standard: PlaceHabits {
    PlaceHabits(
      distance: spread(.meters(1_800), 1.1, .meters(150), .meters(20_000)),
      bicycleDistance: spread(.meters(1_900), 0.9, .meters(150), .meters(8_000)),
      rankExponent: 0.65, outdoors: 0.125)
  }
}

extension TravelHabits {
  static var standard: TravelHabits {
    TravelHabits(
      commuter: Mix(car: 0.72, transit: 0.21, bicycle: 0.07, onFoot: 0),
      homebody: Mix(car: 0.5, transit: 0.2, bicycle: 0, onFoot: 0.3),
      driverWalks: .meters(900), passengerWalks: .meters(1_000), cyclistWalks: .meters(500),
      walkerWalks: .meters(2_000), bicycleReach: .meters(12_000), trainFrom: .meters(9_000),
      tramServed: 0.5, walkReach: .meters(3_500), detourLow: 1.3, detourHigh: 1.6, metro: 0.5)
  }
}

extension ModeTable {
  static var standard: ModeTable {
    ModeTable(
      walk: mode(1.47, 0, 0.2, block: 90, stops: 500, .seconds(22)),
      bicycle: mode(6.5, 0.05, 0.2, block: 160, stops: 1_300, .seconds(28)),
      bus: mode(9.4, 0.1, 0.2, block: 260, stops: 1_000, .seconds(32)),
      tram: mode(7.2, 0.1, 0.2, block: 300, stops: 400, .seconds(28)),
      car: mode(12.8, 0.18, 0.2, block: 320, stops: 1_300, .seconds(30)),
      rail: mode(17, 0.2, 0.2, block: 900, stops: 1_600, .seconds(32)))
  }

  private static func mode(
    _ speed: Double, _ growth: Double, _ deviation: Double, block: Double, stops: Double,
    _ stop: SimDuration
  ) -> ModeSettings {
    ModeSettings(
      speed: Speed(metersPerSecond: speed), growth: growth, deviation: deviation,
      block: .meters(block), stopSpacing: .meters(stops), stop: stop)
  }
}

private func spread(
  _ median: Distance, _ sigma: Double, _ min: Distance, _ max: Distance
) -> DistanceSpread {
  DistanceSpread(median: median, sigma: sigma, min: min, max: max)
}

private func spread(
  _ median: SimDuration, _ sigma: Double, _ min: SimDuration, _ max: SimDuration
) -> TimeSpread {
  TimeSpread(median: median, sigma: sigma, min: min, max: max)
}
