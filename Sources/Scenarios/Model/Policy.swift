package import SimulationCore

/// A tracker's settings with a name, as data. One state machine reads them; there is no tracker
/// per policy.
package struct Policy: Equatable, Sendable {
  package var name: String
  package var description: String
  package var settings: PolicySettings
}

/// What the tracker's state machine, and the phone it runs on, read of a policy: a plain value
/// without text, so that a million phones share it for nothing.
package struct PolicySettings: Equatable, Sendable, BitwiseCopyable {
  /// Settings sent by the server carry a version that grows (HY2).
  package var version: UInt32
  package var app: AppManifest
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

/// Which delivered fixes the app keeps.
package struct FixFilter: Equatable, Sendable, BitwiseCopyable {
  package enum Rule: Equatable, Sendable, BitwiseCopyable {
    case everything
    /// EF1: drop if Δt < `time` or d < `distance`.
    case minimum(time: SimDuration, distance: Distance)
    /// Keep if Δt ≥ `time` or d ≥ `distance` or the course has turned by `turn` degrees; a `turn`
    /// of 360 never does (Traccar, OwnTracks' move mode: rule book 2.3).
    case either(time: SimDuration, distance: Distance, turn: Double)
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

package struct SendSettings: Equatable, Sendable, BitwiseCopyable {
  /// The least time between two uploads; zero sends with every wake.
  package var interval: SimDuration
  package var maxFixes: Int
  /// Whether the app holds a background task while it sends (LC7, HY6).
  package var backgroundTask: Bool
  /// Full-jitter back-off between attempts that failed.
  package var backoffBase: SimDuration
  package var backoffCap: SimDuration
}

package struct OutboxSettings: Equatable, Sendable, BitwiseCopyable {
  /// The oldest fix makes room for the newest (eviction reason `capacity`).
  package var capacity: Int
}

/// What the app does when a silent push wakes it (SP2).
package enum PushResponse: String, CaseIterable, Sendable, BitwiseCopyable {
  /// A burst of the standard service, then send.
  case burst
  /// The cached location of the location manager, then send.
  case cached
  case nothing
}
