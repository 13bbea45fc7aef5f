package import SimulationCore

/// A tracker's settings, as data. One state machine reads them; there is no tracker per policy.
package struct Policy: Equatable, Sendable {
  package var name: String
  package var description: String
  /// Settings sent by the server carry a version that grows (HY2).
  package var version: UInt32
  package var significantChange: Bool
  package var visits: Bool
  /// Radius of the region kept round the last fix; nil: none. At least 100 m (RG1).
  package var regionRadius: Distance?
  package var foreground: TrackerMode
  package var background: TrackerMode
  package var send: SendSettings
  package var outbox: OutboxSettings
  package var onPush: PushResponse
}

/// What the tracker does in one app state (HY2: same fields, two sets of values).
package struct TrackerMode: Equatable, Sendable {
  package enum Standard: Equatable, Sendable {
    case off
    /// On for `duration` after the first fix of a wake, at most once per `minInterval` (HY1).
    case burst(duration: SimDuration, minInterval: SimDuration)
    /// On while the mode lasts.
    case continuous
  }
  package var standard: Standard
  package var accuracy: DesiredAccuracy
  /// nil: `kCLDistanceFilterNone`.
  package var distanceFilter: Distance?
  package var filter: FixFilter
}

/// `kCLLocationAccuracy…` (AC1).
package enum DesiredAccuracy: String, CaseIterable, Sendable, BitwiseCopyable {
  case best, tenMeters, hundredMeters, kilometer, threeKilometers
}

/// Which delivered fixes the app keeps.
package struct FixFilter: Equatable, Sendable {
  package enum Rule: Equatable, Sendable {
    case everything
    /// EF1: drop if Δt < `time` or d < `distance`.
    case minimum(time: SimDuration, distance: Distance)
    /// HY5: keep if first ∨ Δt ≥ `time` ∨ accuracy ≤ `accuracyRatio` × last ∨ d ≥ `dramatic`
    /// ∨ (d ≥ `distance` ∧ accuracy not worse).
    case significant(
      time: SimDuration, accuracyRatio: Double, dramatic: Distance, distance: Distance)
  }
  package var rule: Rule
  /// Older fixes are dropped as stale (SL5, NO3).
  package var maxAge: SimDuration
  /// Worse fixes are dropped; nil: none is.
  package var maxAccuracy: Distance?
}

package struct SendSettings: Equatable, Sendable {
  /// The least time between two uploads; zero sends with every wake.
  package var interval: SimDuration
  package var maxFixes: Int
  /// Whether the app holds a background task while it sends (LC7, HY6).
  package var backgroundTask: Bool
  /// Full-jitter back-off between attempts that failed.
  package var backoffBase: SimDuration
  package var backoffCap: SimDuration
}

package struct OutboxSettings: Equatable, Sendable {
  /// The oldest fix makes room for the newest (eviction reason `capacity`).
  package var capacity: Int
}

/// What the app does when a silent push wakes it (SP2).
package enum PushResponse: String, CaseIterable, Sendable {
  /// A burst of the standard service, then send.
  case burst
  /// The cached location of the location manager, then send.
  case cached
  case nothing
}
