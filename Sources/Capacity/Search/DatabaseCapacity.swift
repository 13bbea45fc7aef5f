package import Core

/// The capacity of the database of a plan's collectors. If both share a core, the measured split
/// of its time yields the capacity of a whole core for each. Otherwise only the load is known.
package struct DatabaseCapacity: Equatable, Sendable, Codable {
  /// The batches a second that the database carried in the searches.
  package var carried: Ratio
  /// The batches a second of a database core; null if its processor time was not measured.
  @Nullable package var perCore: Ratio?
  /// The database's processor time; null if not measured.
  @Nullable package var cpuSecondsPerBatch: Double?
  /// The collector's processor time; null if no full trial passed.
  @Nullable package var collectorCpuSecondsPerBatch: Double?

  /// Divides the capacity of one core between collector and database.
  /// - Parameter trials: Trials with the processor time of both; only passed full trials count.
  package static func divided(
    _ carried: Ratio, _ trials: [TrialRecord]
  ) -> (database: DatabaseCapacity, collector: Ratio) {
    let full = trials.filter { trial in
      trial.kind == .full && trial.invalid == nil && !trial.isHigh
        && trial.acknowledgedPerSecond > 0
    }
    // At the largest load, work that is independent of the load matters least.
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
