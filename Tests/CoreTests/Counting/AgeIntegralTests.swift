@testable import Core
import TestSupport
import Testing

@Suite("Age integral", .quick)
struct AgeIntegralTests {
  @Test("buckets tile the ages without gaps")
  func buckets() {
    for index in 0..<2_500 {
      let low = AgeIntegral.lowerEdge(index)
      let next = AgeIntegral.lowerEdge(index + 1)
      #expect(low < next)
      #expect(AgeIntegral.index(of: low) == index && AgeIntegral.index(of: next - 1) == index)
    }
  }

  @Test("shares at a registered threshold are exact")
  func exactShare() {
    var ages = AgeIntegral(thresholds: [.minutes(30), .seconds(1)])
    ages.add(from: .zero, to: .minutes(40))
    ages.add(from: .minutes(29), to: .minutes(33))
    ages.addNever(.minutes(16))
    #expect(ages.share(within: .minutes(30)) == 31.0 / 60)
    #expect(ages.share(within: .seconds(1)) == 1.0 / 3_600)
    #expect(ages.neverShare == 16.0 / 60)
    #expect(ages.total == .hours(1))
  }

  @Test("quantiles of hand-worked ages")
  func quantiles() throws {
    var ages = AgeIntegral()
    #expect(ages.quantile(0.5) == nil && ages.neverShare == nil)
    // Uniform over 0 … 100 s, in two pieces without overlap.
    ages.add(from: .zero, to: .seconds(60))
    ages.add(from: .seconds(60), to: .seconds(100))
    for q in [0.1, 0.5, 0.95, 0.99] {
      #expect(abs(try #require(ages.quantile(q)) - 100 * q) < 0.8)
    }
    ages.addNever(.seconds(100))
    #expect(abs(try #require(ages.quantile(0.25)) - 50) < 0.5)
    #expect(ages.quantile(0.51) == nil)
  }

  @Test("random pieces agree with brute force")
  func bruteForce() throws {
    var draw = Draw(seed: 3, phone: 0, Purpose(rawValue: 898))
    let threshold = SimDuration.seconds(700)
    var ages = AgeIntegral(thresholds: [threshold])
    var seconds = [Int](repeating: 0, count: 200_000)
    var total = 0
    for _ in 0..<2_000 {
      let a0 = Int(draw.logNormal(median: 300, sigma: 1.3))
      let a1 = a0 + 1 + Int(draw.exponential(mean: 400))
      ages.add(from: .seconds(Int64(a0)), to: .seconds(Int64(a1)))
      for second in a0..<a1 where second < seconds.count { seconds[second] += 1 }
      total += a1 - a0
    }
    #expect(ages.total == .seconds(Int64(total)))
    let below = seconds[..<700].reduce(0, +)
    #expect(ages.share(within: threshold) == Double(below) / Double(total))
    for q in [0.05, 0.5, 0.95, 0.99] {
      var sum = 0
      let exact = try #require(
        seconds.firstIndex {
          sum += $0
          return Double(sum) >= q * Double(total)
        })
      let found = try #require(ages.quantile(q))
      #expect(abs(found - Double(exact)) <= 1 + 0.016 * Double(exact), "\(q): \(found) \(exact)")
    }
  }

  @Test("ages below zero count as zero, and ages beyond the last bucket as the last bucket")
  func ends() throws {
    var ages = AgeIntegral(thresholds: [.zero])
    ages.add(from: .seconds(-10), to: .seconds(10))
    #expect(ages.total == .seconds(20))
    #expect(ages.share(within: .zero) == 0.5)
    #expect(abs(try #require(ages.quantile(0.75)) - 5) < 0.2)
    var old = AgeIntegral()
    old.add(from: .hours(24 * 2_000), to: .hours(24 * 2_001))
    #expect(old.total == .hours(24))
    #expect(try #require(old.quantile(0.5)) > 800 * 86_400)
  }

  @Test("merging and the wire form keep everything")
  func mergeAndSparse() throws {
    var a = AgeIntegral(thresholds: [.seconds(5)])
    var b = a
    var whole = a
    a.add(from: .zero, to: .seconds(9))
    b.add(from: .seconds(3), to: .seconds(70))
    b.addNever(.seconds(4))
    whole.add(from: .zero, to: .seconds(9))
    whole.add(from: .seconds(3), to: .seconds(70))
    whole.addNever(.seconds(4))
    a.merge(b)
    #expect(a == whole)
    #expect(try #require(AgeIntegral(whole.sparse)) == whole)
  }

  @Test("stale causes sum, and merge by addition")
  func stale() {
    var ledger = StaleLedger()
    for (i, cause) in StaleCause.allCases.enumerated() { ledger.add(.minutes(Int64(i + 1)), cause) }
    var other = StaleLedger()
    other.add(.minutes(4), .pushGate)
    ledger.merge(other)
    let causes = Int64(StaleCause.allCases.count)
    #expect(ledger.sum == .minutes(causes * (causes + 1) / 2 + 4))
    #expect(ledger[.pushGate] == .minutes(11))
    #expect(
      ledger.phoneMinutes["policy-silent"] == 4
        && ledger.phoneMinutes.count == StaleCause.allCases.count)
  }
}
