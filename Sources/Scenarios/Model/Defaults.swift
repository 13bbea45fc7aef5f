internal import SimulationCore
package import Telemetry

// Every default of a scenario stands in this file and nowhere else: the reader fills in from it,
// `scenario show` prints it. Shares and push figures: rule book sections 2.4 and 5 (confidence A).

extension Scenario {
  /// A city with every default and one cohort, made without a file.
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

  /// 2026-03-02T07:30+01:00.
  private static var monday: SimInstant { SimInstant(microseconds: 1_772_433_000_000_000) }
}

extension CityEvent {
  /// What an event leaves out; its times must be written. Three in four come in the last 90 minutes
  /// before kick-off, and a stadium of 60,000 empties in a quarter of an hour: confidence A.
  static var standard: CityEvent {
    CityEvent(
      place: nil, from: SimInstant(microseconds: 0), until: SimInstant(microseconds: 0),
      radius: .meters(150), arrivals: .minutes(90), departures: .minutes(15))
  }
}

extension Cohort {
  /// Is the one cohort of a fleet that names none: commuters with iOS 17, the policy at index 0 and
  /// the modern significant-change and energy profiles.
  package static var standard: Cohort {
    Cohort(
      name: "commuters", share: 1, mobility: .agenda(.commuter), policy: 0,
      os: Named(name: "ios17", value: .standard),
      significantChange: Named(name: "modern", value: .standard),
      energy: Named(name: "modern2022", value: .standard), phone: nil)
  }
}

extension Replay {
  /// Files without times are mostly planned walks.
  static var standard: Replay {
    Replay(gpx: [], align: .start, speed: Speed(metersPerSecond: 5 * (1 / 3.6)), recordings: [])
  }
}

extension PhoneMix {
  /// Is the mix of permissions, habits and conditions that a fleet has where its scenario says
  /// nothing (rule book 2.4, confidence A).
  package static var standard: PhoneMix {
    PhoneMix(
      always: 0.45, whenInUse: 0.4, forceQuit: 0.12, refreshOff: 0.15, lowPower: 0.03,
      offline: 0.05, switchedOff: 0.01, unregistered: 0.02, staleToken: 0,
      provisionalDenied: 0.4,
      reducedAccuracy: 0.15, airplane: 0.005, airplaneAtNight: 0.03, withoutSIM: 0.01,
      wifiOff: 0.03, unopened: 0.03, motionDenied: 0.1, restricted: 0,
      restrictedAtNight: 0, chargesAtNight: 0.64, sessionsPerDay: 8, sessionLength: .minutes(1))
  }
}

extension BatteryHabits {
  /// Holds the default habits; `BatterySchema` has their sources.
  package static var standard: BatteryHabits {
    BatteryHabits(
      healthLeast: 0.8, chargeLeast: 0.3, chargesAtWork: 0.32, chargesInCar: 0.45,
      chargesWhenLow: 0.86, lowPowerWhenLow: 0.21, screenTime: .minutes(220),
      screenTimeSigma: 0.67, unlocksPerDay: 99)
  }
}

extension PermissionHabits {
  /// Holds the default habits; `HabitSchema` has their sources. An app that asks for Always has it
  /// provisionally first (Apple, requestAlwaysAuthorization), and a prompt offers Allow Once.
  package static var standard: PermissionHabits {
    PermissionHabits(secondPromptAhead: 1, allowOnce: 0.1, takenBack: 0.05, changesPerYear: 0)
  }
}

extension WindowSlots {
  /// Holds the default slot lengths, in which each condition recurs at most once.
  package static var standard: WindowSlots {
    WindowSlots(
      offline: .hours(1), switchedOff: .hours(24), forceQuit: .hours(24),
      airplane: .hours(4), restricted: .hours(4), staleToken: .hours(48))
  }
}

extension NightHabits {
  /// Holds the default night: from 23:00 to 06:00.
  package static var standard: NightHabits {
    NightHabits(
      begin: .hours(23), end: .hours(6), sleepUntil: .hours(6), sessionsSlept: 0.9)
  }
}

extension PushSettings {
  /// Joins the default terms, request, provider and phone settings of silent pushes.
  package static var standard: PushSettings {
    PushSettings(terms: .standard, request: .standard, provider: .standard, phone: .standard)
  }
}

extension PushTerms {
  /// Holds the default terms that the server pushes by: the fixed scheduler, an answer within 10
  /// min and a spacing of 30 min.
  package static var standard: PushTerms {
    var terms = PushTerms()
    terms.scheduler = .fixed
    terms.silentAfter = .hours(1)
    terms.within = .minutes(10)
    terms.windows = [.minutes(1), .minutes(5), .minutes(30)]
    terms.sweep = .seconds(60)
    terms.spacing = .minutes(30)
    terms.backoff = PushBackoff(after: 0, factor: 2, longest: .hours(24))
    terms.adaptive = .standard
    terms.retryAfter = .minutes(15)
    terms.rate = Rate(perSecond: 10_000)
    terms.holdout = 0.05
    terms.accuracyLimit = .meters(1_000)
    terms.expiration = .minutes(30)
    return terms
  }
}

