internal import Core

extension Shape<SimInstant> {
  private static var example: String { "a local date and time such as 2026-03-02T07:30" }

  static var instant: Shape {
    .scalar(
      "\(example), from \(CivilText.years.lowerBound) to \(CivilText.years.upperBound)",
      parse: { (text, reading) throws(ValueError) in
        guard let instant = CivilText.instant(text, reading.clock) else {
          throw ValueError("'\(text)' is not a date and time")
        }
        return instant
      },
      show: { value, scenario in CivilText.text(value, scenario.clock) })
  }

  /// An instant in standard time, so that the hour of a clock change is unambiguous.
  static var standardInstant: Shape {
    .scalar(
      "\(example) in the city's standard time",
      parse: { (text, reading) throws(ValueError) in
        let standard = CivilClock(utcOffset: reading.clock.utcOffset)
        guard let instant = CivilText.instant(text, standard) else {
          throw ValueError("'\(text)' is not a date and time")
        }
        return instant
      },
      show: { value, scenario in
        CivilText.text(value, CivilClock(utcOffset: scenario.city.utcOffset))
      })
  }

  /// An instant; a time of day means the first such time at or after the scenario's start.
  static var instantAfterStart: Shape {
    .scalar(
      "a time of day such as 08:05, or \(example)",
      parse: { (text, reading) throws(ValueError) in
        guard
          let instant = CivilText.instantAfterStart(text, reading.clock, start: reading.start)
        else { throw ValueError("'\(text)' is not a time of day") }
        return instant
      },
      show: { value, scenario in CivilText.text(value, scenario.clock) })
  }
}

extension Shape<SimDuration> {
  static var utcOffset: Shape {
    .scalar(
      "an offset from -14:00 to +14:00, such as +01:00",
      parse: { (text, _) throws(ValueError) in
        guard let offset = CivilText.offset(text) else {
          throw ValueError("'\(text)' is not an offset to UTC")
        }
        return offset
      },
      show: { value, _ in CivilText.offsetText(value) })
  }
}
