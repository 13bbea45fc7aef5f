import Capacity
import Commands
import Core
import Foundation
import Run
import Scenarios
import Synchronization
import TestSupport
import Testing
@testable import flotilla_lab

/// Uses cheap measures of the test; judges no claim.
@Suite("Claims over the ranges of parameters", .quick)
struct RangeStudyTests {
  static let claims = [
    ClaimFixture.claim("indoors", 0.87, .absolute(0.02), .populationShare, area: .movement),
    ClaimFixture.claim("one", 0.87, .absolute(0.02), .onePhone, area: .movement),
    ClaimFixture.claim("three", 0.87, .absolute(0.02), .extreme(of: 3), area: .movement),
  ]

  static func study(points: Int, threads: Int = 2) -> RangeStudy {
    let plans = [
      PeoplePlan(scenario: "city", people: 6, days: 1),
      PeoplePlan(scenario: "country", people: 5, days: 1),
    ]
    let measures =
      zip(["indoors", "one", "three"], [plans[0], plans[1], plans[0]]).map { id, plan in
        ClaimRunTests.measure(id, plan)
      }
    return RangeStudy(ClaimRunTests.bench(threads: threads), claims, measures, points: points)
  }

  static let whole = Result { try study(points: 4).simulate(.init(study: "x"), shipped: 2) }

  @Test("a population has one value at a point, one phone has all phones' values, an extreme some")
  func draws() throws {
    let progress = try Self.whole.get()
    #expect(progress.draws.keys.sorted() == Array(0..<6))
    for draws in progress.draws.values {
      #expect(draws["indoors"]?.map(\.count) == [1] && draws["one"]?.map(\.count) == [5])
      #expect(draws["three"]?.map(\.count) == [8])
    }
    let shares = progress.draws.values.compactMap { $0["indoors"]?.first?.first }
    #expect(Set(shares).count == 6, "points and seeds differ")
    let forecasts = Self.study(points: 4).forecasts(progress)
    #expect(forecasts.map(\.points) == [4, 4, 4] && forecasts.allSatisfy { $0.interval != nil })
    #expect(Self.study(points: 4).shipped(progress).map(\.points) == [2, 2, 2])
  }

  @Test("matched sets are simulated, and for comparison as many points of the whole ranges")
  func matched() throws {
    let open = Self.study(points: 3)
    let parameters = try VariedWorlds(open).parameters()
    let key = try #require(parameters.keys.sorted().first)
    let low = try #require(parameters[key]).text(at: 0)
    let sets = try #require(MatchedSets("set,commit,\(key)\n1,a,\(low)\n"))
    let study = try RangeStudy.matched(
      sets, ClaimRunTests.bench(threads: 2), Self.claims, open.run.measures, points: 3)
    #expect(study.points == 6 && study.wholeRanges == 3)
    let whole = VariedScenario.column(of: key, points: 3)
    #expect(study.columns[key] == [0, 0, 0] + whole)
    for (other, column) in study.columns where other != key {
      #expect(Array(column.prefix(3)) == Array(column.suffix(3)), "\(other)")
    }
    let progress = try study.simulate(.init(study: "x"), shipped: 1)
    #expect(progress.draws.count == 7)
    #expect(study.forecasts(progress).map(\.points) == [3, 3, 3])
    #expect(study.whole(progress).map(\.points) == [3, 3, 3])
    #expect(study.shipped(progress).map(\.points) == [1, 1, 1])
  }

