package import SimulationCore

/// The same hours lived by fleets of several sizes: what a phone costs must not grow with them.
///
/// Each round lives every size once, so that a ratio compares neighbours in time. What the program
/// takes before there is a phone, known from a fleet of a hundred, counts for none of them.
package struct ScaleBench: Benchmark {
  package let name = "scale"
  private let plan: VirtualBench.Plan
  private let sizes: [Int]

  /// How much more a phone of a large fleet may cost than one of the smallest.
  private static let ratioMax = 1.6
  private static let handful = 100

  /// - Parameters:
  ///   - plan: its number of phones is of no account.
  ///   - sizes: the smallest first.
  package init(_ plan: VirtualBench.Plan, sizes: [Int]) {
    self.plan = plan
    self.sizes = sizes
  }

  package var parameters: [(name: String, value: BenchRow.Parameter)] {
    [
      ("scenario", .word(plan.scenario)), ("hours", .count(plan.hours)),
      ("threads", .count(plan.threads)),
    ]
  }

  package mutating func round(
    _ clock: () -> WallInstant
  ) throws(ProgramError) -> [(figure: String, samples: [Double])] {
    let program = VirtualProgram(plan)
    guard let bare = try program.run(phones: Self.handful) else { return [] }
    var figures: [(figure: String, samples: [Double])] = []
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

  /// A row for each size instead of one for all.
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