extension AdaptivePushing {
  /// A silence of 30 min makes a phone stale by the usual limit. The rest from `city` for 24 h,
  /// 1,500 phones, seeds 7 and 11: caution 1, 1.5 and 2 remove 1.63, 1.48 and 1.35 times the stale
  /// time that `fixed` removes, with 0.73, 0.63 and 0.57 of its pushes; a weight of 15 % costs 5 %
  /// more pushes for the same.
  package static var standard: AdaptivePushing {
    AdaptivePushing(
      prior: 0.5, weight: 0.25, silentAfter: .minutes(30), spacing: .minutes(30), caution: 1.5,
      longest: .hours(12))
  }
}

extension PushRequest {
  /// Is the default request: a background push of priority 5 with 64 bytes of payload, no collapse
  /// id and valid credentials.
  package static var standard: PushRequest {
    PushRequest(
      kind: .background, priority: 5, payload: ByteCount(bytes: 64), collapseIDLength: 0,
      credentials: .valid)
  }
}

extension ProviderSettings {
  /// Holds the default figures of the push provider: a median latency of 0.8 s, 30 days of storage
  /// and 4,096 bytes of payload (rule book section 5).
  package static var standard: ProviderSettings {
    ProviderSettings(
      latencyMedian: .milliseconds(800), latencySigma: 0.7, keepsNewest: 0.95,
      longestStorage: .hours(30 * 24), largestPayload: ByteCount(bytes: 4_096), leastSpacing: .zero)
  }
}

extension PhonePushSettings {
  /// The rule book proposes a floor of 0.3. An app that takes a position at every push would have
  /// 0.75 wakes an hour, where the book's own sum counts on 0.95 of one an hour and Apple speaks of
  /// two or three; with 0.4 it is one, and two on a charger.
  package static var standard: PhonePushSettings {
    PhonePushSettings(
      bucketCapacity: 3, bucketRefillPerHour: 2.5, chargingFactor: 2, lowBatteryFactor: 0.25,
      dayRunTime: .seconds(60), runCost: 0.05, dayData: ByteCount(bytes: 5_000_000),
      penaltyAfter: .seconds(10), penaltyFactor: 0.9, penaltyFloor: 0.4, penaltyLasts: .hours(24),
      runTime: .seconds(30), holds: true, groupingOnBattery: .minutes(10),
      groupingOnCharger: .seconds(30), inUse: 0.15, extensionCapacity: 360,
      extensionRefillPerHour: 15)
  }
}

extension PushWindow {
  /// Is the default window: four wakes, of which the next four come an hour and a half later, so
  /// that there are two or three an hour. With `exponential` a quarter of two pushes an hour would
  /// be stopped, which Apple's advice allows.
  package static var standard: PushWindow {
    PushWindow(
      grants: 4, every: .minutes(90), spacing: .fixed, opensOnUse: true, opensOnCharger: true)
  }
}

extension CollectorSettings {
  static var standard: CollectorSettings {
    CollectorSettings(
      count: 1, workers: 1, store: .sqlite, url: nil, groupDelay: .milliseconds(2))
  }
}

extension NetworkModel {
  /// What a woken app needs from its first packet to the ack: the radio's promotion (0.26 s on
  /// LTE; Huang et al., MobiSys 2012) or the sleeping Wi-Fi's first beacon, then look-up, TCP, TLS
  /// and request, about six round trips of 100–150 ms at low signal and low priority; confidence A.
  static var standard: NetworkModel {
    NetworkModel(
      cellular: Path(floor: .milliseconds(1_200), mean: .milliseconds(600)),
      wifi: Path(floor: .milliseconds(900), mean: .milliseconds(300)), deadline: .seconds(10),
      uplinkShare: 0.8, offlineAnswer: .milliseconds(50))
  }
}

extension Policy {
  /// Rule book section 6, row d: what `scenarios/policies/hybrid.yaml` spells out.
  package static var standard: Policy {
    Policy(name: "hybrid", description: "", settings: .standard)
  }
}

extension PolicySettings {
  /// Holds the settings of the default policy `hybrid` (rule book section 6, row d).
  package static var standard: PolicySettings {
    PolicySettings(
      version: 1, app: .standard, significantChange: true, visits: true,
      regionRadius: .meters(100), foreground: .foreground, background: .background,
      send: .standard, outbox: OutboxSettings(capacity: 5_000), onPush: .burst)
  }
}

extension AppManifest {
  /// An app without mistakes.
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
  /// Is the standard service in continuous use: an accuracy of 10 m, no distance filter, no
  /// automatic pause, no deferral.
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
  /// What a rest leaves out; its sign must be written.
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
  /// Puts clocks forward by an hour; when must be written.
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
