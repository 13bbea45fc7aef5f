import Core
import Figures
import Foundation
import Synchronization
import TestSupport
import Testing

@testable import Run
@testable import Scenarios
@testable import RunSupport

@Suite("A comparison", .quick)
struct ComparisonTests {
  static let library = ScenarioLibrary(
    folders: [
      URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent().appendingPathComponent("scenarios")
        .path
    ])

  static func entries(_ policies: [String]) throws -> [Comparison.Entry] {
    try policies.map { policy in
      let scenario = try library.load(
        "city", settings: ["fleet.phones=60", "warmStart=6h", "duration=3h"], policy: policy,
        origin: "--compare")
      return Comparison.Entry(
        name: policy,
        plan: RunPlan(
          scenario: scenario, scenarioText: scenario.text, scenarioHash: scenario.hash,
          command: ["test"], version: "t", threads: 2, startedAt: "2026-01-01T00:00:00Z",
          wall: { WallInstant(microseconds: 0) }))
    }
  }

  static func record(_ policies: [String]) throws -> ComparisonRecord {
    let record = Comparison(try entries(policies)).run(
      progress: { _ in }, shouldStop: { false })
    return try #require(record)
  }

  @Test("simulates every policy in the same world, with different behaviour")
  func paired() throws {
    let record = try Self.record(["hybrid", "significant-change"])
    #expect(record.isPaired)
    #expect(record.policies.map(\.world) == [record.world, record.world])
    #expect(Set(record.policies.map(\.behaviour)).count == 2)
    let hybrid = try #require(record.policies[0].measured(.freshness)?.value)
    let other = try #require(record.policies[1].measured(.freshness))
    #expect(record.policies[0].measured(.freshness)?.difference == nil)
    #expect(try #require(other.value).value < hybrid.value)
    #expect(other.difference?.mayBeZero == false)
  }

  @Test("equals a run of each policy alone")
  func sameAsAlone() throws {
    let entry = try #require(try Self.entries(["hybrid"]).first)
    let alone = Simulation(entry.plan).run(progress: { _ in }, shouldStop: { false }).record
    let record = try Self.record(["hybrid"])
    let compared = try #require(record.policies.first)
    #expect(compared.behaviour == alone.digest.behaviour)
    func near(_ measure: StudyFigure, _ of: ComparisonRecord.Population, _ value: Double?) {
      let mine = compared.measured(measure, of: of)?.value?.value
      #expect(abs((mine ?? -1) - (value ?? -2)) < 1e-6, "\(measure.key)")
    }
    near(.freshness, .installed, alone.freshness.installed.share)
    near(.freshness, .reachable, alone.freshness.reachable.share)
    near(.freshnessMoving, .installed, alone.freshness.moving.share)
    near(.located, .reachable, alone.freshness.reachable.located)
    near(.never, .installed, alone.freshness.installed.never)
    near(.battery, .installed, alone.energy.perPhoneDay?.percentOfBattery)
    let minutes = StaleCause.allCases.reduce(0) {
      $0 + (compared.measured(.stale($1), of: .installed)?.value?.value ?? 0)
    }
    #expect(abs(minutes * 60 / 8 - alone.stale.values.reduce(0, +)) < 1e-3)
  }

  @Test("is the same twice, byte for byte, except command, machine and timing")
  func deterministic() throws {
    var a = try Self.record(["hybrid", "significant-change"])
    var b = try Self.record(["hybrid", "significant-change"])
    a.machine = RunRecord.Machine()
    b.machine = RunRecord.Machine()
    #expect(try a.json() == b.json())
    let again = try JSONDecoder().decode(ComparisonRecord.self, from: a.json())
    #expect(again == a)
  }

  @Test("stopped early compares the finished policies, and returns nothing before the first")
  func stopped() throws {
    let finished = Mutex<[String]>([])
    let comparison = Comparison(try Self.entries(["hybrid", "significant-change"])) { name, _ in
      finished.withLock { $0.append(name) }
    }
    let record = comparison.run(
      progress: { _ in }, shouldStop: { finished.withLock { !$0.isEmpty } })
    #expect(record?.policies.map(\.name) == ["hybrid"])
    let none = Comparison(try Self.entries(["hybrid"])).run(
      progress: { _ in }, shouldStop: { true })
    #expect(none == nil)
  }

  @Test("replaces the policy of every cohort, and suggests a name for an unknown one")
  func policies() throws {
    let scenario = try Self.library.load("city", policy: "significant-change", origin: "x")
    #expect(scenario.fleet.cohorts.allSatisfy { $0.policy == 0 })
    #expect(scenario.policies.map(\.name) == ["significant-change"])
    let fault = #expect(throws: ScenarioError.self) {
      try Self.library.load("city", policy: "hybird", origin: "--compare hybird")
    }
    #expect(
      fault?.description.hasPrefix(
        "--compare hybird: unknown policy 'hybird'. Did you mean 'hybrid'?") == true)
  }
}
