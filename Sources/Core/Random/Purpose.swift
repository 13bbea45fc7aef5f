/// What a random draw is for: the third part of a draw's key (`Draw`). The words "keyed by" name
/// the parts after the purpose. A slot is a numbered span of time. All purposes are in this file,
/// with unique numbers (`PurposeTests`). A changed number changes every run of a seed.
@frozen public struct Purpose: RawRepresentable, Hashable, Sendable, BitwiseCopyable {
  public let rawValue: UInt32
  @inlinable public init(rawValue: UInt32) { self.rawValue = rawValue }
}

// The numbers are computed and inlinable, so that a draw of another room folds them into its key.

extension Purpose {
  @inlinable public static var townGrid: Self { Self(rawValue: 100) }
  /// A person's profile, home and work; for phone `.max`, the common offset of all departures.
  @inlinable public static var person: Self { Self(rawValue: 101) }
  /// The position of a place that a person visits, and whether it is outdoors; keyed by the place.
  @inlinable public static var place: Self { Self(rawValue: 102) }
  @inlinable public static var day: Self { Self(rawValue: 103) }
  /// Path and pace of a leg; keyed by (day, leg's number), and inside a path by the lane.
  @inlinable public static var leg: Self { Self(rawValue: 104) }
  /// Arrival, departure and seat at the town's event; keyed by the day.
  @inlinable public static var attendance: Self { Self(rawValue: 105) }
  /// Time in the garden; keyed by the day.
  @inlinable public static var garden: Self { Self(rawValue: 106) }
  /// Time outdoors at work; keyed by the stay's start; without a key, whether the person has any.
  @inlinable public static var outdoorWork: Self { Self(rawValue: 107) }
  /// The wait for a bus, tram or train; keyed by the departure.
  @inlinable public static var transitWait: Self { Self(rawValue: 108) }
  /// A walk for its own sake; keyed by the day.
  @inlinable public static var stroll: Self { Self(rawValue: 109) }
}

extension Purpose {
  @inlinable public static var authorization: Self { Self(rawValue: 200) }
  @inlinable public static var refresh: Self { Self(rawValue: 201) }
  @inlinable public static var token: Self { Self(rawValue: 202) }
  /// Keyed by the slot.
  @inlinable public static var offlineWindow: Self { Self(rawValue: 203) }
  @inlinable public static var battery: Self { Self(rawValue: 204) }
  /// Keyed by the slot.
  @inlinable public static var offWindow: Self { Self(rawValue: 205) }
  /// Keyed by the slot; without a key, the owner's rate and share of days (OP1).
  @inlinable public static var sessionWindow: Self { Self(rawValue: 206) }
  /// Whether the owner opens the app on a day (OP1); keyed by the day.
  @inlinable public static var unopenedDay: Self { Self(rawValue: 268) }
  /// Keyed by the end of the use; without a key, the owner's habit.
  @inlinable public static var forceQuit: Self { Self(rawValue: 207) }
  /// Keyed by the segment's start.
  @inlinable public static var wifi: Self { Self(rawValue: 208) }
  /// Weak signal and 5G (BT9, BT10); keyed by the place of a stay or the start of a leg.
  @inlinable public static var cells: Self { Self(rawValue: 229) }
  /// Keyed by the fault's index.
  @inlinable public static var outage: Self { Self(rawValue: 209) }
  @inlinable public static var secondPrompt: Self { Self(rawValue: 210) }
  @inlinable public static var precision: Self { Self(rawValue: 211) }
  @inlinable public static var simCard: Self { Self(rawValue: 212) }
  @inlinable public static var unopened: Self { Self(rawValue: 213) }
  @inlinable public static var motionPermission: Self { Self(rawValue: 214) }
  @inlinable public static var airplaneWindow: Self { Self(rawValue: 215) }
  /// Airplane mode at night (NO4); keyed by the day.
  @inlinable public static var airplaneNight: Self { Self(rawValue: 216) }
  @inlinable public static var chargers: Self { Self(rawValue: 217) }
  /// Keyed by the stay's start.
  @inlinable public static var chargedStay: Self { Self(rawValue: 218) }
  /// Keyed by the warning's instant.
  @inlinable public static var lowPowerOffer: Self { Self(rawValue: 265) }
  /// Whether a phone has Adaptive Power (BT12).
  @inlinable public static var adaptivePower: Self { Self(rawValue: 298) }
  /// Keyed by the push's arrival.
  @inlinable public static var extensionInLowPower: Self { Self(rawValue: 299) }
  /// Keyed by the instant of the phone's start.
  @inlinable public static var firstUnlock: Self { Self(rawValue: 266) }
  @inlinable public static var restrictedWindow: Self { Self(rawValue: 219) }
  @inlinable public static var restrictedNight: Self { Self(rawValue: 262) }
  /// How much earlier or later a phone's owner goes to bed than most.
  @inlinable public static var nightShift: Self { Self(rawValue: 276) }
  /// A phone's shares of time with power saving (SP13).
  @inlinable public static var restrictedShare: Self { Self(rawValue: 267) }
  /// Keyed by the night.
  @inlinable public static var chargingNight: Self { Self(rawValue: 263) }
  /// Keyed by the slot.
  @inlinable public static var staleToken: Self { Self(rawValue: 264) }
  /// A background refresh (BR2); keyed by the session's start; without a key, the phone's share.
  @inlinable public static var refreshRun: Self { Self(rawValue: 277) }
  /// Whether and when a night has a processing task (BR5); keyed by the night.
  @inlinable public static var processingNight: Self { Self(rawValue: 269) }
  /// BU1; keyed by the slot.
  @inlinable public static var restart: Self { Self(rawValue: 294) }
  @inlinable public static var notifications: Self { Self(rawValue: 292) }
  /// The instants of memory pressure, keyed by the hour, and their rate, keyed by -1.
  @inlinable public static var memoryPressure: Self { Self(rawValue: 272) }
  /// The release of a version (phone 0), and when a phone is ready for it; keyed by the version.
  @inlinable public static var appVersion: Self { Self(rawValue: 273) }
  /// When a night installs, keyed by its begin; whether to open the app after, by the installation.
  @inlinable public static var installNight: Self { Self(rawValue: 274) }
  /// Keyed by the slot.
  @inlinable public static var reinstall: Self { Self(rawValue: 275) }
}

