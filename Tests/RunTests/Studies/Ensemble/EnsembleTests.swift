import Capacity
import Core
import Figures
import Foundation
import Synchronization
import TestSupport
import Testing

@testable import Run
@testable import RunSupport
@testable import Scenarios

@Suite("An ensemble", .quick)
struct EnsembleTests {
  static func plan(
    _ folder: CacheFolder? = nil, policy: String = "hybrid", threads: Int = 2,
    _ settings: [ScenarioChange] = [], program: String = "a"
  ) throws -> RunPlan {
    let scenario = try ComparisonTests.library.load(
      "city",
      settings: ["fleet.phones=30", "warmStart=2h", "duration=2h", "push.silentAfter=30min"]
        + settings,
      policy: policy, origin: "--compare")
    var plan = RunPlan(
      scenario: scenario, scenarioText: scenario.text, scenarioHash: scenario.hash,
      command: ["test"], version: "t", threads: threads, startedAt: "2026-01-01T00:00:00Z",
      wall: { WallInstant(microseconds: 0) })
    plan.cache = folder?.cache(program: program)
    return plan
  }

  static func ensemble(_ plan: RunPlan, sets: Int = 6) throws -> Ensemble {
    try Ensemble(plan, sets: sets, library: ComparisonTests.library)
  }

  static func figures(_ ensemble: Ensemble, stopped: Bool = false) -> EnsembleFigures? {
    ensemble.figures(progress: { _ in }, shouldStop: { stopped })
  }

  static func values(_ ensembles: [Ensemble]) -> [[Int: EnsembleFigures.Values]] {
    StudyRuns(ensembles[0].plan, phoneSeconds: 1, shouldStop: { false }, report: { _ in })
      .values(of: ensembles)
  }

  @Test("a parameter has the same place in every scenario that has it")
  func places() throws {
    let all = try VariedScenario(Self.plan().scenario, library: ComparisonTests.library)
    let few = try VariedScenario(
      Self.plan(policy: "elastic").scenario, library: ComparisonTests.library,
      only: ["profiles.energy", "push.phone"])
    #expect(few.parameters.count > 10 && few.parameters.count < all.parameters.count)
    let (wide, narrow) = (all.points(5), few.points(5))
    for (column, varied) in few.parameters.enumerated() {
      let path = varied.parameter.path
      let place = try #require(all.parameters.firstIndex { $0.parameter.path == path })
      #expect(narrow.map { $0[column] } == wide.map { $0[place] })
      #expect(Set(narrow.map { Int($0[column] * 5) }).count == 5, "each fifth has a point")
    }
  }

