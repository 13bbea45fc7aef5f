/// What a random draw is for; the third part of a draw's key.
///
/// Every purpose stands in this file and nowhere else, by room and with a number of its own, so
/// that no two draws share a stream (`PurposeTests` counts them). A number is part of what a seed
/// means: a change of it changes every run, so a new purpose takes a number that never was.
@frozen public struct Purpose: RawRepresentable, Hashable, Sendable, BitwiseCopyable {
  /// Is the purpose's number, which is part of the key of each of its draws.
  public let rawValue: UInt32
  /// Makes a purpose from its number; those of the rooms are all made in this file.
  @inlinable public init(rawValue: UInt32) { self.rawValue = rawValue }
}

// Computed and inlinable, so that a draw of another room folds the number into its key.

/// Mobility: who lives where, and what the days are like.
extension Purpose {
  /// Decides how the city's street grid is turned; drawn once a seed.
  @inlinable public static var townGrid: Self { Self(rawValue: 100) }
  /// Decides a person's profile, home and work; for phone `.max`, the common offset of all
  /// departures.
  @inlinable public static var person: Self { Self(rawValue: 101) }
  /// Decides where one of a person's places lies, and whether it is outdoors; keyed by its index.
  @inlinable public static var place: Self { Self(rawValue: 102) }
  /// Decides what a person does on a day; keyed by the day.
  @inlinable public static var day: Self { Self(rawValue: 103) }
  /// Decides the path and the pace of a leg; keyed by (day, number), and inside a path by the lane.
  @inlinable public static var leg: Self { Self(rawValue: 104) }
  /// Decides when a person comes to the town's event and leaves, and the seat; keyed by the day.
  @inlinable public static var attendance: Self { Self(rawValue: 105) }
}

/// Phone: what a phone is, and when it is offline, dark or in use.
extension Purpose {
  /// Decides a phone's location permission.
  @inlinable public static var authorization: Self { Self(rawValue: 200) }
  /// Decides whether a phone has Background App Refresh off.
  @inlinable public static var refresh: Self { Self(rawValue: 201) }
  /// Decides whether a phone's push token is invalid from the start.
  @inlinable public static var token: Self { Self(rawValue: 202) }
  /// Decides when a phone has no data path; keyed by the slot.
  @inlinable public static var offlineWindow: Self { Self(rawValue: 203) }
  /// Decides a phone's battery: its health, its first charge, and how much its owner uses it.
  @inlinable public static var battery: Self { Self(rawValue: 204) }
  /// Decides when a phone is switched off; keyed by the slot.
  @inlinable public static var offWindow: Self { Self(rawValue: 205) }
  /// Decides when the app is in the foreground; keyed by the slot.
  @inlinable public static var sessionWindow: Self { Self(rawValue: 206) }
  /// Decides when the app is force-quit; keyed by the slot.
  @inlinable public static var forceQuitWindow: Self { Self(rawValue: 207) }
  /// Decides whether the data path of a segment is Wi-Fi; keyed by the segment's start.
  @inlinable public static var wifi: Self { Self(rawValue: 208) }
  /// Decides whether a fault of the scenario hits a phone; keyed by the fault's place in the list.
  @inlinable public static var outage: Self { Self(rawValue: 209) }
  /// Decides whether a phone's Always permission is provisional until the second prompt.
  @inlinable public static var secondPrompt: Self { Self(rawValue: 210) }
  /// Decides whether a phone withholds precise locations (iOS 14).
  @inlinable public static var precision: Self { Self(rawValue: 211) }
  /// Decides whether a phone has no SIM (NO5).
  @inlinable public static var simCard: Self { Self(rawValue: 212) }
  /// Decides whether the app is never opened, so that no push wakes it (rule book 2.2).
  @inlinable public static var unopened: Self { Self(rawValue: 213) }
  /// Decides whether a phone denies motion activity (AU10).
  @inlinable public static var motionPermission: Self { Self(rawValue: 214) }
  /// Decides when a phone is in airplane mode by day (NO4); keyed by the slot.
  @inlinable public static var airplaneWindow: Self { Self(rawValue: 215) }
  /// Decides whether a phone is in airplane mode for a night (NO4); keyed by the day.
  @inlinable public static var airplaneNight: Self { Self(rawValue: 216) }
  /// Decides whether an owner plugs in at work, and in the car.
  @inlinable public static var chargers: Self { Self(rawValue: 217) }
  /// Decides whether a low phone is plugged in at a stay; keyed by the stay's start.
  @inlinable public static var chargedStay: Self { Self(rawValue: 218) }
  /// Decides whether the owner answers a warning with Low Power Mode; keyed by its instant.
  @inlinable public static var lowPowerOffer: Self { Self(rawValue: 265) }
  /// Decides when a phone that has started is first unlocked; keyed by the instant of its start.
  @inlinable public static var firstUnlock: Self { Self(rawValue: 266) }
  /// Decides when by day the provider keeps pushes of low priority from a phone; keyed by the slot.
  @inlinable public static var restrictedWindow: Self { Self(rawValue: 219) }
  /// Decides whether the provider does so for a night; keyed by the night.
  @inlinable public static var restrictedNight: Self { Self(rawValue: 262) }
  /// Decides whether a phone spends a night on a charger; keyed by the night.
  @inlinable public static var chargingNight: Self { Self(rawValue: 263) }
  /// Decides when a push token is dead and neither app nor server knows it; keyed by the slot.
  @inlinable public static var staleToken: Self { Self(rawValue: 264) }
  /// Decides when a phone restarts (BU1); keyed by the slot.
  @inlinable public static var restart: Self { Self(rawValue: 294) }
  /// Decides whether a phone's owner lets the app show alerts (AL1).
  @inlinable public static var notifications: Self { Self(rawValue: 292) }
  /// Decides when a phone needs memory; keyed by the hour, and without a key how often it does.
  @inlinable public static var memoryPressure: Self { Self(rawValue: 272) }
  /// Decides when a version of the app comes out, for phone 0, and when a phone is ready for it;
  /// keyed by the version.
  @inlinable public static var appVersion: Self { Self(rawValue: 273) }
  /// Decides when in a night a phone installs a version, and whether the app must be opened after
  /// that; keyed by the night's begin.
  @inlinable public static var installNight: Self { Self(rawValue: 274) }
  /// Decides when a phone's app is deleted and when it is opened again; keyed by the slot.
  @inlinable public static var reinstall: Self { Self(rawValue: 275) }
}

