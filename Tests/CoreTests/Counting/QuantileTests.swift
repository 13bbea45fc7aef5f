@testable import Core
import TestSupport
import Testing

@Suite("Quantiles", .quick)
struct QuantileTests {
  @Test(
    "each definition is that of Hyndman and Fan",
    arguments: [
      (0.0, 1.0, 1.0, 1.0), (0.25, 1, 2, 1.75), (0.5, 2, 3, 2.5), (0.6, 3, 3, 2.8),
      (0.75, 3, 4, 3.25), (1, 4, 4, 4),
    ])
  func definitions(q: Double, inverse: Double, upper: Double, linear: Double) throws {
    let sample = [3.0, 1, 4, 2]
    #expect(sample.quantile(q, .inverse) == inverse)
    #expect(sample.quantile(q, .upperInverse) == upper)
    #expect(abs(try #require(sample.quantile(q, .linear)) - linear) < 1e-12)
  }

  @Test("the median of an odd number of values is the middle one, under every definition")
  func odd() {
    for definition in [QuantileDefinition.inverse, .upperInverse, .linear] {
      #expect([5.0, 1, 3].median(definition) == 3)
      #expect([Double]().median(definition) == nil)
    }
  }

  @Test("a slice is a sample on its own")
  func slices() {
    let sorted = [0.0, 0, 0, 7, 8, 9, 100]
    #expect(sorted[3..<6].sortedQuantile(0.5, .linear) == 8)
    #expect(sorted[3..<6].sortedQuantile(1, .upperInverse) == 9)
  }

  @Test("in buckets a quantile is where the share of the weight is reached")
  func binned() throws {
    let weights = [0.0, 2, 0, 2, 0]
    func quantile(_ q: Double) -> Double? { BinnedQuantile.of(q, weights) { Double($0 * 10) } }
    #expect(quantile(0.25) == 15)
    #expect(quantile(0.5) == 20)
    #expect(quantile(0.75) == 35)
    #expect(quantile(1) == 40)
    #expect(BinnedQuantile.of(0.5, [0.0, 0]) { Double($0) } == nil)
  }

  @Test("an interval is that of 95 % of the resamples, and contains the value")
  func interval() {
    let resampled = (0..<1_000).reversed().map { Double($0) }
    #expect(Ratio(500, resampled: resampled) == Ratio(value: 500, low: 25, high: 975))
    #expect(Ratio(10, resampled: resampled) == Ratio(value: 10, low: 10, high: 975))
    #expect(Ratio(10, resampled: []) == Ratio(value: 10, low: 10, high: 10))
  }

  @Test("every unit of a resample has the same probability")
  func units() {
    var draw = Draw(seed: 1, phone: 0, Purpose(rawValue: 893))
    var seen = [Int](repeating: 0, count: 7)
    for _ in 0..<70_000 { seen[draw.unit(of: 7)] += 1 }
    #expect(seen.allSatisfy { (9_500...10_500).contains($0) }, "\(seen)")
  }
}
