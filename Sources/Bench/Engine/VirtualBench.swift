package import Foundation
package import SimulationCore

/// A fleet lived in virtual time, by a process of its own, so that its memory is its alone.
///
/// Each round lives two fleets; a phone's bytes are what the larger one needs more. Both must be so
/// large that their phones are packed, as a million are.
package struct VirtualBench: Benchmark {
  /// Says what is lived, with how many phones, threads and hours.
  package struct Plan: Sendable {
    /// Is the path of the `flotilla` program.
    package var executable: String
    /// Names the scenario.
    package var scenario: String
    /// Counts the phones of the larger fleet.
    package var phones: Int
    /// Counts the threads of the simulation.
    package var threads: Int
    /// Runs go there, and are removed.
    package var folder: URL
    /// How long they live once the warm start is over, in hours.
    package var hours = 24
    /// Of the warm start; nil: the scenario's own.
    package var warmHours: Int?

    /// Makes a plan of 24 hours after the scenario's own warm start.
    package init(executable: String, scenario: String, phones: Int, threads: Int, folder: URL) {
      self.executable = executable
      self.scenario = scenario
      self.phones = phones
      self.threads = threads
      self.folder = folder
    }
  }

  /// Names the benchmark in rows and tables.
  package let name = "virtual"
  private let plan: Plan
  /// A fleet half as large is what the other one is compared with.
  private static let share = 2

  /// Makes the benchmark of a plan.
  package init(_ plan: Plan) { self.plan = plan }

  /// Lists scenario, phones and threads.
  package var parameters: [(name: String, value: BenchRow.Parameter)] {
    [
      ("scenario", .word(plan.scenario)), ("phones", .count(plan.phones)),
      ("threads", .count(plan.threads)),
    ]
  }

  /// A million phones for a day within 120 s and 900 MB, by the phone.
  package var bars: [BenchBar] {
    [
      BenchBar("phoneDaysPerSecond", .atLeast((1_000_000 / 120.0).rounded(.up))),
      BenchBar("bytesPerPhone", .atMost(900)),
    ]
  }

  /// Lives the smaller and the larger fleet and returns phone-days a second, bytes a phone and peak
  /// megabytes; throws where the program fails.
  package mutating func round(
    _ clock: () -> WallInstant
  ) throws(ProgramError) -> [(figure: String, samples: [Double])] {
    let program = VirtualProgram(plan)
    guard let small = try program.run(phones: plan.phones / Self.share),
      let large = try program.run(phones: plan.phones)
    else { return [] }
    let more = Double(plan.phones - plan.phones / Self.share)
    return [
      ("phoneDaysPerSecond", [large.phoneDays / large.seconds]),
      ("bytesPerPhone", [(large.peakBytes - small.peakBytes) / more]),
      ("megabytes", [large.peakBytes / 1e6]),
    ]
  }
}
