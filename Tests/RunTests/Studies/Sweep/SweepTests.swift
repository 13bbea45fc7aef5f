import Core
import Figures
import Foundation
import Synchronization
import TestSupport
import Testing

@testable import Run
@testable import Scenarios
@testable import RunSupport

@Suite("A sweep", .quick)
struct SweepTests {
  static func sweep(_ axes: [String], phones: Int = 20, threads: Int = 2) throws -> Sweep {
    let (grid, scenarios) = try SweepGrid.load(
      axes, name: "city", settings: ["fleet.phones=\(phones)", "warmStart=1h", "duration=3h"],
      from: ComparisonTests.library)
    return Sweep(
      grid,
      plans: scenarios.map {
        RunPlan(
          scenario: $0, scenarioText: $0.text, scenarioHash: $0.hash, command: ["test"],
          version: "t", threads: threads, startedAt: "2026-01-01T00:00:00Z",
          wall: { WallInstant(microseconds: 0) })
      })
  }

  static func record(
    _ axes: [String], phones: Int = 20, threads: Int = 2
  ) throws -> SweepRecord {
    let record = try sweep(axes, phones: phones, threads: threads)
      .run(progress: { _ in }, shouldStop: { false })
    return try #require(record)
  }

  @Test("is the same twice and with any number of threads, and reads back")
  func deterministic() throws {
    let axes = ["push.silentAfter=15min,1h", "push.scheduler=none,fixed"]
    var a = try Self.record(axes, threads: 1)
    var b = try Self.record(axes, threads: 3)
    a.machine = RunRecord.Machine()
    b.machine = RunRecord.Machine()
    #expect(try a.json() == b.json())
    #expect(try JSONDecoder().decode(SweepRecord.self, from: a.json()) == a)
    #expect(
      a.points.map(\.values) == [
        ["15min", "none"], ["15min", "fixed"], ["1h", "none"], ["1h", "fixed"],
      ])
    #expect(a.isPaired)
  }

  @Test("compared with no pushes, a point without pushes removes nothing and others do")
  func withoutPushes() throws {
    let record = try Self.record(
      ["push.silentAfter=15min,1h", "push.scheduler=none,fixed"], phones: 60)
    #expect(record.baselines.count == 1)
    for point in record.points where point.values[1] == "none" {
      #expect(point.requested == 0)
      #expect(point[.removed] == Ratio(value: 0, low: 0, high: 0))
      #expect(point[.extraJoules] == Ratio(value: 0, low: 0, high: 0))
      #expect(point[.removedPerPush] == nil && point[.removedPerJoule] == nil)
      #expect(point.behaviour == record.baselines[0].behaviour)
      #expect(point[.freshness] == record.baselines[0].fresh)
    }
    for point in record.points where point.values[1] == "fixed" {
      #expect(try #require(point[.removedPerPush]).low > 0)
      #expect(try #require(point[.removed]).low > 0)
    }
    let best = try #require(record.best)
    #expect(record.points[best].values == ["15min", "fixed"])
    #expect(record.freshest == best)
  }

  @Test("has one more run for each combination of other keys, and equals single runs")
  func sameAsAlone() throws {
    let axes = ["push.silentAfter=30min,1h", "fleet.cohorts[0].policy=hybrid,significant-change"]
    let sweep = try Self.sweep(axes)
    #expect(sweep.extraRuns == 2)
    let lived = sweep.run(progress: { _ in }, shouldStop: { false })
    let record = try #require(lived)
    #expect(record.baselines.map(\.values) == [[nil, "hybrid"], [nil, "significant-change"]])
    #expect(record.points.map(\.baseline) == [0, 1, 0, 1])
    let plan = try #require(sweep.jobs().first { $0.point == 3 }).plan
    let alone = Simulation(plan).run(progress: { _ in }, shouldStop: { false }).record
    let point = record.points[3]
    #expect(point.behaviour == alone.digest.behaviour)
    #expect(point.answered == alone.wake.answered && point.uplift == alone.wake.uplift)
    #expect(point.requested == alone.wake.requested)
  }

  @Test("reports its progress at the end of every run, however short the runs are")
  func shortRuns() throws {
    let sweep = try Self.sweep(["push.silentAfter=15min,1h"], threads: 1)
    let shown = Mutex<[Snapshot]>([])
    _ = sweep.run(
      progress: { progress in
        if case .virtual(let snapshot) = progress { shown.withLock { $0.append(snapshot) } }
      }, shouldStop: { false })
    let snapshots = shown.withLock { $0 }
    for phase in ["without pushes", "point 1 of 2", "point 2 of 2"] {
      #expect(snapshots.contains { $0.progress.phase == phase }, "\(phase)")
    }
    let last = try #require(snapshots.last)
    #expect(last.progress.share == 1 && (last.virtual?.events ?? 0) > 0)
    let shares = snapshots.compactMap(\.progress.share)
    #expect(shares == shares.sorted())
  }

  @Test("stopped early reports the finished points, and returns nothing before the first")
  func stopped() throws {
    let sweep = try Self.sweep(["push.silentAfter=15min,1h"], threads: 1)
    #expect(sweep.run(progress: { _ in }, shouldStop: { true }) == nil)
    // The run without pushes and the first point report once per sweep; the second point at other
    // times.
    let asked = Mutex(0)
    let sweeps = (1 + 3) * 60
    let stopped = sweep.run(
      progress: { _ in },
      shouldStop: {
        asked.withLock { asked in
          asked += 1
          return asked > sweeps * 5 / 2
        }
      })
    let part = try #require(stopped)
    #expect(part.points.map(\.values) == [["15min"]] && part.planned == 2)
    #expect(part.points[0][.removedPerPush] != nil && part.points[0].isFreshest)
  }
}
