package import Core
internal import Figures
package import Foundation

/// `flotilla load` in real time: its generator and its collector are separate processes.
package struct LiveBench: Benchmark {
  package struct Plan: Sendable {
    package var executable: String
    package var scenario = "metropolis"
    package var phones = 1_000_000
    /// The wall-clock seconds after the ramp, at speed 1.
    package var seconds = 60
    package var rampSeconds = 30
    /// The length of the warm start; the default of twelve hours takes minutes on two cores.
    package var warmHours = 1
    package var folder: URL
  }

  package let name = "live"
  private let plan: Plan

  package init(_ plan: Plan) { self.plan = plan }

  package var parameters: [(name: String, value: BenchRow.Parameter)] {
    [
      ("scenario", .word(plan.scenario)), ("phones", .count(plan.phones)),
      ("seconds", .count(plan.seconds)),
    ]
  }

  /// The bars, which apply to a load of a million phones.
  package var bars: [BenchBar] {
    [
      BenchBar("generatorCores", .atMost(1)), BenchBar("generatorMegabytes", .atMost(900)),
      BenchBar("collectorMegabytes", .atMost(300)), BenchBar("ledgerErrors", .atMost(0)),
      BenchBar("invalid", .atMost(0)),
    ]
  }

  package mutating func round(_ clock: () -> WallInstant) throws(ProgramError) -> BenchSamples {
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
