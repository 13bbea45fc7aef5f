package import Core

/// A tracker's named settings. One state machine reads them; there is no tracker per policy.
package struct Policy: Equatable, Sendable {
  package var name: String
  package var description: String
  package var settings: PolicySettings
}

/// The settings that a tracker and its phone read: trivial, so that a million phones share them.
package struct PolicySettings: Equatable, Sendable, BitwiseCopyable {
  /// A version that grows with each update by the server (HY2).
  package var version: UInt32
  package var app: AppManifest
  /// Whether the significant-change service is on (SL1).
  package var significantChange: Bool
  /// Whether visit monitoring is on (VI1).
  package var visits: Bool
  /// The radius of the region around the last fix; nil: none. At least 100 m (RG1).
  package var regionRadius: Distance?
  /// The places with regions; nil: none (RG5).
  package var places: PlaceRule?
  /// The behaviour while the app is in use (HY2).
  package var foreground: TrackerMode
  /// The behaviour while the app is not in use (HY2).
  package var background: TrackerMode
  package var send: SendSettings
  package var outbox: OutboxSettings
  package var onPush: PushResponse
}

package struct FixFilter: Equatable, Sendable, BitwiseCopyable {
  package enum Reference: String, CaseIterable, Sendable, BitwiseCopyable {
    /// The last fix that the app kept, in this process or an earlier one: small steps add up.
    case kept
    /// The last fix that the system delivered to this process, kept or not, as in EF1's source.
    /// With one fix per second, the filter keeps only the first.
    case delivered
  }
  /// The test of a fix against the reference; d is their distance and Δt the time between them.
  package enum Rule: Equatable, Sendable, BitwiseCopyable {
    case everything
    /// EF1: drop if Δt < `time` or d < `distance`.
    case minimum(time: SimDuration, distance: Distance)
    /// Keep if Δt ≥ `time` or d ≥ `distance` or the course has turned by `turn` degrees (360:
    /// never), as in Traccar and OwnTracks' move mode.
    case either(time: SimDuration, distance: Distance, turn: Double)
    /// HY5: keep if first ∨ Δt ≥ `time` ∨ accuracy ≤ `accuracyRatio` × last ∨ d ≥ `dramatic`
    /// ∨ (d ≥ `distance` ∧ accuracy not worse).
    case significant(
      time: SimDuration, accuracyRatio: Double, dramatic: Distance, distance: Distance)
  }
  package var rule: Rule
  /// The maximum age of a kept fix; older fixes are dropped as stale (SL5, NO3).
  package var maxAge: SimDuration
  /// The maximum accuracy radius of a kept fix; nil: any accuracy.
  package var maxAccuracy: Distance?
  package var against = Reference.kept
}

package struct SendSettings: Equatable, Sendable, BitwiseCopyable {
  /// The minimum time between two uploads; zero sends at every wake.
  package var interval: SimDuration
  /// The maximum number of fixes per batch, 1 ... 10,000; at most the outbox's capacity.
  package var maxFixes: Int
  /// Whether the end of a burst sends what was collected, whatever the interval (HY1).
  package var afterBurst: Bool
  /// Whether the app holds a background task while it sends (LC7, HY6).
  package var backgroundTask: Bool
  /// The backoff after the first failed attempt, before the full jitter is drawn.
  package var backoffBase: SimDuration
  /// The longest backoff before the jitter is drawn; no less than `backoffBase`.
  package var backoffCap: SimDuration
  package var session = UploadSession.standard
  /// `isDiscretionary` of a background session: the system chooses when to send (NW3).
  package var isDiscretionary = false
  /// `allowsCellularAccess`; false sends on Wi-Fi only (NW4).
  package var allowsCellular = true
}

package enum UploadSession: String, CaseIterable, Sendable, BitwiseCopyable {
  /// Uploads end when the app's run time ends (LC3).
  case standard = "default"
  /// The system uploads in a separate process, without the app (NW1).
  case background
}

package struct OutboxSettings: Equatable, Sendable, BitwiseCopyable {
  /// The maximum number of fixes; beyond it the oldest is evicted (reason `capacity`).
  package var capacity: Int
}

/// What the app does when a silent push wakes it (SP2).
package enum PushResponse: String, CaseIterable, Sendable, BitwiseCopyable {
  /// A burst of the standard service, then send.
  case burst
  /// The location manager's cached location, then send.
  case cached
  case nothing

  /// Whether a push makes the phone take a new position. Only that answers the push.
  package var takesPosition: Bool {
    switch self {
    case .burst: true
    case .cached, .nothing: false
    }
  }
}
