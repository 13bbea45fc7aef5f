internal import Foundation
package import Scenarios

/// A parameter's range mapped to 0 ... 1, by logarithms if it spans a factor of ten or more.
package struct VariedParameter: Equatable, Sendable {
  package enum Scale: String, Sendable, Codable {
    /// Equal steps of the position add equal amounts to the value.
    case linear
    /// Equal steps of the position multiply the value by equal factors.
    case logarithmic
  }

  /// The ratio of a range's ends, high ÷ low, from which its scale is logarithmic.
  package static let logarithmicFrom = 10.0

  package let parameter: ModelParameter
  package let scale: Scale
  /// The position of the scenario's value in the range, 0 ... 1.
  package let ownPlace: Double

  /// The lower end in the base unit of the quantity, or in percent for a share.
  private let low: Double
  private let high: Double
  private let unit: WrittenQuantity

  /// Returns nil for a word, a switch, a range of one value, or a scenario value outside the range.
  package init?(_ parameter: ModelParameter) {
    let written = [parameter.low, parameter.high, parameter.value].map { WrittenQuantity($0) }
    guard let low = written[0], let high = written[1], let value = written[2] else { return nil }
    // A scenario may write a share as a number if no whole percentage expresses it.
    let isShare = [low, high, value].contains { $0.kind == .share }
    func base(_ quantity: WrittenQuantity) -> Double {
      isShare && quantity.kind == .number ? quantity.value * 100 : quantity.value
    }
    let range = (base(low), base(high))
    guard range.0 < range.1, (range.0...range.1).contains(base(value)) else { return nil }
    self.parameter = parameter
    self.low = range.0
    self.high = range.1
    unit = isShare ? WrittenQuantity("100%") ?? high : high
    scale =
      range.0 > 0 && range.1 >= range.0 * Self.logarithmicFrom ? .logarithmic : .linear
    ownPlace = Self.place(of: base(value), range.0, range.1, scale)
  }

  /// Returns the value at a position as a scenario writes it; counts and bytes are whole numbers.
  package func text(at place: Double) -> String {
    // The two ends of the range keep their written form.
    if place <= 0 { return parameter.low }
    if place >= 1 { return parameter.high }
    let value =
      switch scale {
      case .linear: low + (high - low) * place
      case .logarithmic: low * pow(high / low, place)
      }
    if parameter.isWhole { return "\(Int(min(max(value, low), high).rounded()))" }
    if unit.kind == .size { return "\(Int(value.rounded()))B" }
    return unit.text(of: value)
  }

  /// Returns the position of a value that a scenario writes; nil if the text is no quantity.
  package func place(of text: String) -> Double? {
    guard let written = WrittenQuantity(text) else { return nil }
    let value =
      unit.kind == .share && written.kind == .number ? written.value * 100 : written.value
    return Self.place(of: value, low, high, scale)
  }

  private static func place(
    of value: Double, _ low: Double, _ high: Double, _ scale: Scale
  ) -> Double {
    let place =
      switch scale {
      case .linear: (value - low) / (high - low)
      case .logarithmic: value > 0 ? log(value / low) / log(high / low) : 0
      }
    return min(max(place, 0), 1)
  }
}
