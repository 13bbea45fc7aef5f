package import Core
package import Scenarios

/// The counts of the phones' side of the ledger. The metrics of shards add up exactly.
package struct FleetMetrics: Codable, Equatable, Sendable {
  package var counts = Sheet()
  /// The number of kept fixes by source, without fixes carried over from the warm start.
  package var sources = FixSources()
  /// The sum of `BatchHash` over the acknowledged batches.
  package var acknowledgedHash: UInt64 = 0
  /// The use of energy by cohort, not yet converted to joules.
  package var energy: FleetEnergy
  package var batteries: [BatteryMetrics]

  package var freshness: FreshnessMetrics
  package var cohorts: [CohortMetrics]
  /// The latency of events; nil if no policy sends events.
  package var events: EventMetrics?

  /// The time in which installed phones were not fresh, by cause.
  package var stale: StaleLedger { cohorts.reduce(into: StaleLedger()) { $0.merge($1.stale) } }

  /// Creates empty metrics with the scenario's limits. Only metrics with equal limits can be added.
  package init(_ scenario: Scenario) {
    energy = FleetEnergy(cohorts: scenario.fleet.cohorts.count)
    batteries = scenario.fleet.cohorts.map { _ in BatteryMetrics() }
    cohorts = scenario.fleet.cohorts.map { _ in CohortMetrics() }
    if scenario.sendsEvents { events = EventMetrics() }
    freshness = FreshnessMetrics(
      limit: scenario.slo.freshness?.within ?? .minutes(30),
      reach: scenario.slo.located?.within ?? .meters(500),
      cohorts: scenario.fleet.cohorts.count)
  }

  @inlinable package subscript(_ count: Count) -> Int {
    get { counts[count] }
    set { counts[count] = newValue }
  }

  package mutating func merge(_ other: FleetMetrics) {
    counts += other.counts
    sources.merge(other.sources)
    acknowledgedHash &+= other.acknowledgedHash
    energy.merge(other.energy)
    for cohort in batteries.indices { batteries[cohort].merge(other.batteries[cohort]) }
    freshness.merge(other.freshness)
    for cohort in cohorts.indices { cohorts[cohort].merge(other.cohorts[cohort]) }
    if let other = other.events { events?.merge(other) }
  }
}

package struct CohortMetrics: Codable, Equatable, Sendable, BitwiseCopyable {
  /// The time in which installed phones were not fresh, by cause.
  package var stale = StaleLedger()
  /// The uploads begun in the accounted time, with the tracker's retries.
  package var uploads = 0

  package mutating func merge(_ other: CohortMetrics) {
    stale.merge(other.stale)
    uploads += other.uploads
  }
}
