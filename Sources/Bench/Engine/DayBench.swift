package import SimulationCore

/// A day of a city as a user waits for it: `flotilla simulate` from its start to its record, the
/// warm start and all.
package struct DayBench: Benchmark {
  /// Names the benchmark in rows and tables.
  package let name = "day"
  private let plan: VirtualBench.Plan

  /// Makes the benchmark of a plan.
  package init(_ plan: VirtualBench.Plan) { self.plan = plan }

  /// Lists scenario, phones and threads.
  package var parameters: [(name: String, value: BenchRow.Parameter)] {
    [
      ("scenario", .word(plan.scenario)), ("phones", .count(plan.phones)),
      ("threads", .count(plan.threads)),
    ]
  }

  /// Returns the bar for 10,000 phones, 6 s; there is none for other sizes.
  package var bars: [BenchBar] {
    plan.phones == 10_000 ? [BenchBar("wallSeconds", .atMost(6))] : []
  }

  /// Lives the day once and returns seconds of the wall, the warm start's among them, and of CPU
  /// time; throws where the program fails.
  package mutating func round(
    _ clock: () -> WallInstant
  ) throws(ProgramError) -> [(figure: String, samples: [Double])] {
    guard let life = try VirtualProgram(plan).run(phones: plan.phones) else { return [] }
    return [
      ("wallSeconds", [life.seconds + life.warmSeconds]),
      ("warmStartWallSeconds", [life.warmSeconds]),
      ("cpuSeconds", [life.cpuSeconds]), ("megabytes", [life.peakBytes / 1e6]),
    ]
  }
}
