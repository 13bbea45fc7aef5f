/// An observed figure that a model should meet, on a scale where its errors are normal.
package struct MatchTarget: Equatable, Sendable {
  package enum Sense: Sendable {
    case equal
    /// The observed figure is an upper or a lower bound.
    case atMost, atLeast
  }

  /// The largest plausible distance, in standard deviations. Three contain at least 95 % of any
  /// distribution with one mode (Pukelsheim, The American Statistician 48, 1994).
  package static let cutoff = 3.0

  package let value: Double
  /// The variance of the observation plus that of the model's discrepancy.
  package let variance: Double
  package let sense: Sense

  package init(_ value: Double, variance: Double, sense: Sense = .equal) {
    self.value = value
    self.variance = variance
    self.sense = sense
  }

  /// Returns the distance of the model's mean from the observed figure in standard deviations
  /// (Craig, Goldstein, Seheult and Smith, 1997); infinite for a mean that is not finite.
  ///
  /// - Parameter other: the variance of the model's mean: of the emulator, over seeds and phones.
  package func implausibility(of mean: Double, variance other: Double) -> Double {
    guard mean.isFinite else { return .infinity }
    let apart =
      switch sense {
      case .equal: abs(mean - value)
      case .atMost: max(0, mean - value)
      case .atLeast: max(0, value - mean)
      }
    let sum = variance + other
    guard apart > 0 else { return 0 }
    return sum > 0 ? apart / sum.squareRoot() : .infinity
  }

  /// Returns the implausibility of a point from those of its targets. The largest ones are left
  /// out, so that wrong claims and missing mechanisms do not rule out everything: of every twenty
  /// targets one, as many as the cut-off allows for, and at least one if there are several.
  package static func combined(_ all: some Collection<Double>) -> Double {
    all.sorted(by: >).prefix(max(2, all.count / 20 + 1)).last ?? 0
  }
}
