@testable import Core
import TestSupport
import Testing

@Suite("Wake ledger", .quick)
struct WakeLedgerTests {
  static let within = SimDuration.minutes(10)
  static let end = SimInstant(microseconds: 0) + .hours(24)

  /// A push an hour before the end, unless stated otherwise.
  static func push(
    _ phone: UInt32, _ outcome: WakeOutcome, before: SimDuration = .hours(1),
    answered: SimDuration? = nil
  ) -> WakePush {
    var push = WakePush(phone: phone, requestedAt: end - before)
    push.outcome = outcome
    push.answeredAfter = answered
    if outcome == .caused || outcome == .late { push.causedAfter = answered }
    return push
  }

  static func control(_ phone: UInt32, answered: Bool) -> WakePush {
    var push = push(phone, .pending, answered: answered ? .minutes(4) : nil)
    push.isWithheld = true
    return push
  }

  static func ledger(_ pushes: [WakePush], windows: [SimDuration] = []) -> WakeLedger {
    var ledger = WakeLedger(within: within, windows: windows, until: end)
    for push in pushes { ledger.add(push) }
    return ledger
  }

  @Test("a push stores in 48 bytes when it was answered, by its wake or without it")
  func small() {
    var push = Self.push(7, .pending)
    #expect(push.answeredAfter == nil && push.causedAfter == nil)
    #expect(push.counterfactual == .unknown)
    for after in [SimDuration.zero, .minutes(3)] {
      (push.answeredAfter, push.causedAfter) = (after, after)
      #expect(push.answeredAfter == after && push.causedAfter == after)
      for course in [WakePush.Counterfactual.silent, .reported(after: after), .unknown] {
        push.counterfactual = course
        #expect(push.counterfactual == course)
      }
    }
    (push.answeredAfter, push.causedAfter) = (nil, nil)
    #expect(push == Self.push(7, .pending))
    #expect(MemoryLayout<WakePush>.stride == 48)
  }

  @Test("no pushes, no ratios")
  func empty() {
    let figures = Self.ledger([]).figures(within: Self.within, seed: 1)
    #expect(figures == WakeLedger.Metrics())
  }

  @Test("counts, outcomes and ratios of hand-worked pushes")
  func counts() throws {
    var pushes = [
      Self.push(1, .caused, answered: .minutes(1)), Self.push(1, .throttled),
      Self.push(2, .raced, answered: .minutes(2)), Self.push(3, .offline),
      Self.push(3, .pending, before: .minutes(3)),
    ]
    let ledger = Self.ledger(pushes)
    let figures = ledger.figures(within: Self.within, seed: 1)
    #expect(ledger.requested == 5 && figures.eligible == 4)
    #expect(ledger.check().isEmpty && ledger.outcomes[.pending] == 1)
    #expect(try #require(figures.answered).value == 0.5)
    #expect(try #require(figures.caused).value == 0.25)
    #expect(figures.upliftHoldout == nil, "nothing was withheld")
    #expect(figures.upliftPaired == nil, "no other course is known")
    for phone in 4..<8 { pushes.append(Self.control(UInt32(phone), answered: phone == 5)) }
    let withControls = Self.ledger(pushes).figures(within: Self.within, seed: 1)
    #expect(try #require(withControls.upliftHoldout).value == 0.25)
    #expect(withControls.withheld == 4 && withControls.eligible == 4)
  }

  @Test("a push that the phone still holds is excluded from the ratios, except a server's")
  func held() throws {
    let pushes = [
      Self.push(1, .caused, answered: .minutes(1)), Self.push(2, .pending),
      Self.control(3, answered: false),
    ]
    let figures = Self.ledger(pushes).figures(within: Self.within, seed: 1)
    #expect(figures.eligible == 1 && figures.answered?.value == 1)
    #expect(try #require(figures.upliftHoldout).value == 0.5)
  }

