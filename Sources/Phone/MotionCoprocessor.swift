package import Mobility
package import Scenarios
package import SimulationCore
package import Telemetry

/// Models how the motion coprocessor classifies a person's movement (AC5).
///
/// It recognises a segment's mode some seconds after the segment began, and misclassifies some
/// segments. It does not see stops on the way.
package struct MotionCoprocessor: Sendable, BitwiseCopyable {
  let seed: UInt64
  let profile: MotionProfile

  /// Makes a coprocessor from the scenario's seed and a motion profile.
  package init(seed: UInt64, profile: MotionProfile) {
    self.seed = seed
    self.profile = profile
  }

  /// Returns when the activity that began at `start` is recognised.
  package func recognised(at start: SimInstant, phone: PhoneID) -> SimInstant {
    var draw = Draw(seed: seed, phone: phone.rawValue, .motionLag, start.microseconds)
    return start + draw.time(within: profile.lag)
  }

  /// Returns the recognised activity, or nil if the coprocessor does not recognise any.
  package func activity(in segment: Segment, phone: PhoneID) -> MotionActivity? {
    var draw = Draw(
      seed: seed, phone: phone.rawValue, .motionConfusion, segment.start.microseconds)
    guard draw.chance(profile.confusion) else { return Self.activity(segment) }
    // Unknown is as likely as each of the others.
    let all = Self.activities
    let pick = Int(draw.uniform() * Double(all.count + 1))
    let wrong = pick < all.count ? all[pick] : nil
    return wrong == Self.activity(segment) ? nil : wrong
  }

  /// Made once: `allCases` makes an array each time that it is asked, where nothing inlines it.
  private static let activities = MotionActivity.allCases

  private static func activity(_ segment: Segment) -> MotionActivity {
    guard segment.isMoving else { return .stationary }
    switch segment.mode {
    case .walk: return .walking
    case .bicycle: return .cycling
    case .bus, .tram, .car, .rail: return .automotive
    }
  }
}

extension Segment {
  /// PT1, PT4: Returns whether the system considers the phone to be at rest, given the activity
  /// type that the app declares.
  package func isRest(for activity: ActivityType) -> Bool {
    guard isMoving else { return true }
    switch (activity, mode) {
    case (.other, _): return false
    case (.automotive, .walk), (.automotive, .bicycle): return true
    case (.automotive, .bus), (.automotive, .tram), (.automotive, .car), (.automotive, .rail):
      return false
    case (.fitness, .walk), (.fitness, .bicycle): return false
    case (.fitness, .bus), (.fitness, .tram), (.fitness, .car), (.fitness, .rail): return true
    }
  }
}
