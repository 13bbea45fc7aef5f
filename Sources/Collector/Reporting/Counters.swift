internal import Figures
internal import SimulationCore
internal import Wire

/// Counts what happened to uploads.
struct IngestCounters {
  /// Measures from the last byte of an upload read to its ack handed to the socket, µs.
  var ingest = Histogram()
  /// Measures the longest that an upload can have waited for the loop when its first frame is read,
  /// µs.
  var loopQueue = Histogram()
  /// Counts refusals, settings handed out (HY2) and limits met.
  var sheet = Sheet()

  var figures: [NamedFigure] {
    NamedFigure.percentiles(.ingest, ingest) + NamedFigure.percentiles(.loopQueue, loopQueue)
  }
}

/// Counts and measures commits.
struct CommitCounters {
  /// Measures from the begin of a transaction to the end of its fsync, µs.
  var commit = Histogram()
  /// Measures from the receipt of a batch to the begin of the transaction that commits it, µs.
  var wait = Histogram()
  var sheet = Sheet()

  mutating func count(_ report: CommitReport) {
    guard report.error == nil else {
      sheet[.failedCommits] += 1
      return
    }
    commit.record(report.took.microseconds)
    sheet[.commits] += 1
    sheet[.committedRecords] += report.tokens.count
    sheet[.mostCommittedRecords] = max(sheet[.mostCommittedRecords], report.tokens.count)
  }

  var figures: [NamedFigure] {
    NamedFigure.percentiles(.commit, commit) + NamedFigure.percentiles(.storeQueue, wait)
  }
}

/// Counts the duties that the scenario clock set.
struct SweepCounters {
  /// Measures how late duties were done, µs.
  var lateness = Histogram()
  var sheet = Sheet()

  var figures: [NamedFigure] { NamedFigure.percentiles(.dutyLateness, lateness) }
}

extension NamedFigure {
  /// Returns the percentiles for which enough was measured.
  fileprivate static func percentiles(
    _ key: DistributionKey, _ histogram: Histogram
  ) -> [NamedFigure] {
    PercentileKey.allCases.compactMap { percentile in
      let value: Int64? =
        switch percentile {
        case .p50: histogram.percentile(0.5).microseconds
        case .p99: histogram.percentile(0.99).microseconds
        case .p999: histogram.percentile(0.999).microseconds
        case .max: histogram.max
        }
      return value.map { NamedFigure(key, percentile, Double($0)) }
    }
  }
}
