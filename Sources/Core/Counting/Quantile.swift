/// A quantile definition, numbered as by Hyndman and Fan (The American Statistician 50, 1996). Of
/// data in buckets, `Histogram` takes the nearest rank (type 3, but halves rounded up), and
/// `BinnedQuantile` and `AgeIntegral` interpolate (type 4).
package enum QuantileDefinition: Sendable {
  /// Type 1, the inverse of the distribution function: x of rank ⌈nq⌉, such as the lower median.
  case inverse
  /// Type 1, but the higher value at steps: x of rank ⌊nq⌋ + 1, such as the upper median.
  case upperInverse
  /// Type 7, linear between order statistics: the least value is at 0, and the greatest at 1.
  case linear
}

extension Collection where Element: BinaryFloatingPoint, Index == Int {
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

  package func quantile(_ q: Double, _ definition: QuantileDefinition) -> Element? {
    sorted().sortedQuantile(q, definition)
  }

  private func place(_ rank: Double) -> Int {
    startIndex + Swift.min(count - 1, Swift.max(0, Int(rank)))
  }
}

extension [Double] {
  /// Returns a quantile. The sort is specialised here, even for callers built without optimisation.
  package func quantile(_ q: Double, _ definition: QuantileDefinition) -> Double? {
    sorted().sortedQuantile(q, definition)
  }

  package func median(_ definition: QuantileDefinition) -> Double? { quantile(0.5, definition) }
}

package enum BinnedQuantile {
  /// Returns the value below which a share `q` of the weight lies, interpolated inside its bucket;
  /// nil without weight. Bucket n extends from `edge(n)` to `edge(n + 1)`.
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
    // Rounding may leave the sum short of `wanted`.
    return last.map { edge($0 + 1) }
  }
}
