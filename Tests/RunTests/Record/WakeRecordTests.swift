import Core
import Figures
import TestSupport
import Testing

@testable import Run
@testable import Scenarios
@testable import RunSupport

/// The silent pushes of a small simulated morning, joined from both sides.
@Suite("Wake figures of a run", .quick)
struct WakeRecordTests {
  /// Simulated once for all tests.
  static let wake: RunRecord.Wake = {
    var scenario = Scenario.standard(phones: 300)
    scenario.warmStart = .hours(6)
    scenario.duration = .hours(4)
    scenario.push.holdout = 0.1
    let plan = RunPlan(
      scenario: scenario, scenarioText: scenario.text, scenarioHash: scenario.hash,
      command: ["test"], version: "t", threads: 2, startedAt: "2026-01-01T00:00:00Z",
      wall: { WallInstant(microseconds: 0) })
    return Simulation(plan).run(progress: { _ in }, shouldStop: { false }).record.wake
  }()

  @Test("outcomes sum to the pushes requested")
  func outcomes() {
    #expect(Self.wake.requested > 100)
    #expect(Self.wake.outcomes.values.reduce(0, +) == Self.wake.requested)
    #expect(Self.wake.eligible <= Self.wake.requested && Self.wake.withheld > 0)
  }

  @Test("caused is never more than answered, and paired uplift never more than answered")
  func order() throws {
    let answered = try #require(Self.wake.answered)
    #expect(try #require(Self.wake.caused).value <= answered.value)
    #expect(try #require(Self.wake.uplift).value <= answered.value)
    #expect(Self.wake.upliftMethod == .paired)
    #expect(Self.wake.upliftHoldout != nil)
  }

  @Test("a longer limit judges no more pushes")
  func windows() throws {
    let windows = try #require(Self.wake.windows)
    #expect(windows.count > 1)
    #expect(windows.contains { $0.withinSeconds == Self.wake.withinSeconds })
    for (short, long) in zip(windows, windows.dropFirst()) {
      #expect(short.withinSeconds < long.withinSeconds && short.eligible >= long.eligible)
    }
  }

  @Test("cohorts, systems and hours each sum to the whole")
  func groups() throws {
    for groups in [Self.wake.cohorts, Self.wake.systems, Self.wake.hours] {
      let groups = try #require(groups)
      #expect(groups.reduce(0) { $0 + $1.requested } == Self.wake.requested)
      #expect(groups.reduce(0) { $0 + $1.eligible } == Self.wake.eligible)
      for (outcome, count) in Self.wake.outcomes {
        #expect(groups.reduce(0) { $0 + ($1.outcomes[outcome] ?? 0) } == count, "\(outcome)")
      }
    }
    #expect(Self.wake.hours?.map(\.name).contains("09") == true)
  }

  @Test("each figure names the side of the run that knows it")
  func sides() throws {
    let sides = try #require(Self.wake.knownBy)
    #expect(sides["answered"] == .server && sides["caused"] == .simulator)
    #expect(sides["uplift"] == .simulator && sides["upliftHoldout"] == .server)
  }
}