  @Test(
    "each W has its own pushes and answers; a longer one has no fewer answers to the same pushes")
  func windows() throws {
    let ledger = Self.ledger(
      [
        Self.push(1, .caused, answered: .seconds(30)), Self.push(2, .caused, answered: .minutes(6)),
        Self.push(3, .late, answered: .minutes(20)),
        Self.push(4, .caused, before: .minutes(15), answered: .seconds(50)),
        Self.push(5, .pending, before: .minutes(2), answered: .seconds(10)),
      ], windows: [.minutes(1), .minutes(30)])
    #expect(ledger.windows == [.minutes(1), .minutes(10), .minutes(30)])
    let figures = ledger.windows.map { ledger.figures(within: $0, seed: 1) }
    #expect(figures.map(\.eligible) == [5, 4, 3])
    #expect(figures.map { $0.answered?.value } == [3.0 / 5, 3.0 / 4, 1])
    #expect(figures.map { $0.caused?.value } == [2.0 / 5, 3.0 / 4, 1])
  }

  @Test("pairs: uplift is the mean effect of pushes, including those without effect")
  func paired() throws {
    var gained = Self.push(1, .caused, answered: .minutes(1))
    gained.counterfactual = .silent
    var same = Self.push(2, .caused, answered: .minutes(1))
    same.counterfactual = .reported(after: .minutes(3))
    var neither = Self.push(3, .offline)
    neither.counterfactual = .silent
    var lost = Self.push(4, .noFix)
    lost.counterfactual = .reported(after: .minutes(9))
    let unknown = Self.push(5, .caused, answered: .minutes(1))
    let ledger = Self.ledger(
      [gained, same, neither, lost, unknown], windows: [.minutes(5), .minutes(30)])
    let main = ledger.figures(within: Self.within, seed: 1)
    #expect(main.upliftPaired?.value == 0 && main.withoutPaired?.value == 0.5)
    let short = ledger.figures(within: .minutes(5), seed: 1)
    #expect(short.upliftPaired?.value == 0.25)
    #expect(
      ledger.figures(within: .minutes(30), seed: 1).upliftPaired == nil,
      "the other course was lived for W only")
  }

  @Test("unreachable phones are included in the all-silent figures")
  func allSilent() throws {
    var ledger = Self.ledger([
      Self.push(1, .caused, answered: .minutes(1)), Self.push(2, .forceQuit),
    ])
    ledger.add(UnreachableSilence(phone: 3, occasions: 5, answered: 1))
    ledger.add(UnreachableSilence(phone: 2, occasions: 1, answered: 0))
    let figures = ledger.figures(within: Self.within, seed: 1)
    #expect(figures.answered?.value == 0.5 && figures.unreachable == 6)
    #expect(figures.allSilentAnswered?.value == 0.25)
    #expect(figures.allSilentCaused?.value == 0.125)
  }

  @Test("pushes that no policy answers are excluded from the ratios, except those of their cohort")
  func unanswerable() throws {
    var pushes = [
      Self.push(1, .caused, answered: .minutes(1)), Self.push(2, .throttled),
      Self.push(3, .noFix), Self.push(4, .noFix), Self.push(5, .raced, answered: .minutes(2)),
      Self.control(6, answered: true),
    ]
    for i in 2..<6 {
      pushes[i].canBeAnswered = false
      pushes[i].cohort = 1
    }
    var ledger = Self.ledger(pushes)
    ledger.add(UnreachableSilence(phone: 9, occasions: 3, answered: 1))
    let figures = ledger.figures(within: Self.within, seed: 1)
    #expect(ledger.requested == 5 && ledger.unanswerable == 3)
    #expect(figures.eligible == 2 && figures.unanswerable == 3 && figures.unanswerableAnswered == 1)
    #expect(figures.withheld == 0, "nor are their controls")
    #expect(try #require(figures.answered).value == 0.5)
    #expect(ledger.answerableOutcomes == [.caused: 1, .throttled: 1])
    #expect(ledger.outcomes.values.reduce(0, +) == 5 && ledger.check().isEmpty)
    // All silent phones are all: five pushes and three occasions without one.
    #expect(figures.allSilentAnswered?.value == 3.0 / 8)
    let groups = ledger.groups(by: { Int($0.cohort) }, named: String.init, judgesAll: true, seed: 1)
    #expect(groups.map(\.eligible) == [2, 3])
    #expect(try #require(groups[1].answered).value == 1.0 / 3)
    #expect(
      ledger.groups(by: { Int($0.cohort) }, named: String.init, seed: 1).map(\.eligible) == [2, 0])
    #expect(ledger.answerCurve()?.subjects == 2)
  }

  @Test("groups sum to the whole")
  func groups() {
    let outcomes: [WakeOutcome] = [.caused, .throttled, .offline, .raced, .late]
    var pushes: [WakePush] = []
    for i in 0..<600 {
      let outcome = outcomes[i % 5]
      var push = Self.push(
        UInt32(i % 70), outcome, before: .minutes(Int64(i)),
        answered: outcome == .caused ? .minutes(2) : nil)
      push.hour = UInt8(i % 24)
      pushes.append(push)
    }
    let ledger = Self.ledger(pushes)
    let whole = ledger.figures(within: Self.within, seed: 1)
    let groups = ledger.groups(by: { Int($0.hour) }, named: String.init, seed: 1)
    #expect(groups.map(\.name) == (0..<24).map(String.init))
    #expect(groups.reduce(0) { $0 + $1.requested } == 600)
    #expect(groups.reduce(0) { $0 + $1.eligible } == whole.eligible)
    for outcome in outcomes {
      #expect(
        groups.reduce(0) { $0 + ($1.outcomes[outcome.rawValue] ?? 0) } == ledger.outcomes[outcome])
    }
    let answered = groups.reduce(0.0) {
      $0 + Double($1.eligible) * ($1.answered?.value ?? 0)
    }
    #expect(abs(answered / Double(whole.eligible) - (whole.answered?.value ?? -1)) < 1e-12)
  }

  /// 2,000 phones with one push each, 30 % answered.
  static func independent(seed: UInt64, pushes: Int = 1) -> WakeLedger {
    var draw = Draw(seed: seed, phone: 0, Purpose(rawValue: 897))
    var ledger = ledger([])
    for phone in 0..<UInt32(2_000) {
      let answered = draw.chance(0.3)
      for _ in 0..<pushes {
        ledger.add(
          push(phone, answered ? .caused : .throttled, answered: answered ? .minutes(1) : nil))
      }
    }
    return ledger
  }

  static func answered(_ ledger: WakeLedger, seed: UInt64) -> Ratio? {
    ledger.figures(within: within, seed: seed).answered
  }

  @Test("the interval of independent phones is the binomial one")
  func interval() throws {
    let ratio = try #require(Self.answered(Self.independent(seed: 5), seed: 9))
    let half = 1.96 * (ratio.value * (1 - ratio.value) / 2_000).squareRoot()
    #expect(abs(ratio.high - ratio.value - half) < 0.2 * half, "\(ratio)")
    #expect(abs(ratio.value - ratio.low - half) < 0.2 * half, "\(ratio)")
  }

  @Test("ten identical pushes a phone do not make the interval narrower")
  func clusters() throws {
    let one = try #require(Self.answered(Self.independent(seed: 5), seed: 9))
    let ten = try #require(Self.answered(Self.independent(seed: 5, pushes: 10), seed: 9))
    #expect(abs((ten.high - ten.low) / (one.high - one.low) - 1) < 0.15)
  }

  @Test("95 % intervals cover the truth in about 95 % of cases")
  func coverage() throws {
    var covered = 0
    for seed in 0..<100 {
      let ratio = try #require(Self.answered(Self.independent(seed: UInt64(seed)), seed: 1))
      if ratio.low <= 0.3, 0.3 <= ratio.high { covered += 1 }
    }
    #expect(covered >= 88, "\(covered) of 100")
  }

  @Test("equal seeds give equal intervals, other seeds others")
  func deterministic() {
    let ledger = Self.independent(seed: 3)
    #expect(Self.answered(ledger, seed: 4) == Self.answered(ledger, seed: 4))
    #expect(Self.answered(ledger, seed: 4) != Self.answered(ledger, seed: 5))
  }

  @Test(
    "binomial draws have the mean and variance of their distribution",
    arguments: [(10, 0.3), (1_000, 0.004), (50, 0.9), (5_000, 0.4)])
  func binomial(n: Int, p: Double) {
    var draw = Draw(seed: 2, phone: 0, Purpose(rawValue: 896))
    let values = (0..<20_000).map { _ in Double(draw.binomial(n, Share(p))) }
    let mean = values.reduce(0, +) / 20_000
    let variance = values.reduce(0) { $0 + ($1 - mean) * ($1 - mean) } / 20_000
    let expected = Double(n) * p * (1 - p)
    #expect(abs(mean - Double(n) * p) < 4 * (expected / 20_000).squareRoot())
    #expect(abs(variance / expected - 1) < 0.06)
  }
}
