internal import Figures
package import Foundation
package import SimulationCore

/// The same command twice, with a cache of its own: how long the fleet's warm start takes before
/// there is anything to find, and after.
package struct SecondRunBench: Benchmark {
  /// Says what is run.
  package struct Plan: Sendable {
    /// Is the path of the `flotilla` program.
    package var executable: String
    /// Is `load` or `simulate`.
    package var command: String
    /// Names the scenario, whose own warm start is lived.
    package var scenario: String
    /// Counts the phones.
    package var phones: Int
    /// How long they live afterwards, as the command takes it.
    package var duration: String
    /// The most seconds of wall time that the second warm start may take.
    package var secondsMax: Double
    /// Runs and their cache go there, and are removed.
    package var folder: URL

    /// Makes the plan of a load of 50,000 phones of city, which is to be on the wire in two
    /// seconds.
    package static func load(executable: String, folder: URL) -> Plan {
      Plan(
        executable: executable, command: "load", scenario: "city", phones: 50_000,
        duration: "5min", secondsMax: 2, folder: folder)
    }

    /// Makes the plan of a million phones of metropolis, whose twelve hours are to be there in ten
    /// seconds.
    package static func million(executable: String, folder: URL) -> Plan {
      Plan(
        executable: executable, command: "simulate", scenario: "metropolis", phones: 1_000_000,
        duration: "1min", secondsMax: 10, folder: folder)
    }
  }

  /// Names the benchmark in rows and tables.
  package let name = "second-run"
  private let plan: Plan

  /// Makes the benchmark of a plan.
  package init(_ plan: Plan) { self.plan = plan }

  /// Lists command, scenario and phones.
  package var parameters: [(name: String, value: BenchRow.Parameter)] {
    [
      ("command", .word(plan.command)), ("scenario", .word(plan.scenario)),
      ("phones", .count(plan.phones)),
    ]
  }

  /// Returns the bar for the second warm start, which has to come from the cache.
  package var bars: [BenchBar] {
    [
      BenchBar("secondWarmStartWallSeconds", .atMost(plan.secondsMax)),
      BenchBar("fromCache", .atLeast(1), judged: .worst),
    ]
  }

  /// Runs the command twice and returns both warm starts in seconds of the wall, and whether the
  /// second came from the cache; throws where the program fails.
  package mutating func round(
    _ clock: () -> WallInstant
  ) throws(ProgramError) -> [(figure: String, samples: [Double])] {
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
