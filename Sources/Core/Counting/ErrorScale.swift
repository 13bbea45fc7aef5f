/// Error buckets from one metre to ten thousand kilometres in steps of √2: percentiles are within a
/// few percent, and the array is small enough for each phone.
package enum ErrorScale {
  /// The number of buckets; the last has no upper bound.
  package static let buckets = 48

  /// Returns bucket 0 for distances below 1 m, bucket k for those below 2^(k/2) m.
  package static func bucket(meters: Double) -> Int {
    // 2·log2, by the bits of the number: its exponent, and whether it lies above √2.
    guard meters >= 1 else { return 0 }
    let half = meters.significand >= 2.0.squareRoot() ? 1 : 0
    return min(buckets - 1, 2 * Int(meters.exponent) + half + 1)
  }

  /// Returns the upper edge in metres.
  package static func edge(_ bucket: Int) -> Double {
    let whole = Double(sign: .plus, exponent: bucket / 2, significand: 1)
    return bucket % 2 == 0 ? whole : whole * 2.0.squareRoot()
  }

  /// Returns the time-weighted quantile in metres, interpolated inside its bucket.
  package static func quantile(_ q: Double, _ seconds: ArraySlice<Double>) -> Double? {
    BinnedQuantile.of(q, seconds) { $0 == 0 ? 0 : edge($0 - 1) }
  }
}