extension Purpose {
  @inlinable public static var permissionHabits: Self { Self(rawValue: 285) }
  @inlinable public static var promptUnlock: Self { Self(rawValue: 286) }
  /// Keyed by the reminder's instant.
  @inlinable public static var reminderAnswer: Self { Self(rawValue: 287) }
  /// Keyed by the slot.
  @inlinable public static var settingsChange: Self { Self(rawValue: 288) }
  /// Keyed by the instant of the decision.
  @inlinable public static var settingsDecision: Self { Self(rawValue: 289) }
}

extension Purpose {
  /// Keyed by (knot, kind of error).
  @inlinable public static var errorKnot: Self { Self(rawValue: 220) }
  /// Keyed by the time slot.
  @inlinable public static var reportedAccuracy: Self { Self(rawValue: 221) }
  @inlinable public static var phoneMake: Self { Self(rawValue: 222) }
  /// Keyed by (start of the stay, source).
  @inlinable public static var restAnchor: Self { Self(rawValue: 223) }
  /// Keyed by the time slot, or by the stay.
  @inlinable public static var restHold: Self { Self(rawValue: 224) }
  /// Keyed by the held instant.
  @inlinable public static var restJitter: Self { Self(rawValue: 225) }
  /// Keyed by the time slot.
  @inlinable public static var leap: Self { Self(rawValue: 226) }
  /// Keyed by the first fix's instant.
  @inlinable public static var settling: Self { Self(rawValue: 227) }
  /// Keyed by the square, for phone 0.
  @inlinable public static var placeOfInterest: Self { Self(rawValue: 228) }
  /// Keyed by the region's serial number.
  @inlinable public static var regionLatency: Self { Self(rawValue: 230) }
  /// Whether an exit is reported at once or when it is checked; keyed by the region's number.
  @inlinable public static var regionNotice: Self { Self(rawValue: 280) }
  /// Whether a place is reported at once or when it is checked; keyed by (place, instant).
  @inlinable public static var placeNotice: Self { Self(rawValue: 281) }
  /// Keyed by (place, instant).
  @inlinable public static var placeLatency: Self { Self(rawValue: 282) }
  /// Keyed by (place, instant).
  @inlinable public static var monitorCopy: Self { Self(rawValue: 278) }
  /// Keyed by the instant of the launch.
  @inlinable public static var monitorDeaf: Self { Self(rawValue: 279) }
  /// Keyed by (place, instant).
  @inlinable public static var missedPlace: Self { Self(rawValue: 283) }
  /// Keyed by the change's serial number.
  @inlinable public static var significantDistance: Self { Self(rawValue: 231) }
  /// Keyed by the change's serial number.
  @inlinable public static var significantLatency: Self { Self(rawValue: 232) }
  /// The edge of two cells (SL11); keyed by the place of a stay or the start of a leg.
  @inlinable public static var cellEdge: Self { Self(rawValue: 243) }
  /// SL4; keyed by the change's serial number.
  @inlinable public static var spuriousCellChange: Self { Self(rawValue: 233) }
  @inlinable public static var visitDelay: Self { Self(rawValue: 234) }
  /// Keyed by (the region's serial number, instant).
  @inlinable public static var missedExit: Self { Self(rawValue: 235) }
  /// Keyed by the instant.
  @inlinable public static var cachedAge: Self { Self(rawValue: 236) }
  /// Keyed by the stay's start or, on the way, by the slot.
  @inlinable public static var networkKnown: Self { Self(rawValue: 237) }
  /// Keyed by the change's serial number.
  @inlinable public static var changeSource: Self { Self(rawValue: 238) }
  @inlinable public static var wifiSwitch: Self { Self(rawValue: 239) }
  /// The time to the first fix, and the failed attempts indoors; keyed by the instant.
  @inlinable public static var timeToFirstFix: Self { Self(rawValue: 240) }
  /// No satellite reception (NO7); keyed by the place of a stay or the start of a leg.
  @inlinable public static var blindPlace: Self { Self(rawValue: 242) }
  /// The failed attempts after a change of surroundings indoors; keyed by the instant.
  @inlinable public static var indoorFailure: Self { Self(rawValue: 241) }
  /// Keyed by the attempt.
  @inlinable public static var networkTime: Self { Self(rawValue: 250) }
  /// Keyed by the activity's start.
  @inlinable public static var motionLag: Self { Self(rawValue: 260) }
  /// Keyed by the segment's start.
  @inlinable public static var motionConfusion: Self { Self(rawValue: 261) }
  @inlinable public static var dayBudgetReset: Self { Self(rawValue: 270) }
  /// SP4; keyed by the window's first wake.
  @inlinable public static var pushWindow: Self { Self(rawValue: 290) }
  /// Keyed by the instant at which the app submitted the upload.
  @inlinable public static var transferStart: Self { Self(rawValue: 295) }
  /// CK1; keyed by the change that set the clock.
  @inlinable public static var clockError: Self { Self(rawValue: 296) }
  /// CK2; keyed by the slot.
  @inlinable public static var clockChange: Self { Self(rawValue: 297) }
}