  @Test("matched sets have their own values; other parameters have those of the hypercube")
  func matched() throws {
    let varied = try VariedScenario(Self.plan().scenario, library: ComparisonTests.library)
    let sets = try #require(
      MatchedSets("set,commit,fleet.phone.offline,x.y\n1,a,2%,1\n2,a,3%,1\n3,a,4%,1\n"))
    let cube = varied.points(3)
    for (point, places) in varied.points(3, of: sets).enumerated() {
      for (column, parameter) in varied.parameters.enumerated() {
        if parameter.parameter.path == "fleet.phone.offline" {
          #expect(parameter.text(at: places[column]) == ["2%", "3%", "4%"][point])
        } else {
          #expect(places[column] == cube[point][column])
        }
      }
    }
  }

  @Test("a headline's interval is of the values of separate runs at the sets")
  func interval() throws {
    let ensemble = try Self.ensemble(Self.plan())
    let figures = try #require(Self.figures(ensemble))
    #expect(figures.sets == 6 && figures.done == 6 && figures.phones == 30)
    let values = try (0..<6).map { set -> Double in
      var plan = try Self.plan()
      plan.scenario = try #require(ensemble.scenario(at: set))
      let record = Simulation(plan).run(progress: { _ in }, shouldStop: { false }).record
      return try #require(record.energy.perPhoneDay?.percentOfBattery)
    }
    let battery = try #require(figures.figures[StudyFigure.battery.key])
    // Of six sets the least and the greatest.
    #expect(battery.low == values.min() && battery.high == values.max())
    #expect(battery.low < battery.value && battery.value < battery.high)
    #expect(Set(figures.figures.keys).isSubset(of: StudyFigure.ofRun.map(\.key)))
    #expect(figures.figures[StudyFigure.freshness.key] != nil)
  }

  @Test("a demand's busiest hour is that of each set's demand, scaled to all phones")
  func busiestHour() throws {
    let plan = try Self.plan(nil, ["fleet.phones=900", "warmStart=1h", "duration=30min"])
    let ensemble = try Ensemble(
      plan, sets: 4, library: ComparisonTests.library, measuresDemand: true)
    let found = ensemble.figures(
      progress: { _ in }, shouldStop: { false }, planned: { ["half": $0 / 2] })
    let figures = try #require(found)
    let rates = try (0..<4).map { set -> Double in
      var plan = plan
      plan.scenario = try #require(ensemble.scenario(at: set))
      let outcome = DemandRun(plan, lived: 300).run(progress: { _ in }, shouldStop: { false })
      return 3 * (try #require(outcome).demand.curve.peakHour.batchesPerSecond)
    }.sorted()
    let hour = try #require(figures.figures["busiest-hour"])
    #expect(rates[0] > 0 && rates[0] < rates[3])
    #expect(abs(hour.low / rates[0] - 1) < 1e-9 && abs(hour.high / rates[3] - 1) < 1e-9)
    #expect(figures.figures["half"]?.high == hour.high / 2)
    #expect(figures.figures[StudyFigure.batches.key] != nil)
  }

  @Test("simulates at most 300 phones, whatever the size of the fleet")
  func phones() throws {
    let ensemble = try Self.ensemble(Self.plan(nil, ["fleet.phones=9000"]))
    #expect(ensemble.phones == 300)
    #expect(try #require(ensemble.scenario(at: 0)).fleet.phones == 300)
  }

  @Test("is the same with other threads, and other sets have other people")
  func deterministic() throws {
    let one = Self.figures(try Self.ensemble(Self.plan(threads: 1)))
    let three = Self.figures(try Self.ensemble(Self.plan(threads: 3)))
    #expect(one != nil && one == three)
    let ensemble = try Self.ensemble(Self.plan())
    let seeds = (0..<6).compactMap { ensemble.scenario(at: $0)?.seed }
    #expect(Set(seeds).count == 6)
  }

  @Test("what the user set is known, and no uncertain parameter")
  func known() throws {
    let plan = try Self.plan(nil, ["fleet.phone.offline=2%"])
    let ensemble = try Ensemble(
      plan, sets: 4, library: ComparisonTests.library,
      known: ["fleet.phone.offline", "profiles", "fleet.phones"])
    let scenarios = try (0..<4).map { try #require(ensemble.scenario(at: $0)) }
    #expect(scenarios.allSatisfy { $0.fleet.phone.offline == 0.02 })
    #expect(Set(scenarios.map(\.fleet.phone.forceQuit)).count == 4)
    #expect(!VariedScenario.isSet("fleet.phoneless", by: "fleet.phone"))
    #expect(VariedScenario.isSet("profiles.os[ios17].x", by: "profiles.os"))
  }

  @Test("points of a sweep are compared at the same sets, with the best one")
  func swept() throws {
    let axes = [try SweepAxis("push.scheduler=none,fixed")]
    let plans = try ["none", "fixed"].map { try Self.plan(nil, ["push.scheduler=\($0)"]) }
    let sweep = Sweep(
      SweepGrid(axes), plans: plans, ensembles: try plans.map { try Self.ensemble($0, sets: 4) })
    let run = sweep.run(progress: { _ in }, shouldStop: { false })
    let record = try #require(run)
    #expect(record.points.map { $0.ensemble?.done } == [4, 4])
    let best = try #require(record.best ?? record.freshest)
    #expect(record.points[best].ensemble?.differences == nil)
    let other = record.points[1 - best].ensemble
    #expect(other?.differences?[StudyFigure.battery.key(of: .reachable)] != nil)
    #expect(record.points[1].ensemble?.figures[StudyFigure.answeredOfSilent.key] != nil)
  }

  // MARK: Cache

  @Test("finished sets are read from the cache; a stopped ensemble continues")
  func cached() throws {
    let folder = CacheFolder()
    let first = try #require(Self.figures(try Self.ensemble(Self.plan(folder))))
    #expect(folder.names.count == 1 && folder.names[0].hasSuffix(".figures"))
    // Nothing may run, and all is there.
    #expect(Self.figures(try Self.ensemble(Self.plan(folder)), stopped: true) == first)
    let file = try #require(try Self.kept(folder))
    var values = try #require(file.read([Int: EnsembleFigures.Values].self))
    values[3] = nil
    file.keep(values)
    let five = try #require(Self.figures(try Self.ensemble(Self.plan(folder)), stopped: true))
    #expect(five.done == 5 && five.sets == 6)
    #expect(Self.figures(try Self.ensemble(Self.plan(folder))) == first)
  }

  private static func kept(_ folder: CacheFolder) throws -> KeptFile? {
    try ensemble(plan(folder)).kept
  }

  @Test("another scenario, build or number of sets is simulated")
  func others() throws {
    let folder = CacheFolder()
    _ = Self.figures(try Self.ensemble(Self.plan(folder), sets: 4))
    #expect(Self.figures(try Self.ensemble(Self.plan(folder), sets: 4), stopped: true) != nil)
    let others = [
      try Self.ensemble(Self.plan(folder, ["push.silentAfter=40min"]), sets: 4),
      try Self.ensemble(Self.plan(folder, ["seed=7"]), sets: 4),
      try Self.ensemble(Self.plan(folder, policy: "elastic"), sets: 4),
      try Self.ensemble(Self.plan(folder, program: "b"), sets: 4),
      try Self.ensemble(Self.plan(folder), sets: 5),
    ]
    for other in others { #expect(Self.figures(other, stopped: true) == nil) }
    // The sets of a simulation lack the figures of a demand.
    let demand = try Ensemble(
      Self.plan(folder), sets: 4, library: ComparisonTests.library, measuresDemand: true)
    #expect(Self.figures(demand, stopped: true) == nil)
    let figures = Self.figures(demand)
    #expect(figures?.figures["busiest-hour"] != nil)
    #expect(Self.figures(demand, stopped: true) == figures)
  }

  @Test("a damaged file is simulated again", arguments: [0, 40, 400])
  func damaged(at place: Int) throws {
    let folder = CacheFolder()
    let first = Self.figures(try Self.ensemble(Self.plan(folder), sets: 4))
    let file = folder.url.appending(path: try #require(folder.names.first))
    var bytes = try Data(contentsOf: file)
    bytes[place] ^= 1
    try bytes.write(to: file)
    #expect(Self.figures(try Self.ensemble(Self.plan(folder), sets: 4), stopped: true) == nil)
    try bytes.prefix(place).write(to: file)
    #expect(Self.figures(try Self.ensemble(Self.plan(folder), sets: 4), stopped: true) == nil)
    #expect(Self.figures(try Self.ensemble(Self.plan(folder), sets: 4)) == first)
  }

  // MARK: Comparisons

  @Test("a difference at the same sets has a narrower interval than one of different sets")
  func paired() throws {
    let ensembles = try ["hybrid", "significant-change"].map {
      try Self.ensemble(Self.plan(policy: $0), sets: 8)
    }
    let values = Self.values(ensembles)
    // The second policy's values, each at the set after its own.
    let moved = Dictionary(uniqueKeysWithValues: values[1].map { (($0.key + 1) % 8, $0.value) })
    for figure in [StudyFigure.batches, .battery] {
      func width(_ mine: [Int: EnsembleFigures.Values]) throws -> Double {
        let figures = EnsembleFigures(sets: 8, phones: 30, mine, from: values[0])
        let one = try #require(figures?.differences?[figure.key(of: .reachable)])
        return one.high - one.low
      }
      #expect(try width(values[1]) < 0.8 * width(moved), "\(figure.key)")
    }
  }

  @Test("a comparison has the figures of every policy, and of a stopped one whole sets")
  func compared() throws {
    let entries = try ["hybrid", "significant-change"].map {
      Comparison.Entry(name: $0, plan: try Self.plan(policy: $0, threads: 1))
    }
    let ensembles = try entries.map { try Self.ensemble($0.plan, sets: 6) }
    let comparison = Comparison(entries, ensembles: ensembles)
    let run = comparison.run(progress: { _ in }, shouldStop: { false })
    let whole = try #require(run)
    let key = StudyFigure.batches.key(of: .reachable)
    #expect(whole.policies.map { $0.ensemble?.done } == [6, 6])
    #expect(whole.policies[0].ensemble?.differences == nil)
    let difference = try #require(whole.policies[1].ensemble?.differences?[key])
    #expect(difference.value < 0, "significant changes wake phones less often")
    let sets = Mutex(0)
    let short = comparison.run(
      progress: { progress in
        guard case .virtual(let snapshot) = progress else { return }
        if snapshot.progress.phase.hasPrefix("set 5") { sets.withLock { $0 = 5 } }
      }, shouldStop: { sets.withLock { $0 == 5 } })
    let stopped = try #require(short)
    #expect(stopped.policies.map { $0.ensemble?.done } == [4, 4])
    let again = try ComparisonRecord(json: whole.json())
    #expect(again == whole && again.damage == nil)
  }
}
