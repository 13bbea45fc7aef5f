internal import Core

enum Sample {
  /// Returns the quantile of type 7 (linear interpolation), for small samples; nil without values.
  static func quantile(_ values: [Double], _ q: Double) -> Double? { values.quantile(q, .linear) }

  static func median(_ values: [Double]) -> Double? { quantile(values, 0.5) }

  static func mean(_ values: [Double]) -> Double? {
    values.isEmpty ? nil : values.reduce(0, +) / Double(values.count)
  }

  /// Returns the ratio of two values; nil without both, or if the second is not positive.
  static func ratio(_ above: Double?, _ below: Double?) -> Double? {
    guard let above, let below, below > 0 else { return nil }
    return above / below
  }
}
