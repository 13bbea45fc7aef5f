internal import Foundation
package import SimulationCore

/// When the server asks a silent phone to report, how it asks, what counts as an answer, and what
/// provider and phone do with the push. Rule book 2.2 and section 5.
package struct PushSettings: Equatable, Sendable {
  package enum Scheduler: String, CaseIterable, Sendable {
    /// Every reachable phone that is silent for `silentAfter`, at most every `spacing`.
    case fixed
    /// Learns who answers, and asks them sooner and the others later.
    case adaptive
    /// No pushes.
    case none
  }
  package var scheduler: Scheduler
  /// A phone that has not reported for this long is due.
  package var silentAfter: SimDuration
  /// W of `answered(W)`.
  package var within: SimDuration
  /// Further W for which the figures are kept; one longer than `spacing` would let a report answer
  /// two pushes, and is left out.
  package var windows: [SimDuration]
  /// The scheduler looks at scenario instants k · `sweep`.
  package var sweep: SimDuration
  /// The least time between two pushes to one phone; at least `within`.
  package var spacing: SimDuration
  package var backoff: PushBackoff
  /// What the scheduler `adaptive` makes of the answers.
  package var adaptive: AdaptivePushing
  /// Before a push that the provider answered 429, 500 or 503 is asked for again.
  package var retryAfter: SimDuration
  /// At most this many pushes, in scenario time.
  package var rate: Rate
  /// The share of due phones that is not pushed, to estimate uplift. 0 ... 1.
  package var holdout: Double
  /// A due phone waits uniformly up to this long more, so that a storm spreads.
  package var jitter: SimDuration
  /// A fix with a worse accuracy does not answer a push.
  package var accuracyLimit: Distance
  /// `apns-expiration`: how long the provider stores a push for a phone that it cannot reach.
  package var expiration: SimDuration
  package var request: PushRequest
  package var provider: ProviderSettings
  package var phone: PhonePushSettings
}

/// How the time between two pushes to a phone grows while it does not answer.
package struct PushBackoff: Equatable, Sendable, BitwiseCopyable {
  /// Unanswered pushes in a row before the first growth; 0: never.
  package var after: Int
  /// Each further one multiplies the time by it.
  package var factor: Double
  package var longest: SimDuration

  package init(after: Int, factor: Double, longest: SimDuration) {
    self.after = after
    self.factor = factor
    self.longest = longest
  }
}

/// How the scheduler `adaptive` learns which phones answer, and asks those sooner and the others
/// less often.
///
/// What it believes of a phone is one share: of its pushes, how many were answered, the newer ones
/// weighing more. Both times below follow from it alone.
package struct AdaptivePushing: Equatable, Sendable, BitwiseCopyable {
  /// The share that a phone is believed to answer before its first push. 0 ... 1.
  package var prior: Double
  /// How much the newest push weighs against all before it. 0 ... 1.
  package var weight: Double
  /// The silence after which a phone that always answers is due; one that never does is due after
  /// `PushSettings.silentAfter`, the others in between.
  package var silentAfter: SimDuration
  /// The least time between two pushes to a phone that always answers; no less than
  /// `PushSettings.spacing`.
  package var spacing: SimDuration
  /// `spacing` is divided by the share to this power.
  package var caution: Double
  /// It grows no further: a phone that was opened again, or set right, is found out within this.
  package var longest: SimDuration

  package init(
    prior: Double, weight: Double, silentAfter: SimDuration, spacing: SimDuration,
    caution: Double, longest: SimDuration
  ) {
    self.prior = prior
    self.weight = weight
    self.silentAfter = silentAfter
    self.spacing = spacing
    self.caution = caution
    self.longest = longest
  }
}

/// What the server writes into its request to the provider.
package struct PushRequest: Equatable, Sendable, BitwiseCopyable {
  /// `apns-push-type`.
  package enum Kind: String, CaseIterable, Sendable, BitwiseCopyable {
    case background
    case alert
    /// To the location push extension: its own topic and its own budget, and it works when the
    /// app does not run.
    case location
  }
  package enum Credentials: String, CaseIterable, Sendable, BitwiseCopyable { case valid, expired }
  package var kind: Kind
  /// `apns-priority`: 1, 5 or 10. 1 never wakes a phone.
  package var priority: Int
  package var payload: ByteCount
  /// Bytes of `apns-collapse-id`; 0: none.
  package var collapseIDLength: Int
  package var credentials: Credentials
}

/// The provider's numbers.
package struct ProviderSettings: Equatable, Sendable, BitwiseCopyable {
  /// From acceptance to the phone's radio, connected: log-normal by its median; confidence A.
  package var latencyMedian: SimDuration
  package var latencySigma: Double
  /// The share of overwrites in which the newer push stays; the order is not guaranteed.
  package var keepsNewest: Double
  /// A stored push is kept for the lesser of this and its expiration.
  package var longestStorage: SimDuration
  /// Larger payloads are answered 413.
  package var largestPayload: ByteCount
  /// Two pushes to one token closer than this: the later is answered 429. Zero: never.
  package var leastSpacing: SimDuration
}

/// What the phone's system allows an app that is pushed; confidence A where the rule book says so.
package struct PhonePushSettings: Equatable, Sendable, BitwiseCopyable {
  /// Wakes that the OS saves up for the app, and grants it an hour: "two or three per hour".
  package var bucketCapacity: Double
  package var bucketRefillPerHour: Double
  /// The refill on a charger, and below 20 % battery, is multiplied by these.
  package var chargingFactor: Double
  package var lowBatteryFactor: Double
  /// What a day allows, until it is reset at an hour of each phone's own: processor time, of which
  /// a run takes the part `runCost` of its length, and bytes. Zero: no limit.
  package var dayRunTime: SimDuration
  package var runCost: Double
  package var dayData: ByteCount
  /// A run longer than this, or with satellites, multiplies the refill by `penaltyFactor` for
  /// `penaltyLasts`; together not below `penaltyFloor`.
  package var penaltyAfter: SimDuration
  package var penaltyFactor: Double
  package var penaltyFloor: Double
  package var penaltyLasts: SimDuration
  /// How long an app runs for a push at most.
  package var runTime: SimDuration
  /// A push that may not be delivered now is held, one an app, and not thrown away.
  package var holds: Bool
  /// Pushes to a locked phone are grouped: they wait uniformly up to this long.
  package var groupingOnBattery: SimDuration
  package var groupingOnCharger: SimDuration
  /// The share of pushes that find the phone in use, and are not grouped.
  package var inUse: Double
  /// Location pushes: saved up, and granted an hour ("about 360 in 24 hours").
  package var extensionCapacity: Double
  package var extensionRefillPerHour: Double
}

extension PhonePushSettings {
  /// What so many heavy runs, the older ones counting less, leave of the refill.
  package func penalty(heavyRuns: Double) -> Double {
    guard heavyRuns > 0 else { return 1 }
    return max(penaltyFloor, pow(penaltyFactor, heavyRuns))
  }

  /// The part of a heavy run that still counts after this time.
  package func penaltyLeft(after time: SimDuration) -> Double {
    exp(-time.seconds / penaltyLasts.seconds)
  }
}
