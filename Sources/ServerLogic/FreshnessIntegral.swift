package import Core

package struct FreshnessIntegral: Equatable, Sendable {
  package private(set) var installed: AgeIntegral
  package private(set) var reachable: AgeIntegral

  package static let customary: [SimDuration] =
    [5, 10, 15, 30, 60, 120, 360, 1_440].map { .minutes($0) }

  package init(within thresholds: [SimDuration] = Self.customary) {
    installed = AgeIntegral(thresholds: thresholds)
    reachable = AgeIntegral(thresholds: thresholds)
  }

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
