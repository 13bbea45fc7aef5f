internal import SimulationCore

/// What the numbers of a file's times count.
///
/// One number does not say it: 806,434,679 is a second of 1995 since 1970, and one of 2026 since
/// 2001. No phone logged fixes before 2001, so a number that would lie there is marked as it is
/// read, and all of a file's together say what they count. Where they are the fewer, they are of
/// phones whose clock was not set.
enum LogClock: Equatable {
  case since1970
  /// Counts seconds from a moment that is not known, as recordings of experiments do.
  case unknown
  /// Apple's `timeIntervalSinceReferenceDate`.
  case since2001
  /// Counts days, on a clock without a zone, from 1899-12-30.
  case spreadsheet

  /// 2001-01-01, in microseconds since 1970.
  private static let reference: Int64 = 978_307_200_000_000
  /// 2007-01-09, when there was an iPhone, in microseconds since 2001.
  private static let firstSince2001: Int64 = 189_993_600_000_000
  /// 2001-01-01 to 2100-01-01 in days of a spreadsheet, a million for each.
  private static let days: Range<Int64> = 36_892_000_000..<73_051_000_000
  /// 1970-01-01 in days of a spreadsheet.
  private static let day1970: Int64 = 25_569
  /// Far below all times, in their order.
  private static let mark: Int64 = 1 << 62

  /// Finds out what the marked numbers count.
  ///
  /// - Parameter numbers: at least one, sorted; a third at either end does not count, so that
  ///   seconds from 0 on, however many, are not days of a spreadsheet.
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

  /// A day as `20240501`; nil: a marked number is none.
  static func day(_ number: Int64) -> Int64? {
    let (day, rest) = (number + mark).quotientAndRemainder(dividingBy: 1_000_000)
    let isDay = CivilText.day(day / 10_000, day / 100 % 100, day % 100) != nil
    return isDay && rest == 0 ? day : nil
  }

  /// Marks microseconds of a number that would lie before 2001.
  static func marked(_ microseconds: Int64) -> Int64 {
    microseconds < reference ? microseconds - mark : microseconds
  }

  static func isMarked(_ time: Int64) -> Bool { time < 0 }

  /// Microseconds since 1970 of a number that is marked.
  func instant(_ number: Int64) -> Int64 {
    let number = number + Self.mark
    switch self {
    case .since1970, .unknown: return number
    case .since2001: return number + Self.reference
    case .spreadsheet:
      // Six digits of a day are known, which is 86 ms: the whole second is meant.
      let first = Self.day1970 * 1_000_000
      // What is no such day is as far away as one may be.
      let sinceThen = min(max(number, first), Self.days.upperBound) - first
      return (sinceThen * 864 + 5_000) / 10_000 * 1_000_000
    }
  }

  /// Completes a sentence that begins with the column; nil: nothing is to be said.
  var meaning: String? {
    switch self {
    case .since1970: nil
    case .unknown: "counts from no known day, taken as seconds since 1970"
    case .since2001: "counts seconds since 2001"
    case .spreadsheet: "counts days of a spreadsheet, taken as UTC"
    }
  }
}
