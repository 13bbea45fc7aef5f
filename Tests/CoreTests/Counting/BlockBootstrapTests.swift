import Core
import TestSupport
import Testing

@Suite("Resampled blocks of rows", .quick)
struct BlockBootstrapTests {
  /// Autocorrelated rows: each keeps most of the one before.
  private func rows(
    _ count: Int, level: Double, seed: UInt64, noise: Double = 0.2
  ) -> BlockBootstrap.Table {
    var table = BlockBootstrap.Table(columns: 2)
    var draw = Draw(seed: seed, phone: 1, Purpose(rawValue: 900), 0)
    var drift = 0.0
    for _ in 0..<count {
      drift = 0.8 * drift + noise * (draw.uniform() - 0.5)
      table.append([1, level * (1 + drift)])
    }
    return table
  }

  private let mean: ([Double]) -> Double? = { $0[0] > 0 ? $0[1] / $0[0] : nil }

  private func quotient(
    _ a: BlockBootstrap.Table, _ b: BlockBootstrap.Table, isPaired: Bool
  ) throws -> Ratio {
    let bootstrap = try #require(
      BlockBootstrap(base: a, other: b, block: 6, isPaired: isPaired, seed: 1, resamples: 300))
    let (above, below) = (try #require(mean(b.whole)), try #require(mean(a.whole)))
    return try #require(bootstrap.quotient(above / below, mean))
  }

  @Test("two runs at the same level rarely differ, although their rows are autocorrelated")
  func coverage() throws {
    var included = 0
    for seed in 0..<40 as Range<UInt64> {
      let ratio = try quotient(
        rows(120, level: 5, seed: 2 * seed), rows(120, level: 5, seed: 2 * seed + 1),
        isPaired: false)
      if ratio.mayBeOne { included += 1 }
    }
    // 38 of 40 would be right for long blocks; six rows are short for this autocorrelation.
    #expect(included >= 28)
  }

  @Test("a level that is a third higher is detected, and its interval contains it")
  func difference() throws {
    let ratio = try quotient(
      rows(120, level: 3, seed: 1), rows(120, level: 4, seed: 2), isPaired: false)
    #expect(!ratio.mayBeOne)
    #expect(ratio.low < 4 / 3.0 && ratio.high > 4 / 3.0)
  }

  @Test("a disturbance common to both runs cancels when they are paired")
  func paired() throws {
    let world = rows(120, level: 5, seed: 3, noise: 0.6)
    var better = BlockBootstrap.Table(columns: 2)
    for row in 0..<120 {
      let before = world.prefix(row).whole
      let after = world.prefix(row + 1).whole
      better.append([1, (after[1] - before[1]) * 0.98])
    }
    let paired = try quotient(world, better, isPaired: true)
    let apart = try quotient(world, better, isPaired: false)
    #expect(!paired.mayBeOne && apart.mayBeOne)
    #expect(abs(paired.low - 0.98) < 1e-9 && abs(paired.high - 0.98) < 1e-9)
  }

  @Test("too few rows, or uninformative draws, give no interval")
  func few() {
    let short = rows(35, level: 1, seed: 1)
    #expect(
      BlockBootstrap(base: short, other: short, block: 6, isPaired: true, seed: 1, resamples: 9)
        == nil)
    let long = rows(36, level: 1, seed: 1)
    let bootstrap = BlockBootstrap(
      base: long, other: long, block: 6, isPaired: true, seed: 1, resamples: 9)
    #expect(bootstrap?.quotient(1) { _ in nil } == nil)
    #expect(bootstrap?.quotient(1, mean) == Ratio(value: 1, low: 1, high: 1))
  }

  @Test("a block is longer than the autocorrelation, and short enough to leave six of them")
  func blocks() {
    #expect(BlockBootstrap.block(rows: 3_600, wanted: 5) == 16)
    #expect(BlockBootstrap.block(rows: 60, wanted: 5) == 5)
    #expect(BlockBootstrap.block(rows: 60, wanted: 30) == 10)
    #expect(BlockBootstrap.block(rows: 4, wanted: 5) == 1)
  }

  @Test("the interval of a quotient of two estimates is wider than either")
  func quotients() throws {
    let a = Ratio(value: 0.4, low: 0.3, high: 0.5)
    let ratio = try #require(Ratio.quotient(Ratio(value: 0.2, low: 0.1, high: 0.3), by: a))
    #expect(ratio.value == 0.5 && ratio.low < 0.25 && ratio.high > 0.75)
    let same = try #require(Ratio.quotient(a, by: a))
    #expect(same.mayBeOne)
    #expect(Ratio.quotient(a, by: Ratio(value: 0, low: 0, high: 0.1)) == nil)
    let open = try #require(Ratio.quotient(Ratio(value: 0.2, low: 0, high: 0.3), by: a))
    #expect(open.low < 1e-6 && open.high.isFinite)
  }
}
