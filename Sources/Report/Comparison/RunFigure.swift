internal import Capacity
package import Core
internal import Figures

package struct RunFigure: RawRepresentable, Hashable, Sendable, Codable {
  /// The name of the figure in `comparison.json`.
  package let rawValue: String
  package let title: String
  package let unit: FigureUnit
  package let good: Good
  let source: Source
  /// The statistic over timeline rows; nil if the figure cannot be resampled.
  let rows: RunRows.Statistic?

  package enum Good: String, Sendable, Codable { case more, less, neither }

  package enum Method: String, Sendable, Codable {
    /// Resampling draws the same blocks of timeline rows in both runs.
    case pairedBlocks = "paired-blocks"
    /// Resampling draws blocks of timeline rows separately for each run.
    case blocks
    /// The intervals are those in the records.
    case ownIntervals = "own-intervals"
    case none
  }

  enum Source: Sendable {
    /// A percentile of the response, which may be beyond a deadline or generator-bound.
    case response(RunRecord.Latency.Level)
    /// A value that has an interval in the record.
    case ratio(@Sendable (RunRecord) -> Ratio?)
    /// A value of a run; nil for a plan.
    case run(@Sendable (RunRecord) -> Double?)
    /// A value of a plan with the interval of its searches; nil for a run.
    case plan(@Sendable (PlanRecord) -> RunFinding.Value?)
  }

  private init(
    _ name: String, _ title: String, _ unit: FigureUnit, _ good: Good, _ source: Source,
    rows: RunRows.Statistic? = nil
  ) {
    (rawValue, self.title, self.unit, self.good) = (name, title, unit, good)
    (self.source, self.rows) = (source, rows)
  }

  package init?(rawValue: String) {
    guard let figure = Self.all.first(where: { $0.rawValue == rawValue }) else { return nil }
    self = figure
  }

  package static func == (a: Self, b: Self) -> Bool { a.rawValue == b.rawValue }

  package func hash(into hasher: inout Hasher) { hasher.combine(rawValue) }

  static let lost = Self(
    "lost", "lost fixes", .count, .less,
    .run {
      $0.ledger.fixes.generated > 0 && $0.knowsLosses ? Double($0.ledger.fixes.lost) : nil
    })

  static let all = traffic + responses + freshness + pushes + costs + systems + plans

  // Less offered load is different, but not worse, as the scenario alone sets it.
  private static let traffic = [
    Self(
      "offered", "offered batches/s", .perSecond, .neither, .run { $0.offered.batchesPerSecond },
      rows: .per(.offered, .seconds)),
    Self(
      "throughput", "acked batches/s", .perSecond, .neither,
      .run { $0.throughput.batchesPerSecond }, rows: .per(.acknowledged, .seconds)),
    Self(
      "acked-share", "acked of offered", .share, .more,
      .run { quotient($0.throughput.batchesPerSecond, $0.offered.batchesPerSecond) },
      rows: .per(.acknowledged, .offered)),
  ]

  private static let responses =
    RunRecord.Latency.Level.allCases.map { level in
      Self(
        "response-\(level.rawValue)", "response p\(Figure.plain(level.quantile * 100))",
        .microseconds, .less, .response(level), rows: .response(level.quantile))
    } + [
      Self(
        "failed-share", "failed batches", .share, .less,
        .run { share($0.latency.response.censored, of: $0.latency.response.count) })
    ]

  private static let freshness = [
    Self(
      "fresh-reachable", "fresh, reachable", .share, .more, .run { $0.freshness.reachable.share },
      rows: .per(.freshReachable, .reachable)),
    Self(
      "fresh-installed", "fresh, installed", .share, .more, .run { $0.freshness.installed.share },
      rows: .per(.freshInstalled, .installed)),
    Self(
      "fresh-moving", "fresh, moving", .share, .more, .run { $0.freshness.moving.share },
      rows: .per(.freshMoving, .moving)),
    Self(
      "located", "located, reachable", .share, .more, .run { $0.freshness.reachable.located }),
  ]

  private static let pushes = [
    Self("answered", "pushes answered", .share, .more, .ratio { $0.wake.answered }),
    Self(
      "answered-of-silent", "answered, of all silent", .share, .more,
      .ratio { $0.wake.answeredOfSilent }),
    Self("caused", "pushes caused", .share, .more, .ratio { $0.wake.caused }),
    Self("uplift", "push uplift", .share, .more, .ratio { $0.wake.uplift }),
  ]

  private static let costs = [
    Self(
      "battery", "battery a day", .percent, .less, .run { $0.energy.batteryPercentPerDay }),
    Self(
      "bytes-per-batch", "bytes per batch", .bytes, .less, .run { $0.traffic.bytesPerBatch },
      rows: .per(.bytes, .acknowledged)),
    Self("bytes-per-fix", "bytes per fix", .bytes, .less, .run { $0.traffic.bytesPerFix }),
    Self(
      "collector-cpu-per-batch", "collector CPU per batch", .microseconds, .less,
      .run { record in
        quotient(
          record.machine.processes["collector"].map { $0.cpuSeconds * 1e6 },
          Double(record.ledger.batches.acknowledged))
      }, rows: .per(.cpuSeconds, .acknowledged)),
    Self(
      "collector-memory", "collector memory", .bytes, .less,
      .run { $0.machine.processes["collector"].map { Double($0.peakResidentBytes) } }),
    Self(
      "peak-rate", "peak batches/s", .perSecond, .neither,
      .run { $0.offered.batchesPerSecondMax }),
    Self(
      "undelivered", "undelivered fixes", .share, .less,
      .run { share($0.ledger.fixes.undelivered, of: $0.ledger.fixes.generated) }),
    lost,
  ]

  /// The figures of each system, in runs of fleets with both.
  private static let systems = SystemKind.allCases.flatMap { system in
    let (key, name) = (system.rawValue.lowercased(), system.rawValue)
    return [
      Self(
        "fresh-\(key)", "fresh, \(name)", .share, .more, .run { $0.figures(of: system)?.fresh }),
      Self(
        "answered-\(key)", "pushes answered, \(name)", .share, .more,
        .ratio { $0.figures(of: system)?.pushes?.answered }),
      Self(
        "battery-\(key)", "battery a day, \(name)", .percent, .less,
        .run { $0.figures(of: system)?.batteryPercentPerDay }),
      Self(
        "uploads-\(key)", "uploads a day, \(name)", .count, .neither,
        .run { $0.figures(of: system)?.uploadsPerPhoneDay }),
    ]
  }

  private static let plans = [
    Self(
      "capacity-lower", "capacity, lower bound", .perSecond, .more,
      .plan { $0.capacity.flatMap { .init($0.lowerBound, $0.searches.map(\.lowerBound)) } }),
    Self(
      "capacity-upper", "capacity, upper bound", .perSecond, .more,
      .plan { $0.capacity.flatMap { .init($0.upperBound, $0.searches.map(\.upperBound)) } }),
    Self(
      "capacity-per-core", "capacity per core", .perSecond, .more,
      .plan { $0.capacity.flatMap { .init($0.perCore.value, [$0.perCore.low, $0.perCore.high]) } }),
    Self(
      "cpu-per-batch", "CPU per batch", .microseconds, .less,
      .plan { .init($0.capacity?.cpuSecondsPerBatch.map { $0 * 1e6 }) }),
    Self(
      "instances", "instances", .count, .less,
      .plan {
        $0.size.flatMap { .init(Double($0.instances), [$0.sampling.low, $0.sampling.high]) }
      }),
    Self("storage", "storage a day", .bytes, .less, .plan { .init($0.size?.storageBytesPerDay) }),
    Self(
      "cost", "cost a month", .money, .less,
      .plan {
        $0.size.flatMap { ["", "none"].contains($0.currency) ? nil : .init($0.costPerMonth) }
      }),
  ]

  private static func quotient(_ part: Double?, _ whole: Double?) -> Double? {
    guard let whole, whole > 0 else { return nil }
    return part.map { $0 / whole }
  }

  private static func share(_ part: Int, of whole: Int) -> Double? {
    quotient(Double(part), Double(whole))
  }
}
