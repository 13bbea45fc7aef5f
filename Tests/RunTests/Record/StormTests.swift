import Core
import Figures
import TestSupport
import Testing

@testable import Run
@testable import Scenarios
@testable import RunSupport

@Suite("A simulated outage", .quick)
struct StormTests {
  static let outcome: RunOutcome = {
    var scenario = Scenario.standard(phones: 200)
    scenario.warmStart = .hours(4)
    scenario.duration = .hours(1)
    scenario.answers = .storm
    scenario.push.silentAfter = .minutes(10)
    scenario.fleet.cohorts[0].share = 0.75
    var other = scenario.fleet.cohorts[0]
    other.name = "others"
    other.share = 0.25
    scenario.fleet.cohorts.append(other)
    scenario.faults = [
      Fault(
        kind: .serverOutage, at: scenario.start + .minutes(20), lasts: .minutes(10),
        lastsWall: .zero, cohorts: nil, share: 1),
      Fault(
        kind: .collectorKill, at: scenario.start + .minutes(25), lasts: .zero, lastsWall: .zero,
        cohorts: nil, share: 1),
    ]
    let plan = RunPlan(
      scenario: scenario, scenarioText: scenario.text, scenarioHash: scenario.hash,
      command: ["test"], version: "t", threads: 2, startedAt: "2026-01-01T00:00:00Z",
      wall: { WallInstant(microseconds: 0) })
    return Simulation(plan).run(progress: { _ in }, shouldStop: { false })
  }()

  @Test("has one row in the record, with its peak, its pushes and its failures")
  func storm() throws {
    let storms = try #require(Self.outcome.record.storm)
    #expect(storms.map(\.kind) == ["server-outage"], "a kill is no outage of a known time")
    #expect(storms[0].endsAt - storms[0].beginsAt == 600)
    #expect(storms[0].amplification ?? 0 > 1, "\(storms[0])")
    #expect(storms[0].attempts > storms[0].acknowledged)
    #expect(storms[0].pushesInSweepMax > 0)
  }

  @Test("shows in the timeline: no upload gets through, and no phone is pushed")
  func timeline() {
    let during = Self.outcome.timeline[21..<29]
    #expect(during.allSatisfy { $0.acknowledgedPerSecond == 0 })
    #expect(during.contains { $0.failedPerSecond > 0 })
    #expect(Set(during.map(\.pushesRequested)).count == 1)
    #expect(Self.outcome.timeline[31].pushesRequested > Self.outcome.timeline[28].pushesRequested)
  }

  @Test("is the first of the closing lines")
  func closing() {
    let lines = VerdictLines.lines(Self.outcome.record)
    #expect(lines[0].hasPrefix("answer   When the backend came back, uploads peaked at "))
    #expect(lines[1] == "verdict  \(Self.outcome.record.verdict.rawValue)")
  }

  @Test("has freshness by cohort, which averages to the fleet's")
  func cohorts() throws {
    let freshness = Self.outcome.record.freshness
    let cohorts = try #require(freshness.cohorts)
    #expect(cohorts.map(\.name) == ["commuters", "others"])
    let shares = cohorts.compactMap(\.share)
    let all = try #require(freshness.reachable.share)
    #expect(shares.count == 2 && shares.min() ?? 1 <= all && all <= shares.max() ?? 0)
  }
}
