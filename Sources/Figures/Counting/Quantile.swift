/// How a quantile is taken from a sorted sample x₁ ≤ … ≤ xₙ, numbered as by Hyndman and Fan
/// ("Sample Quantiles in Statistical Packages", The American Statistician 50, 1996).
///
/// The definitions differ by at most one order statistic. Each caller names its own, so that a
/// figure that was published stays what it was.
///
/// What is counted in buckets has no sorted sample: `Histogram.percentile` is the nearest rank
/// (type 3, halves rounded up), `BinnedQuantile` and `AgeIntegral` interpolate the distribution
/// inside a bucket (type 4 of infinitely many values spread evenly over it).
package enum QuantileDefinition: Sendable {
  /// Type 1, the inverse of the distribution function: x of ⌈nq⌉. The lower median.
  case inverse
  /// Type 1 but for the steps, where it is the higher of the two: x of ⌊nq⌋ + 1. The upper median.
  case upperInverse
  /// Type 7, linear between order statistics: the least lies at 0 and the greatest at 1.
  case linear
}

extension Collection where Element: BinaryFloatingPoint, Index == Int {
  /// The q-quantile, 0 ... 1, of values that are sorted; nil of nothing.
  package func sortedQuantile(_ q: Double, _ definition: QuantileDefinition) -> Element? {
    guard !isEmpty else { return nil }
    switch definition {
    case .inverse:
      return self[place((q * Double(count)).rounded(.up) - 1)]
    case .upperInverse:
      return self[place(q * Double(count))]
    case .linear:
      let exact = q * Double(count - 1)
      let low = self[place(exact)]
      let high = self[place(exact.rounded(.down) + 1)]
      return low + Element(exact - exact.rounded(.down)) * (high - low)
    }
  }

  /// The q-quantile, 0 ... 1; nil of nothing.
  package func quantile(_ q: Double, _ definition: QuantileDefinition) -> Element? {
    sorted().sortedQuantile(q, definition)
  }

  /// Is the 0.5-quantile of values in any order; nil of nothing.
  package func median(_ definition: QuantileDefinition) -> Element? { quantile(0.5, definition) }

  /// The index of a rank that is counted from 0, within the sample.
  private func place(_ rank: Double) -> Int {
    startIndex + Swift.min(count - 1, Swift.max(0, Int(rank)))
  }
}

extension [Double] {
  /// The same of plain numbers, sorted by this room's own code: a room that is compiled unoptimised
  /// would sort them by the library's code for values of any type.
  package func quantile(_ q: Double, _ definition: QuantileDefinition) -> Double? {
    sorted().sortedQuantile(q, definition)
  }
}

/// Quantiles of what is counted in buckets.
package enum BinnedQuantile {
  /// The value below which a share `q` of all weight lies, interpolated inside its bucket; nil
  /// without weight.
  ///
  /// - Parameter edge: the lower edge of a bucket; of one behind the last, the upper edge of that.
  package static func of(
    _ q: Double, _ weights: some Sequence<Double>, edge: (Int) -> Double
  ) -> Double? {
    let wanted = q * weights.reduce(0, +)
    var below = 0.0
    var last: Int?
    for (bucket, weight) in weights.enumerated() where weight > 0 {
      last = bucket
      if below + weight >= wanted {
        let low = edge(bucket)
        return low + (edge(bucket + 1) - low) * (wanted - below) / weight
      }
      below += weight
    }
    // Sums in another order may fall short of the whole by a rounding.
    return last.map { edge($0 + 1) }
  }
}
