package import SimulationCore

/// A tracker's settings with a name, as data. One state machine reads them; there is no tracker
/// per policy.
package struct Policy: Equatable, Sendable {
  /// The name that cohorts and rollouts refer to the policy by.
  package var name: String
  /// What the policy is for; empty where its file does not.
  package var description: String
  /// All that the tracker and its phone read.
  package var settings: PolicySettings
}

/// What the tracker's state machine, and the phone it runs on, read of a policy: a plain value
/// without text, so that a million phones share it for nothing.
package struct PolicySettings: Equatable, Sendable, BitwiseCopyable {
  /// Settings sent by the server carry a version that grows (HY2).
  package var version: UInt32
  /// What the app is to its operating system: permissions, background mode, programming
  /// errors.
  package var app: AppManifest
  /// Whether the significant-change service is on (SL1).
  package var significantChange: Bool
  /// Whether visit monitoring is on (VI1).
  package var visits: Bool
  /// Radius of the region kept round the last fix; nil: none. At least 100 m (RG1).
  package var regionRadius: Distance?
  /// Says round which places the app keeps regions; nil: round none (RG5).
  package var places: PlaceRule?
  /// What the tracker does while the app is in use (HY2).
  package var foreground: TrackerMode
  /// What the tracker does while the app is not in use (HY2).
  package var background: TrackerMode
  /// When batches are sent and how failed attempts back off.
  package var send: SendSettings
  /// How many fixes wait on the phone at most.
  package var outbox: OutboxSettings
  /// What the app does when a silent push wakes it (SP2).
  package var onPush: PushResponse
}

/// Which delivered fixes the app keeps.
package struct FixFilter: Equatable, Sendable, BitwiseCopyable {
  /// The fix with which a new one is compared.
  package enum Reference: String, CaseIterable, Sendable, BitwiseCopyable {
    /// The last one that the app kept, in this process or an earlier one: small steps add up.
    case kept
    /// The last one that the system delivered to this process, kept or not: EF1's source does so,
    /// and with a fix a second keeps nothing but the first.
    case delivered
  }
  /// The test that a fix must pass against the one that it is compared with; d is their distance
  /// and Δt the time between them.
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
  /// The rule that a fix which is neither stale nor too inaccurate must pass.
  package var rule: Rule
  /// Older fixes are dropped as stale (SL5, NO3).
  package var maxAge: SimDuration
  /// Worse fixes are dropped; nil: none is.
  package var maxAccuracy: Distance?
  /// Says with which fix a new one is compared.
  package var against = Reference.kept
}

/// When the tracker sends a batch, how large it is, and how it backs off.
package struct SendSettings: Equatable, Sendable, BitwiseCopyable {
  /// The least time between two uploads; zero sends with every wake.
  package var interval: SimDuration
  /// The most fixes of one batch, 1 ... 10,000; no more than the outbox holds.
  package var maxFixes: Int
  /// Whether the end of a burst sends what was collected, whatever the interval (HY1).
  package var afterBurst: Bool
  /// Whether the app holds a background task while it sends (LC7, HY6).
  package var backgroundTask: Bool
  /// Full-jitter back-off between attempts that failed.
  package var backoffBase: SimDuration
  /// The longest back-off before the jitter is drawn; no less than `backoffBase`.
  package var backoffCap: SimDuration
  /// Which process sends: the app's own, or the system's.
  package var session = UploadSession.standard
  /// Is `isDiscretionary` of a background session: the system sends when it suits it (NW3).
  package var isDiscretionary = false
  /// Is `allowsCellularAccess`; false sends on Wi-Fi only (NW4).
  package var allowsCellular = true
}

/// The kind of URLSession that sends the batches.
package enum UploadSession: String, CaseIterable, Sendable, BitwiseCopyable {
  /// `URLSessionConfiguration.default`: the upload ends with the app's time to run (LC3).
  case standard = "default"
  /// `URLSessionConfiguration.background`: the system sends in its own process (NW1).
  case background
}

/// Bounds the fixes that wait on the phone.
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

  /// Whether a push brings a position taken after it, which is what answers it: the cached
  /// one is older.
  package var takesPosition: Bool {
    switch self {
    case .burst: true
    case .cached, .nothing: false
    }
  }
}
