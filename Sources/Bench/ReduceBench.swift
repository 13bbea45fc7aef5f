package import Scenarios
package import SimulationCore
internal import Uploads

/// What a second costs the processes of a live run beside their load: each writes what it saw and
/// sends it to the first, which reads all and adds them.
///
/// Nothing here waits for a network: it is the processor's time, in one process.
package struct ReduceBench: Benchmark {
  /// Names the benchmark in rows and tables.
  package let name = "reduce"
  private let processes: Int
  private let batches: Int
  private let trial: ReduceTrial

  /// Makes the second of so many processes, each with so many batches in it.
  ///
  /// - Parameter scenario: the scenario whose cohorts the figures are of.
  package init(_ scenario: Scenario, processes: Int, batches: Int = 10_000) {
    self.processes = processes
    self.batches = batches
    trial = ReduceTrial(scenario, processes: processes, batches: batches)
  }

  /// Lists the number of processes, the batches of each in the second and the bytes that it sends.
  package var parameters: [(name: String, value: BenchRow.Parameter)] {
    [
      ("processes", .count(processes)), ("batches", .count(batches)),
      ("bytes", .count(trial.bytes)),
    ]
  }

  /// Holds both against a millisecond of a core for each second.
  package var bars: [BenchBar] {
    [
      BenchBar("microsecondsToWrite", .atMost(1_000)),
      BenchBar("microsecondsToReduce", .atMost(1_000)),
    ]
  }

  /// Returns the microseconds in which one process writes its second, and the first adds all.
  package mutating func round(
    _ clock: () -> WallInstant
  ) -> [(figure: String, samples: [Double])] {
    let written = ReduceTrial.microseconds(clock) { precondition(trial.write() == trial.bytes) }
    let reduced = ReduceTrial.microseconds(clock) {
      precondition(trial.reduce() == processes * batches)
    }
    return [("microsecondsToWrite", [written]), ("microsecondsToReduce", [reduced])]
  }
}
