/// A city's civil calendar: its offset to UTC and the one summer time that a run may touch.
@frozen public struct CivilClock: Hashable, Sendable, BitwiseCopyable {
  /// The offset outside summer time; negative west of Greenwich.
  public let utcOffset: SimDuration
  public let summerShift: SimDuration
  public let summerStart: SimInstant
  /// The length of summer time in microseconds; 0 if there is none.
  @usableFromInline let summerLength: UInt64

  @inlinable public init(utcOffset: SimDuration) {
    self.utcOffset = utcOffset
    summerShift = .zero
    summerStart = SimInstant(microseconds: 0)
    summerLength = 0
  }

  @inlinable public init(
    utcOffset: SimDuration, summerShift shift: SimDuration, from start: SimInstant,
    until end: SimInstant
  ) {
    self.utcOffset = utcOffset
    summerShift = shift
    summerStart = start
    summerLength = UInt64(max(0, (end - start).microseconds))
  }

  /// The first instant after summer time; `summerStart` if there is none.
  @inlinable public var summerEnd: SimInstant {
    SimInstant(microseconds: summerStart.microseconds + Int64(summerLength))
  }

  /// Returns whether summer time applies, by one comparison; never true without summer time.
  @inlinable public func isSummer(at instant: SimInstant) -> Bool {
    UInt64(bitPattern: instant.microseconds &- summerStart.microseconds) < summerLength
  }

  @inlinable public func offset(at instant: SimInstant) -> SimDuration {
    isSummer(at: instant) ? utcOffset + summerShift : utcOffset
  }

  @inlinable func localTime(of instant: SimInstant) -> Int64 {
    instant.microseconds + offset(at: instant).microseconds
  }

  /// Returns the days since 1970-01-01 in local time.
  @inlinable public func day(at instant: SimInstant) -> Int32 { day(at: instant, from: .zero) }

  /// Returns the days since 1970-01-01 in local time, if each day begins at `border`.
  @inlinable public func day(at instant: SimInstant, from border: SimDuration) -> Int32 {
    let local = localTime(of: instant) - border.microseconds
    return Int32(local >= 0 ? local / 86_400_000_000 : (local - 86_399_999_999) / 86_400_000_000)
  }

  @inlinable public func midnight(of day: Int32) -> SimInstant { instant(of: day, at: .zero) }

  /// Returns when the city's clocks first show a time of a day; hours beyond 24 are in the next
  /// day. For a time that a clock change skips, returns the change.
  @inlinable public func instant(of day: Int32, at time: SimDuration) -> SimInstant {
    let standard = SimInstant(
      microseconds: Int64(day) * 86_400_000_000 + time.microseconds - utcOffset.microseconds)
    if summerLength == 0 { return standard }
    let summer = standard - summerShift
    if isSummer(at: summer) { return summer }
    return isSummer(at: standard) ? summerStart : standard
  }

  /// Returns the local time of the day, from zero to less than 24 hours.
  @inlinable public func timeOfDay(at instant: SimInstant) -> SimDuration {
    time(at: instant, since: day(at: instant))
  }

  /// Returns the clock time since the midnight of a day: 25 h is 01:00 of the next day.
  @inlinable public func time(at instant: SimInstant, since day: Int32) -> SimDuration {
    SimDuration(microseconds: localTime(of: instant) - Int64(day) * 86_400_000_000)
  }

  /// Returns the clock change between the two instants; nil if there is none.
  @inlinable public func change(after from: SimInstant, before to: SimInstant) -> SimInstant? {
    if summerLength == 0 { return nil }
    if from < summerStart, summerStart < to { return summerStart }
    return from < summerEnd && summerEnd < to ? summerEnd : nil
  }

  /// Returns 0 for Monday … 6 for Sunday. 1970-01-01 was a Thursday.
  @inlinable public func weekday(of day: Int32) -> Int32 {
    let shifted = (day + 3) % 7
    return shifted >= 0 ? shifted : shifted + 7
  }
}
