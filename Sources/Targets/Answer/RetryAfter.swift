internal import Core

/// Parses a requested wait, which is a decimal number of seconds or a date (RFC 9110, 10.2.3).
enum RetryAfter {
  private static let waitMax = WallDuration.hours(24)

  /// Returns the wait, at most 24 h; nil for a past date or any other text. A date counts from the
  /// answer's `Date`, as clocks may differ, else from `now`, in microseconds since 1970.
  static func wait(_ text: String, date: String?, now: Int64?) -> WallDuration? {
    if let wait = wait(decimal: text, unit: 1_000_000) { return wait }
    guard let until = microseconds(httpDate: text),
      let from = date.flatMap(microseconds(httpDate:)) ?? now, until >= from
    else { return nil }
    return min(.microseconds(until - from), waitMax)
  }

  /// Parses a wait in units of `unit` microseconds; nil unless the text is a non-negative number.
  static func wait(decimal text: String, unit: Double) -> WallDuration? {
    let isPlain = text.utf8.allSatisfy { (0x30...0x39).contains($0) || $0 == 0x2E }
    guard isPlain, let number = Double(text) else { return nil }
    return .microseconds(Int64(min(number * unit, Double(waitMax.microseconds)).rounded()))
  }

  /// Returns the time of `Sun, 06 Nov 1994 08:49:37 GMT`, or of one of two older forms (RFC 9110,
  /// section 5.6.7), in microseconds since 1970.
  static func microseconds(httpDate text: String) -> Int64? {
    let words = text.split { " ,-".contains($0) }
    // The day of the week is ignored, since it is redundant.
    let isOldest = words.count == 5
    guard isOldest || words.count == 6 && ["GMT", "UTC"].contains(words[5]) else { return nil }
    let (date, month, year, time) =
      isOldest
      ? (words[2], words[1], words[4], words[3]) : (words[1], words[2], words[3], words[4])
    guard let place = months.firstIndex(of: month), let date = Int64(date), var year = Int64(year),
      let time = CivilText.timeOfDay(time)
    else { return nil }
    if year < 100 { year += year < 70 ? 2_000 : 1_900 }
    guard let day = CivilText.day(year, Int64(place) + 1, date) else { return nil }
    return Int64(day) * 86_400_000_000 + time.microseconds
  }

  private static let months: [Substring] = [
    "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
  ]
}
