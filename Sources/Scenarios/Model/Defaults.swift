internal import Core

// The defaults of scenarios and policies. The defaults of the model's parameters, and their
// sources, are in `scenarios/profiles` and `scenarios/people`.

extension Scenario {
  /// Returns a scenario with every default and one cohort, made without a file.
  package static func standard(phones: Int) -> Scenario {
    Scenario(
      name: "standard", question: "", answers: .capacity, seed: 1, start: monday,
      duration: .hours(1),
      warmStart: .hours(24), speed: 60, phases: Phases(ramp: .minutes(5), drain: .minutes(5)),
      city: City(
        centreLatitude: 52.52, centreLongitude: 13.405, radius: .kilometers(12),
        utcOffset: .hours(1)),
      fleet: FleetSettings(phones: phones, cohorts: [.standard], phone: .standard),
      push: .standard, collector: .standard, connections: .perUpload, encoding: .packed,
      network: .standard, faults: [], slo: ServiceLevels(), policies: [.standard])
  }

  private static var monday: SimInstant { SimInstant(microseconds: 1_772_433_000_000_000) }
}

extension CityEvent {
  /// The defaults of an event, whose times are required. Three in four spectators come in the last
  /// 90 minutes before kick-off, and a stadium of 60,000 empties in 15 minutes; both are assumed.
  static var standard: CityEvent {
    CityEvent(
      place: nil, from: SimInstant(microseconds: 0), until: SimInstant(microseconds: 0),
      radius: .meters(150), arrivals: .minutes(90), departures: .minutes(15))
  }
}

extension Cohort {
  /// The cohort of a fleet that names none, with commuters, iOS 17 and the modern profiles.
  package static var standard: Cohort {
    Cohort(
      name: "commuters", share: 1, mobility: .agenda(.commuter), policy: 0,
      os: Named(name: "ios17", value: .standard),
      significantChange: Named(name: "modern", value: .standard),
      energy: Named(name: "modern2022", value: .standard), phone: nil)
  }
}

extension Replay {
  /// The default replay at walking speed, since files without times are mostly planned walks.
  static var standard: Replay {
    Replay(gpx: [], align: .start, speed: Speed(metersPerSecond: 5 * (1 / 3.6)), recordings: [])
  }
}

extension CollectorSettings {
  static var standard: CollectorSettings {
    CollectorSettings(
      count: 1, workers: 1, store: .sqlite, url: nil, groupDelay: .milliseconds(2))
  }
}

extension Policy {
  /// The policy of `scenarios/policies/hybrid.yaml`, built in.
  package static var standard: Policy {
    Policy(name: "hybrid", description: "", settings: .standard)
  }
}

extension PolicySettings {
  package static var standard: PolicySettings {
    PolicySettings(
      version: 1, app: .standard, significantChange: true, visits: true,
      regionRadius: .meters(100), foreground: .foreground, background: .background,
      send: .standard, outbox: OutboxSettings(capacity: 5_000), onPush: .burst)
  }
}

extension AppManifest {
  package static var standard: AppManifest {
    AppManifest(
      request: .always, whenInUseDescription: true, alwaysDescription: true,
      motionDescription: true, backgroundMode: true, allowsBackgroundUpdates: true,
      showsIndicator: false,
      mistakes: AppMistakes(
        leaksBackgroundTasks: false, ignoresExpiration: false, mainThreadWork: .zero,
        startsNothingAtLaunch: false))
  }
}

extension ServiceUse {
  package static var standard: ServiceUse {
    ServiceUse(
      pattern: .continuous, accuracy: .tenMeters, distanceFilter: .none, elasticity: 0,
      pausesAutomatically: false, activityType: .other, deferral: nil)
  }
}

extension TrackerMode {
  static var foreground: TrackerMode {
    var service = ServiceUse.standard
    service.distanceFilter = .atLeast(.meters(10))
    return TrackerMode(service: service, filter: .standard, rest: nil)
  }

  static var background: TrackerMode {
    var service = ServiceUse.standard
    service.pattern = .burst(duration: .seconds(20), minInterval: .seconds(180))
    return TrackerMode(service: service, filter: .standard, rest: nil)
  }
}

extension RestRule {
  static var standard: RestRule {
    var service = ServiceUse.standard
    service.pattern = .off
    return RestRule(
      sign: .motion(active: .moving), service: service, regionRadius: nil)
  }
}

extension FixFilter {
  static var standard: FixFilter {
    FixFilter(
      rule: .significant(
        time: .seconds(300), accuracyRatio: 0.5, dramatic: .meters(1_000), distance: .meters(100)),
      maxAge: .minutes(5), maxAccuracy: nil)
  }
}

extension Scenario.SummerTime {
  static var standard: Scenario.SummerTime {
    Scenario.SummerTime(
      shift: .hours(1), from: SimInstant(microseconds: 0), until: SimInstant(microseconds: 0))
  }
}

extension SendSettings {
  static var standard: SendSettings {
    SendSettings(
      interval: .seconds(300), maxFixes: 200, afterBurst: true, backgroundTask: true,
      backoffBase: .seconds(5), backoffCap: .minutes(5))
  }
}
