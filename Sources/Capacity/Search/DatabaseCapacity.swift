package import Core

/// The capacity of the database of a plan's collectors. If collector and database share a core,
/// their processor times give the capacity of each on a whole core; if unknown, `perCore` is null.
package struct DatabaseCapacity: Equatable, Sendable, Codable {
  /// The rate that the database carried in the searches, in batches a second.
  package var carried: Ratio
  /// The capacity of a database core, in batches a second; null if its time was not measured.
  @Nullable package var perCore: Ratio?
  /// The database's processor time for a batch, in seconds; null if not measured.
  @Nullable package var cpuSecondsPerBatch: Double?
  /// The collector's processor time for a batch, in seconds; null if no full trial passed.
  @Nullable package var collectorCpuSecondsPerBatch: Double?

  /// Divides the capacity of a core between collector and database by their processor times.
  /// - Parameter trials: The trials of the search. Only full trials that passed count.
  package static func divided(
    _ carried: Ratio, _ trials: [TrialRecord]
  ) -> (database: DatabaseCapacity, collector: Ratio) {
    let full = trials.filter { trial in
      trial.kind == .full && trial.invalid == nil && !trial.isHigh
        && trial.acknowledgedPerSecond > 0
    }
    // Takes the largest load, at which work that is independent of the load matters least.
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
}
