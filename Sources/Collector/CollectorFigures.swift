internal import Measure
internal import ServerLogic
internal import SimulationCore
internal import Wire

/// What the process measures of itself, beside the run's own account.
struct CollectorFigures {
  /// Last byte of an upload read → its ack handed to the socket, µs.
  var ingest = Histogram()
  /// Begin of a transaction → end of its fsync, µs.
  var commit = Histogram()
  /// How late the scenario clock's duties were done, µs.
  var lateness = Histogram()
  var commits: UInt64 = 0
  var commitRecords: UInt64 = 0
  var commitRecordsMost: UInt64 = 0
  var commitErrors: UInt64 = 0
  var registrations: UInt64 = 0
  /// Acks that brought newer settings (HY2).
  var settingsHandedOut: UInt64 = 0
  var sweeps: UInt64 = 0
  var sweepsWithoutSubscriber: UInt64 = 0
  var pushesDropped: UInt64 = 0
  /// Calls of phones while the scenario had the server out of order.
  var refusedInOutage: UInt64 = 0

  /// As computed last; a display may ask more often than is worth a look at every phone.
  var freshness: (at: WallInstant, value: FreshnessIntegral)?

  mutating func count(_ report: CommitReport) {
    guard report.error == nil else {
      commitErrors += 1
      return
    }
    commit.record(report.took.microseconds)
    commits += 1
    commitRecords += UInt64(report.tokens.count)
    commitRecordsMost = max(commitRecordsMost, UInt64(report.tokens.count))
  }

  var counts: [NamedCount] {
    [
      NamedCount("store.commits", commits),
      NamedCount("store.records", commitRecords),
      NamedCount("store.recordsMost", commitRecordsMost),
      NamedCount("store.errors", commitErrors),
      NamedCount("registrations", registrations),
      NamedCount("settingsHandedOut", settingsHandedOut),
      NamedCount("sweeps", sweeps),
      NamedCount("sweepsWithoutSubscriber", sweepsWithoutSubscriber),
      NamedCount("pushesDropped", pushesDropped),
      NamedCount("refusedInOutage", refusedInOutage),
    ]
  }

  /// Microseconds.
  var figures: [NamedFigure] {
    Self.figures("ingest", ingest) + Self.figures("store.commit", commit)
      + Self.figures("duty.lateness", lateness)
  }

  private static func figures(_ name: String, _ histogram: Histogram) -> [NamedFigure] {
    var figures: [NamedFigure] = []
    for (suffix, q) in [("p50", 0.5), ("p99", 0.99), ("p999", 0.999)] {
      if let value = histogram.percentile(q).microseconds {
        figures.append(NamedFigure("\(name).\(suffix)", Double(value)))
      }
    }
    if let most = histogram.max { figures.append(NamedFigure("\(name).max", Double(most))) }
    return figures
  }
}
