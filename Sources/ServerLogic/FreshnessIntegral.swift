package import Core

package struct FreshnessIntegral: Equatable, Sendable {
  package private(set) var installed: AgeIntegral
  package private(set) var reachable: AgeIntegral
  /// The ages of the phones of each part of the fleet; empty if the parts are not counted apart.
  package private(set) var parts: [AgeIntegral]

  package static let customary: [SimDuration] =
    [5, 10, 15, 30, 60, 120, 360, 1_440].map { .minutes($0) }

  package init(within thresholds: [SimDuration] = Self.customary, parts: Int = 0) {
    installed = AgeIntegral(thresholds: thresholds)
    reachable = AgeIntegral(thresholds: thresholds)
    self.parts = .init(repeating: AgeIntegral(thresholds: thresholds), count: parts)
  }

  package var thresholds: [SimDuration] { installed.thresholds }

  mutating func add(_ row: LastSeen, in part: Int?, from: SimInstant, until: SimInstant) {
    if row.hasFix {
      let newest = row.newestFix.instant
      installed.add(from: from - newest, to: until - newest)
      if row.isReachable { reachable.add(from: from - newest, to: until - newest) }
      if let part { parts[part].add(from: from - newest, to: until - newest) }
    } else {
      installed.addNever(until - from)
      if row.isReachable { reachable.addNever(until - from) }
      if let part { parts[part].addNever(until - from) }
    }
  }
}