extension Purpose {
  /// Keyed by the push.
  @inlinable public static var pushLatency: Self { Self(rawValue: 300) }
  /// Keyed by the push.
  @inlinable public static var reconnectLatency: Self { Self(rawValue: 301) }
  /// PN4; keyed by the push.
  @inlinable public static var startConnection: Self { Self(rawValue: 307) }
  /// When the provider first answers 410; keyed by the first push that found no app.
  @inlinable public static var goneToken: Self { Self(rawValue: 303) }
  /// Whether a provider accepts and withholds a push; keyed by the number of pushes to the phone.
  @inlinable public static var pushWithheld: Self { Self(rawValue: 304) }
  /// Keyed by the request's number.
  @inlinable public static var providerBusy: Self { Self(rawValue: 305) }
  @inlinable public static var tokenGone: Self { Self(rawValue: 306) }
  /// Whether a push replaces the stored one or is dropped; keyed by the push.
  @inlinable public static var pushOverwrite: Self { Self(rawValue: 302) }
  /// Keyed by (last sequence, failures), in a target's sender by (number of the draw, kind).
  @inlinable public static var uploadRetry: Self { Self(rawValue: 350) }
  /// Jitter of `silentAfter`; keyed by the instant of the last report.
  @inlinable public static var pushJitter: Self { Self(rawValue: 400) }
  /// Keyed by the sweep's number.
  @inlinable public static var pushHoldout: Self { Self(rawValue: 401) }
  @inlinable public static var rollout: Self { Self(rawValue: 402) }
  /// NO3; keyed by the instant.
  @inlinable public static var oldPoint: Self { Self(rawValue: 500) }
  @inlinable public static var replayDelay: Self { Self(rawValue: 501) }
  @inlinable public static var viewer: Self { Self(rawValue: 502) }
}

