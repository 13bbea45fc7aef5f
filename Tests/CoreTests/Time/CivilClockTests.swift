import TestSupport
import Testing
@testable import Core

@Suite("Civil clock", .quick)
struct CivilClockTests {
  /// Days since 1970-01-01 of dates with a recorded weekday.
  @Test(
    "weekdays of recorded dates are correct",
    arguments: [
      (0, 3),  // 1970-01-01, a Thursday
      (-1, 2),  // 1969-12-31, a Wednesday
      (-165, 6),  // 1969-07-20, a Sunday: the first step on the Moon
      (7_252, 3),  // 1989-11-09, a Thursday: the Berlin Wall opens
      (10_957, 5),  // 2000-01-01, a Saturday
      (19_782, 3),  // 2024-02-29, a Thursday
      (20_514, 0),  // 2026-03-02, a Monday
    ] as [(Int32, Int32)])
  func weekdays(day: Int32, weekday: Int32) {
    #expect(CivilClock(utcOffset: .zero).weekday(of: day) == weekday)
  }

  @Test("a week has seven weekdays in order, before and after 1970")
  func weekdaysGoRound() {
    let clock = CivilClock(utcOffset: .zero)
    for day in Int32(-1_000)..<1_000 {
      let today = clock.weekday(of: day)
      #expect((0...6).contains(today))
      #expect(clock.weekday(of: day + 1) == (today + 1) % 7)
    }
  }

  @Test(
    "a day is from its midnight to the last microsecond before the next",
    arguments: [-39_600, -12_600, 0, 3_600, 19_800, 50_400] as [Int64])
  func dayBorders(offsetSeconds: Int64) {
    let clock = CivilClock(utcOffset: .seconds(offsetSeconds))
    let tick = SimDuration.microseconds(1)
    for day in [-400, -1, 0, 1, 20_514] as [Int32] {
      let midnight = clock.midnight(of: day)
      #expect(clock.day(at: midnight) == day)
      #expect(clock.day(at: midnight - tick) == day - 1)
      #expect(clock.day(at: clock.midnight(of: day + 1) - tick) == day)
      #expect(clock.timeOfDay(at: midnight) == .zero)
      #expect(clock.timeOfDay(at: midnight - tick) == .hours(24) - tick)
      #expect(clock.midnight(of: day + 1) - midnight == .hours(24))
    }
  }

  /// Berlin in 2026: summer time from 29 March to 25 October, 01:00 UTC (EU directive 2000/84).
  static let berlin = CivilClock(
    utcOffset: .hours(1), summerShift: .hours(1),
    from: SimInstant(microseconds: 1_774_746_000_000_000),
    until: SimInstant(microseconds: 1_792_890_000_000_000))

  @Test("TZ1: the local day of the change has 23 hours in spring and 25 in autumn")
  func daysOfTheChange() {
    let clock = Self.berlin
    let tick = SimDuration.microseconds(1)
    // 2026-03-29 and 2026-10-25, both Sundays.
    for (day, hours) in [(20_540, 24), (20_541, 23), (20_542, 24), (20_751, 25)] as [(Int32, Int64)]
    {
      let midnight = clock.midnight(of: day)
      #expect(clock.midnight(of: day + 1) - midnight == .hours(hours))
      #expect(clock.day(at: midnight) == day && clock.day(at: midnight - tick) == day - 1)
      #expect(clock.day(at: clock.midnight(of: day + 1) - tick) == day)
    }
    #expect(clock.weekday(of: 20_541) == 6 && clock.weekday(of: 20_751) == 6)
  }

  @Test(
    "TZ1: a time of day and its instant are inverse across the change, except the hour left out")
  func inverse() {
    let clock = Self.berlin
    for day in [20_541, 20_751] as [Int32] {
      for minute in 0..<(28 * 60) as Range<Int64> {
        let time = SimDuration.minutes(minute)
        let instant = clock.instant(of: day, at: time)
        if day == 20_541, (120..<180).contains(minute) {
          #expect(instant == clock.summerStart)
        } else {
          #expect(clock.time(at: instant, since: day) == time)
        }
        if minute >= 300 { #expect(clock.day(at: instant, from: .hours(5)) == day) }
      }
    }
    // Eight o'clock comes an hour earlier in UTC in summer.
    let before = clock.instant(of: 20_540, at: .hours(8))
    #expect(clock.instant(of: 20_541, at: .hours(8)) - before == .hours(23))
    #expect(clock.timeOfDay(at: before + .hours(24)) == .hours(9))
  }

  @Test("a clock change is strictly between two instants, or is not reported")
  func change() {
    let clock = Self.berlin
    let (start, end) = (clock.summerStart, clock.summerEnd)
    let tick = SimDuration.microseconds(1)
    #expect(clock.change(after: start - tick, before: start + tick) == start)
    #expect(clock.change(after: start, before: start + .hours(24)) == nil)
    #expect(clock.change(after: end - tick, before: end + tick) == end)
    let fixed = CivilClock(utcOffset: .hours(1))
    #expect(fixed.change(after: start - tick, before: end + tick) == nil)
    #expect(!fixed.isSummer(at: SimInstant(microseconds: 0)))
  }

  @Test("the day begins earlier east of Greenwich, and later west of it")
  func offsets() {
    // 2026-03-02T07:30+01:00, the start of the shipped city.
    let start = SimInstant(microseconds: 1_772_433_000_000_000)
    #expect(CivilClock(utcOffset: .hours(1)).timeOfDay(at: start) == .minutes(450))
    #expect(CivilClock(utcOffset: .hours(-8)).timeOfDay(at: start) == .minutes(1_350))
    #expect(CivilClock(utcOffset: .hours(1)).day(at: start) == 20_514)
    #expect(CivilClock(utcOffset: .hours(-8)).day(at: start) == 20_513)
  }
}
