package enum CivilText {
  /// Reads `2026-03-02T07:30`, where seconds and decimals may follow; returns nil for other text.
  package static func instant(_ text: String, _ clock: CivilClock) -> SimInstant? {
    let halves = text.split(separator: "T", omittingEmptySubsequences: false)
    guard halves.count == 2, let day = day(halves[0]), let time = timeOfDay(halves[1]) else {
      return nil
    }
    return clock.instant(of: day, at: time)
  }

  /// Reads a date and time, or a time of day as its first instant from `start` on; nil otherwise.
  package static func instantAfterStart(
    _ text: String, _ clock: CivilClock, start: SimInstant
  ) -> SimInstant? {
    if let instant = instant(text, clock) { return instant }
    guard let time = timeOfDay(text[...]) else { return nil }
    let day = clock.day(at: start)
    let today = clock.instant(of: day, at: time)
    return today < start ? clock.instant(of: day + 1, at: time) : today
  }

  package static func text(_ instant: SimInstant, _ clock: CivilClock) -> String {
    let day = clock.day(at: instant)
    let (year, month, date) = civil(Int64(day))
    let microseconds = clock.timeOfDay(at: instant).microseconds
    let (minutes, rest) = microseconds.quotientAndRemainder(dividingBy: 60_000_000)
    var text =
      "\(two(year, 4))-\(two(month))-\(two(date))T\(two(minutes / 60)):\(two(minutes % 60))"
    if rest > 0 { text += ":\(two(rest / 1_000_000))" }
    if rest % 1_000_000 > 0 { text += ".\(two(rest % 1_000_000, 6))" }
    return text
  }

  /// Reads `08:05`, `08:05:30` or `08:05:30.25`; returns nil for other text.
  package static func timeOfDay(_ text: Substring) -> SimDuration? {
    let parts = text.split(separator: ":", omittingEmptySubsequences: false)
    guard (2...3).contains(parts.count), let hour = digits(parts[0], 2), hour < 24,
      let minute = digits(parts[1], 2), minute < 60
    else { return nil }
    var microseconds = (hour * 60 + minute) * 60_000_000
    if parts.count == 3 {
      let pieces = parts[2].split(separator: ".", omittingEmptySubsequences: false)
      guard pieces.count <= 2, let second = digits(pieces[0], 2), second < 60 else { return nil }
      microseconds += second * 1_000_000
      if pieces.count == 2 {
        guard (1...6).contains(pieces[1].count) else { return nil }
        let padded = pieces[1] + String(repeating: "0", count: 6 - pieces[1].count)
        guard let fraction = digits(padded[...], 6) else { return nil }
        microseconds += fraction
      }
    }
    return .microseconds(microseconds)
  }

  /// Reads an offset east of UTC, such as `+01:00`; returns nil for other text or beyond 14 hours.
  package static func offset(_ text: String) -> SimDuration? {
    guard text.count == 6, let sign = text.first, sign == "+" || sign == "-",
      let time = timeOfDay(text.dropFirst()), time <= .hours(14)
    else { return nil }
    return sign == "+" ? time : .zero - time
  }

  package static func offsetText(_ offset: SimDuration) -> String {
    let minutes = abs(offset.microseconds / 60_000_000)
    return "\(offset < .zero ? "-" : "+")\(two(minutes / 60)):\(two(minutes % 60))"
  }

  private static func two(_ number: Int64, _ width: Int = 2) -> String {
    let text = "\(number)"
    return String(repeating: "0", count: max(0, width - text.count)) + text
  }

  private static func digits(_ text: Substring, _ count: Int) -> Int64? {
    guard text.count == count, text.allSatisfy({ "0123456789".contains($0) }) else { return nil }
    return Int64(text)
  }

  /// The years of a run. Phones and servers count seconds since 1970 in 32 bits, up to February
  /// 2106. The warm start may begin two weeks before the run, and the run may end a month later.
  package static let years: ClosedRange<Int64> = 1971...2105

  private static func day(_ text: Substring) -> Int32? {
    let parts = text.split(separator: "-", omittingEmptySubsequences: false)
    guard parts.count == 3, let year = digits(parts[0], 4), let month = digits(parts[1], 2),
      let date = digits(parts[2], 2), years.contains(year)
    else { return nil }
    return day(year, month, date)
  }

  /// Returns the days since 1970-01-01; nil for no date, or outside the years 1970 to 2199.
  package static func day(_ year: Int64, _ month: Int64, _ date: Int64) -> Int32? {
    guard (1970...2199).contains(year), (1...12).contains(month), (1...31).contains(date) else {
      return nil
    }
    let day = dayNumber(year, month, date)
    // An impossible date, such as 30 February, is converted back to a different one.
    return civil(Int64(day)) == (year, month, date) ? day : nil
  }

  /// Returns the days since 1970-01-01 in the proleptic Gregorian calendar, by eras of 400 years
  /// that begin in March (Hinnant, "chrono-compatible low-level date algorithms").
  private static func dayNumber(_ year: Int64, _ month: Int64, _ date: Int64) -> Int32 {
    let shifted = month <= 2 ? year - 1 : year
    let era = shifted / 400
    let yearOfEra = shifted % 400
    let dayOfYear = (153 * ((month + 9) % 12) + 2) / 5 + date - 1
    let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
    return Int32(era * 146_097 + dayOfEra - 719_468)
  }

  package static func civil(_ day: Int64) -> (year: Int64, month: Int64, date: Int64) {
    let shifted = day + 719_468
    let era = (shifted >= 0 ? shifted : shifted - 146_096) / 146_097
    let dayOfEra = shifted - era * 146_097
    let yearOfEra = (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let shiftedMonth = (5 * dayOfYear + 2) / 153
    let month = (shiftedMonth + 2) % 12 + 1
    let year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
    return (year, month, dayOfYear - (153 * shiftedMonth + 2) / 5 + 1)
  }
}
