package import Core

/// A token bucket for requests. Pure. Requests are spaced by the rate with a tolerance of two
/// milliseconds, so that a second has at most 0.2 % more of them.
package struct RequestBucket: Sendable, Equatable {
  /// Microseconds per token; 0 without a limit.
  private let interval: Double
  /// When the next token is there, in microseconds.
  private var next = -Double.infinity

  /// The lateness of a request that does not delay the next, in microseconds: two turns of a timer.
  private static let tolerance = 2_000.0

  /// - Parameter perSecond: nil for no limit.
  package init(perSecond: Double?) {
    interval = perSecond.map { 1e6 / $0 } ?? 0
  }

  /// Takes a token. Returns nil if one was taken; else when the next is there.
  package mutating func take(at now: WallInstant) -> WallInstant? {
    guard interval > 0 else { return nil }
    let instant = Double(now.microseconds)
    guard next <= instant else { return WallInstant(microseconds: Int64(next.rounded(.up))) }
    // A late timer does not reduce the rate, up to this lateness.
    next = max(next, instant - Self.tolerance) + interval
    return nil
  }
}
