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
  /// From the receipt of a batch to the begin of the transaction that commits it, µs.
  var storeQueue = Histogram()
  /// How long an upload has waited for the loop when its first frame is read, at most, µs.
  var loopQueue = Histogram()
  /// Uploads refused by admission.
  var shed: UInt64 = 0
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
      NamedCount("shed.admission", shed),
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
      + Self.figures("duty.lateness", lateness) + Self.figures("queue.store", storeQueue)
      + Self.figures("queue.loop", loopQueue)
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