/// Phone: what its owner answers about location, and when.
extension Purpose {
  /// Decides whether the second prompt lies ahead of a phone's owner, and whether they answer Allow
  /// Once.
  @inlinable public static var permissionHabits: Self { Self(rawValue: 285) }
  /// Decides when the owner unlocks the phone next, for a prompt that waits; keyed by the instant.
  @inlinable public static var promptUnlock: Self { Self(rawValue: 286) }
  /// Decides whether Always is taken back at a reminder; keyed by its instant.
  @inlinable public static var reminderAnswer: Self { Self(rawValue: 287) }
  /// Decides when the owner changes the permission in Settings; keyed by the slot.
  @inlinable public static var settingsChange: Self { Self(rawValue: 288) }
  /// Decides to what; keyed by the instant.
  @inlinable public static var settingsDecision: Self { Self(rawValue: 289) }
}

/// Phone: what its sensors and its system's services deliver.
extension Purpose {
  /// Decides a knot of the correlated position error; keyed by (knot, kind of error).
  @inlinable public static var errorKnot: Self { Self(rawValue: 220) }
  /// Decides how far the reported accuracy departs from the true error; keyed by the time slot.
  @inlinable public static var reportedAccuracy: Self { Self(rawValue: 221) }
  /// Decides how a phone's positions lie beside a track, and how much worse than others they are.
  @inlinable public static var phoneMake: Self { Self(rawValue: 222) }
  /// Decides where a stay's positions are centred; keyed by (start of the stay, source).
  @inlinable public static var restAnchor: Self { Self(rawValue: 223) }
  /// Decides for how long a resting position is held; keyed by the time slot, or by the stay.
  @inlinable public static var restHold: Self { Self(rawValue: 224) }
  /// Decides how a held position differs from the one before; keyed by its instant.
  @inlinable public static var restJitter: Self { Self(rawValue: 225) }
  /// Decides whether, when and how far the position leaps; keyed by the time slot.
  @inlinable public static var leap: Self { Self(rawValue: 226) }
  /// Decides the error of the first fixes of a run of the service; keyed by the first fix's
  /// instant.
  @inlinable public static var settling: Self { Self(rawValue: 227) }
  /// Decides where the places lie that stand for imprecise positions; keyed by the square, for
  /// phone 0.
  @inlinable public static var placeOfInterest: Self { Self(rawValue: 228) }
  /// Decides how long a prompt region exit takes; keyed by the region's serial number.
  @inlinable public static var regionLatency: Self { Self(rawValue: 230) }
  /// Decides whether a region exit is told at once, and when the system looks if it is not; keyed
  /// by the region's serial number.
  @inlinable public static var regionNotice: Self { Self(rawValue: 280) }
  /// Decides whether the crossing of a place's border is told at once, and when the system looks if
  /// it is not; keyed by (place, instant).
  @inlinable public static var placeNotice: Self { Self(rawValue: 281) }
  /// Decides how long a prompt crossing of a place's border takes; keyed by (place, instant).
  @inlinable public static var placeLatency: Self { Self(rawValue: 282) }
  /// Decides whether the system misses the crossing of a place's border; keyed by (place, instant).
  @inlinable public static var missedPlace: Self { Self(rawValue: 283) }
  /// Decides which distance makes the next significant change; keyed by its serial number.
  @inlinable public static var significantDistance: Self { Self(rawValue: 231) }
  /// Decides how late a significant change is reported; keyed by its serial number.
  @inlinable public static var significantLatency: Self { Self(rawValue: 232) }
  /// Decides when a change of cell comes without movement (SL4); keyed by the change's serial
  /// number.
  @inlinable public static var spuriousCellChange: Self { Self(rawValue: 233) }
  /// Decides whether a visit is noticed and how late it is reported; keyed by the stay's start.
  @inlinable public static var visitDelay: Self { Self(rawValue: 234) }
  /// Decides whether the system misses a region exit; keyed by (serial number, instant).
  @inlinable public static var missedExit: Self { Self(rawValue: 235) }
  /// Decides how old the cached position of a significant change is; keyed by the instant.
  @inlinable public static var cachedAge: Self { Self(rawValue: 236) }
  /// Decides whether a phone hears a Wi-Fi network whose place is known; keyed by the stay's start
  /// or, on the way, by the slot.
  @inlinable public static var networkKnown: Self { Self(rawValue: 237) }
  /// Decides whether a significant change brings a position from Wi-Fi; keyed by its serial number.
  @inlinable public static var changeSource: Self { Self(rawValue: 238) }
  /// Decides whether a phone's owner has switched Wi-Fi off.
  @inlinable public static var wifiSwitch: Self { Self(rawValue: 239) }
  /// Decides how long a start of the service takes to its first fix, and how many attempts fail
  /// indoors; keyed by the instant.
  @inlinable public static var timeToFirstFix: Self { Self(rawValue: 240) }
  /// Decides whether a service that is on hears satellites indoors when its surroundings change,
  /// and after how many attempts; keyed by the instant.
  @inlinable public static var indoorFailure: Self { Self(rawValue: 241) }
  /// Decides how long the modelled network takes for an upload; keyed by the attempt.
  @inlinable public static var networkTime: Self { Self(rawValue: 250) }
  /// Decides how late a change of motion activity is recognised; keyed by the activity's start.
  @inlinable public static var motionLag: Self { Self(rawValue: 260) }
  /// Decides whether a motion activity is taken for another; keyed by the segment's start.
  @inlinable public static var motionConfusion: Self { Self(rawValue: 261) }
  /// Decides the hour at which a phone's day of push budget begins.
  @inlinable public static var dayBudgetReset: Self { Self(rawValue: 270) }
  /// Decides how long a push to a locked phone waits to be grouped; keyed by the push.
  @inlinable public static var grouping: Self { Self(rawValue: 271) }
  /// Decides when the next window for silent pushes opens (SP4); keyed by the window's first wake.
  @inlinable public static var pushWindow: Self { Self(rawValue: 290) }
  /// Decides when another app's push brings a waiting one along (SP6); keyed by the push.
  @inlinable public static var rideAlong: Self { Self(rawValue: 291) }
  /// Decides when the system starts an upload of a background session; keyed by the instant at
  /// which the app handed it over.
  @inlinable public static var transferStart: Self { Self(rawValue: 295) }
  /// Decides how far a phone's clock is off; keyed by the change that set it so (CK1).
  @inlinable public static var clockError: Self { Self(rawValue: 296) }
  /// Decides when in its slot a phone's clock is set anew; keyed by the slot (CK2).
  @inlinable public static var clockChange: Self { Self(rawValue: 297) }
}

