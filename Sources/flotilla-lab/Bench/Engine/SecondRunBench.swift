package import Core
internal import Figures
package import Foundation

/// Runs a command twice with one cache, to compare warm starts without and with a cache hit.
package struct SecondRunBench: Benchmark {
  package struct Plan: Sendable {
    package var executable: String
    /// The command: `load` or `simulate`.
    package var command: String
    package var scenario: String
    package var phones: Int
    package var duration: String
    package var secondsMax: Double
    package var folder: URL

    /// Returns a load of 50,000 phones of the scenario city, with a bar of two seconds.
    package static func load(executable: String, folder: URL) -> Plan {
      Plan(
        executable: executable, command: "load", scenario: "city", phones: 50_000,
        duration: "5min", secondsMax: 2, folder: folder)
    }

    /// Returns a million phones of metropolis, with a bar of ten seconds for a warm start of 12 h.
    package static func million(executable: String, folder: URL) -> Plan {
      Plan(
        executable: executable, command: "simulate", scenario: "metropolis", phones: 1_000_000,
        duration: "1min", secondsMax: 10, folder: folder)
    }
  }

  package let name = "second-run"
  private let plan: Plan

  package init(_ plan: Plan) { self.plan = plan }

  package var parameters: [(name: String, value: BenchRow.Parameter)] {
    [
      ("command", .word(plan.command)), ("scenario", .word(plan.scenario)),
      ("phones", .count(plan.phones)),
    ]
  }

  /// The bars: the limit of the second warm start, and that it comes from the cache.
  package var bars: [BenchBar] {
    [
      BenchBar("secondWarmStartWallSeconds", .atMost(plan.secondsMax)),
      BenchBar("fromCache", .atLeast(1), judged: .worst),
    ]
  }

  /// Returns both warm starts in wall-clock seconds, and whether the second came from the cache.
  package mutating func round(_ clock: () -> WallInstant) throws(ProgramError) -> BenchSamples {
    let folder = plan.folder.appendingPathComponent("second-run")
    defer { try? FileManager.default.removeItem(at: folder) }
    var program = RunProgram(
      executable: plan.executable, folder: folder.appendingPathComponent("run"))
    program.cache = folder.appendingPathComponent("cache").path
    let arguments = [
      plan.scenario, "--phones", "\(plan.phones)", "--duration", plan.duration,
    ]
    guard let first = try program.run(plan.command, arguments),
      let second = try program.run(plan.command, arguments)
    else { return [] }
    return [
      ("firstWarmStartWallSeconds", [first.timing.warmStartWallSeconds]),
      ("secondWarmStartWallSeconds", [second.timing.warmStartWallSeconds]),
      ("fromCache", [second.timing.warmStartFromCache == true ? 1 : 0]),
    ]
  }
}
