import Core
import PhoneSupport

@testable import Phone
@testable import Scenarios

/// A scenario drawn by number: 1–3 phones for 1–4 hours under policies of every kind.
///
/// A failure needs to name only the number, because the same number gives the same world
/// everywhere.
struct RandomWorld: Sendable, CustomStringConvertible {
  let number: Int
  let scenario: Scenario

  init(_ number: Int) {
    self.number = number
    var draw = Draw(seed: UInt64(number), phone: 0, .randomWorld)
    var scenario = Scenario.standard(phones: 1 + Int(draw.next() % 3))
    scenario.seed = draw.next()
    scenario.start += draw.seconds(0...(7 * 86_400))
    let life = draw.seconds(3_600...(4 * 3_600))
    let warm = draw.pick([0, 0.2, 0.5])
    scenario.warmStart = SimDuration(seconds: (life.seconds * warm).rounded())
    scenario.duration = life - scenario.warmStart
    scenario.phases.ramp = draw.pick([.zero, .minutes(5)])
    scenario.city.radius = draw.meters(2_000, 30_000)
    // The server can change the app's settings, not the app.
    let app = AppManifest.drawn(&draw)
    scenario.policies = (0..<3).map { number in
      Policy(name: "random-\(number)", description: "", settings: .drawn(&draw, app: app))
    }
    scenario.fleet.cohorts = Self.cohorts(&draw)
    scenario.fleet.phone = .drawn(&draw)
    scenario.push = .drawn(&draw)
    scenario.network = .drawn(&draw)
    scenario.faults = Self.outages(&draw, scenario)
    scenario.rollouts = Self.rollouts(&draw, scenario)
    // These have separate draws, so that earlier worlds stay unchanged.
    var endings = Draw(seed: UInt64(number), phone: 1, .randomWorld)
    scenario.fleet.phone.memory = .drawn(&endings)
    scenario.fleet.phone.updates = .drawn(&endings)
    scenario.fleet.phone.reinstalls = Reinstalls(
      perYear: endings.pick([0, 0, 365]), away: endings.pick([.minutes(5), .hours(1)]),
      awaySigma: endings.pick([0, 1]))
    scenario.fleet.phone.clock = .drawn(&endings)
    var seventeen = Draw(seed: UInt64(number), phone: 2, .randomWorld)
    if seventeen.chance(0.5) { Self.addPlacesAndLiveUpdates(&scenario, &seventeen) }
    var android = Draw(seed: UInt64(number), phone: 3, .randomWorld)
    if android.chance(0.5) { Self.addAndroid(&scenario, &android) }
    self.scenario = scenario
  }

  var description: String { "world \(number)" }
  var birth: SimInstant { scenario.start - scenario.warmStart }

  private static func cohorts(_ draw: inout Draw) -> [Cohort] {
    let first = draw.uniform(0.2, 1)
    return [first, 1 - first].enumerated().map { number, share in
      var cohort = Cohort.standard
      cohort.name = "cohort-\(number)"
      cohort.share = share
      cohort.mobility = .agenda(draw.pick(MobilityKind.allCases))
      cohort.policy = Int(draw.next() % 3)
      cohort.os.value = .drawn(&draw)
      cohort.significantChange.value = cohort.os.value.significantChange
      if draw.chance(0.3) { cohort.energy.value = .legacy2015 }
      // A battery that empties, and is charged, several times in the hours of a world.
      if draw.chance(0.4) { cohort.energy.value.batteryWattHours = draw.uniform(0.2, 2) }
      return cohort
    }
  }

  /// Lets the app keep regions round places and take live updates, as from iOS 17 on.
  private static func addPlacesAndLiveUpdates(_ scenario: inout Scenario, _ draw: inout Draw) {
    let places: PlaceRule? = draw.chance(0.6) ? .drawn(&draw) : nil
    let session = draw.pick(ActivitySession.allCases)
    for number in scenario.policies.indices {
      scenario.policies[number].settings.places = places
      scenario.policies[number].settings.app.activitySession = session
      scenario.policies[number].settings.foreground.service.takeLiveUpdates(&draw)
      scenario.policies[number].settings.background.service.takeLiveUpdates(&draw)
    }
    for number in scenario.fleet.cohorts.indices {
      scenario.fleet.cohorts[number].os.value.system.rules.hasLiveUpdates = draw.chance(0.8)
      scenario.fleet.cohorts[number].os.value.system.rules.hasConditionMonitor = draw.chance(0.8)
    }
  }

