import Core
import PhoneSupport

@testable import Fleet
@testable import Phone
@testable import Push
@testable import Scenarios

/// Runs one phone on a bench: a scripted way, an owner controlled by the test, a policy built from
/// `PolicySettings`, and a diary of what happened.
///
/// By default nothing comes by chance: Always permission, no sessions, never offline, never off.
/// The phone's history begins at 2026-03-02T07:30+01:00 in the background, the app opened once and
/// left.
///
///     let bench = PhoneBench(way: [.stay(.minutes(10)), .ride(.minutes(5), metersPerSecond: 10)])
///     bench.open()
///     bench.advance(.seconds(30))
///     bench.leave()
///     bench.advance(.hours(1))
///     #expect(bench.fixes(.standard).isEmpty)
final class PhoneBench {
  let scenario: Scenario
  private let diary: PhoneTrace
  var shard: Shard
  private var pushes: UInt64 = 0

  /// - Parameter change: changes other settings of the scenario: OS, habits, faults, network.
  init(
    _ settings: PolicySettings = .standard, os: OSProfile = .standard,
    way: [Stretch] = [.stay(.hours(24))], seed: UInt64 = 1,
    change: (inout Scenario) -> Void = { _ in }
  ) {
    var scenario = Scenario.standard(phones: 1)
    scenario.seed = seed
    scenario.warmStart = .zero
    scenario.duration = .hours(48)
    scenario.policies = [Policy(name: "bench", description: "", settings: settings)]
    scenario.recordings = [Stretch.recording(way, from: scenario.start)]
    scenario.fleet.cohorts[0].os.value = os
    scenario.fleet.cohorts[0].significantChange.value = os.significantChange
    scenario.fleet.cohorts[0].mobility = .recorded(
      Replay(
        gpx: [], align: .start, speed: Speed(metersPerSecond: 1), recordings: [0]))
    scenario.fleet.phone = .uneventful
    scenario.fleet.phone.nights.spread = .zero
    change(&scenario)
    self.scenario = scenario
    diary = PhoneTrace(phone: PhoneID(rawValue: 0))
    shard = Shard(
      context: FleetContext(scenario), phones: 0..<1, start: scenario.start, tracing: [diary])
    let window = Window(start: scenario.start, end: scenario.start + .hours(1_000))
    shard.startCounting(freshnessWithin: window)
  }

  // MARK: What time and the owner do

  var now: SimInstant { shard.horizon }
  /// Since birth.
  var age: SimDuration { now - scenario.start }

  func advance(_ time: SimDuration) { shard.advance(before: now + time) }
  func advance(until age: SimDuration) { shard.advance(before: scenario.start + age) }

  func open() { act { $0.system(&$0.phones[0], .opened, now: $1) } }
  func leave() { act { $0.system(&$0.phones[0], .left, now: $1) } }

  /// The owner swipes the app away.
  func forceQuit() { act { $0.system(&$0.phones[0], .swipedAway, now: $1) } }

  /// A silent push reaches the phone now, without the provider.
  func push() {
    let push = nextPush()
    act { shard, now in
      shard.phones[0].provider.expiration = push.expiration
      shard.phones[0].delivery = PushDelivery()
      shard.advancePush(&shard.phones[0], .requested(push), now: now)
      shard.pushArrived(&shard.phones[0], now: now)
    }
  }

  /// The server asks the provider for a push.
  func request(_ manner: PushManner = .ofScenario) {
    var push = nextPush()
    push.manner = manner
    act { shard, now in shard.receivePush(&shard.phones[0], push, now: now) }
  }

  private func nextPush() -> SilentPush {
    pushes += 1
    return SilentPush(
      id: pushes, phone: PhoneID(rawValue: 0), requestedAt: now,
      expiration: now + scenario.push.expiration)
  }

  /// The data path is lost for a while.
  func loseConnection(for time: SimDuration) {
    act { shard, now in
      shard.system(&shard.phones[0], .offline(Window(start: now, end: now + time)), now: now)
    }
  }

  /// The app gives the system a command, whatever its policy is.
  func command(_ commands: OSCommand...) {
    act { shard, now in
      let (context, phones) = (shard.context, shard.phones)
      let place = context.system(of: phones[0])
      shard.effects.now = now
      for command in commands {
        phones[0].perform(command, context.systems[place], &shard.effects)
      }
      phones[0].follow(context.systems[place], &shard.effects)
      shard.settle(&phones[0])
    }
  }

