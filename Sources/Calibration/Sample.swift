/// Statistics of plain numbers.
enum Sample {
  /// The q-quantile by linear interpolation between order statistics; nil of nothing.
  static func quantile(_ values: [Double], _ q: Double) -> Double? {
    guard !values.isEmpty else { return nil }
    let sorted = values.sorted()
    let place = q * Double(sorted.count - 1)
    let low = Int(place)
    let high = min(low + 1, sorted.count - 1)
    return sorted[low] + (place - Double(low)) * (sorted[high] - sorted[low])
  }

  static func median(_ values: [Double]) -> Double? { quantile(values, 0.5) }

  static func mean(_ values: [Double]) -> Double? {
    values.isEmpty ? nil : values.reduce(0, +) / Double(values.count)
  }
}
