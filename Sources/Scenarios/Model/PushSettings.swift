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
  package var terms: PushTerms
  package var request: PushRequest
  package var provider: ProviderSettings
  package var phone: PhonePushSettings

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
