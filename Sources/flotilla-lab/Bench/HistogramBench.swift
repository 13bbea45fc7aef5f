package import Core

/// The cost of the latency histogram. The values span three orders of magnitude in random order, so
/// that their slots do not all fit into the L1 cache.
package struct HistogramBench: Benchmark {
  package let name = "histogram"
  private let values: [Int64]
  private var histogram = Histogram()
  private var other = Histogram()

  private static let recordings = 4
  private static let percentiles = [0.5, 0.9, 0.99, 0.999]
  private static let questions = 64
  private static let merges = 256

  /// Draws `count` values in microseconds, log-normal around 2 ms.
  package init(values count: Int = 1_000_000) {
    var draw = Draw(seed: 1, phone: 0, .benchLatencies)
    values = (0..<count).map { _ in Int64(draw.logNormal(median: 2_000, sigma: 1.5)) }
    for value in values { other.record(value) }
  }

  package var parameters: [(name: String, value: BenchRow.Parameter)] {
    [("values", .count(values.count)), ("slots", .count(Histogram.slots))]
  }

  package mutating func round(_ clock: () -> WallInstant) -> BenchSamples {
    histogram.reset()
    let recorded = nanoseconds(clock, of: Self.recordings * values.count) {
      for _ in 0..<Self.recordings {
        for value in values { histogram.record(value) }
      }
    }
    precondition(histogram.count == Self.recordings * values.count, "records were lost")
    var sum: Int64 = 0
    let asked = nanoseconds(clock, of: Self.questions * Self.percentiles.count) {
      for _ in 0..<Self.questions {
        for q in Self.percentiles { sum += histogram.percentile(q).microseconds ?? 0 }
      }
    }
    precondition(sum > 0, "a percentile of latencies is positive")
    let merged = nanoseconds(clock, of: Self.merges) {
      for _ in 0..<Self.merges { histogram.merge(other) }
    }
    return [
      ("nanosecondsPerRecord", [recorded]), ("nanosecondsPerPercentile", [asked]),
      ("nanosecondsPerMerge", [merged]),
    ]
  }

  private func nanoseconds(_ clock: () -> WallInstant, of count: Int, _ work: () -> Void) -> Double
  {
    let began = clock()
    work()
    return Double((clock() - began).microseconds) * 1_000 / Double(count)
  }
}
