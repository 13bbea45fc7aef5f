internal import Foundation

package enum Figure {
  /// The locale of all numbers, kept because making a locale costs more than formatting a number.
  private static let posix = Locale(identifier: "en_US_POSIX")

  /// Returns up to three decimals without trailing zeros: "50000", "0.97", "1.4".
  package static func plain(_ value: Double) -> String {
    let thousandths = (abs(value) * 1_000).rounded(.toNearestOrEven)
    guard thousandths < 1e15 else { return "\(value)" }
    // A timeline has tens of thousands of figures, and a format string costs microseconds.
    let whole = Int(thousandths) / 1_000
    var digits = Int(thousandths) % 1_000
    let sign = value < 0 && thousandths > 0 ? "-" : ""
    guard digits > 0 else { return sign + String(whole) }
    var places = 3
    while digits % 10 == 0 {
      digits /= 10
      places -= 1
    }
    let tail = String(digits)
    return "\(sign)\(whole)." + String(repeating: "0", count: places - tail.count) + tail
  }

  /// Returns a share, 0 … 1, as "97.3 %".
  package static func percent(_ share: Double) -> String {
    // A damaged file may contain a number of hundreds of digits.
    guard abs(share) < 1e13 else { return "\(share * 100) %" }
    return String(format: "%.1f %%", locale: posix, share * 100)
  }

  /// Returns two decimals, for aligned columns: "1.24".
  package static func hundredths(_ value: Double) -> String {
    let whole = Int(nearest: value * 100)
    let rest = abs(whole) % 100
    return "\(whole < 0 ? "−" : "")\(abs(whole) / 100).\(rest < 10 ? "0" : "")\(rest)"
  }

  /// Returns 1234567 as "1,234,567".
  package static func grouped(_ count: Int) -> String {
    let digits = String(count.magnitude)
    var text = ""
    for (i, digit) in digits.enumerated() {
      if i > 0, (digits.count - i) % 3 == 0 { text.append(",") }
      text.append(digit)
    }
    return count < 0 ? "-" + text : text
  }

  /// Returns a rounded number with separators, even if it does not fit an `Int`.
  package static func grouped(_ count: Double) -> String { grouped(Int(nearest: count)) }

  /// Returns whole numbers and numbers from 100 on without decimals ("1,341"), three digits from 1
  /// on ("80.5"), three decimals below ("0.088"), and two digits below a thousandth ("0.00045").
  package static func quantity(_ value: Double) -> String {
    let magnitude = abs(value)
    guard value.isFinite, magnitude < 1e15 else { return plain(value) }
    if magnitude >= 100 || value == value.rounded() { return grouped(Int(value.rounded())) }
    if magnitude >= 1 { return significant(value) }
    guard (least..<0.001).contains(magnitude) else { return plain(value) }
    let places = 1 - Int(log10(magnitude).rounded(.down))
    return String(format: "%.*f", locale: posix, places, value)
  }

  private static let least = 1e-6

  /// Returns microseconds in a suitable unit: "840 µs", "12.3 ms", "1.4 s".
  package static func time(_ microseconds: Double) -> String {
    switch microseconds {
    case ..<1_000: "\(plain(microseconds.rounded())) µs"
    case ..<1_000_000: "\(significant(microseconds / 1_000)) ms"
    default: "\(significant(microseconds / 1_000_000)) s"
    }
  }

  /// Returns bytes in a suitable unit: "512 B", "1.5 MiB".
  package static func bytes(_ count: Int) -> String {
    let units = ["B", "KiB", "MiB", "GiB", "TiB"]
    var value = Double(count)
    var unit = 0
    while value >= 1_024, unit < units.count - 1 {
      value /= 1_024
      unit += 1
    }
    return "\(significant(value)) \(units[unit])"
  }

  /// Returns bytes in a suitable unit, even if the number does not fit an `Int`.
  package static func bytes(_ count: Double) -> String { bytes(Int(nearest: count)) }

  /// Returns a bit rate in a suitable unit: "840 bit/s", "12.3 kbit/s", "1.4 Mbit/s".
  package static func bits(_ perSecond: Double) -> String {
    switch abs(perSecond) {
    case ..<1e3: "\(plain(perSecond.rounded())) bit/s"
    case ..<1e6: "\(significant(perSecond / 1e3)) kbit/s"
    case ..<1e9: "\(significant(perSecond / 1e6)) Mbit/s"
    default: "\(significant(perSecond / 1e9)) Gbit/s"
    }
  }

  private static func significant(_ value: Double) -> String {
    let magnitude = abs(value)
    guard magnitude < 1e15 else { return "\(value)" }
    let decimals = magnitude >= 100 ? 0 : magnitude >= 10 ? 1 : 2
    let text = String(format: "%.\(decimals)f", locale: posix, value)
    guard decimals > 0 else { return text }
    return plain(Double(text) ?? value)
  }
}

extension Int {
  /// Rounds to the nearest whole number, from -10^18 to 10^18; NaN becomes 0.
  package init(nearest value: Double) {
    self = value.isNaN ? 0 : Int(Swift.max(-1e18, Swift.min(1e18, value)).rounded())
  }
}
