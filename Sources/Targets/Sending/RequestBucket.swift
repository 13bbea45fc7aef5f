package import Core

/// A token bucket that spaces requests by a rate. Lateness of up to two milliseconds is made up
/// for, so that a second has at most 0.2 % more requests than the rate.
package struct RequestBucket: Sendable, Equatable {
  /// The number of microseconds per token; 0 without a limit.
  private let interval: Double
  /// The instant of the next token, in wall-clock microseconds.
  private var next = -Double.infinity

  /// The maximum lateness of a request, in microseconds, that delays no later request.
  private static let tolerance = 2_000.0

  /// - Parameter perSecond: the rate of tokens; nil for no limit.
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
