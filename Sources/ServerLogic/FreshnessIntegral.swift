package import Figures
package import SimulationCore
internal import Telemetry

/// Phone-time by age of the newest fix held, for the populations that a server can tell apart.
package struct FreshnessIntegral: Equatable, Sendable {
  /// Integrates the ages of all phones of the run.
  package private(set) var installed: AgeIntegral
  /// Integrates the ages of phones while their last registration reported Always permission and a
  /// valid token.
  package private(set) var reachable: AgeIntegral

  /// The ages by which people ask.
  package static let customary: [SimDuration] =
    [5, 10, 15, 30, 60, 120, 360, 1_440].map { .minutes($0) }

  /// Makes an empty integral that keeps the share of phone-time within each threshold exactly.
  package init(within thresholds: [SimDuration] = Self.customary) {
    installed = AgeIntegral(thresholds: thresholds)
    reachable = AgeIntegral(thresholds: thresholds)
  }

  /// Lists the ages for which shares are kept exactly.
  package var thresholds: [SimDuration] { installed.thresholds }

  mutating func add(_ row: LastSeen, from: SimInstant, until: SimInstant) {
    if row.hasFix {
      let newest = row.newestFix.instant
      installed.add(from: from - newest, to: until - newest)
      if row.isReachable { reachable.add(from: from - newest, to: until - newest) }
    } else {
      installed.addNever(until - from)
      if row.isReachable { reachable.addNever(until - from) }
    }
  }
}