  /// Gives the phones of some cohorts Android, and the app what it uses there.
  private static func addAndroid(_ scenario: inout Scenario, _ draw: inout Draw) {
    for number in scenario.policies.indices {
      scenario.policies[number].settings.android = .drawn(&draw)
    }
    for number in scenario.fleet.cohorts.indices where draw.chance(0.7) {
      scenario.fleet.cohorts[number].os.value = .drawnAndroid(&draw)
    }
  }

  private static func outages(_ draw: inout Draw, _ scenario: Scenario) -> [Fault] {
    let life = Int64((scenario.warmStart + scenario.duration).seconds)
    return (0..<Int64(draw.next() % 4)).map { _ in
      Fault(
        kind: .networkOutage, at: scenario.start - scenario.warmStart + draw.seconds(0...life),
        lasts: draw.seconds(5...5_400), lastsWall: .zero, cohorts: draw.pick([nil, [0], [1]]),
        share: draw.uniform(0.3, 1))
    }
  }

  private static func rollouts(_ draw: inout Draw, _ scenario: Scenario) -> [Rollout] {
    let life = Int64(scenario.duration.seconds)
    let instants = (0..<Int64(draw.next() % 3)).map { _ in
      scenario.start + draw.seconds(0...life)
    }
    return instants.sorted().map { at in
      Rollout(
        at: at, policy: Int(draw.next() % 3), cohort: draw.pick([nil, 0, 1]),
        share: draw.uniform(0.3, 1))
    }
  }
}

extension OSProfile {
  static func drawn(_ draw: inout Draw) -> OSProfile {
    var os = OSProfile.standard
    os.system.rules.backgroundTaskBudget = draw.pick([.seconds(30), .seconds(180), .seconds(600)])
    os.system.rules.relaunchesAfterForceQuit = draw.chance(0.7)
    os.system.rules.refreshOffBlocksLocationWakes = draw.chance(0.2)
    os.system.rules.requiresRequest = draw.chance(0.9)
    os.system.rules.hasProvisionalAlways = draw.chance(0.5)
    os.system.rules.hasReducedAccuracy = draw.chance(0.5)
    os.system.rules.suspendsHiddenStandard = draw.chance(0.5)
    os.system.rules.defersUpdates = draw.chance(0.5)
    os.system.rules.hasLocationPushExtension = draw.chance(0.5)
    os.system.rules.pauseAfter = draw.seconds(300...1_200)
    os.system.rules.pauseTrap = draw.pick(SystemRules.PauseTrap.allCases)
    os.significantChange.triggerMedian = draw.meters(500, 1_200)
    os.significantChange.latencyMean = draw.seconds(5...600)
    os.significantChange.gapMin = draw.pick([.seconds(300), .seconds(600)])
    os.significantChange.spuriousPerHour = draw.pick([0, 0.3, 20])
    os.significantChange.unmovedEvery = draw.chance(0.2) ? draw.seconds(60...3_600) : nil
    return os
  }
}

extension OSProfile {
  static func drawnAndroid(_ draw: inout Draw) -> OSProfile {
    var os = OSProfile.android14
    os.system.android = .drawn(&draw)
    os.system.rules.backgroundTaskBudget = draw.pick([.seconds(30), .seconds(180)])
    os.system.rules.hasReducedAccuracy = draw.chance(0.5)
    return os
  }
}

