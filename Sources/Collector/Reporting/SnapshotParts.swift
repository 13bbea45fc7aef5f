internal import Core
internal import ServerLogic
internal import Transport
internal import Wire

// These extensions make the parts of a `SnapshotReply` from the collector's counters.

extension NamedCount {
  static func counts(of server: ServerCounters) -> [NamedCount] {
    var counts = server.limitHits.map { NamedCount(limit: $0.name, UInt64($0.count)) }
    for code in StatusCode.allCases where server.statuses[Int(code.rawValue)] > 0 {
      counts.append(NamedCount(status: code, server.statuses[Int(code.rawValue)]))
    }
    return counts
  }
}

extension LedgerSide {
  init(_ column: CollectorLedger.Column) {
    self.init(
      received: column.received, distinct: column.distinct, duplicate: column.duplicate,
      rejected: Rejection.allCases.compactMap { reason in
        let count = column.rejected[Int(reason.rawValue)]
        return count > 0 ? NamedCount("\(reason)", count) : nil
      })
  }
}

extension FreshnessMetrics {
  init(_ population: PopulationKey, _ ages: AgeIntegral) {
    var figures = [NamedFigure(.phoneSeconds, ages.total.seconds)]
    if let never = ages.neverShare { figures.append(NamedFigure(.never, never)) }
    for threshold in ages.thresholds {
      guard let share = ages.share(within: threshold) else { continue }
      figures.append(NamedFigure(.within(threshold), share))
    }
    for (key, q) in [(FreshnessKey.p50, 0.5), (.p95, 0.95), (.p99, 0.99)] {
      if let age = ages.quantile(q) { figures.append(NamedFigure(key, age)) }
    }
    self.init(population, figures: figures)
  }
}

extension SparseHistogram {
  /// Creates a copy of a histogram's non-empty slots. The histogram has no censored values.
  init(_ histogram: Histogram) {
    let sparse = histogram.sparse
    self.init(
      indices: sparse.slots.map { UInt32($0.index) },
      counts: sparse.slots.map { UInt64($0.count) }, min: UInt64(sparse.min ?? 0),
      max: UInt64(sparse.max ?? 0), sum: UInt64(sparse.sum))
  }
}
