internal import Figures

/// Statistics of plain numbers.
enum Sample {
  /// The q-quantile of measured figures, which are few: type 7.
  static func quantile(_ values: [Double], _ q: Double) -> Double? { values.quantile(q, .linear) }

  static func median(_ values: [Double]) -> Double? { quantile(values, 0.5) }

  static func mean(_ values: [Double]) -> Double? {
    values.isEmpty ? nil : values.reduce(0, +) / Double(values.count)
  }
}
