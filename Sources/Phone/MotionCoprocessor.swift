package import Core
package import Scenarios

/// Classifies a segment's movement some seconds after its start, at times wrongly (AC5).
package struct MotionCoprocessor: Sendable, BitwiseCopyable {
  let seed: UInt64
  let profile: MotionProfile

  package func recognised(_ isMoving: Bool, at start: SimInstant, phone: PhoneID) -> SimInstant {
    var draw = Draw(seed: seed, phone: phone.rawValue, .motionLag, start.microseconds)
    return start + draw.time(within: isMoving ? profile.lag : profile.restLag)
  }

  package func activity(in segment: Segment, phone: PhoneID) -> MotionActivity? {
    var draw = Draw(
      seed: seed, phone: phone.rawValue, .motionConfusion, segment.start.microseconds)
    guard draw.chance(profile.confusion) else { return Self.activity(segment) }
    // A draw of the right activity counts as unknown, which doubles the chance of unknown.
    let all = Self.activities
    let pick = Int(draw.uniform() * Double(all.count + 1))
    let wrong = pick < all.count ? all[pick] : nil
    return wrong == Self.activity(segment) ? nil : wrong
  }

  /// Stored, because `allCases` creates an array at each call.
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
  /// PT1, PT4: Whether the system considers the phone at rest, given the app's activity type.
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
