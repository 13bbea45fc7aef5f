import Testing

@testable import Measure

@Suite("Intervals by resampling units", .timeLimit(.minutes(10)))
struct UnitBootstrapTests {
  static let people = (0..<400).map { Double($0 % 100) }

  static func mean(_ values: [Double]) -> Double? {
    values.isEmpty ? nil : values.reduce(0, +) / Double(values.count)
  }

  @Test("the interval of a mean is as wide as its standard error says")
  func width() throws {
    let estimate = try #require(
      UnitBootstrap.estimate(Self.people, seed: 1, resamples: 2_000, statistic: Self.mean))
    #expect(estimate.value == 49.5)
    // σ of 0 … 99 is 28.9; 1.96 · 28.9 / √400 = 2.83.
    #expect(abs((estimate.high - estimate.low) / 2 - 2.83) < 0.3)
    #expect(estimate.low < 49.5 && estimate.high > 49.5)
  }

  @Test("equal seeds give equal intervals")
  func repeats() {
    let a = UnitBootstrap.estimate(Self.people, seed: 7, statistic: Self.mean)
    #expect(a == UnitBootstrap.estimate(Self.people, seed: 7, statistic: Self.mean))
    #expect(a != UnitBootstrap.estimate(Self.people, seed: 8, statistic: Self.mean))
  }

  @Test("what a sample does not support has no estimate; one unit has no width")
  func edges() {
    #expect(UnitBootstrap.estimate([Double](), seed: 1, statistic: Self.mean) == nil)
    #expect(
      UnitBootstrap.estimate([3], seed: 1, statistic: Self.mean)
        == Ratio(value: 3, low: 3, high: 3))
  }
}