/// PushService, Tracker, ServerLogic and Fleet.
extension Purpose {
  /// Decides how long a push takes to a connected phone; keyed by the push.
  @inlinable public static var pushLatency: Self { Self(rawValue: 300) }
  /// Decides how long a stored push takes to a phone that connects again; keyed by the push.
  @inlinable public static var reconnectLatency: Self { Self(rawValue: 301) }
  /// Decides when the provider first answers 410 for a token whose app is gone; keyed by the first
  /// push that found none.
  @inlinable public static var goneToken: Self { Self(rawValue: 303) }
  /// Decides whether a provider accepts a sender's push and withholds it; keyed by the number of
  /// pushes to the phone.
  @inlinable public static var pushWithheld: Self { Self(rawValue: 304) }
  /// Decides whether a provider is too busy for a request; keyed by the request's number.
  @inlinable public static var providerBusy: Self { Self(rawValue: 305) }
  /// Decides whether a phone of a provider's endpoint has its app deleted before the first push.
  @inlinable public static var tokenGone: Self { Self(rawValue: 306) }
  /// Decides whether a push replaces the stored one or is dropped for it; keyed by the push.
  @inlinable public static var pushOverwrite: Self { Self(rawValue: 302) }
  /// Decides how long the tracker waits before it tries again; keyed by (last sequence, failures).
  @inlinable public static var uploadRetry: Self { Self(rawValue: 350) }
  /// Decides the jitter on a phone's `silentAfter`; keyed by the instant of its last report.
  @inlinable public static var pushJitter: Self { Self(rawValue: 400) }
  /// Decides whether the holdout withholds a push; keyed by the sweep's number.
  @inlinable public static var pushHoldout: Self { Self(rawValue: 401) }
  /// Decides which phones a step of a rollout takes; one draw a phone for all steps.
  @inlinable public static var rollout: Self { Self(rawValue: 402) }
  /// Decides whether a service's start begins with the last known position (NO3); keyed by the
  /// instant.
  @inlinable public static var oldPoint: Self { Self(rawValue: 500) }
}

