internal import Core
internal import Foundation
internal import Scenarios

extension FixFilter {
  /// Returns whether the app keeps `fix`. `always` skips only the comparison with `last`.
  func accepts(_ fix: Fix, after last: Fix?, now: SimInstant, always: Bool) -> Bool {
    guard isSound(fix, now: now) else { return false }
    guard let last, !always else { return true }
    if fix.time <= last.time { return false }
    let elapsed = fix.time.instant - last.time.instant
    switch rule {
    case .everything:
      return true
    case .minimum(let time, let distance):
      return elapsed >= time && fix.distanceMeters(to: last) >= distance.meters
    case .either(let time, let distance, let turn):
      if elapsed >= time || fix.distanceMeters(to: last) >= distance.meters { return true }
      return fix.turnDegrees(from: last) >= turn
    case .significant(let time, let accuracyRatio, let dramatic, let distance):
      if elapsed >= time { return true }
      let accuracy = Double(fix.accuracyMeters)
      let lastAccuracy = Double(last.accuracyMeters)
      if accuracy <= accuracyRatio * lastAccuracy { return true }
      let moved = fix.distanceMeters(to: last)
      return moved >= dramatic.meters || (moved >= distance.meters && accuracy <= lastAccuracy)
    }
  }

  /// Returns whether a fix is as recent and as accurate as the filter requires (SL5, NO3).
  func isSound(_ fix: Fix, now: SimInstant) -> Bool {
    if now - fix.time.instant > maxAge { return false }
    guard let maxAccuracy else { return true }
    return Double(fix.accuracyMeters) <= maxAccuracy.meters
  }
}

extension Fix {
  /// Returns the angle between two courses in degrees, 0 to 180; 0 if either is unknown.
  func turnDegrees(from other: Fix) -> Double {
    guard courseDegrees >= 0, other.courseDegrees >= 0 else { return 0 }
    let turn = abs(Int(courseDegrees) - Int(other.courseDegrees))
    return Double(min(turn, 360 - turn))
  }

  func distanceMeters(to other: Fix) -> Double {
    coordinate.distanceMeters(to: other.coordinate)
  }
}

extension Coordinate {
  /// Returns the distance in metres on a local plane, with the mean Earth radius 6,371,008.8 m.
  func distanceMeters(to other: Coordinate) -> Double {
    let metersPerDegree = 6_371_008.8 * Double.pi / 180
    let dy = (latitude - other.latitude) * metersPerDegree
    let dx = (longitude - other.longitude) * metersPerDegree * cos(latitude * .pi / 180)
    return (dx * dx + dy * dy).squareRoot()
  }
}
