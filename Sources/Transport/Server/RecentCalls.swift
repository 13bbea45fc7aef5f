internal import Core
internal import Foundation

/// The decaying count of a connection's recent calls. Each call counts 1 at first.
struct RecentCalls {
  /// The time constant of the decay in seconds: longer than a round trip, shorter than a backoff.
  private static let timeConstant = 0.1

  private var count = 0.0
  private var at = WallInstant.distantPast

  /// Adds a call and returns the count with this call.
  mutating func add(at now: WallInstant) -> Double {
    if now > at {
      count *= exp(-(now - at).seconds / Self.timeConstant)
      at = now
    }
    count += 1
    return count
  }
}
