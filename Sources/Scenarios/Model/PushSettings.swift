internal import Foundation
package import SimulationCore
package import Telemetry

/// What a scenario says of silent pushes: the server's terms, what it writes into a push, and what
/// provider and phone do with it. Rule book 2.2 and section 5.
///
/// The terms are looked up as if they stood here: `push.silentAfter`.
@dynamicMemberLookup
package struct PushSettings: Equatable, Sendable {
  /// What the server acts on; travels to it as it is.
  package var terms = PushTerms()
  /// What the server writes into each push.
  package var request = PushRequest()
  /// How the push service between server and phone behaves.
  package var provider = ProviderSettings()
  /// What the phone's system allows the app that is pushed.
  package var phone = PhonePushSettings()

  /// Reads or writes a field of `terms`.
  package subscript<Value>(dynamicMember path: WritableKeyPath<PushTerms, Value>) -> Value {
    get { terms[keyPath: path] }
    set { terms[keyPath: path] = newValue }
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
  /// Whether the provider accepts the server's own token.
  package enum Credentials: String, CaseIterable, Sendable, BitwiseCopyable { case valid, expired }
  /// The type of push (`apns-push-type`).
  package var kind = Kind.background
  /// `apns-priority`: 1, 5 or 10. 1 never wakes a phone.
  package var priority = 0
  /// The size of the payload; the provider refuses one beyond its `largestPayload`.
  package var payload = ByteCount(bytes: 0)
  /// Bytes of `apns-collapse-id`; 0: none.
  package var collapseIDLength = 0
  /// Whether the server's own token at the provider is valid.
  package var credentials = Credentials.valid
  /// Whether an alert asks for time to run as well (`content-available`: 1); what is shown needs
  /// none. Pushes of the other kinds always ask for it.
  package var contentAvailable = false

  /// Whether the push asks for time to run, whether it gets it or not (AL1).
  package var asksToRun: Bool {
    switch kind {
    case .background, .location: true
    case .alert: contentAvailable
    }
  }

  /// Returns the request of a push that says of itself what it is for. Types that run nothing of a
  /// tracker are as an alert that asks for no time.
  package func request(_ manner: PushManner) -> PushRequest {
    guard !manner.isOfScenario else { return self }
    var request = self
    request.priority = manner.priority
    request.contentAvailable = manner.asksToRun
    switch manner.kind {
    case .background: request.kind = manner.asksToRun ? .background : .alert
    case .location: request.kind = .location
    case .alert: request.kind = .alert
    case .other:
      request.kind = .alert
      request.contentAvailable = false
    }
    return request
  }
}

/// The provider's numbers.
package struct ProviderSettings: Equatable, Sendable, BitwiseCopyable {
  /// From acceptance to the phone's radio, connected: log-normal by its median; confidence A.
  package var latencyMedian = SimDuration.zero
  /// The σ of the latency, of its logarithm.
  package var latencySigma = 0.0
  /// The share of overwrites in which the newer push stays; the order is not guaranteed.
  package var keepsNewest = 0.0
  /// A stored push is kept for the lesser of this and its expiration.
  package var longestStorage = SimDuration.zero
  /// Larger payloads are answered 413.
  package var largestPayload = ByteCount(bytes: 0)
  /// Two pushes to one token closer than this: the later is answered 429. Zero: never.
  package var leastSpacing = SimDuration.zero
  /// PN1: Is the median of the time from the first push that finds no app to the first answer 410.
  package var learnsAfter = SimDuration.zero
  /// The spread of that time, as the deviation of its logarithm; it is cut to 1 ... 90 days.
  package var learnsSigma = 0.0
  /// The share of tokens of deleted apps that are never answered 410.
  package var neverLearns = 0.0
}

/// What the phone's system allows an app that is pushed; confidence A where the rule book says so.
package struct PhonePushSettings: Equatable, Sendable, BitwiseCopyable {
  /// The ways in which a phone grants an app wakes for silent pushes (SP4).
  package enum Budget: String, CaseIterable, Sendable, BitwiseCopyable {
    /// Several at once, then none until the scheduler opens a new window.
    case windows
    /// One by one, evenly.
    case drip
  }
  /// The way in which the phone grants wakes.
  package var budget = Budget.windows
  /// What a window grants and when one opens, where `budget` is `windows`.
  package var window = PushWindow()
  /// How often an hour another app's push of priority 10 comes while the owner is awake, and
  /// brings along what waited to be grouped (SP6); 0: never.
  package var rideAlong = 0.0
  /// Wakes that the OS saves up for the app, and grants it an hour: "two or three per hour"; where
  /// `budget` is `drip`.
  package var bucketCapacity = 0.0
  /// The number of wakes that the OS grants the app in an hour, before the factors below.
  package var bucketRefillPerHour = 0.0
  /// The refill on a charger, and below 20 % battery, is multiplied by these.
  package var chargingFactor = 0.0
  /// The factor of the refill below 20 % battery; on a charger both factors apply.
  package var lowBatteryFactor = 0.0
  /// What a day allows, until it is reset at an hour of each phone's own: processor time, of which
  /// a run takes the part `runCost` of its length, and bytes. Zero: no limit.
  package var dayRunTime = SimDuration.zero
  /// The share of a run's length that counts as processor time, 0 ... 1.
  package var runCost = 0.0
  /// The number of bytes that the app may send in a day for pushes; zero: no limit.
  package var dayData = ByteCount(bytes: 0)
  /// A run longer than this, or with satellites, multiplies the refill by `penaltyFactor` for
  /// `penaltyLasts`; together not below `penaltyFloor`.
  package var penaltyAfter = SimDuration.zero
  /// The factor by which each heavy run multiplies the refill, 0 ... 1.
  package var penaltyFactor = 0.0
  /// The least factor that all heavy runs together leave of the refill, 0 ... 1.
  package var penaltyFloor = 0.0
  /// The time in which the weight of a heavy run falls to 1/e.
  package var penaltyLasts = SimDuration.zero
  /// How long an app runs for a push at most.
  package var runTime = SimDuration.zero
  /// A push that may not be delivered now is held, one an app, and not thrown away.
  package var holds = false
  /// Pushes to a locked phone are grouped: they wait uniformly up to this long.
  package var groupingOnBattery = SimDuration.zero
  /// The longest that a push to a locked phone on a charger waits; it waits uniformly up to
  /// this.
  package var groupingOnCharger = SimDuration.zero
  /// The share of pushes that find the phone in use, and are not grouped.
  package var inUse = 0.0
  /// Location pushes: saved up, and granted an hour ("about 360 in 24 hours").
  package var extensionCapacity = 0.0
  /// The number of location pushes that the OS grants in an hour.
  package var extensionRefillPerHour = 0.0
}

/// What a window of the phone's scheduler grants an app, and when it opens (SP4).
package struct PushWindow: Equatable, Sendable, BitwiseCopyable {
  /// The laws of the time between two windows.
  package enum Spacing: String, CaseIterable, Sendable, BitwiseCopyable {
    /// It is always the same.
    case fixed
    /// It is exponential: a window may open at any moment.
    case exponential
  }
  /// The number of wakes in a window.
  package var grants = 0
  /// The mean time from the first wake of a window to the next window, at a pace of 1.
  package var every = SimDuration.zero
  /// The law of that time.
  package var spacing = Spacing.fixed
  /// Whether a window opens when the owner opens the app.
  package var opensOnUse = false
  /// Whether a window opens when the phone is put on a charger.
  package var opensOnCharger = false
}

extension PhonePushSettings {
  /// The number of wakes that a phone grants at most at once.
  package var grantsAtOnce: Double {
    switch budget {
    case .windows: Double(window.grants)
    case .drip: bucketCapacity
    }
  }

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