extension AndroidRules {
  /// Times are short, since a world lasts for some hours.
  static func drawn(_ draw: inout Draw) -> AndroidRules {
    var rules = AndroidRules.standard
    rules.api = draw.pick([26, 30, 31, 36])
    rules.cachedLife = draw.seconds(60...14_400)
    rules.serviceDeathsPerDay = draw.pick([0, 5, 200])
    rules.restartAfter = draw.seconds(0...120)
    rules.swipeStops = draw.chance(0.5)
    rules.startsItself = draw.pick([1, 0.5])
    rules.exempt = draw.pick([0, 1])
    rules.lightAfter = draw.seconds(1...300)
    rules.lightIdle = draw.seconds(60...600)
    rules.lightIdleMax = draw.seconds(600...1_800)
    rules.lightWindow = draw.seconds(1...300)
    rules.deepAfter = draw.seconds(300...4_500)
    rules.deepAgain = draw.seconds(60...3_000)
    rules.deepIdle = draw.seconds(300...3_600)
    rules.deepIdleMax = draw.seconds(3_600...21_600)
    rules.deepWindow = draw.seconds(1...600)
    rules.workingSetAfter = draw.seconds(60...1_800)
    rules.frequentAfter = draw.seconds(1_800...3_600)
    rules.rareAfter = draw.seconds(3_600...7_200)
    rules.restrictedAfter = draw.pick([nil, .hours(3)])
    rules.stoppedAfter = draw.pick([nil, nil, .hours(2), .hours(200)])
    rules.frequentWork = draw.seconds(900...3_600)
    rules.backgroundEvery = draw.seconds(60...1_800)
    // From a copy, so that the rest of each world stays what it was before there were these keys.
    var own = draw
    rules.currentAge = own.seconds(0...120)
    rules.othersLocate = own.pick([0, 0.3, 1])
    rules.footNoticed.max = own.seconds(60...300)
    rules.locationOff = own.pick([0, 0, 0.3])
    rules.withoutPlay = own.pick([0, 0, 0.3])
    rules.accuracyOff = own.pick([0, 0.5])
    rules.coarseEvery = own.seconds(60...1_200)
    rules.idleAlarm = own.seconds(60...1_200)
    rules.exactAlarms = own.pick([0, 0.5, 1])
    rules.activeAppsStops = own.pick([0, 300])
    rules.ownerRestricts = own.pick([0, 0, 0.3])
    rules.wakeLockLimit = own.pick([nil, .minutes(30)])
    rules.dataSyncTime = own.seconds(600...7_200)
    rules.extremeSaver = own.pick([0, 0.5])
    rules.alarmClock = own.pick([0, 0.5])
    rules.savesData = own.pick([0, 0.3])
    rules.deadConnection = own.pick([0, 0.3])
    rules.frequentPushes = draw.pick([nil, 2])
    rules.rarePushes = draw.pick([nil, 0, 1])
    rules.lowered = draw.pick([0, 0.5, 1])
    rules.handlerTime = draw.seconds(5...60)
    return rules
  }
}

extension AndroidUse {
  static func drawn(_ draw: inout Draw) -> AndroidUse {
    var use = AndroidUse(
      service: draw.pick(Service.allCases), backgroundLocations: draw.chance(0.5),
      work: draw.pick([nil, .minutes(15), .hours(1)]), startsOnBoot: draw.chance(0.5),
      asksExemption: draw.chance(0.5))
    // From a copy, so that the rest of each world stays what it was before there were these keys.
    var own = draw
    use.fastest = own.pick([nil, .seconds(1), .seconds(30)])
    use.batch = own.pick([nil, .seconds(60)])
    use.loitering = own.pick([nil, nil, .minutes(2)])
    use.initialTrigger = own.chance(0.5)
    use.motion = own.pick(MotionSign.allCases)
    use.wakeLock = own.chance(0.3)
    use.serviceType = own.pick(ServiceType.allCases)
    if use.work == nil, own.chance(0.7) {
      use.alarm = AlarmUse(
        every: own.seconds(60...3_600), exact: own.chance(0.5), whileIdle: own.chance(0.5))
    }
    use.pushJobs = own.chance(0.3)
    return use
  }
}

extension PhoneMix {
  static func drawn(_ draw: inout Draw) -> PhoneMix {
    let always = draw.pick([1, 0.7, 0.4])
    func rare(_ draw: inout Draw) -> Double { draw.pick([0, 0, 0.1, 0.4]) }
    var mix = PhoneMix.standard
    mix.always = always
    mix.whenInUse = (1 - always) * 0.7
    mix.forceQuit = rare(&draw)
    mix.refreshOff = rare(&draw)
    mix.lowPower = rare(&draw)
    mix.offline = rare(&draw)
    mix.switchedOff = rare(&draw)
    mix.unregistered = rare(&draw)
    mix.staleToken = rare(&draw)
    mix.provisionalDenied = rare(&draw)
    mix.reducedAccuracy = rare(&draw)
    mix.airplane = rare(&draw)
    mix.airplaneAtNight = rare(&draw)
    mix.withoutSIM = rare(&draw)
    mix.unopened = rare(&draw)
    mix.motionDenied = rare(&draw)
    mix.restricted = rare(&draw)
    mix.restrictedAtNight = rare(&draw)
    mix.chargesAtNight = draw.pick([0, 0.5, 1])
    mix.sessionsPerDay = draw.pick([0, 8, 100])
    mix.sessionLength = draw.seconds(5...300)
    mix.battery = .drawn(&draw)
    mix.permission = .drawn(&draw)
    return mix
  }
}