extension Purpose {
  /// Keyed by (job, attempt).
  @inlinable public static var uploadBackoff: Self { Self(rawValue: 600) }
  /// Keyed by (job, attempt).
  @inlinable public static var sessionResumption: Self { Self(rawValue: 601) }
  /// Keyed by (fault and direction, number of the draw).
  @inlinable public static var wireFault: Self { Self(rawValue: 610) }
  /// Keyed by (sequence, failures).
  @inlinable public static var resend: Self { Self(rawValue: 710) }
  /// Keyed by (kind of decision, number).
  @inlinable public static var chaos: Self { Self(rawValue: 720) }
}

extension Purpose {
  @inlinable public static var clusterBootstrap: Self { Self(rawValue: 800) }
  @inlinable public static var unitBootstrap: Self { Self(rawValue: 801) }
  @inlinable public static var blockBootstrap: Self { Self(rawValue: 802) }
  @inlinable public static var pairedBootstrap: Self { Self(rawValue: 803) }
  @inlinable public static var lawBootstrap: Self { Self(rawValue: 1_000) }
  @inlinable public static var demandCopies: Self { Self(rawValue: 1_001) }
  @inlinable public static var demandThinning: Self { Self(rawValue: 1_002) }
  @inlinable public static var sizingHypercube: Self { Self(rawValue: 1_003) }
  @inlinable public static var modelHypercube: Self { Self(rawValue: 1_004) }
  @inlinable public static var morrisBases: Self { Self(rawValue: 1_005) }
  /// Keyed by the point's number.
  @inlinable public static var claimSample: Self { Self(rawValue: 1_006) }
  @inlinable public static var plausibleSpace: Self { Self(rawValue: 1_007) }
}

extension Purpose {
  /// An unlock of the phone; keyed by the day and the unlock's number.
  @inlinable public static var phoneUse: Self { Self(rawValue: 1_100) }
  @inlinable public static var batteryExemption: Self { Self(rawValue: 1_101) }
  /// Whether high-priority pushes count as normal ones (AFC4).
  @inlinable public static var loweredPushes: Self { Self(rawValue: 1_102) }
  /// Whether the app starts by itself (AOE3).
  @inlinable public static var autoStart: Self { Self(rawValue: 1_103) }
  /// The end of a process; keyed by the instant since which it is cached or runs a service.
  @inlinable public static var processEnd: Self { Self(rawValue: 1_104) }
  /// Whether another app locates during a use of the phone (ABL4); keyed by its start.
  @inlinable public static var othersLocate: Self { Self(rawValue: 1_150) }
  /// Where approximate positions are moved before they are put on a grid (AFL8).
  @inlinable public static var coarseOffset: Self { Self(rawValue: 1_151) }
  /// What a phone with Android lacks (APM9, ANW2, ANW3, AGF7).
  @inlinable public static var missingParts: Self { Self(rawValue: 1_152) }
  /// When motion is noticed (AAR2, AAR3); keyed by its start.
  @inlinable public static var transition: Self { Self(rawValue: 1_153) }
  /// Whether the phone permits the app exact alarms (AAL3).
  @inlinable public static var exactAlarms: Self { Self(rawValue: 1_170) }
  /// Whether the owner gets up by an alarm clock (ADZ10).
  @inlinable public static var alarmClock: Self { Self(rawValue: 1_171) }
  /// Whether the owner has set the app's battery use to Restricted (ASB6).
  @inlinable public static var ownerRestricts: Self { Self(rawValue: 1_172) }
  /// Whether the owner ends a service in the list of active apps (ALC7); keyed by its end.
  @inlinable public static var activeApps: Self { Self(rawValue: 1_173) }
  /// Whether the owner's power saving is the maker's own (ABT5).
  @inlinable public static var extremeSaver: Self { Self(rawValue: 1_174) }
}

extension Purpose {
  /// Keyed by the minute.
  @inlinable public static var benchReports: Self { Self(rawValue: 900) }
  /// Keyed by the minute.
  @inlinable public static var benchAnswers: Self { Self(rawValue: 901) }
  @inlinable public static var benchArrivals: Self { Self(rawValue: 910) }
  @inlinable public static var benchWalks: Self { Self(rawValue: 911) }
  @inlinable public static var benchBatches: Self { Self(rawValue: 920) }
  @inlinable public static var benchLatencies: Self { Self(rawValue: 930) }
  @inlinable public static var benchWaits: Self { Self(rawValue: 931) }
}