  @Test("a stopped study continues from its file, and ends with an equal file")
  func resumes() throws {
    let folder = FileManager.default.temporaryDirectory
      .appendingPathComponent("ranges-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: folder) }
    let file = RangeFile(folder.appendingPathComponent("a/study.json").path)
    let begun = try file.read("x")
    #expect(begun.draws.isEmpty)
    let worlds = Mutex(0)
    let stopped = try Self.study(points: 4, threads: 1).simulate(begun, shipped: 2) {
      worlds.withLock { worlds in
        worlds += 1
        return worlds > 7
      }
    } keep: {
      try file.write($0)
    }
    #expect(stopped.draws.count == 3)
    let kept = try file.read("x")
    #expect(kept == stopped)
    let ended = try Self.study(points: 4).simulate(kept, shipped: 2) {
      false
    } keep: {
      try file.write($0)
    }
    #expect(try ended == Self.whole.get())
    let resumed = try #require(FileManager.default.contents(atPath: file.path))
    try file.write(Self.whole.get())
    #expect(FileManager.default.contents(atPath: file.path) == resumed)
    // That of another study, or a damaged one, is refused and kept.
    #expect(throws: CommandError.self) { try file.read("y") }
    try Data(resumed.dropLast(5)).write(to: URL(fileURLWithPath: file.path))
    #expect(throws: CommandError.self) { try file.read("x") }
  }

  @Test(
    "a study is another one with other points, seeds, objects or program; not with other figures")
  func identity() throws {
    let study = Self.study(points: 4)
    let own = try study.identity(program: "/nowhere")
    #expect(try study.identity(program: "/nowhere") == own)
    #expect(try study.identity(program: #filePath) != own)
    #expect(try Self.study(points: 5).identity(program: "/nowhere") != own)
    func with(_ claims: [RegisteredClaim]) throws -> String {
      try RangeStudy(study.run.bench, claims, points: 4).identity(program: "/nowhere")
    }
    let other = ClaimFixture.claim("indoors", 0.5, .factor(2), .populationShare)
    #expect(try with([other] + Self.claims.dropFirst()) == own)
    let median = ClaimFixture.claim("indoors", 0.87, .absolute(0.02), .populationMedian)
    #expect(try with([median] + Self.claims.dropFirst()) != own)
  }

  @Test("what a claim sets is no uncertain parameter")
  func conditions() {
    let system = "{ base: ios17, regions: { missed: 0% } }"
    let plan = FleetPlan(policy: "hybrid", system: system).with {
      $0.energy = "{ base: modern2022, batteryWattHours: 10.8 }"
      $0.push = ["phone.window.grants=1000"]
    }
    let conditions = plan.conditions
    #expect(conditions.contains(".batteryWattHours") && conditions.contains(".missed"))
    #expect(conditions.contains("push.phone.window.grants"))
    #expect(conditions.contains("fleet.phone.sessionsPerDay"))
  }

  @Test("the rules of an Android profile are varied, but for those that a claim sets")
  func android() throws {
    let plan = AndroidMeasures.fleet(
      "worker-15min", AndroidMeasures.phone("android14", "exempt: 100%"))
    let claim = ClaimFixture.claim("work", 1, .factor(2), .onePhone)
    let measure = ClaimMeasure("work", .phones(plan) { _ in PhoneFigures() }, .median)
    let study = RangeStudy(ClaimRunTests.bench(threads: 1), [claim], [measure], points: 4)
    let parameters = try VariedWorlds(study).parameters()
    let rules = parameters.keys.filter { $0.contains(".android.") }
    for rule in ["cachedLife", "backgroundEvery", "deepIdle", "serviceDeathsPerDay"] {
      #expect(rules.contains { $0.hasSuffix(".android.\(rule)") }, "\(rule)")
    }
    for rule in ["exempt", "locationOff", "withoutPlay", "accuracyOff"] {
      #expect(!rules.contains { $0.hasSuffix(".android.\(rule)") }, "\(rule)")
    }
    #expect(parameters.keys.contains { $0.hasSuffix(".regions.promptShare") })
    let worlds = try (0..<2).map { point in
      try #require(try VariedWorlds(study).scenario(of: ClaimRun.Job(world: 0, number: point)))
    }
    let lives = worlds.map { $0.fleet.cohorts[0].os.value.system.android?.cachedLife }
    #expect(lives[0] != nil && lives[0] != lives[1])
  }
}
