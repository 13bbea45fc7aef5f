package import Core

/// The capacity of the database of a plan's collectors. On the collector's core, its time is
/// divided as measured, so each has that of a whole core; elsewhere only the load is known.
package struct DatabaseCapacity: Equatable, Sendable, Codable {
  /// Batches a second that went into the database in the searches.
  package var carried: Ratio
  /// Batches a second; null if its processor time was not measured.
  @Nullable package var perCore: Ratio?
  /// null as before.
  @Nullable package var cpuSecondsPerBatch: Double?
  /// null if no full trial passed.
  @Nullable package var collectorCpuSecondsPerBatch: Double?

  /// Divides the capacity of one core between collector and database.
  /// - Parameter trials: With the processor time of both; only passed full ones count.
  package static func divided(
    _ carried: Ratio, _ trials: [TrialRecord]
  ) -> (database: DatabaseCapacity, collector: Ratio) {
    let full = trials.filter { trial in
      trial.kind == .full && trial.invalid == nil && !trial.isHigh
        && trial.acknowledgedPerSecond > 0
    }
    // Of a small load much is what they do anyway.
    let last = full.max { $0.load < $1.load }
    let own = last.map { $0.collectorCores / $0.acknowledgedPerSecond }
    let other = last.flatMap { trial in
      trial.databaseCores.map { $0 / trial.acknowledgedPerSecond }
    }
    var database = DatabaseCapacity(carried: carried)
    database.collectorCpuSecondsPerBatch = own
    database.cpuSecondsPerBatch = other
    guard let own, let other, own > 0, other > 0 else { return (database, carried) }
    func times(_ factor: Double) -> Ratio {
      Ratio(
        value: carried.value * factor, low: carried.low * factor, high: carried.high * factor)
    }
    database.perCore = times((own + other) / other)
    return (database, times((own + other) / own))
  }

  init(carried: Ratio) { self.carried = carried }
}
