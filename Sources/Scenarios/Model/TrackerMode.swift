package import Core

/// The tracker's behaviour in one state of the app, in use or not in use (HY2).
package struct TrackerMode: Equatable, Sendable, BitwiseCopyable {
  package var service: ServiceUse
  package var filter: FixFilter
  /// How the tracker detects rest and reacts to it; nil to ignore rest.
  package var rest: RestRule?
}

package struct ServiceUse: Equatable, Sendable, BitwiseCopyable {
  package enum Pattern: Equatable, Sendable, BitwiseCopyable {
    case off
    /// Runs for `duration` after the first fix of a wake, at most once per `minInterval` (HY1).
    case burst(duration: SimDuration, minInterval: SimDuration)
    case continuous
    /// The service is on until `on` after its first fix, and starts again `period` after that fix.
    /// Only the app's timers and background tasks restart the service (DC1–DC5).
    case dutyCycle(on: SimDuration, period: SimDuration)
    /// The app requests one location every `every`, and gives up after `timeout`. A second manager
    /// with the worst accuracy keeps the app running (Radar). On Android the system holds one request
    /// with this interval, without a timeout (AFL2).
    case polled(every: SimDuration, timeout: SimDuration)
  }
  package var pattern: Pattern
  package var accuracy: DesiredAccuracy
  /// The minimum distance between two delivered fixes.
  package var distanceFilter: DistanceFilter
  /// The growth of `distanceFilter` with the speed v, by a factor of ⌈v / 5 m/s⌉ · `elasticity`; 0
  /// for no growth (transistorsoft).
  package var elasticity: Double
  /// `pausesLocationUpdatesAutomatically`, which is true by default in iOS (PT1, PT4).
  package var pausesAutomatically: Bool
  /// A hint to the system about when to pause the service (PT4).
  package var activityType: ActivityType
  /// DF1: `allowDeferredLocationUpdates`; nil to deliver each fix as it comes.
  package var deferral: Deferral?
  /// Whether positions come through `CLLocationUpdate.liveUpdates`, which pause at rest and resume
  /// by themselves (LU1). A system without them runs the standard service.
  package var liveUpdates = false
  /// AFL2: The time between two positions of a request that Android holds; nil on iOS. Policies do
  /// not write it: `PolicySettings.onAndroid` sets it.
  package var interval: SimDuration?
}

package enum DistanceFilter: Equatable, Sendable, BitwiseCopyable {
  case none
  case atLeast(Distance)
  case max
}

package enum DesiredAccuracy: String, CaseIterable, Sendable, BitwiseCopyable {
  case best, tenMeters, hundredMeters, kilometer, threeKilometers
}

package enum ActivityType: String, CaseIterable, Sendable, BitwiseCopyable {
  case other, automotive, fitness
}

/// DF1: The distance or time, whichever is reached first, that ends the wait of deferred fixes.
package struct Deferral: Equatable, Sendable, BitwiseCopyable {
  package var distance: Distance
  package var time: SimDuration
}

package struct RestRule: Equatable, Sendable, BitwiseCopyable {
  package enum Sign: Equatable, Sendable, BitwiseCopyable {
    /// The motion activity is none of `active`. An unknown activity counts as rest, and the tracker
    /// starts in motion (AC5).
    case motion(active: MotionActivities)
    /// For `time`, no fix was farther than `within` from the last kept fix. A region exit, a
    /// significant change or a visit's departure ends the rest.
    case still(time: SimDuration, within: Distance)
  }
  package var sign: Sign
  package var service: ServiceUse
  package var regionRadius: Distance?
}

package enum MotionActivity: UInt8, Sendable, BitwiseCopyable, CaseIterable {
  case stationary, walking, running, cycling, automotive
}

package struct MotionActivities: OptionSet, Equatable, Sendable, BitwiseCopyable {
  package let rawValue: UInt8
  package init(rawValue: UInt8) { self.rawValue = rawValue }
  package init(_ activity: MotionActivity) { rawValue = 1 << activity.rawValue }
  /// Every activity in which the phone changes its position, that is, all but stationary.
  package static let moving: Self = [
    .init(.walking), .init(.running), .init(.cycling), .init(.automotive),
  ]
  package func contains(_ activity: MotionActivity) -> Bool { contains(Self(activity)) }
}
