@testable import Core
import TestSupport
import Testing

@Suite("Policies on the same phones", .quick)
struct PairedBootstrapTests {
  /// Two columns a phone: what it used, and its days. Phones differ by a factor of a hundred.
  static func table(phones: Int, _ used: (Int) -> Double) -> [Double] {
    (0..<phones).flatMap { [used($0), 1] }
  }

  static func uses(_ phone: Int) -> Double {
    var draw = Draw(seed: 5, phone: UInt32(phone), Purpose(rawValue: 899))
    return draw.logNormal(median: 10, sigma: 1.5)
  }

  let perDay: ([Double]) -> Double? = { $0[1] > 0 ? $0[0] / $0[1] : nil }

  @Test("a policy minus itself is zero, whatever phones are drawn")
  func itself() {
    let table = Self.table(phones: 200, Self.uses)
    let bootstrap = PairedBootstrap(tables: [table, table], columns: 2, seed: 1, resamples: 200)
    #expect(
      bootstrap.difference(1, from: 0, perDay) == Ratio(value: 0, low: 0, high: 0))
    #expect(bootstrap.difference(1, from: 0, perDay)?.mayBeZero == true)
  }

  @Test("an effect common to all phones has a narrow interval, however much phones differ")
  func paired() throws {
    let bootstrap = PairedBootstrap(
      tables: [
        Self.table(phones: 200, Self.uses), Self.table(phones: 200) { Self.uses($0) + 1 },
      ], columns: 2, seed: 1, resamples: 200)
    let alone = try #require(bootstrap.ratio(0, perDay))
    let difference = try #require(bootstrap.difference(1, from: 0, perDay))
    #expect(alone.high - alone.low > 5)
    #expect(abs(difference.low - 1) < 1e-9 && abs(difference.high - 1) < 1e-9)
    #expect(!difference.mayBeZero)
  }

  @Test("an interval is as wide as theory predicts, and depends on its seed alone")
  func width() throws {
    var draw = Draw(seed: 9, phone: 0, Purpose(rawValue: 899))
    var table: [Double] = []
    for _ in 0..<1_000 { table += [draw.normal(), 1] }
    let whole = table
    func interval(_ seed: UInt64) throws -> Ratio {
      let bootstrap = PairedBootstrap(tables: [whole], columns: 2, seed: seed)
      return try #require(bootstrap.ratio(0, perDay))
    }
    let one = try interval(1)
    // 2 · 1.96 / √1000.
    #expect(abs(one.high - one.low - 0.124) < 0.012)
    #expect(try interval(1) == one)
    #expect(try interval(2) != one)
  }

  @Test("phones without the statistic leave it open, and one phone has no interval")
  func empty() {
    let none = PairedBootstrap(tables: [[0, 0, 0, 0]], columns: 2, seed: 1, resamples: 10)
    #expect(none.ratio(0, perDay) == nil)
    let lone = PairedBootstrap(tables: [[3, 1]], columns: 2, seed: 1, resamples: 10)
    #expect(lone.ratio(0, perDay) == Ratio(value: 3, low: 3, high: 3))
  }

  @Test("a phone's block is one of a thousand, and blocks are about equal")
  func blocks() {
    var sizes = [Int](repeating: 0, count: PairedBootstrap.blocksMax)
    for phone in 0..<50_000 {
      sizes[PairedBootstrap.block(of: UInt32(phone), phones: 50_000)] += 1
    }
    #expect(sizes.allSatisfy { (15...95).contains($0) })
    #expect(PairedBootstrap.block(of: 7, phones: 900) == 7)
  }
}

@Suite("Distances over time", .quick)
struct ErrorScaleTests {
  @Test(
    "a distance is below its bucket's edge and not below the one before",
    arguments: [0, 0.5, 1, 1.3, 1.42, 2, 99, 100, 1_000, 12_345, 2e6])
  func buckets(meters: Double) {
    let bucket = ErrorScale.bucket(meters: meters)
    #expect(meters < ErrorScale.edge(bucket))
    if bucket > 0 { #expect(meters >= ErrorScale.edge(bucket - 1) * 0.999_999) }
  }

  @Test("half of the time is below the median, which is found within a bucket")
  func quantiles() throws {
    var seconds = [Double](repeating: 0, count: ErrorScale.buckets)
    for meters in 1...1_000 { seconds[ErrorScale.bucket(meters: Double(meters))] += 1 }
    let median = try #require(ErrorScale.quantile(0.5, seconds[...]))
    #expect(abs(median - 500) < 30)
    #expect(ErrorScale.quantile(0.5, [0, 0][...]) == nil)
  }
}
