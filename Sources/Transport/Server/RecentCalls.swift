internal import Foundation
internal import SimulationCore

/// The calls of one connection of late: each counts 1 and fades.
struct RecentCalls {
  /// Of the fading. Longer than a pool takes for its round trips, shorter than a phone's back-off.
  private static let timeConstant = 0.1

  private var count = 0.0
  private var at = WallInstant.distantPast

  /// The count with the call that comes now.
  mutating func add(at now: WallInstant) -> Double {
    if now > at {
      count *= exp(-(now - at).seconds / Self.timeConstant)
      at = now
    }
    count += 1
    return count
  }
}
