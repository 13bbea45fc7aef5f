package import Core

/// A token bucket for requests. Pure. It spaces requests by the rate, with a tolerance of two
/// milliseconds, so that a second has at most 0.2 % more requests than the rate.
package struct RequestBucket: Sendable, Equatable {
  /// Microseconds per token; 0 without a limit.
  private let interval: Double
  /// The instant of the next token, in wall-clock microseconds.
  private var next = -Double.infinity

  /// The lateness of a request that delays no later request, in microseconds: two timer ticks.
  private static let tolerance = 2_000.0

  /// - Parameter perSecond: nil for no limit.
  package init(perSecond: Double?) {
    interval = perSecond.map { 1e6 / $0 } ?? 0
  }

  /// Takes a token and returns nil. If none is available, returns the instant of the next token.
  package mutating func take(at now: WallInstant) -> WallInstant? {
    guard interval > 0 else { return nil }
    let instant = Double(now.microseconds)
    guard next <= instant else { return WallInstant(microseconds: Int64(next.rounded(.up))) }
    // A timer that is late by no more than the tolerance does not reduce the rate.
    next = max(next, instant - Self.tolerance) + interval
    return nil
  }
}
