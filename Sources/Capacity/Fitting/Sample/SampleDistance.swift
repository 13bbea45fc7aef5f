package enum SampleDistance {
  /// Returns the Kolmogorov–Smirnov statistic, 0 ... 1, of ascending samples; nil if one is empty.
  package static func kolmogorovSmirnov(_ a: [Double], _ b: [Double]) -> Double? {
    guard !a.isEmpty, !b.isEmpty else { return nil }
    var (i, j, most) = (0, 0, 0.0)
    while i < a.count, j < b.count {
      let value = min(a[i], b[j])
      while i < a.count, a[i] == value { i += 1 }
      while j < b.count, b[j] == value { j += 1 }
      most = max(most, abs(Double(i) / Double(a.count) - Double(j) / Double(b.count)))
    }
    return most
  }

  /// Returns the Wasserstein distance W₁ of ascending samples, in their unit; nil if one is empty.
  package static func wasserstein(_ a: [Double], _ b: [Double]) -> Double? {
    guard let firstA = a.first, let firstB = b.first else { return nil }
    var (i, j, sum) = (0, 0, 0.0)
    var at = min(firstA, firstB)
    while i < a.count || j < b.count {
      let next = min(i < a.count ? a[i] : .infinity, j < b.count ? b[j] : .infinity)
      sum += abs(Double(i) / Double(a.count) - Double(j) / Double(b.count)) * (next - at)
      at = next
      while i < a.count, a[i] == at { i += 1 }
      while j < b.count, b[j] == at { j += 1 }
    }
    return sum
  }

  /// Returns the Wasserstein distance on a circle, such as the hours of a day, from weights in bins
  /// of width 1 (Rabin, Delon and Gousseau, 2011); nil if a side has no weight.
  package static func circular(_ a: [Double], _ b: [Double]) -> Double? {
    let (wholeA, wholeB) = (a.reduce(0, +), b.reduce(0, +))
    guard a.count == b.count, wholeA > 0, wholeB > 0 else { return nil }
    var difference = 0.0
    let differences = a.indices.map { bin in
      difference += a[bin] / wholeA - b[bin] / wholeB
      return difference
    }
    // The sum of absolute differences is smallest if the circle is cut at the median.
    let middle = differences.sorted()[differences.count / 2]
    return differences.reduce(0) { $0 + abs($1 - middle) }
  }
}
