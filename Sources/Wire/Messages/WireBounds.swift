internal import Core

/// Bounds for numbers in messages, within which sums, products and conversions cannot overflow.
enum WireBounds {
  /// Ten years in microseconds: longer than any wait or run.
  static let span = 3_650 * 86_400_000_000 as Int64
  /// Microseconds since 1970, whose seconds must fit 32 bits.
  static let clock: ClosedRange<Int64> = 0...4_294_967_295_999_999
  /// A bound above any count, and small enough to add a thousand counts.
  static let count: UInt64 = 1 << 53
  static let figure = -1e15...1e15
  /// A range with every distance on Earth.
  static let meters = 0...1e9

  static func instant<Timeline>(
    _ field: String, _ microseconds: Int64
  ) throws(WireError) -> TimePoint<Timeline> {
    let instant = TimePoint<Timeline>(microseconds: microseconds)
    guard instant.isWithinReach else {
      let (first, last) = (TimePoint<Timeline>.distantPast, TimePoint<Timeline>.distantFuture)
      throw .outOfBounds(
        field: field, "\(microseconds)", "\(first.microseconds) to \(last.microseconds)")
    }
    return instant
  }

  static func clock(_ field: String, _ microseconds: Int64) throws(WireError) -> SimInstant {
    guard clock.contains(microseconds) else {
      throw .outOfBounds(
        field: field, "\(microseconds)", "\(clock.lowerBound) to \(clock.upperBound)")
    }
    return SimInstant(microseconds: microseconds)
  }

  static func stamp(_ field: String, _ centiseconds: Int64) throws(WireError) -> FixTime {
    let time = FixTime(centiseconds: centiseconds)
    guard time.isWithinReach else {
      let (first, last) = (FixTime(.distantPast), FixTime(.distantFuture))
      throw .outOfBounds(
        field: field, "\(centiseconds)", "\(first.centiseconds) to \(last.centiseconds)")
    }
    return time
  }

  /// - Parameter least: the least span, below zero for times that may be in the past.
  static func span<Timeline>(
    _ field: String, _ microseconds: Int64, from least: Int64 = 0
  ) throws(WireError) -> TimeSpan<Timeline> {
    guard (least...span).contains(microseconds) else {
      throw .outOfBounds(field: field, "\(microseconds)", "\(least) to \(span)")
    }
    return .microseconds(microseconds)
  }

  /// Returns `number`; throws if it is out of range, as NaN always is.
  static func number(
    _ field: String, _ number: Double, in range: ClosedRange<Double>
  ) throws(WireError) -> Double {
    guard range.contains(number) else {
      throw .outOfBounds(
        field: field, "\(number)", "\(range.lowerBound) to \(range.upperBound)")
    }
    return number
  }

  static func count(_ field: String, _ number: UInt64) throws(WireError) -> UInt64 {
    guard number <= count else { throw .outOfBounds(field: field, "\(number)", "0 to \(count)") }
    return number
  }
}
