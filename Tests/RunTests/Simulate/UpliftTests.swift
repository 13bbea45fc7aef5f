import Core
import Figures
import TestSupport
import Testing

@testable import Run
@testable import Scenarios
@testable import RunSupport

@Suite("Uplift: the effect of a push on what phones send anyway", .quick)
struct UpliftTests {
  private static func wake(_ change: (inout Scenario) -> Void) -> RunRecord.Wake {
    var scenario = Scenario.standard(phones: 400)
    scenario.warmStart = .hours(6)
    scenario.duration = .hours(4)
    change(&scenario)
    let plan = RunPlan(
      scenario: scenario, scenarioText: scenario.text, scenarioHash: scenario.hash,
      command: ["test"], version: "t", threads: 2, startedAt: "2026-01-01T00:00:00Z",
      wall: { WallInstant(microseconds: 0) })
    return Simulation(plan).run(progress: { _ in }, shouldStop: { false }).record.wake
  }

  @Test("if pushes never wake an app, answered is what phones send anyway and caused is 0")
  func idle() throws {
    // In the foreground such a push is delivered, and requests a position.
    let wake = Self.wake {
      $0.push.request.priority = 1
      $0.fleet.phone.sessionsPerDay = 0
    }
    #expect(wake.eligible > 100)
    let (answered, without) = try (#require(wake.answered), #require(wake.answeredWithout))
    #expect(answered.value > 0)
    #expect(abs(answered.value - without.value) < 0.01, "\(answered) and \(without)")
    #expect(try #require(wake.caused).value == 0)
    #expect(wake.upliftMethod == .paired)
    let uplift = try #require(wake.uplift)
    #expect(uplift.low <= 0 && 0 <= uplift.high, "\(uplift)")
  }

  @Test("a push has an effect, and holdout and pairs measure the same")
  func holdout() throws {
    let wake = Self.wake { $0.push.holdout = 0.5 }
    let (pairs, holdout) = try (#require(wake.uplift), #require(wake.upliftHoldout))
    #expect(pairs.low > 0.05, "\(pairs)")
    #expect(holdout.low <= pairs.high && pairs.low <= holdout.high, "\(pairs), \(holdout)")
    #expect(pairs.high - pairs.low < holdout.high - holdout.low)
    // Some fixes after a push would have come anyway.
    #expect(pairs.value <= (try #require(wake.caused)).value)
  }
}
