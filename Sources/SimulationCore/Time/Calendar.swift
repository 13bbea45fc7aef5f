/// A city's wall calendar: whole days and the time of day, from a fixed offset to UTC.
///
/// A fixed offset instead of a time-zone database: a run lasts days, not a change of season.
@frozen public struct CivilClock: Hashable, Sendable, BitwiseCopyable {
  /// Is how far the city's clock is ahead of UTC; negative west of Greenwich.
  public let utcOffset: SimDuration

  /// Makes the clock of a city with a fixed offset to UTC.
  @inlinable public init(utcOffset: SimDuration) { self.utcOffset = utcOffset }

  @usableFromInline static var microsecondsPerDay: Int64 { 86_400_000_000 }

  /// Days since 1970-01-01 in local time.
  @inlinable public func day(at instant: SimInstant) -> Int32 {
    let local = instant.microseconds + utcOffset.microseconds
    return Int32(local >= 0 ? local / 86_400_000_000 : (local - 86_399_999_999) / 86_400_000_000)
  }

  /// Local midnight at which `day` begins.
  @inlinable public func midnight(of day: Int32) -> SimInstant {
    SimInstant(microseconds: Int64(day) * 86_400_000_000 - utcOffset.microseconds)
  }

  /// Is the time since local midnight, from zero to under 24 hours.
  @inlinable public func timeOfDay(at instant: SimInstant) -> SimDuration {
    instant - midnight(of: day(at: instant))
  }

  /// 0 = Monday … 6 = Sunday. 1970-01-01 was a Thursday.
  @inlinable public func weekday(of day: Int32) -> Int32 {
    let shifted = (day + 3) % 7
    return shifted >= 0 ? shifted : shifted + 7
  }
}
