package import Core

/// A simulated day of a city: `flotilla simulate` from start to record, including the warm start.
package struct DayBench: Benchmark {
  package let name = "day"
  private let plan: VirtualBench.Plan

  package init(_ plan: VirtualBench.Plan) { self.plan = plan }

  package var parameters: [(name: String, value: BenchRow.Parameter)] { plan.parameters }

  package var bars: [BenchBar] {
    plan.phones == 10_000 ? [BenchBar("wallSeconds", .atMost(6))] : []
  }

  /// Returns wall-clock seconds, including the warm start, and CPU seconds.
  package mutating func round(_ clock: () -> WallInstant) throws(ProgramError) -> BenchSamples {
    guard let life = try VirtualProgram(plan).run(phones: plan.phones) else { return [] }
    return [
      ("wallSeconds", [life.seconds + life.warmSeconds]),
      ("warmStartWallSeconds", [life.warmSeconds]),
      ("cpuSeconds", [life.cpuSeconds]), ("megabytes", [life.peakBytes / 1e6]),
    ]
  }
}
