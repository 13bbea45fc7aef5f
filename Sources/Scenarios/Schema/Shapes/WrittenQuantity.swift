/// A number with its unit as written, such as an end of a sweep.
package struct WrittenQuantity: Equatable, Sendable {
  package enum Kind: Sendable { case number, share, time, distance, speed, size, rate }

  /// The kind of the unit; `number` if there is none.
  package let kind: Kind
  /// The unit as written, such as `km/h`; empty for a plain number.
  package let symbol: String
  /// The value in microseconds, metres, metres per second, bytes, per second, or percent.
  package let value: Double

  /// Reads a number with a unit that scenarios know, or without a unit; nil for any other text.
  package init?(_ text: String) {
    let digits = text.prefix { "0123456789.+-".contains($0) }
    guard let number = Double(digits) else { return nil }
    let symbol = String(text.dropFirst(digits.count).drop { $0 == " " })
    for kind in Self.kinds {
      guard let unit = Self.units(kind).first(where: { $0.symbol == symbol }) else { continue }
      self.kind = kind
      self.symbol = symbol
      value = number * unit.worth
      return
    }
    return nil
  }

  package var unit: Double { Self.worth(kind, symbol) }

  /// Returns a value of this kind as a scenario writes it: a time in the largest unit that leaves a
  /// whole number, any other value in this quantity's unit.
  package func text(of value: Double) -> String {
    if kind == .time { return Quantity.text(value.rounded(), Quantity.times) }
    // Rounding to nine decimals removes the rounding errors of sums.
    return Quantity.number((value / unit * 1e9).rounded() / 1e9) + symbol
  }

  private static let kinds: [Kind] = [.number, .share, .time, .distance, .speed, .size, .rate]

  private static func worth(_ kind: Kind, _ symbol: String) -> Double {
    units(kind).first { $0.symbol == symbol }?.worth ?? 1
  }

  private static func units(_ kind: Kind) -> [Unit] {
    switch kind {
    case .number: [Unit(symbol: "", worth: 1)]
    case .share: [Unit(symbol: "%", worth: 1)]
    case .time: Quantity.times
    case .distance: Quantity.distances
    case .speed: Quantity.speeds
    case .size: Quantity.sizes
    case .rate: Quantity.periods.map { Unit(symbol: $0.symbol, worth: 1 / $0.worth) }
    }
  }
}
