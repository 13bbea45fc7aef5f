internal import Figures
package import Foundation
package import SimulationCore

/// `flotilla load` in real time: its generator and its collector are processes of their own.
package struct LiveBench: Benchmark {
  /// Says what is run, with how many phones and for how long.
  package struct Plan: Sendable {
    /// Is the path of the `flotilla` program.
    package var executable: String
    /// Names the scenario.
    package var scenario = "metropolis"
    /// Counts the phones.
    package var phones = 1_000_000
    /// How long they live at speed 1 once all are on the wire, and how long they come in.
    package var seconds = 60
    /// Is the length of the phase `ramp` in seconds; `seconds` follow it.
    package var rampSeconds = 30
    /// Of the warm start; the scenario's own twelve hours take minutes of both cores.
    package var warmHours = 1
    /// Runs go there, and are removed.
    package var folder: URL

    /// Makes the plan of a million phones in metropolis for a minute.
    package init(executable: String, folder: URL) {
      self.executable = executable
      self.folder = folder
    }
  }

  /// Names the benchmark in rows and tables.
  package let name = "live"
  private let plan: Plan

  /// Makes the benchmark of a plan.
  package init(_ plan: Plan) { self.plan = plan }

  /// Lists scenario, phones and seconds.
  package var parameters: [(name: String, value: BenchRow.Parameter)] {
    [
      ("scenario", .word(plan.scenario)), ("phones", .count(plan.phones)),
      ("seconds", .count(plan.seconds)),
    ]
  }

  /// Returns the bars for a million phones: a core and 900 MB of generator, 300 MB of collector, no
  /// ledger error and a valid run.
  package var bars: [BenchBar] {
    [
      BenchBar("generatorCores", .atMost(1)), BenchBar("generatorMegabytes", .atMost(900)),
      BenchBar("collectorMegabytes", .atMost(300)), BenchBar("ledgerErrors", .atMost(0)),
      BenchBar("invalid", .atMost(0)),
    ]
  }

  /// Runs `flotilla load` once and returns batches, cores and memory of both processes, ledger
  /// errors and validity; throws where the program fails.
  package mutating func round(
    _ clock: () -> WallInstant
  ) throws(ProgramError) -> [(figure: String, samples: [Double])] {
    let folder = plan.folder.appendingPathComponent("live")
    defer { try? FileManager.default.removeItem(at: folder) }
    let record = try RunProgram(executable: plan.executable, folder: folder).run(
      "load",
      [
        plan.scenario, "--phones", "\(plan.phones)", "--speed", "1",
        "--duration", "\(plan.rampSeconds + plan.seconds)s",
        "--set", "phases.ramp=\(plan.rampSeconds)s", "--set", "phases.drain=20s",
        "--set", "warmStart=\(plan.warmHours)h",
      ])
    guard let record else { return [] }
    let generator = record.machine.processes["generator"] ?? .init()
    let collector = record.machine.processes["collector"] ?? .init()
    return [
      ("batchesAcknowledged", [Double(record.ledger.batches.acknowledged)]),
      ("generatorCores", [generator.coresUsed]),
      ("generatorMegabytes", [Double(generator.peakResidentBytes) / 1e6]),
      ("collectorCores", [collector.coresUsed]),
      ("collectorMegabytes", [Double(collector.peakResidentBytes) / 1e6]),
      ("ledgerErrors", [Double(record.ledger.checkAfterDrain().count)]),
      ("invalid", [record.verdict == .invalid ? 1 : 0]),
    ]
  }
}
