import Core
import Figures
import Fleet

@testable import Run
@testable import Scenarios

extension RunPlan {
  /// The plan of a scenario as a test starts it.
  ///
  /// - Parameter wall: the machine's clock; stopped unless one is given.
  static func test(
    _ scenario: Scenario, threads: Int = 1, version: String = "t",
    startedAt: String = "2026-01-01T00:00:00Z",
    wall: @escaping @Sendable () -> WallInstant = { WallInstant(microseconds: 0) }
  ) -> RunPlan {
    RunPlan(
      scenario: scenario, scenarioText: scenario.text, scenarioHash: scenario.hash,
      command: ["test"], version: version, threads: threads, startedAt: startedAt, wall: wall)
  }

  /// Two hours of 200 phones after a warm start of six, unless `change` says otherwise.
  static func twoHours(
    threads: Int = 2, _ change: (inout Scenario) -> Void = { _ in }
  ) -> RunPlan {
    var scenario = Scenario.standard(phones: 200)
    scenario.warmStart = .hours(6)
    scenario.duration = .hours(2)
    change(&scenario)
    return test(scenario, threads: threads)
  }

  /// Forty minutes of 200 phones, live in four seconds.
  static func fourSecondsLive(
    wall: @escaping @Sendable () -> WallInstant
  ) -> RunPlan {
    var scenario = Scenario.standard(phones: 200)
    scenario.speed = 600
    scenario.warmStart = .hours(2)
    scenario.duration = .minutes(40)
    scenario.phases.ramp = .minutes(10)
    scenario.phases.drain = .minutes(5)
    return test(scenario, wall: wall)
  }
}

extension RunOutcome {
  /// The record without machine and timing.
  func recordText() throws -> String {
    var record = record
    record.machine = RunRecord.Machine()
    record.timing = RunRecord().timing
    return String(decoding: try record.json(), as: UTF8.self)
  }
}
