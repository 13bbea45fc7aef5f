internal import Measure
package import SimulationCore

/// What a range of a fleet's phones did in one interval of a run, and how they stood at its end.
package struct FleetInterval: Codable, Equatable, Sendable {
  package let end: SimInstant
  package let seconds: Double
  package private(set) var uploadsStarted: Int
  package private(set) var uploadsFailed: Int
  package private(set) var batchesAcknowledged: Int
  package private(set) var inFlightBatches: Int
  package private(set) var outboxFixes: Int
  package private(set) var installed: FreshTime
  package private(set) var reachable: FreshTime
  package private(set) var moving: FreshTime

  /// - Parameters:
  ///   - before: the figures when the interval began.
  ///   - after: the figures when it ended.
  ///   - census: a look at each phone at the end.
  package init(
    from before: FleetMetrics, to after: FleetMetrics, _ census: FleetCensus, end: SimInstant,
    seconds: Double
  ) {
    self.end = end
    self.seconds = seconds
    uploadsStarted = after.uploadsStarted - before.uploadsStarted
    uploadsFailed = after.uploadsFailed - before.uploadsFailed
    batchesAcknowledged = after.batchesAcknowledged - before.batchesAcknowledged
    inFlightBatches = census.inFlightBatches
    outboxFixes = census.outboxFixes
    installed = FreshTime(after.freshness.installed, within: after.freshness.limit)
    reachable = FreshTime(after.freshness.reachable, within: after.freshness.limit)
    moving = FreshTime(after.freshness.moving, within: after.freshness.limit)
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
    installed.merge(other.installed)
    reachable.merge(other.reachable)
    moving.merge(other.moving)
  }

  func isOfSameTime(as other: FleetInterval) -> Bool {
    end == other.end && seconds == other.seconds
  }
}

/// Phone-time of a population since the counting began, and how much of it was fresh, in µs.
package struct FreshTime: Codable, Equatable, Sendable {
  private var fresh: Int64
  private var total: Int64

  init(_ metrics: PopulationMetrics, within limit: SimDuration) {
    fresh = metrics.ages.time(within: limit)
    total = metrics.ages.total.microseconds
  }

  /// The share of phone-time that was fresh; nil without phone-time.
  package var share: Double? { total > 0 ? Double(fresh) / Double(total) : nil }

  mutating func merge(_ other: FreshTime) {
    fresh += other.fresh
    total += other.total
  }
}
