internal import Foundation
internal import Scenarios
internal import SimulationCore
internal import Telemetry

extension FixFilter {
  /// Whether the app keeps `fix`, given the last one it kept.
  ///
  /// - Parameter always: skips the comparison with the last fix, not the limits on age and
  ///   accuracy: those judge the fix itself.
  func accepts(_ fix: Fix, after last: Fix?, now: SimInstant, always: Bool) -> Bool {
    if now - fix.time.instant > maxAge { return false }
    if let maxAccuracy, Double(fix.accuracyMeters) > maxAccuracy.meters { return false }
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
}

extension Fix {
  /// 0 ... 180; 0 where either course is unknown.
  func turnDegrees(from other: Fix) -> Double {
    guard courseDegrees >= 0, other.courseDegrees >= 0 else { return 0 }
    let turn = abs(Int(courseDegrees) - Int(other.courseDegrees))
    return Double(min(turn, 360 - turn))
  }

  /// Metres, on the local plane of the two fixes (mean Earth radius 6,371,008.8 m).
  func distanceMeters(to other: Fix) -> Double {
    let metersPerDegree = 6_371_008.8 * Double.pi / 180
    let dy = (coordinate.latitude - other.coordinate.latitude) * metersPerDegree
    let dx =
      (coordinate.longitude - other.coordinate.longitude) * metersPerDegree
      * cos(coordinate.latitude * .pi / 180)
    return (dx * dx + dy * dy).squareRoot()
  }
}
