/// A share with its 95 % interval.
package struct Ratio: Equatable, Sendable, Codable {
  /// Is the estimate over the whole sample.
  package var value: Double
  /// Is the lower end of the interval, at most `value`.
  package var low: Double
  /// Is the upper end of the interval, at least `value`.
  package var high: Double

  /// Makes a ratio from its estimate and the two ends of its interval.
  package init(value: Double, low: Double, high: Double) {
    self.value = value
    self.low = low
    self.high = high
  }
}
