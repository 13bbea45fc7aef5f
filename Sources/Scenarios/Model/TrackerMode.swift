package import SimulationCore

/// What the tracker does in one app state (HY2: same fields, two sets of values).
package struct TrackerMode: Equatable, Sendable, BitwiseCopyable {
  /// While the phone moves, and always where there is no `rest`.
  package var service: ServiceUse
  /// Which delivered fixes are kept.
  package var filter: FixFilter
  /// How the tracker tells that the phone rests, and what it does then; nil: it does not care.
  package var rest: RestRule?
}

/// How a tracker uses the standard location service.
package struct ServiceUse: Equatable, Sendable, BitwiseCopyable {
  /// When the standard service is switched on and off.
  package enum Pattern: Equatable, Sendable, BitwiseCopyable {
    case off
    /// On for `duration` after the first fix of a wake, at most once per `minInterval` (HY1).
    case burst(duration: SimDuration, minInterval: SimDuration)
    /// On while the mode lasts.
    case continuous
    /// On until `on` after the first fix, again `period` after the first fix: both timers are armed
    /// by it, and nothing but the app's own timers and background tasks brings it back (DC1–DC5).
    case dutyCycle(on: SimDuration, period: SimDuration)
    /// A request for one location every `interval` while a second manager with the worst accuracy
    /// keeps the app running (Radar: rule book 2.3); given up after `timeout`.
    case polled(every: SimDuration, timeout: SimDuration)
  }
  /// When the service is on.
  package var pattern: Pattern
  /// The accuracy that the app asks for (`desiredAccuracy`, AC1).
  package var accuracy: DesiredAccuracy
  /// The least distance between two delivered fixes.
  package var distanceFilter: DistanceFilter
  /// `distanceFilter` grows with speed: times ⌈v / 5 m/s⌉ · `elasticity`; 0: it does not
  /// (transistorsoft: rule book 2.3).
  package var elasticity: Double
  /// `pausesLocationUpdatesAutomatically`; the system's default is true (PT1, PT4).
  package var pausesAutomatically: Bool
  /// The activity type that the app declares, a hint when to pause (PT4).
  package var activityType: ActivityType
  /// DF1: `allowDeferredLocationUpdates`; nil: each fix is delivered as it comes.
  package var deferral: Deferral?
  /// Whether positions come through `CLLocationUpdate.liveUpdates`, which pause at rest and
  /// resume by themselves (LU1). A system without them runs the standard service.
  package var liveUpdates = false
}

/// `CLLocationManager.distanceFilter`.
package enum DistanceFilter: Equatable, Sendable, BitwiseCopyable {
  /// `kCLDistanceFilterNone`.
  case none
  case atLeast(Distance)
  /// `CLLocationDistanceMax`: nothing is ever far enough (AC5).
  case max
}

/// `kCLLocationAccuracy…` (AC1).
package enum DesiredAccuracy: String, CaseIterable, Sendable, BitwiseCopyable {
  case best, tenMeters, hundredMeters, kilometer, threeKilometers
}

/// `CLActivityType`: a hint when to pause (PT4, SF3).
package enum ActivityType: String, CaseIterable, Sendable, BitwiseCopyable {
  case other, automotive, fitness
}

/// DF1: fixes wait until either is reached.
package struct Deferral: Equatable, Sendable, BitwiseCopyable {
  /// The distance travelled that ends the wait.
  package var distance: Distance
  /// The time that ends the wait.
  package var time: SimDuration
}

/// How a tracker finds out that its phone rests, and what the standard service does meanwhile.
package struct RestRule: Equatable, Sendable, BitwiseCopyable {
  /// The sign by which the tracker recognises a rest.
  package enum Sign: Equatable, Sendable, BitwiseCopyable {
    /// The motion activity is none of `active`; unknown rests too, and the tracker starts in motion
    /// (AC5).
    case motion(active: MotionActivities)
    /// No fix farther than `within` from the last one kept for `time`; a region exit, a significant
    /// change or a visit's departure ends the rest.
    case still(time: SimDuration, within: Distance)
  }
  /// Says by which sign the tracker recognises a rest.
  package var sign: Sign
  /// How the standard service is used during a rest.
  package var service: ServiceUse
  /// Radius of the region that tells when the rest ends; nil: none.
  package var regionRadius: Distance?
}

/// What the motion coprocessor can tell (`CMMotionActivity`).
package enum MotionActivity: UInt8, Sendable, BitwiseCopyable, CaseIterable {
  case stationary, walking, running, cycling, automotive
}

/// A set of motion activities, one bit each.
package struct MotionActivities: OptionSet, Equatable, Sendable, BitwiseCopyable {
  /// The bit 1 << `MotionActivity.rawValue` for each activity in the set.
  package let rawValue: UInt8
  /// Makes the set with these bits.
  package init(rawValue: UInt8) { self.rawValue = rawValue }
  /// Makes the set of one activity.
  package init(_ activity: MotionActivity) { rawValue = 1 << activity.rawValue }
  /// Is every activity in which the phone changes place: all but stationary.
  package static let moving: Self = [
    .init(.walking), .init(.running), .init(.cycling), .init(.automotive),
  ]
  /// Returns whether the set has the activity.
  package func contains(_ activity: MotionActivity) -> Bool { contains(Self(activity)) }
}
