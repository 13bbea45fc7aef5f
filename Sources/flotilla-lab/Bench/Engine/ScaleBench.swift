package import Core

/// Fleets of several sizes, simulated for the same hours. The cost per phone must not grow with the
/// size. The fixed cost of memory, measured with 100 phones, is subtracted.
package struct ScaleBench: Benchmark {
  package let name = "scale"
  private let plan: VirtualBench.Plan
  private let sizes: [Int]

  /// The greatest allowed cost per phone, relative to the smallest fleet.
  private static let ratioMax = 1.6
  private static let handful = 100

  /// - Parameter sizes: the phones of each fleet, ascending; the plan's `phones` is ignored.
  package init(_ plan: VirtualBench.Plan, sizes: [Int]) {
    self.plan = plan
    self.sizes = sizes
  }

  /// The parameters that all sizes share; `split` adds the size.
  package var parameters: [(name: String, value: BenchRow.Parameter)] {
    [
      ("scenario", .word(plan.scenario)), ("hours", .count(plan.hours)),
      ("threads", .count(plan.threads)),
    ]
  }

  /// Returns time and memory per phone, with their ratios to the smallest size.
  package mutating func round(_ clock: () -> WallInstant) throws(ProgramError) -> BenchSamples {
    let program = VirtualProgram(plan)
    guard let bare = try program.run(phones: Self.handful) else { return [] }
    var figures: BenchSamples = []
    var smallest: (wall: Double, bytes: Double)?
    for size in sizes {
      guard let life = try program.run(phones: size) else { return [] }
      let wall = life.seconds * 1e6 / (life.phoneDays * 24)
      let bytes = (life.peakBytes - bare.peakBytes) / Double(size)
      let first = smallest ?? (wall, bytes)
      smallest = first
      figures += [
        ("microsecondsPerPhoneHour", wall),
        ("cpuMicrosecondsPerPhoneHour", life.cpuSeconds * 1e6 / life.phoneHours),
        ("bytesPerPhone", bytes), ("megabytes", life.peakBytes / 1e6),
        ("secondsRatio", wall / first.wall), ("bytesRatio", bytes / first.bytes),
      ].map { ("\(size) \($0.0)", [$0.1]) }
    }
    return figures
  }

  package func split(_ row: BenchRow) -> [BenchRow] {
    guard row.bench == name else { return [row] }
    return sizes.enumerated().map { n, size in
      let prefix = "\(size) "
      return BenchRow(
        bench: name, parameters: [("phones", .count(size))] + row.parameters,
        figures: row.figures.filter { $0.name.hasPrefix(prefix) }.map {
          (String($0.name.dropFirst(prefix.count)), $0.value)
        },
        bars: n == 0
          ? []
          : ["secondsRatio", "bytesRatio"].map { BenchBar($0, .atMost(Self.ratioMax)) })
    }
  }
}
