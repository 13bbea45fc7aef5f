package import Core
package import Foundation

/// A simulated fleet, in a separate process to measure its memory. The bytes per phone follow from
/// the difference between two fleets, which are stored alike if both are packed or neither is.
package struct VirtualBench: Benchmark {
  package struct Plan: Sendable {
    package var executable: String
    package var scenario: String
    /// The number of phones of the larger fleet.
    package var phones: Int
    package var threads: Int
    package var folder: URL
    /// The number of simulated hours after the warm start.
    package var hours = 24
    /// The hours of the warm start; nil for the scenario's warm start.
    package var warmHours: Int?

    var parameters: [(name: String, value: BenchRow.Parameter)] {
      [("scenario", .word(scenario)), ("phones", .count(phones)), ("threads", .count(threads))]
    }
  }

  package let name = "virtual"
  private let plan: Plan
  /// The size of the larger fleet ÷ the size of the smaller one.
  private static let share = 2

  package init(_ plan: Plan) { self.plan = plan }

  package var parameters: [(name: String, value: BenchRow.Parameter)] { plan.parameters }

  /// The bars: the limits for a million phones in a day, 120 s and 900 MB, per phone.
  package var bars: [BenchBar] {
    [
      BenchBar("phoneDaysPerSecond", .atLeast((1_000_000 / 120.0).rounded(.up))),
      BenchBar("bytesPerPhone", .atMost(900)),
    ]
  }

  /// Returns phone-days per second, bytes per phone and peak megabytes.
  package mutating func round(_ clock: () -> WallInstant) throws(ProgramError) -> BenchSamples {
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
