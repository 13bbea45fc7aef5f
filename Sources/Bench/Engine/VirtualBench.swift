package import Foundation
package import SimulationCore

/// A fleet lived in virtual time, by a process of its own, so that its memory is its alone.
///
/// Each round lives two fleets; a phone's bytes are what the larger one needs more.
package struct VirtualBench: Benchmark {
  package struct Plan: Sendable {
    package var executable: String
    package var scenario: String
    package var phones: Int
    package var threads: Int
    /// Runs go there, and are removed.
    package var folder: URL
    /// How long they live once the warm start is over, in hours.
    package var hours = 24
    /// Of the warm start; nil: the scenario's own.
    package var warmHours: Int?

    package init(executable: String, scenario: String, phones: Int, threads: Int, folder: URL) {
      self.executable = executable
      self.scenario = scenario
      self.phones = phones
      self.threads = threads
      self.folder = folder
    }
  }

  package let name = "virtual"
  private let plan: Plan
  /// A fleet a quarter as large is what the other one is compared with.
  private static let share = 4

  package init(_ plan: Plan) { self.plan = plan }

  package var parameters: [(name: String, value: BenchRow.Parameter)] {
    [
      ("scenario", .word(plan.scenario)), ("phones", .count(plan.phones)),
      ("threads", .count(plan.threads)),
    ]
  }

  /// A million phones for a day within 150 s and 900 MB, by the phone.
  package var bars: [BenchBar] {
    [
      BenchBar("phoneDaysPerSecond", .atLeast((1_000_000 / 150.0).rounded(.up))),
      BenchBar("bytesPerPhone", .atMost(900)),
    ]
  }

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
