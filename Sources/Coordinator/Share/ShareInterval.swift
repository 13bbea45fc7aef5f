internal import Fleet
internal import Measure
internal import SimulationCore

/// What one share of a live fleet saw of an interval.
///
/// It can be added to what the other shares saw of the same interval, as `PackedInterval`; a
/// timeline row and the picture for observers are composed from the sum.
package struct ShareInterval: Codable, Equatable, Sendable {
  /// Holds what was so at the interval's end.
  var totals: ShareTotals
  /// Counters and histograms of the interval alone.
  var load: Interval
  /// Counts what the phones did since the counting began.
  var metrics: LiveFigures
}

/// Holds what rows and pictures show of the phones' metrics: a small part, since it travels each
/// second.
struct LiveFigures: Codable, Equatable, Sendable {
  var fixesGenerated: Int
  var fixesPersisted: Int
  var fixesEvicted: Int
  var fixesRefused: Int
  var fixesAcknowledged: Int
  var freshness: FreshnessMetrics

  init(_ metrics: FleetMetrics) {
    fixesGenerated = metrics.fixesGenerated
    fixesPersisted = metrics.fixesPersisted
    fixesEvicted = metrics.fixesEvicted
    fixesRefused = metrics.fixesRefused
    fixesAcknowledged = metrics.fixesAcknowledged
    freshness = metrics.freshness
  }

  /// Makes figures in which nothing has happened.
  ///
  /// - Parameter terms: is what they can be added to.
  init(_ terms: FreshnessTerms) {
    (fixesGenerated, fixesPersisted, fixesEvicted) = (0, 0, 0)
    (fixesRefused, fixesAcknowledged) = (0, 0)
    freshness = FreshnessMetrics(
      limit: terms.limit, reach: Distance(meters: terms.reach), cohorts: terms.cohorts)
  }
}

/// Is what figures of freshness must have in common to be added.
struct FreshnessTerms: Equatable, Sendable {
  /// Is the age up to which a phone counts as fresh.
  var limit = SimDuration.zero
  /// Is the R of `located(R)`, in meters.
  var reach = 0.0
  var cohorts = 0

  /// Makes the terms of no fleet.
  init() {}

  init(_ freshness: FreshnessMetrics) {
    limit = freshness.limit
    reach = freshness.reach.meters
    cohorts = freshness.cohorts.count
  }
}
