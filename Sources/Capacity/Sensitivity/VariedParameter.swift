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
  /// The position of the scenario's value in every range: half of all drawn values are below it.
  package static let ownPlace = 0.5

  package let parameter: ModelParameter
  /// The scale of both sides of the value; a side that begins at zero is linear.
  package let scale: Scale

  /// The lower end in the base unit of the quantity, or in percent for a share.
  private let low: Double
  private let own: Double
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
    self.parameter = parameter
    (self.low, own, self.high) = (base(low), base(value), base(high))
    guard self.low < self.high, (self.low...self.high).contains(own) else { return nil }
    unit = isShare ? WrittenQuantity("100%") ?? high : high
    let least = self.low > 0 ? self.low : own
    scale = least > 0 && self.high >= least * Self.logarithmicFrom ? .logarithmic : .linear
  }

  /// Returns the value at a position as a scenario writes it; counts and bytes are whole numbers.
  package func text(at place: Double) -> String {
    // The two ends of the range keep their written form.
    if place <= 0 { return parameter.low }
    if place >= 1 { return parameter.high }
    let isBelow = place < Self.ownPlace
    let value =
      isBelow
      ? between(low, own, place / Self.ownPlace)
      : between(own, high, (place - Self.ownPlace) / (1 - Self.ownPlace))
    if parameter.isWhole { return "\(Int(min(max(value, low), high).rounded()))" }
    if unit.kind == .size { return "\(Int(value.rounded()))B" }
    return unit.text(of: value)
  }

  /// Returns the position of a value that a scenario writes; nil if the text is no quantity.
  package func place(of text: String) -> Double? {
    guard let written = WrittenQuantity(text) else { return nil }
    let value =
      unit.kind == .share && written.kind == .number ? written.value * 100 : written.value
    return value < own
      ? Self.ownPlace * share(of: value, low, own)
      : Self.ownPlace + (1 - Self.ownPlace) * share(of: value, own, high)
  }

  private func between(_ from: Double, _ to: Double, _ share: Double) -> Double {
    switch scale {
    case .logarithmic where from > 0: from * pow(to / from, share)
    case .logarithmic, .linear: from + (to - from) * share
    }
  }

  private func share(of value: Double, _ from: Double, _ to: Double) -> Double {
    guard from < to else { return 0 }
    let share =
      switch scale {
      case .logarithmic where from > 0: value > 0 ? log(value / from) / log(to / from) : 0
      case .logarithmic, .linear: (value - from) / (to - from)
      }
    return min(max(share, 0), 1)
  }
}
