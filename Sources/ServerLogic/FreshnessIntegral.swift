package import SimulationCore

/// Phone-time by age of the newest fix held, for the populations that a server can tell apart.
package struct FreshnessIntegral: Equatable, Sendable {
  package struct PhoneTime: Equatable, Sendable {
    package var total = SimDuration.zero
    package var never = SimDuration.zero
  }
  package var installed = PhoneTime()
  package var reachable = PhoneTime()

  package init() {}

  mutating func add(_ row: LastSeen, from: SimInstant, until: SimInstant) {
    installed.total += until - from
    if !row.hasFix { installed.never += until - from }
    guard row.isReachable else { return }
    reachable.total += until - from
    if !row.hasFix { reachable.never += until - from }
  }
}
