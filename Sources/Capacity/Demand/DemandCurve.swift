internal import Figures

/// What a fleet asks of a backend: how many batches a second, over which time.
package struct DemandCurve: Equatable, Sendable, Codable {
  /// The busiest stretch of a length, as batches a second.
  package struct Peak: Equatable, Sendable, Codable {
    /// Is the mean rate over the stretch, in batches a second.
    package var batchesPerSecond: Double
    /// Where it begins, seconds since the begin.
    package var from: Double
  }

  /// Counts the batches of the whole series.
  package var batches: Int
  /// Is the time that the series covers, in seconds.
  package var seconds: Double
  /// Is the mean rate over the whole series, in batches a second; 0 where it covers no time.
  package var mean: Double
  /// Is the busiest second.
  package var peakSecond: Peak
  /// Is the busiest minute, of those that begin at whole minutes.
  package var peakMinute: Peak
  /// Is the busiest hour, of those that begin at whole hours.
  package var peakHour: Peak
  /// A rate that one second in a thousand exceeds.
  package var secondP999: Double
  /// The same if all came by chance alone, at the mean rate.
  package var poissonP999: Double
  /// C*(D) for each delay of `delays`.
  package var sustained: [SustainedRate]

  /// What an ack may wait: as for a person who looks, for an app that was woken, for a queue.
  package static let delays = [0.05, 1, 60]

  /// Computes means, peaks, percentiles and sustained rates of a series.
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

  /// A last stretch that is not whole counts for its own length.
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

  /// C*(D) of one of `delays`.
  package func rate(delay: Double) -> Double {
    sustained.first { $0.delay == delay }?.rate ?? mean
  }
}
