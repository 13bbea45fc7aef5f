package import Figures
package import Fleet
internal import SimulationCore

/// What one share of a live fleet saw of an interval.
///
/// It can be added to what the other shares saw of the same interval, as `PackedInterval`; a
/// timeline row and the picture for observers are composed from the sum.
package struct ShareInterval: Codable, Equatable, Sendable {
  /// Holds what was so at the interval's end.
  package var totals: ShareTotals
  /// Holds the counters and histograms of the interval alone.
  package var load: Interval
  /// Counts what the phones did since the counting began.
  package var metrics: LiveFigures

  /// Makes an interval of what was seen of it.
  package init(totals: ShareTotals, load: Interval, metrics: LiveFigures) {
    self.totals = totals
    self.load = load
    self.metrics = metrics
  }
}

/// Holds what rows and pictures show of the phones' metrics: a small part, since it travels each
/// second.
package struct LiveFigures: Codable, Equatable, Sendable {
  /// What phones and apps counted.
  package var counts = Sheet()
  /// Says how old the newest positions of the phones were.
  package var freshness: FreshnessMetrics

  /// Takes what rows and pictures show from the metrics of a share.
  package init(_ metrics: FleetMetrics) {
    counts = metrics.counts
    freshness = metrics.freshness
  }

  /// Makes figures in which nothing has happened.
  ///
  /// - Parameter terms: is what they can be added to.
  init(_ terms: FreshnessTerms) {
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
