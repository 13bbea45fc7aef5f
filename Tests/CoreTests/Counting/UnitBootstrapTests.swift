import TestSupport
import Testing
@testable import Core

@Suite("Intervals by resampling units", .quick)
struct UnitBootstrapTests {
  static let people = (0..<400).map { Double($0 % 100) }

  static func mean(_ values: [Double]) -> Double? {
    values.isEmpty ? nil : values.reduce(0, +) / Double(values.count)
  }

  @Test("the interval of a mean has the width of its standard error")
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

  @Test("seeds that differ widen an interval that would be narrow with phones of one seed")
  func betweenSeeds() throws {
    func estimate(_ shift: Double) throws -> Ratio {
      let runs = (0..<5).map { seed in [Self.people.map { $0 + shift * Double(seed) }] }
      return try #require(
        UnitBootstrap.estimate(runs: runs, seed: 1) { Self.mean($0[0]) })
    }
    let (alike, different) = (try estimate(0), try estimate(20))
    #expect(alike.value == 49.5 && different.value == 89.5)
    #expect(alike.high - alike.low < 4)
    #expect(different.high - different.low > 20)
  }

  @Test("parts of equal size are resampled together, so that a ratio of pairs has no width")
  func pairs() throws {
    let runs = (0..<5).map { _ in [Self.people, Self.people.map { 3 * $0 }] }
    let ratio = try #require(
      UnitBootstrap.estimate(runs: runs, seed: 1) { parts in
        Self.mean(parts[1]).flatMap { above in Self.mean(parts[0]).map { above / $0 } }
      })
    #expect(abs(ratio.low - 3) < 1e-9 && abs(ratio.high - 3) < 1e-9)
    #expect(UnitBootstrap.estimate(runs: [[[Double]]](), seed: 1) { Self.mean($0[0]) } == nil)
  }

  @Test("an unsupported sample has no estimate; one unit has no width")
  func edges() {
    #expect(UnitBootstrap.estimate([Double](), seed: 1, statistic: Self.mean) == nil)
    #expect(
      UnitBootstrap.estimate([3], seed: 1, statistic: Self.mean)
        == Ratio(value: 3, low: 3, high: 3))
  }
}
