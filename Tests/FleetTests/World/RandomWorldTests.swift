import Core
import Foundation
import Phone
import TestSupport
import Testing

@testable import Fleet
@testable import Scenarios

/// Simulates random worlds in groups, each once, and checks every law: a hundred worlds, or a
/// thousand in the large form.
///
/// `FLOTILLA_WORLD=417 swift test --filter RandomWorld` simulates only that one.
private enum RandomWorlds {
  static let groupSize = Large.count(25, large: 50)
  static let chosen = ProcessInfo.processInfo.environment["FLOTILLA_WORLD"].flatMap { Int($0) }
  static let groups = chosen.map { [$0 / groupSize] } ?? Array(0..<Large.count(4, large: 20))

  private static let lived = Dictionary(
    uniqueKeysWithValues: groups.map { group in (group, Task { simulate(group) }) })

  private static func simulate(_ group: Int) -> [Law: [String]] {
    var faults: [Law: [String]] = [:]
    for number in numbers(of: group) {
      let world = RandomWorld(number)
      var lived = SimulatedWorld(world)
      let outcome = lived.check()
      // One world in five once more, unobserved, and split in two.
      if number % 5 == 0 {
        var again = SimulatedWorld(world, threads: number % 2 + 1, traced: false)
        if again.outcome() != outcome { lived.note(.determinism, "a second life differs") }
      }
      for (law, sentences) in lived.faults {
        faults[law, default: []] += sentences.map { "\(world): \($0)" }
      }
    }
    return faults
  }

  private static func numbers(of group: Int) -> ClosedRange<Int> {
    chosen.map { $0...$0 } ?? (group * groupSize)...(group * groupSize + groupSize - 1)
  }

  static func faults(_ law: Law, in group: Int) async -> [String] {
    guard let group = lived[group] else { return ["group \(group) was not lived"] }
    return await group.value[law] ?? []
  }
}

@Suite("Random worlds", .quick)
struct RandomWorldTests {
  @Test(
    "AU1, AU4, AU5: without authorization no fix, and no wake for a location",
    arguments: RandomWorlds.groups)
  func authorization(group: Int) async {
    let faults = await RandomWorlds.faults(.authorization, in: group)
    #expect(faults == [])
  }

  @Test(
    "LC1, LC2: suspended app code runs only after a wake",
    arguments: RandomWorlds.groups)
  func suspension(group: Int) async {
    let faults = await RandomWorlds.faults(.suspension, in: group)
    #expect(faults == [])
  }

  @Test(
    "LC4, LC5, HY6: every background task ends, or kills the app, within the budget",
    arguments: RandomWorlds.groups)
  func backgroundTasks(group: Int) async {
    let faults = await RandomWorlds.faults(.backgroundTasks, in: group)
    #expect(faults == [])
  }

  @Test(
    "RG1, RG4: an app receives the exit of its one region, from outside of it",
    arguments: RandomWorlds.groups)
  func region(group: Int) async {
    let faults = await RandomWorlds.faults(.region, in: group)
    #expect(faults == [])
  }

  @Test(
    "SL3: two significant changes are at least the profile's gap of 300 s apart",
    arguments: RandomWorlds.groups)
  func significantChanges(group: Int) async {
    let faults = await RandomWorlds.faults(.significantChanges, in: group)
    #expect(faults == [])
  }

  @Test(
    "HY4: no kept fix is lost across kill, relaunch and offline", arguments: RandomWorlds.groups)
  func outbox(group: Int) async {
    let faults = await RandomWorlds.faults(.outbox, in: group)
    #expect(faults == [])
  }

  @Test("the ledger closes, on both sides", arguments: RandomWorlds.groups)
  func ledger(group: Int) async {
    let faults = await RandomWorlds.faults(.ledger, in: group)
    #expect(faults == [])
  }

  @Test(
    "fresh time and the causes of stale time sum to the simulated time, to the microsecond",
    arguments: RandomWorlds.groups)
  func staleTime(group: Int) async {
    let faults = await RandomWorlds.faults(.staleTime, in: group)
    #expect(faults == [])
  }

  @Test(
    "BT3, BT5: a charge stays within its battery, and no app runs from empty to the unlock",
    arguments: RandomWorlds.groups)
  func batteries(group: Int) async {
    let faults = await RandomWorlds.faults(.battery, in: group)
    #expect(faults == [])
  }

  @Test(
    "AFG1, AFG3, ABL1: an app on Android locates behind with a service, or rarely",
    arguments: RandomWorlds.groups)
  func android(group: Int) async {
    let faults = await RandomWorlds.faults(.android, in: group)
    #expect(faults == [])
  }

  @Test("every requested push ends once", arguments: RandomWorlds.groups)
  func pushes(group: Int) async {
    let faults = await RandomWorlds.faults(.pushes, in: group)
    #expect(faults == [])
  }

  @Test(
    "a second simulation is the same, observed or not, in one shard or two",
    arguments: RandomWorlds.groups)
  func determinism(group: Int) async {
    let faults = await RandomWorlds.faults(.determinism, in: group)
    #expect(faults == [])
  }

  @Test(
    "AC1: the higher the requested accuracy, the more energy it costs, in the same world",
    arguments: RandomWorlds.groups)
  func energy(group: Int) {
    let world = RandomWorld(RandomWorlds.chosen ?? group * RandomWorlds.groupSize)
    let lives = DesiredAccuracy.allCases.map { world.locating($0) }
    #expect(Set(lives.map(\.world)).count == 1)
    for (higher, lower) in zip(lives, lives.dropFirst()) {
      #expect(higher.tracking >= lower.tracking)
    }
    #expect(lives[0].tracking > lives[lives.count - 1].tracking)
  }
}

extension RandomWorld {
  /// Simulates half an hour of its people's Monday morning, in which apps locate all the time and
  /// never send. Returns the tracker's energy, in microjoules, and the digest of their world.
  fileprivate func locating(
    _ accuracy: DesiredAccuracy
  ) -> (tracking: Int64, world: UInt64) {
    var scenario = scenario
    scenario.start = Scenario.standard(phones: 1).start
    scenario.warmStart = .zero
    scenario.duration = .minutes(30)
    scenario.push.scheduler = .none
    scenario.fleet.phone = .uneventful
    scenario.fleet.phone.sessionsPerDay = 200
    var settings = PolicySettings.standard
    settings.significantChange = false
    settings.visits = false
    settings.regionRadius = nil
    settings.background.service = .standard
    settings.background.service.accuracy = accuracy
    settings.background.service.distanceFilter =
      scenario.policies[0].settings.background.service.distanceFilter
    // No fix is that accurate, so none is kept.
    settings.background.filter.maxAccuracy = .meters(0)
    settings.foreground = settings.background
    settings.android.service = .always
    scenario.policies = scenario.policies.map {
      Policy(name: $0.name, description: "", settings: settings)
    }
    let fleet = PhoneFleet(scenario, threads: 1)
    fleet.inOrder { shard in
      shard.startCounting(
        freshnessWithin: Window(start: scenario.measureStart, end: scenario.measureEnd))
      shard.advance(before: scenario.measureEnd)
      shard.closeEnergy()
    }
    return (fleet.energies().reduce(0) { $0 + $1.tracking }, fleet.digest().world)
  }
}
