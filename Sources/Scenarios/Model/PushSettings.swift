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
  package var request = PushRequest()
  package var provider = ProviderSettings()
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
  package var kind = Kind.background
  package var priority = 0
  package var payload = ByteCount(bytes: 0)
  package var collapseIDLength = 0
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
  package var latencyMedian = SimDuration.zero
  package var latencySigma = 0.0
  package var keepsNewest = 0.0
  package var longestStorage = SimDuration.zero
  package var largestPayload = ByteCount(bytes: 0)
  package var leastSpacing = SimDuration.zero
  package var learnsAfter = SimDuration.zero
  package var learnsSigma = 0.0
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
  package var budget = Budget.windows
  package var window = PushWindow()
  /// How often an hour another app's push of priority 10 comes while the owner is awake, and
  /// brings along what waited to be grouped (SP6); 0: never.
  package var rideAlong = 0.0
  /// Wakes that the OS saves up for the app, and grants it an hour: "two or three per hour"; where
  /// `budget` is `drip`.
  package var bucketCapacity = 0.0
  package var bucketRefillPerHour = 0.0
  package var chargingFactor = 0.0
  package var lowBatteryFactor = 0.0
  /// What a day allows, until it is reset at an hour of each phone's own: processor time, of which
  /// a run takes the part `runCost` of its length, and bytes. Zero: no limit.
  package var dayRunTime = SimDuration.zero
  package var runCost = 0.0
  package var dayData = ByteCount(bytes: 0)
  /// A run longer than this, or with satellites, multiplies the refill by `penaltyFactor` for
  /// `penaltyLasts`; together not below `penaltyFloor`.
  package var penaltyAfter = SimDuration.zero
  package var penaltyFactor = 0.0
  package var penaltyFloor = 0.0
  package var penaltyLasts = SimDuration.zero
  package var runTime = SimDuration.zero
  package var holds = false
  package var groupingOnBattery = SimDuration.zero
  /// The longest that a push to a locked phone on a charger waits; it waits uniformly up to
  /// this.
  package var groupingOnCharger = SimDuration.zero
  package var inUse = 0.0
  package var extensionCapacity = 0.0
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
  package var grants = 0
  package var every = SimDuration.zero
  package var spacing = Spacing.fixed
  package var opensOnUse = false
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
