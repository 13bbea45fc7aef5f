import Capacity
import Core
import Figures
import Foundation
import Scenarios
import Synchronization
import TestSupport
import Testing
@testable import Run
@testable import RunSupport

@Suite("A search for settings in virtual time", .quick)
struct TuneStudyTests {
  private static let library = ScenarioLibrary(folders: ["scenarios"])

  private static func study(threads: Int, sets: Int = 0) throws -> TuneStudy {
    var scenario = Scenario.standard(phones: 60)
    (scenario.warmStart, scenario.duration) = (.hours(2), .hours(2))
    scenario.push.scheduler = .fixed
    let plan = RunPlan(
      scenario: scenario, scenarioText: scenario.text, scenarioHash: scenario.hash,
      command: ["test"], version: "t", threads: threads, startedAt: "2026-01-01T00:00:00Z",
      wall: { WallInstant(microseconds: 0) })
    let grid = try TuneGrid(
      ["push.silentAfter=15min,30min,1h", "policy.send.interval=1min,5min"], plan.scenario,
      from: library)
    let fresh = try #require(StudyFigure(key: "fresh"))
    return TuneStudy(
      plan, grid, goals: [(fresh, .maximize)], bounds: [try TuneBoundText("pushes≤30/day")],
      ensemble: sets == 0 ? nil : try ensemble(plan, grid, sets: sets))
  }

  private static func ensemble(_ plan: RunPlan, _ grid: TuneGrid, sets: Int) throws -> Ensemble {
    try Ensemble(plan, sets: sets, library: library, known: grid.axes.map(\.key))
  }

  private static func run(_ threads: Int) throws -> TuneRecord {
    let record = try study(threads: threads).run(progress: { _ in }, shouldStop: { false })
    var found = try #require(record)
    (found.machine, found.timing) = (RunRecord.Machine(), RunRecord().timing)
    return found
  }

  @Test(
    "finds the same with any number of threads, for half of a grid, and confirms it on other seeds")
  func threads() throws {
    let one = try Self.run(1)
    let three = try Self.run(3)
    #expect(try one.json() == three.json())
    #expect(one.cost.search <= one.cost.grid / 2 && one.candidates.count == 6)
    let winner = try #require(one.winner)
    #expect(one.candidates[winner].rung == one.schedule.rungs.count - 1)
    #expect(one.front.contains(winner) && !one.isInterrupted)
    let found = try #require(one.confirmation)
    #expect(!found.seeds.contains(one.seed) && found.seeds.count == 2 && found.phones == 120)
    #expect(found.winner.count == 2 && found.bounds.count == 1)
    #expect(one.damage == nil)
  }

  @Test("stopped early reports the finished rungs")
  func stopped() throws {
    let study = try Self.study(threads: 2)
    let steps = Mutex(Set<String>())
    let record = study.run(
      progress: { progress in
        if case .virtual(let snapshot) = progress {
          _ = steps.withLock { $0.insert(snapshot.progress.phase) }
        }
      },
      shouldStop: { steps.withLock { $0.count } > 1 })
    let found = try #require(record)
    #expect(found.isInterrupted && found.confirmation == nil && found.winner != nil)
    #expect(found.candidates.allSatisfy { $0.rung == 0 })
    #expect(study.run(progress: { _ in }, shouldStop: { true }) == nil)
  }

  // MARK: Sets of the model's parameters

  @Test("the front is simulated at the sets of the original settings, and the winner compared")
  func varied() throws {
    let study = try Self.study(threads: 2, sets: 4)
    let run = study.run(progress: { _ in }, shouldStop: { false })
    let record = try #require(run)
    let winner = try #require(record.winner)
    var plan = study.plan
    plan.scenario = study.grid.candidates[winner].scenario
    let tuned = try Self.ensemble(plan, study.grid, sets: 4)
    let values = EnsembleTests.values([try #require(study.ensemble), tuned])
    #expect(record.ensemble == EnsembleFigures(sets: 4, phones: 60, values[0]))
    #expect(
      record.candidates[winner].ensemble
        == EnsembleFigures(sets: 4, phones: 60, values[1], from: values[0]))
    let (fresh, pushes) = ("reachable-fresh", "reachable-pushes")
    #expect(record.candidates[winner].ensemble?.differences?[fresh] != nil)
    let gains = try (0..<4).map { set -> (fresh: Double, pushes: Double) in
      let (before, after) = try (#require(values[0][set]), #require(values[1][set]))
      return try (
        #require(after[fresh]) - #require(before[fresh]),
        #require(after[pushes]) - #require(before[pushes])
      )
    }
    // The goal is to be high, and the bounded figure to be low.
    #expect(record.better == [gains.count { $0.fresh > 0 }, gains.count { $0.pushes < 0 }])
    for (place, one) in record.candidates.enumerated() where place != winner {
      #expect(one.ensemble?.done == (record.front.contains(place) ? 4 : nil))
      #expect(one.ensemble?.differences == nil)
    }
    #expect(record.damage == nil && !record.isInterrupted)
    #expect(try TuneRecord(json: record.json()) == record)
    // The search itself is the same without sets.
    let alone = try Self.run(2)
    #expect(alone.ensemble == nil && alone.better == nil && alone.front == record.front)
    #expect(alone.confirmation == record.confirmation)
  }

  @Test("stopped at its sets reports the whole search and the finished sets")
  func stoppedSets() throws {
    let study = try Self.study(threads: 1, sets: 6)
    let isAtFifth = Mutex(false)
    let run = study.run(
      progress: { progress in
        guard case .virtual(let snapshot) = progress else { return }
        if snapshot.progress.phase.hasPrefix("set 5") { isAtFifth.withLock { $0 = true } }
      }, shouldStop: { isAtFifth.withLock(\.self) })
    let record = try #require(run)
    #expect(!record.isInterrupted && record.confirmation != nil)
    let winner = try #require(record.winner)
    #expect(record.ensemble?.done == 4 && record.ensemble?.sets == 6)
    #expect(record.candidates[winner].ensemble?.done == 4)
  }

  @Test("leaves out impossible combinations, and refuses values that are never possible")
  func grid() throws {
    let scenario = Scenario.standard(phones: 10)
    let grid = try TuneGrid(
      ["push.spacing=5min,1h", "push.within=2min,10min"], scenario, from: Self.library)
    let values = [["5min", "2min"], ["1h", "2min"], ["1h", "10min"]]
    #expect(grid.candidates.map(\.values) == values)
    #expect(grid.refused == 1)
    let wrong: [([String], String)] = [
      (["push.spacing=5min,1parsec"], "--vary push.spacing=1parsec: "),
      (["push.spacing=5min,1h"], "--vary push.spacing=5min: "),
      (["push.spaceing=5min,1h"], "--vary push.spaceing: "),
      (["policy.send.interval=5min,6"], "--vary policy.send.interval=6: "),
      (["push.spacing"], "has no '='"),
      (["seed=1..100:100", "push.spacing=1h..40h:20"], "2000"),
    ]
    for (texts, word) in wrong {
      let error = #expect(throws: SweepError.self) {
        try TuneGrid(texts, scenario, from: Self.library)
      }
      let text = error?.description ?? ""
      #expect(text.contains(word) && !text.contains("--sweep"), "\(texts): \(text)")
    }
  }
}
