internal import Core

/// The unit and the epoch of a log's numeric times, if its user names them.
package enum LogEpoch: String, CaseIterable, Sendable {
  case s, ms, us, apple

  /// Returns the microseconds since 1970 of a number; nil if out of range.
  func instant(_ whole: Int64, _ fraction: Int64) -> Int64? {
    // No allowed time has 17 digits, and with fewer nothing overflows.
    guard whole < 10_000_000_000_000_000 else { return nil }
    return switch self {
    case .s where whole < LogValue.endMicroseconds / 1_000_000: whole * 1_000_000 + fraction
    case .ms where whole < LogValue.endMicroseconds / 1_000: whole * 1_000 + fraction / 1_000
    case .us: whole
    case .apple where whole < LogValue.endMicroseconds / 1_000_000:
      whole * 1_000_000 + fraction + LogClock.reference
    case .s, .ms, .apple: nil
    }
  }
}

/// The epoch of a file's numeric times: 806,434,679 s after 1970 is in 1995, but after 2001 in
/// 2026. No phone logged before 2001, so a minority of earlier times is due to unset clocks.
enum LogClock: Equatable {
  case since1970
  /// Seconds from an unknown moment, as in recordings of experiments.
  case unknown
  /// Apple's `timeIntervalSinceReferenceDate`.
  case since2001
  /// Days from 1899-12-30, on a clock without a zone.
  case spreadsheet

  /// 2001-01-01, in microseconds since 1970.
  fileprivate static let reference: Int64 = 978_307_200_000_000
  /// 2007-01-09, the day the iPhone was presented, in microseconds since 2001.
  private static let firstSince2001: Int64 = 189_993_600_000_000
  /// The days from 2001-01-01 to 2100-01-01 of a spreadsheet's clock, in millionths of a day.
  private static let days: Range<Int64> = 36_892_000_000..<73_051_000_000
  private static let day1970: Int64 = 25_569
  /// The amount subtracted from marked times, which keeps their order but makes them negative.
  private static let mark: Int64 = 1 << 62

  /// - Parameter numbers: Marked times, at least one, sorted. A third at either end is ignored, so
  ///   that seconds from 0 on are not read as spreadsheet days.
  init(counting numbers: [Int64]) {
    let third = numbers.count / 3
    let low = numbers[third] + Self.mark
    let high = numbers[numbers.count - 1 - third] + Self.mark
    if Self.days.contains(low), Self.days.contains(high) {
      self = .spreadsheet
    } else {
      self = low >= Self.firstSince2001 ? .since2001 : .unknown
    }
  }

  /// Returns the day that a marked number states as `20240501`; nil if the number is no such day.
  static func day(_ number: Int64) -> Int64? {
    let (day, rest) = (number + mark).quotientAndRemainder(dividingBy: 1_000_000)
    let isDay = CivilText.day(day / 10_000, day / 100 % 100, day % 100) != nil
    return isDay && rest == 0 ? day : nil
  }

  /// Marks a time that would lie before 2001 as a number with an unknown epoch.
  static func marked(_ microseconds: Int64) -> Int64 {
    microseconds < reference ? microseconds - mark : microseconds
  }

  static func isMarked(_ time: Int64) -> Bool { time < 0 }

  /// Returns the instant of a marked number on this clock, in microseconds since 1970.
  func instant(_ number: Int64) -> Int64 {
    let number = number + Self.mark
    switch self {
    case .since1970, .unknown: return number
    case .since2001: return number + Self.reference
    case .spreadsheet:
      // Rounds to the whole second: a day has six decimals, which is a resolution of 86 ms.
      let first = Self.day1970 * 1_000_000
      // Clamps numbers outside the range of valid days.
      let sinceThen = min(max(number, first), Self.days.upperBound) - first
      return (sinceThen * 864 + 5_000) / 10_000 * 1_000_000
    }
  }

  /// The end of a sentence that begins with the column's name; nil if there is nothing to report.
  var meaning: String? {
    switch self {
    case .since1970: nil
    case .unknown: "has an unknown epoch, read as seconds since 1970"
    case .since2001: "is in seconds since 2001"
    case .spreadsheet: "is in spreadsheet days, read as UTC"
    }
  }
}
