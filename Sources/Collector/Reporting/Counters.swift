internal import Core
internal import Wire

struct IngestCounters {
  /// From the last byte of an upload read to its ack handed to the socket, µs.
  var ingest = Histogram()
  /// An upload's longest possible wait for the loop until its first frame is read, µs.
  var loopQueue = Histogram()
  /// Refusals, settings handed out (HY2) and limits met.
  var sheet = Sheet()

  var figures: [NamedFigure] {
    NamedFigure.percentiles(.ingest, ingest) + NamedFigure.percentiles(.loopQueue, loopQueue)
  }
}

struct CommitCounters {
  /// From the begin of a transaction to the end of its fsync, µs.
  var commit = Histogram()
  /// From the receipt of a batch to the begin of its transaction, µs.
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

struct SweepCounters {
  /// How late duties were done, µs.
  var lateness = Histogram()
  var sheet = Sheet()

  var figures: [NamedFigure] { NamedFigure.percentiles(.dutyLateness, lateness) }
}

extension NamedFigure {
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
