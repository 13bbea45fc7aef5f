internal import Measure
internal import SimulationCore
internal import Wire

/// What uploads have been through.
struct IngestCounters {
  /// Last byte of an upload read → its ack handed to the socket, µs.
  var ingest = Histogram()
  /// How long an upload has waited for the loop when its first frame is read, at most, µs.
  var loopQueue = Histogram()
  /// Uploads refused by admission.
  var shed: UInt64 = 0
  /// Acks that brought newer settings (HY2).
  var settingsHandedOut: UInt64 = 0

  var counts: [NamedCount] {
    [NamedCount(.shed, shed), NamedCount(.settingsHandedOut, settingsHandedOut)]
  }

  var figures: [NamedFigure] {
    NamedFigure.percentiles(.ingest, ingest) + NamedFigure.percentiles(.loopQueue, loopQueue)
  }
}

/// How commits went.
struct CommitCounters {
  /// Begin of a transaction → end of its fsync, µs.
  var commit = Histogram()
  /// From the receipt of a batch to the begin of the transaction that commits it, µs.
  var wait = Histogram()
  var commits: UInt64 = 0
  var records: UInt64 = 0
  /// Of one commit.
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

/// What the scenario clock had the server do.
struct SweepCounters {
  /// How late its duties were done, µs.
  var lateness = Histogram()
  var sweeps: UInt64 = 0
  var sweepsWithoutSubscriber: UInt64 = 0
  /// Of subscribers that were too slow.
  var pushesDropped: UInt64 = 0

  var counts: [NamedCount] {
    [
      NamedCount(.sweeps, sweeps), NamedCount(.sweepsWithoutSubscriber, sweepsWithoutSubscriber),
      NamedCount(.pushesDropped, pushesDropped),
    ]
  }

  var figures: [NamedFigure] { NamedFigure.percentiles(.dutyLateness, lateness) }
}

extension NamedFigure {
  /// Those for which enough was measured.
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
