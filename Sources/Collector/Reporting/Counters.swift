internal import Measure
internal import SimulationCore
internal import Wire

/// Counts what happened to uploads.
struct IngestCounters {
  /// Measures from the last byte of an upload read to its ack handed to the socket, µs.
  var ingest = Histogram()
  /// Measures the longest that an upload can have waited for the loop when its first frame is read,
  /// µs.
  var loopQueue = Histogram()
  /// Counts the uploads refused by admission.
  var shed: UInt64 = 0
  /// Counts the acks that carried newer settings (HY2).
  var settingsHandedOut: UInt64 = 0

  var counts: [NamedCount] {
    [NamedCount(.shed, shed), NamedCount(.settingsHandedOut, settingsHandedOut)]
  }

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
  var commits: UInt64 = 0
  var records: UInt64 = 0
  /// Is the greatest number of records in one commit.
  var recordsMost: UInt64 = 0
  var errors: UInt64 = 0

  mutating func count(_ report: CommitReport) {
    guard report.error == nil else {
      errors += 1
      return
    }
    commit.record(report.took.microseconds)
    commits += 1
    records += UInt64(report.tokens.count)
    recordsMost = max(recordsMost, UInt64(report.tokens.count))
  }

  var counts: [NamedCount] {
    [
      NamedCount(.commits, commits), NamedCount(.committedRecords, records),
      NamedCount(.mostCommittedRecords, recordsMost), NamedCount(.failedCommits, errors),
    ]
  }

  var figures: [NamedFigure] {
    NamedFigure.percentiles(.commit, commit) + NamedFigure.percentiles(.storeQueue, wait)
  }
}

/// Counts the duties that the scenario clock set.
struct SweepCounters {
  /// Measures how late duties were done, µs.
  var lateness = Histogram()
  var sweeps: UInt64 = 0
  var sweepsWithoutSubscriber: UInt64 = 0
  /// Counts the pushes that were dropped for subscribers that were too slow.
  var pushesDropped: UInt64 = 0

  var counts: [NamedCount] {
    [
      NamedCount(.sweeps, sweeps), NamedCount(.sweepsWithoutSubscriber, sweepsWithoutSubscriber),
      NamedCount(.pushesDropped, pushesDropped),
    ]
  }

  var figures: [NamedFigure] { NamedFigure.percentiles(.dutyLateness, lateness) }
}

/// Counts how requests for one position ended.
struct AskCounters {
  private var ended = [UInt64](repeating: 0, count: AskOutcome.allCases.count)

  mutating func count(_ outcome: AskOutcome) { ended[Int(outcome.rawValue)] += 1 }

  subscript(outcome: AskOutcome) -> UInt64 { ended[Int(outcome.rawValue)] }

  var counts: [NamedCount] {
    [
      NamedCount(.asksEnded, ended.reduce(0, +)), NamedCount(.asksAnswered, self[.answered]),
    ]
  }
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
