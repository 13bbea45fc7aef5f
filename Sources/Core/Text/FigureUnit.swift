package enum FigureUnit: String, Sendable, Codable {
  /// A share of a whole, 0 … 1.
  case share
  case meters
  case percent = "percent-of-battery"
  case percentPerDay = "percent-of-battery-per-phone-day"
  case perDay = "per-phone-day"
  case bytes
  case bytesPerDay = "bytes-per-phone-day"
  case minutesPerDay = "minutes-per-phone-day"
  case joulesPerDay = "joules-per-phone-day"
  case minutesPerPush = "minutes-per-push"
  case minutesPerJoule = "minutes-per-joule"
  case perSecond = "batches/s"
  case microseconds
  case count
  case money

  /// Returns a value with its unit, but without "/day": "61.2 %", "1.24 %", "3.8", "30 kB".
  package func text(_ value: Double) -> String {
    switch self {
    case .share: Figure.percent(value)
    case .meters: "\(Figure.quantity(value)) m"
    case .percent, .percentPerDay: "\(Figure.quantity(value)) %"
    case .bytes: value < 1_024 ? "\(Figure.quantity(value)) B" : Figure.bytes(value)
    case .bytesPerDay: "\(Figure.quantity(value / 1_000)) kB"
    case .minutesPerDay: "\(Figure.quantity(value)) min"
    case .microseconds: Figure.time(value)
    case .perDay, .joulesPerDay, .minutesPerPush, .minutesPerJoule, .perSecond, .count, .money:
      Figure.quantity(value)
    }
  }

  /// Returns a value as a bound: "61.2 %", "1.24 %/day", "3.8/day".
  package func bound(_ value: Double) -> String {
    text(value) + (rawValue.hasSuffix("-day") ? "/day" : "")
  }

  /// Returns a value for a column: "1.24 %", "1.5 km", "29.3 KiB".
  package func cell(_ value: Double) -> String {
    switch self {
    case .percentPerDay: "\(Figure.hundredths(value)) %"
    case .meters where abs(value) < 1_000: "\(Figure.plain((value * 10).rounded() / 10)) m"
    case .meters: "\(Figure.quantity(value / 1_000)) km"
    case .bytesPerDay: Figure.bytes(value)
    case .minutesPerDay: Figure.quantity(value)
    case _: text(value)
    }
  }

  /// Returns a difference with its interval: "+1.2 (+0.8 … +1.6)", or "~ +0.1 (−0.2 … +0.4)" if
  /// zero is in the interval. Shares are in percentage points.
  package func difference(_ ratio: Ratio) -> String {
    let parts = [ratio.value, ratio.low, ratio.high].map(signed)
    return "\(ratio.mayBeZero ? "~ " : "")\(parts[0]) (\(parts[1]) … \(parts[2]))"
  }

  private func signed(_ value: Double) -> String {
    let cell = cell(abs(value))
    let text = cell.hasSuffix(" %") ? String(cell.dropLast(2)) : cell
    // A value that rounds to zero has no sign.
    guard text.contains(where: { "123456789".contains($0) }) else { return text }
    return (value < 0 ? "−" : "+") + text
  }

  private var endings: [(String, Double)] {
    switch self {
    case .share: [("%", 0.01)]
    case .meters: [("km", 1_000), ("m", 1)]
    case .percentPerDay: [("%", 1)]
    case .bytesPerDay: [("kB", 1e3), ("MB", 1e6), ("B", 1)]
    case .minutesPerDay: [("min", 1)]
    case _: []
    }
  }

  /// Parses a bound: `2%/day` or `2%` of a battery, `4/day`, `60%`, `200m`, `30kB/day`; nil if
  /// invalid.
  package func value(of text: String) -> Double? {
    var text = text.replacing(" ", with: "")
    if rawValue.hasSuffix("-day"), text.hasSuffix("/day") { text.removeLast(4) }
    let ending = endings.first { text.hasSuffix($0.0) }
    text.removeLast(ending?.0.count ?? 0)
    guard let number = Double(text), number.isFinite, number >= 0 else { return nil }
    return number * (ending?.1 ?? 1)
  }
}
