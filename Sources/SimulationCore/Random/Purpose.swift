/// What a random draw is for; the third part of a draw's key.
///
/// Every purpose stands in this file and nowhere else, by room and with a number of its own, so
/// that no two draws share a stream (`PurposeTests` counts them). A number is part of what a seed
/// means: a change of it changes every run, so a new purpose takes a number that never was.
@frozen public struct Purpose: RawRepresentable, Hashable, Sendable, BitwiseCopyable {
  public let rawValue: UInt32
  @inlinable public init(rawValue: UInt32) { self.rawValue = rawValue }
}

// Computed and inlinable, so that a draw of another room folds the number into its key.

/// Mobility: who lives where, and what the days are like.
extension Purpose {
  @inlinable public static var townGrid: Self { Self(rawValue: 100) }
  @inlinable public static var person: Self { Self(rawValue: 101) }
  @inlinable public static var place: Self { Self(rawValue: 102) }
  @inlinable public static var day: Self { Self(rawValue: 103) }
  @inlinable public static var leg: Self { Self(rawValue: 104) }
  @inlinable public static var attendance: Self { Self(rawValue: 105) }
}

/// Phone: what a phone is, and when it is offline, dark or in use.
extension Purpose {
  @inlinable public static var authorization: Self { Self(rawValue: 200) }
  @inlinable public static var refresh: Self { Self(rawValue: 201) }
  @inlinable public static var token: Self { Self(rawValue: 202) }
  @inlinable public static var offlineWindow: Self { Self(rawValue: 203) }
  @inlinable public static var lowPowerWindow: Self { Self(rawValue: 204) }
  @inlinable public static var offWindow: Self { Self(rawValue: 205) }
  @inlinable public static var sessionWindow: Self { Self(rawValue: 206) }
  @inlinable public static var forceQuitWindow: Self { Self(rawValue: 207) }
  @inlinable public static var wifi: Self { Self(rawValue: 208) }
  @inlinable public static var outage: Self { Self(rawValue: 209) }
  @inlinable public static var secondPrompt: Self { Self(rawValue: 210) }
  @inlinable public static var precision: Self { Self(rawValue: 211) }
  @inlinable public static var simCard: Self { Self(rawValue: 212) }
  @inlinable public static var unopened: Self { Self(rawValue: 213) }
  @inlinable public static var motionPermission: Self { Self(rawValue: 214) }
  @inlinable public static var airplaneWindow: Self { Self(rawValue: 215) }
  @inlinable public static var airplaneNight: Self { Self(rawValue: 216) }
  @inlinable public static var lowPowerNight: Self { Self(rawValue: 217) }
  @inlinable public static var lowBatteryWindow: Self { Self(rawValue: 218) }
  @inlinable public static var restrictedWindow: Self { Self(rawValue: 219) }
  @inlinable public static var restrictedNight: Self { Self(rawValue: 262) }
  @inlinable public static var chargingNight: Self { Self(rawValue: 263) }
  @inlinable public static var staleToken: Self { Self(rawValue: 264) }
}

/// Phone: what its sensors and its system's services deliver.
extension Purpose {
  @inlinable public static var errorKnot: Self { Self(rawValue: 220) }
  @inlinable public static var reportedAccuracy: Self { Self(rawValue: 221) }
  @inlinable public static var phoneMake: Self { Self(rawValue: 222) }
  @inlinable public static var restAnchor: Self { Self(rawValue: 223) }
  @inlinable public static var restHold: Self { Self(rawValue: 224) }
  @inlinable public static var restJitter: Self { Self(rawValue: 225) }
  @inlinable public static var leap: Self { Self(rawValue: 226) }
  @inlinable public static var settling: Self { Self(rawValue: 227) }
  @inlinable public static var placeOfInterest: Self { Self(rawValue: 228) }
  @inlinable public static var regionLatency: Self { Self(rawValue: 230) }
  @inlinable public static var significantDistance: Self { Self(rawValue: 231) }
  @inlinable public static var significantLatency: Self { Self(rawValue: 232) }
  @inlinable public static var spuriousCellChange: Self { Self(rawValue: 233) }
  @inlinable public static var visitDelay: Self { Self(rawValue: 234) }
  @inlinable public static var missedExit: Self { Self(rawValue: 235) }
  @inlinable public static var cachedAge: Self { Self(rawValue: 236) }
  @inlinable public static var timeToFirstFix: Self { Self(rawValue: 240) }
  @inlinable public static var indoorFailure: Self { Self(rawValue: 241) }
  @inlinable public static var networkTime: Self { Self(rawValue: 250) }
  @inlinable public static var motionLag: Self { Self(rawValue: 260) }
  @inlinable public static var motionConfusion: Self { Self(rawValue: 261) }
  @inlinable public static var dayBudgetReset: Self { Self(rawValue: 270) }
  @inlinable public static var grouping: Self { Self(rawValue: 271) }
}

/// PushService, Tracker, ServerLogic and Fleet.
extension Purpose {
  @inlinable public static var pushLatency: Self { Self(rawValue: 300) }
  @inlinable public static var reconnectLatency: Self { Self(rawValue: 301) }
  @inlinable public static var pushOverwrite: Self { Self(rawValue: 302) }
  @inlinable public static var uploadRetry: Self { Self(rawValue: 350) }
  @inlinable public static var pushJitter: Self { Self(rawValue: 400) }
  @inlinable public static var pushHoldout: Self { Self(rawValue: 401) }
  @inlinable public static var rollout: Self { Self(rawValue: 402) }
  @inlinable public static var oldPoint: Self { Self(rawValue: 500) }
}

/// Transport and Coordinator.
extension Purpose {
  /// The wait before an attempt: (job, attempt).
  @inlinable public static var uploadBackoff: Self { Self(rawValue: 600) }
  /// What a wire fault does to a connection: (fault and direction, number of the draw).
  @inlinable public static var wireFault: Self { Self(rawValue: 610) }
  /// When a batch of an earlier life is sent again: (sequence, failures).
  @inlinable public static var resend: Self { Self(rawValue: 710) }
  /// What happens in a round of chaos: (what, number).
  @inlinable public static var chaos: Self { Self(rawValue: 720) }
}

/// Measure and Capacity draw only for intervals and for the studies of a plan.
extension Purpose {
  @inlinable public static var clusterBootstrap: Self { Self(rawValue: 800) }
  @inlinable public static var unitBootstrap: Self { Self(rawValue: 801) }
  @inlinable public static var blockBootstrap: Self { Self(rawValue: 802) }
  @inlinable public static var pairedBootstrap: Self { Self(rawValue: 803) }
  @inlinable public static var lawBootstrap: Self { Self(rawValue: 1_000) }
  @inlinable public static var demandCopies: Self { Self(rawValue: 1_001) }
  @inlinable public static var demandThinning: Self { Self(rawValue: 1_002) }
  @inlinable public static var sizingHypercube: Self { Self(rawValue: 1_003) }
}

/// Bench: the load that a benchmark puts on.
extension Purpose {
  @inlinable public static var benchReports: Self { Self(rawValue: 900) }
  @inlinable public static var benchAnswers: Self { Self(rawValue: 901) }
  @inlinable public static var benchArrivals: Self { Self(rawValue: 910) }
  @inlinable public static var benchWalks: Self { Self(rawValue: 911) }
  @inlinable public static var benchBatches: Self { Self(rawValue: 920) }
  @inlinable public static var benchLatencies: Self { Self(rawValue: 930) }
  @inlinable public static var benchWaits: Self { Self(rawValue: 931) }
}
