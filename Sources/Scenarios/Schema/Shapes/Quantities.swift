package import Core

/// A unit and its value in the base unit of its quantity.
struct Unit {
  let symbol: String
  let worth: Double
}

enum Quantity {
  /// The units of time, with their worth in microseconds.
  static let times = [
    Unit(symbol: "d", worth: 86_400e6), Unit(symbol: "h", worth: 3_600e6),
    Unit(symbol: "min", worth: 60e6), Unit(symbol: "s", worth: 1e6),
    Unit(symbol: "ms", worth: 1e3), Unit(symbol: "us", worth: 1),
  ]
  /// The units of distance, with their worth in metres.
  static let distances = [Unit(symbol: "km", worth: 1_000), Unit(symbol: "m", worth: 1)]
  /// The units of speed, with their worth in metres per second.
  static let speeds = [Unit(symbol: "km/h", worth: 1 / 3.6), Unit(symbol: "m/s", worth: 1)]
  /// The units of size, with their worth in bytes.
  static let sizes = [
    Unit(symbol: "GiB", worth: 0x1p30), Unit(symbol: "MiB", worth: 0x1p20),
    Unit(symbol: "KiB", worth: 0x1p10), Unit(symbol: "G", worth: 1e9),
    Unit(symbol: "M", worth: 1e6), Unit(symbol: "k", worth: 1e3), Unit(symbol: "B", worth: 1),
  ]
  /// The periods of rates, with their worth in seconds; a symbol begins with the rate's slash.
  static let periods = [
    Unit(symbol: "/s", worth: 1), Unit(symbol: "/min", worth: 60), Unit(symbol: "/h", worth: 3_600),
    Unit(symbol: "/d", worth: 86_400),
  ]

  static func parse(_ text: String, _ units: [Unit]) throws(ValueError) -> (Double, Unit) {
    let digits = text.prefix { "0123456789.+-".contains($0) }
    let symbol = text.dropFirst(digits.count).drop { $0 == " " }
    guard let number = Double(digits) else { throw ValueError("'\(text)' is not a number") }
    guard !symbol.isEmpty else { throw ValueError("'\(text)' has no unit") }
    guard let unit = units.first(where: { $0.symbol == symbol }) else {
      throw ValueError("'\(symbol)' is not a unit")
    }
    return (number, unit)
  }

  /// Returns the text of `value` in the largest unit that makes it whole, else in the base unit.
  static func text(_ value: Double, _ units: [Unit]) -> String {
    let base = units[units.count - 1]
    guard value != 0 else { return "0\(units.first { $0.symbol == "s" }?.symbol ?? base.symbol)" }
    for unit in units {
      let count = value / unit.worth
      if count == count.rounded(), abs(count) < 1e15, count * unit.worth == value {
        return "\(Int64(count))\(unit.symbol)"
      }
    }
    return "\(number(value))\(base.symbol)"
  }

  static func number(_ value: Double) -> String {
    value == value.rounded() && abs(value) < 1e15 ? "\(Int64(value))" : plain(value)
  }

  /// Returns a number without an exponent, which a reader would take for a unit.
  private static func plain(_ value: Double) -> String {
    let text = "\(value)"
    guard let e = text.firstIndex(of: "e"), let exponent = Int(text[text.index(after: e)...]),
      exponent < 0
    else { return text }
    let sign = value < 0 ? "-" : ""
    let digits = text[..<e].filter(\.isNumber)
    return "\(sign)0.\(String(repeating: "0", count: -exponent - 1))\(digits)"
  }
}

extension Shape {
  /// A duration such as `10s` or `1.5h`.
  package static func time<T>(_ from: TimeSpan<T>, _ to: TimeSpan<T>) -> Shape<TimeSpan<T>>
  where Value == TimeSpan<T> {
    let low = Self.text(from)
    let high = Self.text(to)
    return .scalar(
      "a duration from \(low) to \(high) with its unit: us, ms, s, min, h or d",
      parse: { (text, _) throws(ValueError) in
        let (number, unit) = try Quantity.parse(text, Quantity.times)
        let microseconds = (number * unit.worth).rounded()
        guard (Double(from.microseconds)...Double(to.microseconds)).contains(microseconds) else {
          throw ValueError("'\(text)' is out of range")
        }
        return TimeSpan(microseconds: Int64(microseconds))
      },
      show: { value, _ in Self.text(value) })
  }

  private static func text<T>(_ span: TimeSpan<T>) -> String {
    Quantity.text(Double(span.microseconds), Quantity.times)
  }
}

extension Shape<Distance> {
  /// A distance such as `100m` or `1.5km`.
  package static func distance(_ from: Double, _ to: Double) -> Shape {
    let low = Quantity.text(from, Quantity.distances)
    let high = Quantity.text(to, Quantity.distances)
    return .scalar(
      "a distance from \(low) to \(high) with its unit: m or km",
      parse: { (text, _) throws(ValueError) in
        let (number, unit) = try Quantity.parse(text, Quantity.distances)
        let meters = number * unit.worth
        guard (from...to).contains(meters) else { throw ValueError("'\(text)' is out of range") }
        return .meters(meters)
      },
      show: { value, _ in Quantity.text(value.meters, Quantity.distances) })
  }
}

extension Shape<Rate> {
  /// A rate such as `600000/min`.
  package static func rate(_ from: Double, _ to: Double) -> Shape {
    .scalar(
      "a rate from \(Quantity.number(from)) to \(Quantity.number(to)) a second with its unit: "
        + "/s, /min, /h or /d",
      parse: { (text, _) throws(ValueError) in
        let (number, unit) = try Quantity.parse(text, Quantity.periods)
        let rate = number / unit.worth
        guard (from...to).contains(rate) else { throw ValueError("'\(text)' is out of range") }
        return Rate(perSecond: rate)
      },
      show: { value, _ in
        for unit in Quantity.periods {
          let count = (value.perSecond * unit.worth).rounded()
          if count / unit.worth == value.perSecond {
            return Quantity.number(count) + unit.symbol
          }
        }
        return Quantity.number(value.perSecond) + "/s"
      })
  }
}