extension PermissionHabits {
  static func drawn(_ draw: inout Draw) -> PermissionHabits {
    PermissionHabits(
      secondPromptAhead: draw.pick([0, 1]), allowOnce: draw.pick([0, 0.3]),
      takenBack: draw.pick([0, 1]), changesPerYear: draw.pick([0, 0, 400]))
  }
}

extension MemoryPressure {
  static func drawn(_ draw: inout Draw) -> MemoryPressure {
    MemoryPressure(
      perScreenHour: draw.pick([0, 0, 1, 10]), perIdleHour: draw.pick([0, 0.3, 3]),
      whileRunning: draw.pick([0, 0.3, 1]), sigma: draw.pick([0, 1]))
  }
}

extension ClockErrors {
  static func drawn(_ draw: inout Draw) -> ClockErrors {
    var errors = PhoneMix.standard.clock
    errors.sigma = draw.pick([.zero, .milliseconds(300), .minutes(1)])
    errors.setWrong = draw.pick([0, 0.5, 1])
    errors.daysMost = draw.pick([.hours(24), ClockErrors.most])
    errors.changesPerYear = draw.pick([0, 0.1, 365])
    return errors
  }
}

extension AppUpdates {
  static func drawn(_ draw: inout Draw) -> AppUpdates {
    AppUpdates(
      perYear: draw.pick([0, 365]), soon: draw.pick([0.5, 1]), soonWithin: .hours(6),
      halfLife: .hours(24), needsOpening: draw.pick([0, 0.5, 1]))
  }
}

extension BatteryHabits {
  static func drawn(_ draw: inout Draw) -> BatteryHabits {
    BatteryHabits(
      healthLeast: draw.pick([1, 0.8]), chargeLeast: draw.pick([1, 0.3, 0.05]),
      chargesAtWork: draw.pick([0, 1]), chargesInCar: draw.pick([0, 1]),
      chargesWhenLow: draw.pick([0, 0.5, 1]), lowPowerWhenLow: draw.pick([0, 0.5, 1]),
      adaptivePower: draw.pick([0, 0.5]),
      screenTime: draw.seconds(0...28_800), screenTimeSigma: 0.67,
      unlocksPerDay: draw.pick([1, 99]))
  }
}

extension PushSettings {
  static func drawn(_ draw: inout Draw) -> PushSettings {
    let within = draw.seconds(30...900)
    var push = PushSettings.standard
    push.scheduler = draw.pick([.fixed, .fixed, .adaptive, .none])
    push.silentAfter = draw.seconds(300...5_400)
    push.within = within
    push.windows = []
    push.sweep = draw.seconds(20...300)
    push.spacing = within + draw.seconds(0...1_800)
    push.rate = Rate(perSecond: draw.pick([0.01, 10_000]))
    push.holdout = draw.pick([0, 0.3])
    push.jitter = draw.pick([.zero, .minutes(5)])
    push.accuracyLimit = draw.meters(50, 2_000)
    push.expiration = draw.seconds(0...3_600)
    push.phone.bucketCapacity = draw.pick([1, 3, 50])
    push.phone.bucketRefillPerHour = draw.pick([0.5, 2.5, 100])
    // Either budget, from earlier draws.
    push.phone.budget = push.phone.bucketCapacity > 1 ? .windows : .drip
    push.phone.window.grants = Int(push.phone.bucketCapacity)
    push.phone.window.spacing = push.phone.bucketRefillPerHour > 1 ? .exponential : .fixed
    push.phone.holds = draw.pick([true, false])
    push.request.kind = draw.pick([.background, .alert, .location])
    push.request.priority = draw.pick([1, 5, 5, 10])
    // From a copy, so that the rest of each world stays what it was before there was this key.
    var own = draw
    push.request.androidPriority = own.pick([.normal, .high])
    return push
  }
}

extension NetworkModel {
  /// Draws a network, from a good one to one whose answers come after the budget of a background
  /// task.
  static func drawn(_ draw: inout Draw) -> NetworkModel {
    var network = NetworkModel.standard
    for path in [\NetworkModel.cellular, \.wifi] {
      network[keyPath: path].floor = .milliseconds(draw.pick([0, 900, 20_000]))
      network[keyPath: path].mean = .milliseconds(draw.pick([50, 600, 20_000]))
    }
    return network
  }
}
