internal import SimulationCore

extension Ratio {
  /// A statistic with its 95 % interval: the 2.5th and 97.5th percentile (`upperInverse`) over
  /// resamples, widened to hold the value itself. Without resamples nothing is known of its width,
  /// and the interval is the value.
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
  /// One of `count` units, each as likely: the draw with replacement of every bootstrap.
  package mutating func unit(of count: Int) -> Int {
    min(count - 1, Int(uniform() * Double(count)))
  }
}
