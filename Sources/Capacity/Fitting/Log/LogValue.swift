internal import Core

/// Parses the fields of a row without allocating strings.
enum LogValue {
  /// The first instant that is out of range: the year 2200.
  static let endMicroseconds: Int64 = 7_258_118_400_000_000

  /// Returns microseconds since 1970, from ISO 8601 or from a number whose size tells its unit,
  /// seconds to nanoseconds. Marks numbers before 2001. Returns nil outside the years 1970 to 2199.
  /// - Parameter epoch: The epoch of numbers, if it is known.
  static func time(_ field: ArraySlice<UInt8>, _ epoch: LogEpoch? = nil) -> Int64? {
    let text = trimmed(field)
    guard let first = text.first, isDigit(first) else { return nil }
    guard let (whole, fraction, digits) = decimal(text) else {
      return GPXTime.instant(Array(text))?.microseconds
    }
    let number =
      epoch.map { $0.instant(whole, fraction) } ?? microseconds(whole, fraction, digits)
    guard let number, number < endMicroseconds else { return nil }
    return epoch == nil ? LogClock.marked(number) : number
  }

  /// Returns microseconds since 1970, from a day and a time of day.
  static func time(day: ArraySlice<UInt8>, timeOfDay: ArraySlice<UInt8>) -> Int64? {
    GPXTime.instant(trimmed(day) + [0x54] + trimmed(timeOfDay))?.microseconds
  }

  /// Parses digits with an optional fraction; nil for other text.
  private static func decimal(
    _ text: ArraySlice<UInt8>
  ) -> (whole: Int64, fraction: Int64, digits: Int)? {
    var whole: Int64 = 0
    var digits = 0
    var at = text.startIndex
    while at < text.endIndex, isDigit(text[at]) {
      guard digits < 18 || (digits < 19 && whole < 900_000_000_000_000_000) else { return nil }
      whole = whole * 10 + Int64(text[at] - 0x30)
      digits += 1
      at += 1
    }
    var fraction: Int64 = 0
    var place: Int64 = 100_000
    if at < text.endIndex, text[at] == 0x2E || text[at] == 0x2C {
      at += 1
      guard at < text.endIndex else { return nil }
      while at < text.endIndex, isDigit(text[at]) {
        fraction += place * Int64(text[at] - 0x30)
        place /= 10
        at += 1
      }
    }
    return at == text.endIndex ? (whole, fraction, digits) : nil
  }

  private static func microseconds(_ whole: Int64, _ fraction: Int64, _ digits: Int) -> Int64? {
    if let date = date(whole, digits) { return date }
    switch whole {
    case ..<100_000_000_000: return whole * 1_000_000 + fraction
    case ..<100_000_000_000_000: return whole * 1_000 + fraction / 1_000
    case ..<100_000_000_000_000_000: return whole
    case _: return whole / 1_000
    }
  }

  /// Parses dates such as `202603020730` and `20260302073000`, which in milliseconds would lie in
  /// 1976 and after 2199. Returns nil for other numbers.
  private static func date(_ whole: Int64, _ digits: Int) -> Int64? {
    guard digits == 12 || digits == 14 else { return nil }
    let (minutes, second) =
      digits == 12 ? (whole, 0) : whole.quotientAndRemainder(dividingBy: 100)
    let (date, time) = minutes.quotientAndRemainder(dividingBy: 10_000)
    guard time / 100 < 24, time % 100 < 60, second < 60,
      let day = CivilText.day(date / 10_000, date / 100 % 100, date % 100)
    else { return nil }
    return ((Int64(day) * 24 + time / 100) * 60 + time % 100) * 60_000_000 + second * 1_000_000
  }

  /// Returns whether a field is one of the common null markers.
  static func isNothing(_ field: ArraySlice<UInt8>) -> Bool {
    guard field.count <= nothingBytesMax else { return false }
    // swift-format-ignore: what is no UTF-8 is none of them.
    return nothing.contains(String(decoding: field, as: UTF8.self).lowercased())
  }

  private static let nothing: Set = [
    "null", "(null)", "nan", "\\n", "n/a", "#n/a", "na", "nil", "none", "-", "undefined",
  ]
  private static let nothingBytesMax = 9

  /// Parses a decimal with a point, or a comma if that separates no fields; nil for other text.
  static func number(_ field: ArraySlice<UInt8>) -> Double? {
    let text = trimmed(field)
    var at = text.startIndex
    var isNegative = false
    if at < text.endIndex, text[at] == 0x2D || text[at] == 0x2B {
      isNegative = text[at] == 0x2D
      at += 1
    }
    var mantissa: Int64 = 0
    var scale = 0
    var digits = 0
    var isFraction = false
    while at < text.endIndex {
      let byte = text[at]
      if isDigit(byte) {
        digits += 1
        if mantissa < 100_000_000_000_000_000 {
          mantissa = mantissa * 10 + Int64(byte - 0x30)
          if isFraction { scale -= 1 }
        } else if !isFraction {
          scale += 1
        }
      } else if byte == 0x2E || byte == 0x2C, !isFraction {
        isFraction = true
      } else {
        break
      }
      at += 1
    }
    guard digits > 0 else { return nil }
    if at < text.endIndex {
      guard let exponent = exponent(text[at...]) else { return nil }
      scale += exponent
    }
    // Divides: the quotient of two exact numbers is rounded once, a product with 0.1 twice.
    let magnitude =
      scale < 0 ? Double(mantissa) / power(-scale) : Double(mantissa) * power(scale)
    guard magnitude.isFinite else { return nil }
    return isNegative ? -magnitude : magnitude
  }

  private static func exponent(_ text: ArraySlice<UInt8>) -> Int? {
    var at = text.startIndex
    guard text[at] == 0x45 || text[at] == 0x65 else { return nil }
    at += 1
    var sign = 1
    if at < text.endIndex, text[at] == 0x2D || text[at] == 0x2B {
      sign = text[at] == 0x2D ? -1 : 1
      at += 1
    }
    var value = 0
    let first = at
    while at < text.endIndex, isDigit(text[at]), value < 1_000 {
      value = value * 10 + Int(text[at] - 0x30)
      at += 1
    }
    return at == text.endIndex && at > first ? sign * value : nil
  }

  private static func power(_ scale: Int) -> Double {
    var factor = 1.0
    for _ in 0..<min(400, scale) { factor *= 10 }
    return factor
  }

  static func trimmed(_ field: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
    var field = field
    while let first = field.first, first == 0x20 || first == 0x09 { field.removeFirst() }
    while let last = field.last, last == 0x20 || last == 0x09 { field.removeLast() }
    return field
  }

  private static func isDigit(_ byte: UInt8) -> Bool { (0x30...0x39).contains(byte) }
}
