import Core
import PhoneSupport
import Push
import Scenarios
import ServerLogic

@testable import Fleet

/// Makes phones whose app only answers pushes, each pushed once an hour, in a world with all gates
/// open: only a gate that the test closes can stop a push.
struct PushedFleet {
  let outcomes: [WakeOutcome: Int]
  /// Pushes with W left to be answered, by phone, and those that caused a fix in time.
  let phones: [(asked: Int, caused: Int)]

  /// - Parameter hours: of pushes; the first are asked for an hour after the fleet's birth.
  static func scenario(
    phones: Int = 400, hours: Int64 = 24, seed: UInt64 = 12,
    _ change: (inout Scenario) -> Void = { _ in }
  ) -> Scenario {
    var scenario = Scenario.standard(phones: phones)
    scenario.seed = seed
    scenario.start = SimInstant(microseconds: 1_772_492_400_000_000)  // a Tuesday, 0 h
    scenario.warmStart = .hours(1)
    scenario.phases.ramp = .zero
    scenario.duration = .hours(hours)
    scenario.fleet.phone = .uneventful
    scenario.policies[0].settings = .quiet
    scenario.policies[0].settings.onPush = .burst
    scenario.policies[0].settings.background.service.pattern = .burst(
      duration: .seconds(10), minInterval: .zero)
    scenario.policies[0].settings.background.service.accuracy = .kilometer
    scenario.fleet.cohorts[0].mobility = .agenda(.homebody)
    scenario.push = .openToAll
    change(&scenario)
    return scenario
  }

  init(_ scenario: Scenario) {
    let fleet = PhoneFleet(scenario, threads: 2)
    let birth = scenario.start - scenario.warmStart
    var time = VirtualTime(
      fleet: fleet, backend: VirtualTime.newBackend(for: fleet, at: birth))
    time.advance(until: scenario.start)
    let snapshots = fleet.startCounting(after: time.backend, answers: .inProcess)
    var backend = Backend(
      phones: scenario.fleet.phones, seed: scenario.seed, push: scenario.push.terms,
      hashKey: fleet.context.hashKey)
    for snapshot in snapshots { _ = backend.restore(snapshot, at: scenario.start) }
    time = VirtualTime(fleet: fleet, backend: backend)
    time.backend.openMeasure(at: scenario.measureStart)
    time.advance(until: scenario.measureEnd)
    time.drain()
    fleet.inOrder { $0.closePushes(at: scenario.measureEnd) }
    var outcomes: [WakeOutcome: Int] = [:]
    var phones = [(asked: Int, caused: Int)](
      repeating: (0, 0), count: scenario.fleet.phones)
    for ending in fleet.pushEndings() where ending.outcome != .pending {
      outcomes[ending.outcome, default: 0] += 1
      phones[Int(ending.phone.rawValue)].asked += 1
      if ending.outcome == .caused { phones[Int(ending.phone.rawValue)].caused += 1 }
    }
    self.outcomes = outcomes
    self.phones = phones
  }

  var asked: Int { phones.reduce(0) { $0 + $1.asked } }
  func share(_ outcome: WakeOutcome) -> Double { Double(outcomes[outcome] ?? 0) / Double(asked) }

  /// caused(W) with its 95 % interval by phone.
  var caused: Ratio? {
    UnitBootstrap.estimate(phones, seed: 5) { phones in
      let asked = phones.reduce(0) { $0 + $1.asked }
      return asked > 0 ? Double(phones.reduce(0) { $0 + $1.caused }) / Double(asked) : nil
    }
  }
}

extension PushSettings {
  /// Every phone is pushed once an hour, and all gates are open.
  static var openToAll: PushSettings {
    var push = PushSettings.standard
    push.silentAfter = .minutes(1)
    push.spacing = .hours(1)
    push.retryAfter = .hours(1)
    push.holdout = 0
    push.expiration = .zero
    push.accuracyLimit = .kilometers(50)
    push.phone.window.grants = 1_000
    push.phone.window.every = .minutes(1)
    push.phone.dayRunTime = .zero
    push.phone.dayData = ByteCount(bytes: 0)
    push.phone.penaltyFactor = 1
    push.phone.holds = false
    push.phone.alwaysOpen()
    return push
  }
}
