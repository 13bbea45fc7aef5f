internal import Core
internal import Wire

struct IngestCounters {
  /// The time from reading the last byte of an upload to writing its acknowledgement, in µs.
  var ingest = Histogram()
  /// An upper bound of an upload's wait for the loop until the first frame is read, in µs.
  var loopQueue = Histogram()
  /// The counts of refusals, settings handed out (HY2) and limits reached.
  var sheet = Sheet()

  var figures: [NamedFigure] {
    NamedFigure.percentiles(.ingest, ingest) + NamedFigure.percentiles(.loopQueue, loopQueue)
  }
}

struct CommitCounters {
  /// The time from the start of a transaction to the end of its fsync, in µs.
  var commit = Histogram()
  /// The time from receiving a batch to the start of its transaction, in µs.
  var wait = Histogram()
  var sheet = Sheet()

  /// A commit beyond this time waits for the disk or database: a sync of a quiet local disk took
  /// 0.5 ms, its p99 5 ms.
  static let slow = WallDuration.milliseconds(50)

  mutating func count(_ report: CommitReport) {
    guard report.error == nil else {
      sheet[.failedCommits] += 1
      return
    }
    commit.record(report.took.microseconds)
    sheet[.commits] += 1
    if report.took > Self.slow { sheet[.slowCommits] += 1 }
    sheet[.committedRecords] += report.tokens.count
    sheet[.mostCommittedRecords] = max(sheet[.mostCommittedRecords], report.tokens.count)
  }

  var figures: [NamedFigure] {
    NamedFigure.percentiles(.commit, commit) + NamedFigure.percentiles(.storeQueue, wait)
  }
}

struct SweepCounters {
  /// The lateness of the tasks of the scenario clock, in wall-clock µs.
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