/// Transport and Coordinator.
extension Purpose {
  /// The wait before an attempt: (job, attempt).
  @inlinable public static var uploadBackoff: Self { Self(rawValue: 600) }
  /// Whether a connection resumes its phone's last TLS session: (job, attempt).
  @inlinable public static var sessionResumption: Self { Self(rawValue: 601) }
  /// What a wire fault does to a connection: (fault and direction, number of the draw).
  @inlinable public static var wireFault: Self { Self(rawValue: 610) }
  /// When a batch of an earlier life is sent again: (sequence, failures).
  @inlinable public static var resend: Self { Self(rawValue: 710) }
  /// What happens in a round of chaos: (what, number).
  @inlinable public static var chaos: Self { Self(rawValue: 720) }
}

/// Measure and Capacity draw only for intervals and for the studies of a plan.
extension Purpose {
  /// Decides the resamples of phones for the intervals of pushes.
  @inlinable public static var clusterBootstrap: Self { Self(rawValue: 800) }
  /// Decides the resamples of units for the interval of any statistic.
  @inlinable public static var unitBootstrap: Self { Self(rawValue: 801) }
  /// Decides the resamples of blocks of rows for ratios of two runs; keyed by the resample.
  @inlinable public static var blockBootstrap: Self { Self(rawValue: 802) }
  /// Decides the resamples of blocks of phones for differences of policies; keyed by the resample.
  @inlinable public static var pairedBootstrap: Self { Self(rawValue: 803) }
  /// Decides the resamples of residuals for the interval of a scalability law.
  @inlinable public static var lawBootstrap: Self { Self(rawValue: 1_000) }
  /// Decides how often an arrival of a subset is copied for the whole fleet, and how far it is
  /// moved.
  @inlinable public static var demandCopies: Self { Self(rawValue: 1_001) }
  /// Decides which arrivals stay when a fleet is thinned to a subset; keyed by the round.
  @inlinable public static var demandThinning: Self { Self(rawValue: 1_002) }
  /// Decides the points of the Latin hypercube over a plan's assumptions.
  @inlinable public static var sizingHypercube: Self { Self(rawValue: 1_003) }
  /// Decides the points of the Latin hypercube over the figures of the model.
  @inlinable public static var modelHypercube: Self { Self(rawValue: 1_004) }
  /// Decides the bases from which the figures of the model are moved one by one; keyed by the
  /// candidate.
  @inlinable public static var morrisBases: Self { Self(rawValue: 1_005) }
}

/// Bench: the load that a benchmark puts on.
extension Purpose {
  /// Decides when a phone of the push bench reports; keyed by the minute.
  @inlinable public static var benchReports: Self { Self(rawValue: 900) }
  /// Decides whether a pushed phone of the push bench answers; keyed by the minute.
  @inlinable public static var benchAnswers: Self { Self(rawValue: 901) }
  /// Decides the intervals between the uploads that a collector is offered.
  @inlinable public static var benchArrivals: Self { Self(rawValue: 910) }
  /// Decides the walks whose fixes the overload bench uploads.
  @inlinable public static var benchWalks: Self { Self(rawValue: 911) }
  /// Decides how the phones of a bench's batches move.
  @inlinable public static var benchBatches: Self { Self(rawValue: 920) }
  /// Decides the latencies that the histogram bench records.
  @inlinable public static var benchLatencies: Self { Self(rawValue: 930) }
  /// Decides for how long the queue bench holds each event.
  @inlinable public static var benchWaits: Self { Self(rawValue: 931) }
}
