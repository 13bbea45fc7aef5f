internal import Core

package struct DemandCurve: Equatable, Sendable, Codable {
  package struct Peak: Equatable, Sendable, Codable {
    package var batchesPerSecond: Double
    package var from: Double
  }

  package var batches: Int
  package var seconds: Double
  /// The mean rate in batches a second; 0 if the series covers no time.
  package var mean: Double
  package var peakSecond: Peak
  package var peakMinute: Peak
  package var peakHour: Peak
  package var secondP999: Double
  /// The `secondP999` of a Poisson process at the mean rate.
  package var poissonP999: Double
  /// The rate to sustain for each delay of `delays`.
  package var sustained: [SustainedRate]

  /// Acceptable ack delays in seconds: for a waiting person, a woken app, and a queue.
  package static let delays = [0.05, 1, 60]

  package init(_ series: ArrivalSeries) {
    let perSecond = series.counts(every: 1)
    batches = series.count
    seconds = series.seconds
    mean = series.seconds > 0 ? Double(series.count) / series.seconds : 0
    peakSecond = Self.peak(perSecond, length: 1, whole: series.seconds)
    peakMinute = Self.peak(series.counts(every: 60), length: 60, whole: series.seconds)
    peakHour = Self.peak(series.counts(every: 3_600), length: 3_600, whole: series.seconds)
    secondP999 = perSecond.map { Double($0) }.quantile(0.999, .upperInverse) ?? 0
    // The normal quantile of 99.9 %.
    poissonP999 = mean + 3.09 * mean.squareRoot()
    sustained = Self.delays.map { series.sustainedRate(delay: $0) }
  }

  /// Returns the highest rate, where a partial last interval counts with its actual length.
  private static func peak(_ counts: [Int], length: Double, whole: Double) -> Peak {
    var best = Peak(batchesPerSecond: 0, from: 0)
    for (place, count) in counts.enumerated() {
      let from = Double(place) * length
      let lasts = min(length, max(1, whole - from))
      let rate = Double(count) / lasts
      if rate > best.batchesPerSecond { best = Peak(batchesPerSecond: rate, from: from) }
    }
    return best
  }
}
