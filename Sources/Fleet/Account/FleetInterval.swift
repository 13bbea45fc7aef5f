internal import Measure
package import SimulationCore

/// Holds what a range of a fleet's phones did in one interval of a run, and their state at its end.
package struct FleetInterval: Codable, Equatable, Sendable {
  /// Is the instant at which the interval ended.
  package let end: SimInstant
  /// Is the length of the interval in scenario seconds.
  package let seconds: Double
  /// Counts the uploads that phones began in the interval.
  package private(set) var uploadsStarted: Int
  /// Counts the uploads that phones perceived as failed in the interval.
  package private(set) var uploadsFailed: Int
  /// Counts the batches that phones perceived as acknowledged in the interval.
  package private(set) var batchesAcknowledged: Int
  /// Counts the batches in flight at the end of the interval.
  package private(set) var inFlightBatches: Int
  /// Counts the fixes in outboxes and not in flight at the end of the interval.
  package private(set) var outboxFixes: Int

  /// Makes the interval between two instants.
  ///
  /// - Parameters:
  ///   - before: the totals when the interval began.
  ///   - after: the totals when it ended.
  ///   - census: a look at each phone at the end.
  package init(
    from before: RunningTotals, to after: RunningTotals, _ census: FleetCensus, end: SimInstant,
    seconds: Double
  ) {
    self.end = end
    self.seconds = seconds
    uploadsStarted = after.uploadsStarted - before.uploadsStarted
    uploadsFailed = after.uploadsFailed - before.uploadsFailed
    batchesAcknowledged = after.batchesAcknowledged - before.batchesAcknowledged
    inFlightBatches = census.inFlightBatches
    outboxFixes = census.outboxFixes
  }

  /// Adds what other phones did in the same interval.
  package mutating func merge(_ other: FleetInterval) {
    precondition(
      end == other.end && seconds == other.seconds, "only figures of one interval can be added")
    uploadsStarted += other.uploadsStarted
    uploadsFailed += other.uploadsFailed
    batchesAcknowledged += other.batchesAcknowledged
    inFlightBatches += other.inFlightBatches
    outboxFixes += other.outboxFixes
  }

  func isOfSameTime(as other: FleetInterval) -> Bool {
    end == other.end && seconds == other.seconds
  }
}

/// Holds those of a fleet's metrics that a timeline shows, since the counting began.
///
/// They are a few numbers, whereas the metrics have thousands: a timeline adds those of all shards
/// once a minute.
package struct RunningTotals: Sendable {
  fileprivate var uploadsStarted: Int
  fileprivate var uploadsFailed: Int
  fileprivate var batchesAcknowledged: Int

  init(_ metrics: borrowing FleetMetrics) {
    uploadsStarted = metrics.uploadsStarted
    uploadsFailed = metrics.uploadsFailed
    batchesAcknowledged = metrics.batchesAcknowledged
  }

  /// Adds the totals of other phones at the same instant.
  mutating func merge(_ other: RunningTotals) {
    uploadsStarted += other.uploadsStarted
    uploadsFailed += other.uploadsFailed
    batchesAcknowledged += other.batchesAcknowledged
  }
}