  func consume(_ input: ServerInput) {
    _ = shard.consume(input, phone: PhoneID(rawValue: 0))
  }

  /// An event reaches the phone now.
  func act(_ body: (inout Shard, SimInstant) -> Void) {
    let (now, phones) = (shard.horizon, shard.phones)
    shard.eventBegins(&phones[0], now)
    shard.deliverFixes(&phones[0], upTo: now, before: .standard)
    body(&shard, now)
    shard.suspendIfIdle(&phones[0], now: now)
    shard.traceState(&phones[0], now: now)
    shard.reschedule(phones[0])
  }

  // MARK: What was seen

  var phone: Device { shard.phones[0] }
  var metrics: FleetMetrics { shard.metrics }
  var state: AppProcess.State { phone.process.state }
  var entries: [(at: SimInstant, what: TraceEvent)] { diary.entries }

  /// Returns when pushes were delivered to the app.
  var pushesDelivered: [SimInstant] {
    delivered.compactMap { if case .silentPush = $0.event { $0.at } else { nil } }
  }

  var outcomes: [WakeOutcome] { shard.pushEndings.map(\.outcome) }

  /// Each time that the app ran in the background, and how long.
  var backgroundRuns: [SimDuration] {
    var since: SimInstant?
    return entries.compactMap { at, what in
      guard case .process(let state) = what else { return nil }
      defer { since = state == .background ? at : nil }
      return since.map { at - $0 }
    }
  }

  var results: [UploadResult] {
    delivered.compactMap { if case .uploadFinished(let result) = $0.event { result } else { nil } }
  }

  /// Returns the events delivered to the app, without fixes.
  var delivered: [(at: SimInstant, event: OSEvent)] {
    entries.compactMap { entry in
      if case .delivered(let event) = entry.what { (entry.at, event) } else { nil }
    }
  }

  /// Every fix that the app received, or those of one manager.
  func fixes(_ manager: Manager? = nil) -> [Fix] {
    entries.compactMap { entry in
      guard case .fix(let fix, let from, _, _) = entry.what else { return nil }
      return manager == nil || from == manager ? fix : nil
    }
  }

  /// Returns the notes since `let mark = bench.mark`.
  var mark: Int { diary.entries.count }

  func fixes(since mark: Int) -> [Fix] {
    diary.entries.dropFirst(mark).compactMap { entry in
      if case .fix(let fix, _, _, _) = entry.what { fix } else { nil }
    }
  }
}

extension PhoneMix {
  /// Nothing is random; the owner allows everything.
  static var uneventful: PhoneMix {
    var mix = PhoneMix.standard
    mix.always = 1
    mix.whenInUse = 0
    mix.forceQuit = 0
    mix.refreshOff = 0
    mix.lowPower = 0
    mix.offline = 0
    mix.switchedOff = 0
    mix.unregistered = 0
    mix.staleToken = 0
    mix.provisionalDenied = 0
    mix.reducedAccuracy = 0
    mix.airplane = 0
    mix.airplaneAtNight = 0
    mix.withoutSIM = 0
    mix.wifiOff = 0
    mix.weakSignal = 0
    mix.unopened = 0
    mix.motionDenied = 0
    mix.restricted = 0
    mix.restrictedAtNight = 0
    mix.chargesAtNight = 0
    mix.sessionsPerDay = 0
    mix.sessionsSigma = 0
    mix.daysUnopened = 0
    mix.sessionLength = .minutes(1)
    mix.battery = BatteryHabits(
      healthLeast: 1, chargeLeast: 1, chargesAtWork: 0, chargesInCar: 0, chargesWhenLow: 0,
      lowPowerWhenLow: 0, screenTime: .zero, screenTimeSigma: 0, unlocksPerDay: 100)
    mix.memory = .none
    mix.updates = .none
    mix.reinstalls = .none
    mix.permission = .settled
    mix.clock = .none
    return mix
  }
}

extension PolicySettings {
  /// Makes an app that asks for permission and does nothing else: the test gives its commands.
  static var quiet: PolicySettings {
    var settings = PolicySettings.standard
    settings.significantChange = false
    settings.visits = false
    settings.regionRadius = nil
    settings.foreground.service.pattern = .off
    settings.background.service.pattern = .off
    settings.foreground.filter = .everything
    settings.background.filter = .everything
    settings.onPush = .nothing
    return settings
  }
}

extension FixFilter {
  static var everything: FixFilter {
    FixFilter(rule: .everything, maxAge: .hours(10_000), maxAccuracy: nil)
  }
}
