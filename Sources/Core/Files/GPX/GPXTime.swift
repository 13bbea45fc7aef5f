/// Parses ISO 8601 times as recorders write them, such as `2018-11-29T01:48:58Z`. Accepts a
/// fraction after a point or comma, an offset (`+02:00`, `+0200`, `+02`), a space or `t` for the
/// `T`, slashes or points for hyphens, single digits, hour 24 and second 60. Hyphens and colons,
/// seconds and zone may be absent; a time without a zone is UTC.
package enum GPXTime {
  /// Returns the instant of a time; nil if invalid, or outside the years 1970 to 2199.
  package static func instant(_ text: [UInt8]) -> SimInstant? {
    var scan = DigitScan(text)
    scan.skipSpaces()
    guard let day = date(&scan) else { return nil }
    guard scan.take(anyOf: "Tt ") else { return nil }
    scan.skipSpaces()
    guard let time = timeOfDay(&scan), let offset = zone(&scan) else { return nil }
    scan.skipSpaces()
    guard scan.isAtEnd else { return nil }
    let midnight = Int64(day) * 86_400_000_000
    let instant = SimInstant(microseconds: midnight + time - offset)
    return instant.microseconds >= 0 ? instant : nil
  }

  /// Returns the instant of a number of seconds since 1970, or since the start of a simulation, as
  /// SUMO writes it.
  static func seconds(_ text: [UInt8]) -> SimInstant? {
    var scan = DigitScan(text)
    scan.skipSpaces()
    guard let seconds = scan.number(digits: 1...10) else { return nil }
    var fraction: Int64 = 0
    if scan.take(anyOf: ".") {
      guard let read = scan.fraction() else { return nil }
      fraction = read
    }
    scan.skipSpaces()
    return scan.isAtEnd ? SimInstant(microseconds: seconds * 1_000_000 + fraction) : nil
  }

  private static func date(_ scan: inout DigitScan) -> Int32? {
    guard let year = scan.number(digits: 4...4) else { return nil }
    if scan.take(anyOf: "-/.") {
      guard let month = scan.number(digits: 1...2), scan.take(anyOf: "-/."),
        let day = scan.number(digits: 1...2)
      else { return nil }
      return CivilText.day(year, month, day)
    }
    guard let month = scan.number(digits: 2...2), let day = scan.number(digits: 2...2) else {
      return nil
    }
    return CivilText.day(year, month, day)
  }

  /// Returns microseconds since midnight; nil if invalid.
  private static func timeOfDay(_ scan: inout DigitScan) -> Int64? {
    guard let hour = scan.number(digits: 1...2) else { return nil }
    let isBasic = !scan.take(anyOf: ":")
    guard let minute = scan.number(digits: isBasic ? 2...2 : 1...2) else { return nil }
    var microseconds: Int64 = 0
    if isBasic ? scan.isAtDigit : scan.take(anyOf: ":") {
      guard let second = scan.number(digits: isBasic ? 2...2 : 1...2), second <= 60 else {
        return nil
      }
      microseconds = second * 1_000_000
      if scan.take(anyOf: ".,") {
        guard let fraction = scan.fraction() else { return nil }
        microseconds += fraction
      }
    }
    guard minute < 60, hour < 24 || (hour == 24 && minute == 0 && microseconds == 0) else {
      return nil
    }
    return (hour * 60 + minute) * 60_000_000 + microseconds
  }

  /// Returns the offset from UTC in microseconds, positive to the east; nil if invalid.
  private static func zone(_ scan: inout DigitScan) -> Int64? {
    scan.skipSpaces()
    if scan.isAtEnd || scan.take(anyOf: "Zz") { return 0 }
    if scan.take(word: "UTC") || scan.take(word: "GMT") { return 0 }
    let sign: Int64
    if scan.take(anyOf: "+") {
      sign = 1
    } else if scan.take(anyOf: "-") {
      sign = -1
    } else {
      return nil
    }
    guard let hour = scan.number(digits: 1...2) else { return nil }
    _ = scan.take(anyOf: ":")
    let minute = scan.isAtDigit ? scan.number(digits: 2...2) : 0
    guard let minute, hour <= 14, minute < 60 else { return nil }
    return sign * (hour * 60 + minute) * 60_000_000
  }
}

struct DigitScan {
  private let text: [UInt8]
  private var cursor = 0

  init(_ text: [UInt8]) { self.text = text }

  var isAtEnd: Bool { cursor == text.count }
  var isAtDigit: Bool { cursor < text.count && Self.isDigit(text[cursor]) }

  private static func isDigit(_ byte: UInt8) -> Bool { (0x30...0x39).contains(byte) }

  mutating func skipSpaces() {
    while cursor < text.count, XMLScanner.isSpace(text[cursor]) { cursor += 1 }
  }

  mutating func take(anyOf characters: StaticString) -> Bool {
    guard cursor < text.count else { return false }
    let found = characters.withUTF8Buffer { $0.contains(text[cursor]) }
    if found { cursor += 1 }
    return found
  }

  mutating func take(word: String) -> Bool {
    guard text[cursor...].starts(with: word.utf8) else { return false }
    cursor += word.utf8.count
    return true
  }

  mutating func number(digits: ClosedRange<Int>) -> Int64? {
    var value: Int64 = 0
    var count = 0
    while count < digits.upperBound, isAtDigit {
      value = value * 10 + Int64(text[cursor] - 0x30)
      cursor += 1
      count += 1
    }
    return digits.contains(count) ? value : nil
  }

  /// Returns a decimal fraction of a second in whole microseconds, truncated.
  mutating func fraction() -> Int64? {
    guard isAtDigit else { return nil }
    var value: Int64 = 0
    var place: Int64 = 100_000
    while isAtDigit {
      value += place * Int64(text[cursor] - 0x30)
      place /= 10
      cursor += 1
    }
    return value
  }
}
