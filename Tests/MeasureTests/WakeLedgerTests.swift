import SimulationCore
import Testing

@testable import Measure

@Suite("Wake ledger")
struct WakeLedgerTests {
  @Test("no pushes, no ratios")
  func empty() {
    let ratios = WakeLedger().ratios(seed: 1)
    #expect(ratios.answered == nil && ratios.caused == nil && ratios.uplift == nil)
  }

  @Test("counts, outcomes and ratios of hand-worked pushes")
  func counts() throws {
    var ledger = WakeLedger()
    ledger.record(phone: 1, .caused, eligible: true, answered: true)
    ledger.record(phone: 1, .throttled, eligible: true, answered: false)
    ledger.record(phone: 2, .raced, eligible: true, answered: true)
    ledger.record(phone: 3, .offline, eligible: true, answered: false)
    ledger.record(phone: 3, .pending, eligible: false, answered: false)
    #expect(ledger.requested == 5 && ledger.eligible == 4 && ledger.answered == 2)
    #expect(ledger.check().isEmpty)
    let ratios = ledger.ratios(seed: 1)
    #expect(try #require(ratios.answered).value == 0.5)
    #expect(try #require(ratios.caused).value == 0.25)
    #expect(ratios.uplift == nil, "nothing was withheld")
    ledger.recordWithheld(phone: 4, answered: false)
    ledger.recordWithheld(phone: 5, answered: true)
    ledger.recordWithheld(phone: 6, answered: false)
    ledger.recordWithheld(phone: 7, answered: false)
    #expect(try #require(ledger.ratios(seed: 1).uplift).value == 0.25)
  }

  /// 2,000 phones with one push each, 30 % answered.
  static func independent(seed: UInt64, pushes: Int = 1) -> WakeLedger {
    var draw = Draw(seed: seed, phone: 0, Purpose(rawValue: 897))
    var ledger = WakeLedger()
    for phone in 0..<UInt32(2_000) {
      let answered = draw.chance(0.3)
      for _ in 0..<pushes {
        ledger.record(
          phone: phone, answered ? .caused : .throttled, eligible: true, answered: answered)
      }
    }
    return ledger
  }

  @Test("the interval of independent phones is the binomial one")
  func interval() throws {
    let ratio = try #require(Self.independent(seed: 5).ratios(seed: 9).answered)
    let half = 1.96 * (ratio.value * (1 - ratio.value) / 2_000).squareRoot()
    #expect(abs(ratio.high - ratio.value - half) < 0.2 * half, "\(ratio)")
    #expect(abs(ratio.value - ratio.low - half) < 0.2 * half, "\(ratio)")
  }

  @Test("ten alike pushes a phone do not make the interval narrower")
  func clusters() throws {
    let one = try #require(Self.independent(seed: 5).ratios(seed: 9).answered)
    let ten = try #require(Self.independent(seed: 5, pushes: 10).ratios(seed: 9).answered)
    #expect(abs((ten.high - ten.low) / (one.high - one.low) - 1) < 0.15)
  }

  @Test("95 % intervals cover the truth about 95 times in a hundred")
  func coverage() throws {
    var covered = 0
    for seed in 0..<100 {
      let ratio = try #require(Self.independent(seed: UInt64(seed)).ratios(seed: 1).answered)
      if ratio.low <= 0.3, 0.3 <= ratio.high { covered += 1 }
    }
    #expect(covered >= 88, "\(covered) of 100")
  }

  @Test("the same seed gives the same interval, merged from parts or not")
  func deterministic() {
    var parts = WakeLedger()
    var other = WakeLedger()
    var whole = WakeLedger()
    for phone in 0..<UInt32(300) {
      let answered = phone % 3 == 0
      let outcome = answered ? WakeOutcome.caused : .lowPower
      whole.record(phone: phone, outcome, eligible: true, answered: answered)
      if phone < 100 {
        parts.record(phone: phone, outcome, eligible: true, answered: answered)
      } else {
        other.record(phone: phone, outcome, eligible: true, answered: answered)
      }
    }
    parts.merge(other)
    #expect(parts == whole && parts.ratios(seed: 4) == whole.ratios(seed: 4))
    #expect(parts.ratios(seed: 4) != whole.ratios(seed: 5))
  }

  @Test(
    "binomial draws have the mean and variance of their law",
    arguments: [(10, 0.3), (1_000, 0.004), (50, 0.9), (5_000, 0.4)])
  func binomial(n: Int, p: Double) {
    var draw = Draw(seed: 2, phone: 0, Purpose(rawValue: 896))
    let values = (0..<20_000).map { _ in Double(draw.binomial(n, p)) }
    let mean = values.reduce(0, +) / 20_000
    let variance = values.reduce(0) { $0 + ($1 - mean) * ($1 - mean) } / 20_000
    let expected = Double(n) * p * (1 - p)
    #expect(abs(mean - Double(n) * p) < 4 * (expected / 20_000).squareRoot())
    #expect(abs(variance / expected - 1) < 0.06)
  }
}
