internal import Capacity
internal import Figures

/// A figure by which runs are compared: how it is named and judged, where its value stands in a
/// record, and what the rows of a timeline tell of it.
struct RunFigureRow: Sendable {
  let figure: RunFigure
  /// As tables name it.
  let title: String
  let unit: RunFigure.Unit
  let good: RunFigure.Good
  let source: Source
  /// nil: the rows of a timeline say nothing of it, and cannot be drawn again for an interval.
  let rows: RunRows.Statistic?

  /// Where a record says it.
  enum Source: Sendable {
    /// A percentile of the response, which can lie beyond a deadline, or be the generator's.
    case response(RunRecord.Latency.Level)
    /// A value with an interval of its own.
    case ratio(@Sendable (RunRecord) -> Ratio?)
    /// A value of a run; of a plan nothing.
    case run(@Sendable (RunRecord) -> Double?)
    /// A value of a plan, with the interval that its searches give; of a run nothing.
    case plan(@Sendable (PlanRecord) -> RunFinding.Value?)
  }

  init(
    _ figure: RunFigure, _ title: String, _ unit: RunFigure.Unit, good: RunFigure.Good,
    _ source: Source, rows: RunRows.Statistic? = nil
  ) {
    self.figure = figure
    self.title = title
    self.unit = unit
    self.good = good
    self.source = source
    self.rows = rows
  }

  /// In the order of `RunFigure`, which is that of tables.
  static let all = traffic + responses + freshness + pushes + costs + plans

  // An open loop offers what the scenario does: less of it is another load, not a worse answer.
  private static let traffic = [
    Self(
      .offered, "offered batches/s", .perSecond, good: .neither,
      .run { $0.offered.batchesPerSecond }, rows: .per(.offered, .seconds)),
    Self(
      .throughput, "acked batches/s", .perSecond, good: .neither,
      .run { $0.throughput.batchesPerSecond }, rows: .per(.acknowledged, .seconds)),
    Self(
      .ackedShare, "acked of offered", .share, good: .more,
      .run { quotient($0.throughput.batchesPerSecond, $0.offered.batchesPerSecond) },
      rows: .per(.acknowledged, .offered)),
  ]

  private static let responses = [
    Self(
      .responseP50, "response p50", .microseconds, good: .less, .response(.p50),
      rows: .response(0.5)),
    Self(
      .responseP90, "response p90", .microseconds, good: .less, .response(.p90),
      rows: .response(0.9)),
    Self(
      .responseP99, "response p99", .microseconds, good: .less, .response(.p99),
      rows: .response(0.99)),
    Self(
      .responseP999, "response p99.9", .microseconds, good: .less, .response(.p999),
      rows: .response(0.999)),
    Self(
      .failedShare, "failed batches", .share, good: .less,
      .run { share($0.latency.response.censored, of: $0.latency.response.count) }),
  ]

  private static let freshness = [
    Self(
      .freshReachable, "fresh, reachable", .share, good: .more,
      .run { $0.freshness.reachable.share }, rows: .per(.freshReachable, .reachable)),
    Self(
      .freshInstalled, "fresh, installed", .share, good: .more,
      .run { $0.freshness.installed.share }, rows: .per(.freshInstalled, .installed)),
    Self(
      .freshMoving, "fresh, moving", .share, good: .more,
      .run { $0.freshness.moving.share }, rows: .per(.freshMoving, .moving)),
    Self(
      .located, "located, reachable", .share, good: .more,
      .run { $0.freshness.reachable.located }),
  ]

  private static let pushes = [
    Self(.answered, "pushes answered", .share, good: .more, .ratio { $0.wake.answered }),
    Self(.caused, "pushes caused", .share, good: .more, .ratio { $0.wake.caused }),
    Self(.uplift, "push uplift", .share, good: .more, .ratio { $0.wake.uplift }),
  ]

  private static let costs = [
    Self(
      .battery, "battery a day", .percent, good: .less,
      .run { $0.energy.batteryPercentPerDay }),
    Self(
      .bytesPerBatch, "bytes a batch", .bytes, good: .less,
      .run { $0.traffic.bytesPerBatch }, rows: .per(.bytes, .acknowledged)),
    Self(
      .bytesPerFix, "bytes a fix", .bytes, good: .less, .run { $0.traffic.bytesPerFix }),
    Self(
      .collectorCPU, "collector CPU a batch", .microseconds, good: .less,
      .run(collectorMicroseconds), rows: .per(.cpuSeconds, .acknowledged)),
    Self(
      .collectorMemory, "collector memory", .bytes, good: .less,
      .run { $0.machine.processes["collector"].map { Double($0.peakResidentBytes) } }),
    Self(
      .peakRate, "peak batches/s", .perSecond, good: .neither,
      .run { $0.offered.batchesPerSecondMax }),
    Self(
      .undelivered, "undelivered fixes", .share, good: .less,
      .run { share($0.ledger.fixes.undelivered, of: $0.ledger.fixes.generated) }),
    Self(
      .lost, "lost fixes", .count, good: .less,
      .run {
        $0.ledger.fixes.generated > 0 && $0.knowsLosses ? Double($0.ledger.fixes.lost) : nil
      }),
  ]

  private static let plans = [
    Self(
      .capacityLower, "capacity, lower bound", .perSecond, good: .more,
      .plan { $0.capacity.flatMap { .init($0.lowerBound, $0.searches.map(\.lowerBound)) } }),
    Self(
      .capacityUpper, "capacity, upper bound", .perSecond, good: .more,
      .plan { $0.capacity.flatMap { .init($0.upperBound, $0.searches.map(\.upperBound)) } }),
    Self(
      .perCore, "capacity a core", .perSecond, good: .more,
      .plan { $0.capacity.flatMap { .init($0.perCore.value, [$0.perCore.low, $0.perCore.high]) } }),
    Self(
      .planCPU, "CPU a batch", .microseconds, good: .less,
      .plan { .init($0.capacity?.cpuSecondsPerBatch.map { $0 * 1e6 }) }),
    Self(
      .instances, "instances", .count, good: .less,
      .plan {
        $0.size.flatMap { .init(Double($0.instances), [$0.sampling.low, $0.sampling.high]) }
      }),
    Self(
      .storage, "storage a day", .bytes, good: .less,
      .plan { .init($0.size?.storageBytesPerDay) }),
    Self(
      .cost, "cost a month", .money, good: .less,
      .plan {
        $0.size.flatMap { ["", "none"].contains($0.currency) ? nil : .init($0.costPerMonth) }
      }),
  ]

  // MARK: Arithmetic

  private static func quotient(_ part: Double?, _ whole: Double?) -> Double? {
    guard let whole, whole > 0 else { return nil }
    return part.map { $0 / whole }
  }

  private static func share(_ part: Int, of whole: Int) -> Double? {
    whole > 0 ? Double(part) / Double(whole) : nil
  }

  private static let collectorMicroseconds: @Sendable (RunRecord) -> Double? = { record in
    let batches = record.ledger.batches.acknowledged
    return record.machine.processes["collector"].flatMap {
      batches > 0 ? $0.cpuSeconds * 1e6 / Double(batches) : nil
    }
  }
}
