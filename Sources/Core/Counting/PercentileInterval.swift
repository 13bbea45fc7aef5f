extension Ratio {
  /// Creates a statistic with its 95 % interval: the 2.5th to 97.5th percentile (`upperInverse`) of
  /// the resamples, widened to contain the value. Without resamples, both bounds are the value.
  package init(_ value: Double, resampled: [Double]) {
    let sorted = resampled.sorted()
    guard let low = sorted.sortedQuantile(0.025, .upperInverse),
      let high = sorted.sortedQuantile(0.975, .upperInverse)
    else {
      self.init(value: value, low: value, high: value)
      return
    }
    self.init(value: value, low: min(value, low), high: max(value, high))
  }
}

extension Draw {
  package mutating func unit(of count: Int) -> Int {
    min(count - 1, Int(uniform() * Double(count)))
  }
}
