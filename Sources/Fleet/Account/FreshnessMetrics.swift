package import Core
internal import Phone

/// The exact integrals of freshness and `located(R)` for installed, reachable and moving phones.
package struct FreshnessMetrics: Codable, Equatable, Sendable {
  /// The age up to which a phone counts as fresh.
  package let limit: SimDuration
  /// The R of `located(R)`.
  package let reach: Distance
  package var installed: PopulationMetrics
  /// The phones with Always permission and a valid push token, while both last.
  package var reachable: PopulationMetrics
  /// The phones whose true position moves, while it moves.
  package var moving: PopulationMetrics
  package var cohorts: [CohortFreshness]

  package init(limit: SimDuration, reach: Distance, cohorts: Int) {
    self.limit = limit
    self.reach = reach
    installed = PopulationMetrics(limit: limit)
    reachable = PopulationMetrics(limit: limit)
    moving = PopulationMetrics(limit: limit)
    self.cohorts = [CohortFreshness](repeating: CohortFreshness(), count: cohorts)
  }

  package mutating func merge(_ other: FreshnessMetrics) {
    installed.merge(other.installed)
    reachable.merge(other.reachable)
    moving.merge(other.moving)
    for i in cohorts.indices {
      cohorts[i].total += other.cohorts[i].total
      cohorts[i].fresh += other.cohorts[i].fresh
    }
  }
}

package struct CohortFreshness: Codable, Equatable, Sendable, BitwiseCopyable {
  package var total = SimDuration.zero
  package var fresh = SimDuration.zero
}

package struct PopulationMetrics: Codable, Equatable, Sendable {
  /// The phone-time by age of the newest stored fix, without the time before the first fix.
  package var ages: AgeIntegral
  package var located = SimDuration.zero
  package var total = SimDuration.zero

  init(limit: SimDuration) { ages = AgeIntegral(thresholds: [limit]) }

  mutating func merge(_ other: PopulationMetrics) {
    ages.merge(other.ages)
    located += other.located
    total += other.total
  }
}

extension FreshnessMetrics {
  mutating func add(
    _ stored: StoredFix, _ from: SimInstant, _ to: SimInstant, located: SimDuration,
    staleFrom: SimInstant,
    isReachable: Bool, isMoving: Bool, cohort: Int
  ) {
    installed.add(stored, from, to, located)
    if isReachable { reachable.add(stored, from, to, located) }
    if isMoving { moving.add(stored, from, to, located) }
    if isReachable {
      cohorts[cohort].total += to - from
      cohorts[cohort].fresh += min(staleFrom, to) - from
    }
  }
}

extension SilenceHistory {
  /// Adds a period to the profiles and to the map, at the phone's position halfway through.
  mutating func add(
    _ truth: borrowing Segment, _ from: SimInstant, _ to: SimInstant, staleFrom: SimInstant,
    isReachable: Bool, _ cause: StaleCause
  ) {
    installed.add(from: from, to: to, freshUntil: staleFrom)
    if isReachable { reachable.add(from: from, to: to, freshUntil: staleFrom) }
    if truth.isMoving { moving.add(from: from, to: to, freshUntil: staleFrom) }
    let silent = staleFrom < to ? to - staleFrom : .zero
    if silent > .zero { addStale(from: staleFrom, to: to, cause) }
    let halfway = from + SimDuration(microseconds: (to - from).microseconds / 2)
    map.add(at: truth.position(at: halfway), present: to - from, silent: silent)
  }
}

extension PopulationMetrics {
  fileprivate mutating func add(
    _ stored: StoredFix, _ from: SimInstant, _ to: SimInstant, _ located: SimDuration
  ) {
    total += to - from
    self.located += located
    if stored.isNever {
      ages.addNever(to - from)
    } else {
      ages.add(from: from - stored.time, to: to - stored.time)
    }
  }
}
