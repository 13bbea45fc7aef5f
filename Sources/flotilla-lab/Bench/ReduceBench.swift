package import Core
package import Scenarios
internal import Uploads

/// The overhead of several generator processes in each second of a run. Each process encodes its
/// figures, and the first process adds them all. The benchmark is one process without a network.
package struct ReduceBench: Benchmark {
  package let name = "reduce"
  private let processes: Int
  private let batches: Int
  private let trial: ReduceTrial

  /// - Parameter scenario: The source of the cohorts; `batches` are of one process per second.
  package init(_ scenario: Scenario, processes: Int, batches: Int = 10_000) {
    self.processes = processes
    self.batches = batches
    trial = ReduceTrial(scenario, processes: processes, batches: batches)
  }

  package var parameters: [(name: String, value: BenchRow.Parameter)] {
    [
      ("processes", .count(processes)), ("batches", .count(batches)),
      ("bytes", .count(trial.bytes)),
    ]
  }

  package var bars: [BenchBar] {
    [
      BenchBar("microsecondsToWrite", .atMost(1_000)),
      BenchBar("microsecondsToReduce", .atMost(1_000)),
    ]
  }

  /// Returns the microseconds to encode a process's second, and to add those of all processes.
  package mutating func round(_ clock: () -> WallInstant) -> BenchSamples {
    let written = ReduceTrial.microseconds(clock) { precondition(trial.write() == trial.bytes) }
    var rounds = trial.rounds
    let reduced = ReduceTrial.microseconds(clock) {
      precondition(trial.reduce(&rounds) == processes * batches)
    }
    return [("microsecondsToWrite", [written]), ("microsecondsToReduce", [reduced])]
  }
}
