import Core
import Figures
@testable import Report

extension RunFixture {
  /// Runs of every verdict, by name.
  static let verdicts: [(String, RunFiles)] = [
    ("pass", live()),
    (
      "invalid",
      live { record in
        record.verdict = .invalid
        record.reasons = ["The generator was late: p99 is 3 ms.", "It used 95 % of 2 cores."]
        record.latency.response.generatorBound = ["p99", "p999"]
        record.freshness.distorted = true
      }
    ),
    (
      "beyond the deadline",
      live { record in
        record.verdict = .sloMissed
        record.reasons = ["responseP99 could not be measured."]
        record.latency.response.p99 = nil
        record.latency.response.beyond = ["p99": 10_000_000]
        record.scenario.speed = 1
      }
    ),
    (
      "no pushes",
      live { record in
        record.wake = RunRecord.Wake()
        record.wake.withinSeconds = 600
        record.machine.collectorIsOurs = false
        record.machine.collectorAddress = "10.0.0.7:7070"
      }
    ),
    ("simulation", simulation()),
    ("wake", live { $0.scenario.answers = .wake }),
    ("freshness", live { $0.scenario.answers = .freshness }),
    (
      "storm",
      live { record in
        record.scenario.answers = .storm
        record.storm = [storm]
      }
    ),
    (
      "cohorts",
      live { record in
        record.scenario.answers = .cohorts
        record.freshness.cohorts = [.init(name: "ios12", share: 0.4), .init(name: "b", share: 0.2)]
      }
    ),
    ("empty", RunFiles(record: RunRecord())),
  ]
}
