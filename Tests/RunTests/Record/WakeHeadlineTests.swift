import Core
import Figures
import TestSupport
import Testing

@testable import Run
@testable import Scenarios
@testable import RunSupport

/// A fleet with two policies: one half answers a push with a new position, the other with the last
/// one, which is older than the push.
@Suite("Headline of wake coverage", .quick)
struct WakeHeadlineTests {
  static let record: RunRecord = run { _ in }

  static func run(_ change: (inout Scenario) -> Void) -> RunRecord {
    var scenario = Scenario.standard(phones: 200)
    scenario.warmStart = .hours(6)
    scenario.duration = .hours(4)
    scenario.answers = .wake
    var quiet = scenario.policies[0]
    quiet.name = "quiet"
    quiet.settings.onPush = .cached
    scenario.policies.append(quiet)
    scenario.fleet.cohorts[0].share = 0.5
    var silent = scenario.fleet.cohorts[0]
    silent.name = "silent"
    silent.policy = 1
    scenario.fleet.cohorts.append(silent)
    change(&scenario)
    let plan = RunPlan(
      scenario: scenario, scenarioText: scenario.text, scenarioHash: scenario.hash,
      command: ["test"], version: "t", threads: 2, startedAt: "2026-01-01T00:00:00Z",
      wall: { WallInstant(microseconds: 0) })
    return Simulation(plan).run(progress: { _ in }, shouldStop: { false }).record
  }

  @Test("the share answered is that of the cohorts whose policy can answer")
  func share() throws {
    let wake = Self.record.wake
    let cohorts = try #require(wake.cohorts)
    #expect(cohorts.map(\.eligible).allSatisfy { $0 > 100 })
    #expect(try #require(wake.answered).value == cohorts[0].answered?.value)
    #expect(try #require(wake.caused).value == cohorts[0].caused?.value)
    #expect(wake.eligible == cohorts[0].eligible)
    #expect(wake.requested == cohorts[0].requested + cohorts[1].requested)
  }

  @Test("the same sentence says how many pushes went to the others")
  func sentence() throws {
    let wake = Self.record.wake
    let others = try #require(wake.cohorts).last?.requested ?? 0
    let text = try #require(Answer(Self.record).sentence?.text)
    #expect(text.contains("; \(others) of \(wake.requested) pushes went to phones whose policy"))
  }

  @Test("after a rollout that lets a cohort answer, its pushes count")
  func rollout() throws {
    let wake = Self.run { scenario in
      scenario.rollouts = [
        Rollout(at: scenario.start, policy: 0, cohort: 1, share: 1)
      ]
    }.wake
    let cohorts = try #require(wake.cohorts)
    #expect(wake.eligible == cohorts[0].eligible + cohorts[1].eligible)
  }

  @Test("if no policy can answer, the sentence says so and gives no share")
  func nobody() throws {
    let record = Self.run { $0.fleet.cohorts[0].policy = 1 }
    #expect(record.wake.answered == nil && record.wake.requested > 100)
    let text = try #require(Answer(record).sentence?.text)
    #expect(text.hasPrefix("None of \(Figure.grouped(record.wake.requested)) silent pushes can"))
  }
}
