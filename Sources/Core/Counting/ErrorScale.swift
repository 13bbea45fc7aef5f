/// Buckets of position errors from one metre to ten thousand kilometres, in steps of √2.
/// Percentiles are right within a few percent, and each phone can have an array of buckets.
package enum ErrorScale {
  /// The number of buckets; the last has no upper bound.
  package static let buckets = 48

  /// Returns bucket 0 for distances below 1 m, and bucket k for distances below 2^(k/2) m.
  package static func bucket(meters: Double) -> Int {
    // The exponent and a comparison with √2 give 2·log2, rounded down.
    guard meters >= 1 else { return 0 }
    let half = meters.significand >= 2.0.squareRoot() ? 1 : 0
    return min(buckets - 1, 2 * Int(meters.exponent) + half + 1)
  }

  /// Returns the upper edge of a bucket in metres.
  package static func edge(_ bucket: Int) -> Double {
    let whole = Double(sign: .plus, exponent: bucket / 2, significand: 1)
    return bucket % 2 == 0 ? whole : whole * 2.0.squareRoot()
  }

  /// Returns the time-weighted quantile in metres, interpolated inside its bucket.
  package static func quantile(_ q: Double, _ seconds: ArraySlice<Double>) -> Double? {
    BinnedQuantile.of(q, seconds) { $0 == 0 ? 0 : edge($0 - 1) }
  }
}
