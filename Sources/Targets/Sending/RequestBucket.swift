package import SimulationCore

/// Paces requests: a bucket that fills up at a rate.
///
/// Pure: instants come in. Requests begin no closer to each other than the rate allows, but for two
/// milliseconds' worth, so that a second has at most 0.2 % more of them than it says.
package struct RequestBucket: Sendable, Equatable {
  /// The time in which a token comes, in microseconds; 0: there is no limit.
  private let interval: Double
  /// When the next token is there, in microseconds.
  private var next = -Double.infinity

  /// How late a request may be so that the next is not later for it, in microseconds: two turns of
  /// a timer.
  private static let tolerance = 2_000.0

  /// - Parameter perSecond: the most requests a second; nil: any number.
  package init(perSecond: Double?) {
    interval = perSecond.map { 1e6 / $0 } ?? 0
  }

  /// Takes a token, if there is one.
  ///
  /// - Returns: nil if it was taken; else when the next is there.
  package mutating func take(at now: WallInstant) -> WallInstant? {
    guard interval > 0 else { return nil }
    let instant = Double(now.microseconds)
    guard next <= instant else { return WallInstant(microseconds: Int64(next.rounded(.up))) }
    // A timer that is late costs nothing of the rate, up to this time.
    next = max(next, instant - Self.tolerance) + interval
    return nil
  }
}
