package import Figures

/// What the database of a plan's collectors carries, apart from them.
///
/// Where its server ran on the collector's core, the time of that core is divided between the two
/// as the trials used it, so that each has the capacity of a core of its own. Where it ran
/// elsewhere, only what went into it is known.
package struct DatabaseCapacity: Equatable, Sendable, Codable {
  /// Is what went into the database in the searches, in batches a second.
  package var carried: Ratio
  /// Is what a core of the database carries, in batches a second; null: its processor time was not
  /// seen.
  @Nullable package var perCore: Ratio?
  /// Is the database's processor time of a batch, in seconds; null: as before.
  @Nullable package var cpuSecondsPerBatch: Double?
  /// Is the collector's processor time of a batch beside it, in seconds; null: no full trial
  /// passed.
  @Nullable package var collectorCpuSecondsPerBatch: Double?

  /// Divides what one core carried between collector and database.
  ///
  /// - Parameters:
  ///   - carried: by both on one core, or by the collector's core and a database elsewhere.
  ///   - trials: with the processor time of both; those that count are full and were carried.
  /// - Returns: the database's part, and what a core of collectors carries.
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
