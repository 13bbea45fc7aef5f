internal import Core
internal import Foundation

/// A connection's recent calls: each counts 1 and decays.
struct RecentCalls {
  /// In seconds. Longer than a pool's round trips, shorter than a phone's backoff.
  private static let timeConstant = 0.1

  private var count = 0.0
  private var at = WallInstant.distantPast

  /// Returns the count including this call.
  mutating func add(at now: WallInstant) -> Double {
    if now > at {
      count *= exp(-(now - at).seconds / Self.timeConstant)
      at = now
    }
    count += 1
    return count
  }
}
