package import Core
internal import Foundation

/// A scenario's settings for silent pushes, with the members of `terms`, such as `silentAfter`.
@dynamicMemberLookup
package struct PushSettings: Equatable, Sendable {
  /// The settings that the server receives, unchanged.
  package var terms = PushTerms()
  package var request = PushRequest()
  package var provider = ProviderSettings()
  package var phone = PhonePushSettings()

  package subscript<Value>(dynamicMember path: WritableKeyPath<PushTerms, Value>) -> Value {
    get { terms[keyPath: path] }
    set { terms[keyPath: path] = newValue }
  }
}

package struct PushRequest: Equatable, Sendable, BitwiseCopyable {
  /// The values of the `apns-push-type` header.
  package enum Kind: String, CaseIterable, Sendable, BitwiseCopyable {
    case background
    case alert
    /// A push to the location push extension, which has a separate topic and budget and works when
    /// the app does not run.
    case location
  }
  /// Whether the provider accepts the server's token.
  package enum Credentials: String, CaseIterable, Sendable, BitwiseCopyable { case valid, expired }
  package var kind = Kind.background
  package var priority = 0
  /// The priority of the same push on Android, whose values FCM names.
  package enum AndroidPriority: String, CaseIterable, Sendable, BitwiseCopyable {
    case normal, high
  }
  package var androidPriority = AndroidPriority.normal
  package var payload = ByteCount(bytes: 0)
  package var collapseIDLength = 0
  package var credentials = Credentials.valid
  /// Whether an alert asks for run time (`content-available: 1`), which its display does not need.
  /// Background and location pushes always ask for run time.
  package var contentAvailable = false

  /// Whether the push asks for run time, granted or not (AL1).
  package var asksToRun: Bool {
    switch kind {
    case .background, .location: true
    case .alert: contentAvailable
    }
  }

  /// Returns whether the push has high priority on Android.
  package func isHigh(_ manner: PushManner) -> Bool {
    manner.isOfScenario ? androidPriority == .high : manner.priority >= 10
  }

  /// Returns the request for a push that declares its purpose. A push type that runs no tracker
  /// becomes an alert without run time.
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

package struct ProviderSettings: Equatable, Sendable, BitwiseCopyable {
  /// PN2: The median latency of a push on Wi-Fi; `cellularMedian` is the median on cellular.
  package var wifiMedian = SimDuration.zero
  package var cellularMedian = SimDuration.zero
  package var latencySigma = 0.0
  /// PN3: The share of pushes over cellular whose connection the network has dropped unnoticed.
  /// `halfOpenLasts` is the longest time until the drop is noticed.
  package var halfOpen = 0.0
  package var halfOpenLasts = SimDuration.zero
  /// PN4: The median time from the start of a phone to its connection to the push service.
  package var connectsAfterStart = SimDuration.zero
  package var keepsNewest = 0.0
  package var longestStorage = SimDuration.zero
  package var largestPayload = ByteCount(bytes: 0)
  package var leastSpacing = SimDuration.zero
  package var learnsAfter = SimDuration.zero
  package var learnsSigma = 0.0
  package var neverLearns = 0.0
}

package struct PhonePushSettings: Equatable, Sendable, BitwiseCopyable {
  package enum Budget: String, CaseIterable, Sendable, BitwiseCopyable {
    /// The system grants several wakes at once, then none until a new window opens.
    case windows
    /// The system grants single wakes at an even rate.
    case drip
  }
  package var budget = Budget.windows
  package var window = PushWindow()
  /// The maximum number of wakes that the system saves for the app if the budget is `drip`. The
  /// system adds `bucketRefillPerHour` wakes per hour ("two or three per hour").
  package var bucketCapacity = 0.0
  package var bucketRefillPerHour = 0.0
  package var chargingFactor = 0.0
  package var lowBatteryFactor = 0.0
  /// The processor time of an app's pushes per day; zero for no limit. The day begins at an hour
  /// that differs by phone, and a run takes `runCost` of its length as processor time.
  package var dayRunTime = SimDuration.zero
  package var runCost = 0.0
  package var dayData = ByteCount(bytes: 0)
  /// The length above which a run is heavy, as every run with satellites is. A heavy run multiplies
  /// the refill by `penaltyFactor`, down to `penaltyFloor`; `penaltyLasts` is the decay time.
  package var penaltyAfter = SimDuration.zero
  package var penaltyFactor = 0.0
  package var penaltyFloor = 0.0
  package var penaltyLasts = SimDuration.zero
  package var runTime = SimDuration.zero
  package var holds = false
  /// SP6: The time for which a launch is pending; a newer push replaces the pending launch.
  package var pendingLaunch = SimDuration.zero
  /// SP9: The time without launches after the first unlock. `closedAfterOutage` is the time without
  /// launches after an outage of at least `longOutage`.
  package var closedAfterStart = SimDuration.zero
  package var closedAfterOutage = SimDuration.zero
  package var longOutage = SimDuration.zero
  /// SP10: The time from the start of a night to its first slot; each further wait is twice the
  /// previous one. Zero makes nights like days.
  package var nightSlot = SimDuration.zero
  /// SP11: The cost, in wakes, of a run that the system had to end.
  package var unfinishedCost = 0.0
  /// SP12: The half-life of the refill of an app that is not opened; zero for no decay.
  package var unopenedHalfLife = SimDuration.zero
  package var extensionCapacity = 0.0
  package var extensionRefillPerHour = 0.0
  /// The share of location pushes to phones in Low Power Mode that run the extension (SP14).
  package var extensionInLowPower = 0.0
}

/// What a scheduler window grants an app, and when it opens (SP4).
package struct PushWindow: Equatable, Sendable, BitwiseCopyable {
  package enum Spacing: String, CaseIterable, Sendable, BitwiseCopyable {
    case fixed
    /// Intervals between windows are exponential, so that a window may open at any moment.
    case exponential
  }
  package var grants = 0
  package var every = SimDuration.zero
  package var spacing = Spacing.fixed
  package var opensOnUse = false
  package var opensOnCharger = false
}

extension PhonePushSettings {
  package var grantsAtOnce: Double {
    switch budget {
    case .windows: Double(window.grants)
    case .drip: bucketCapacity
    }
  }

  /// Returns the share of the refill left after `heavyRuns`, a count in which older runs fade.
  package func penalty(heavyRuns: Double) -> Double {
    guard heavyRuns > 0 else { return 1 }
    return max(penaltyFloor, pow(penaltyFactor, heavyRuns))
  }

  /// SP12: Returns the share of the refill for an app that was last opened `time` ago.
  package func interest(unopenedFor time: SimDuration) -> Double {
    unopenedHalfLife > .zero ? exp2(-max(0, time.seconds) / unopenedHalfLife.seconds) : 1
  }

  /// Returns the weight of a heavy run after `time` has passed, which falls from 1 towards 0.
  package func penaltyLeft(after time: SimDuration) -> Double {
    exp(-time.seconds / penaltyLasts.seconds)
  }
}
