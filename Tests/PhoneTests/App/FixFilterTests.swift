@testable import Phone
@testable import Scenarios
import Core
import TestSupport
import Testing

@Suite("Fix filter", .quick)
struct FixFilterTests {
  /// One line of HY5's truth table.
  struct Novelty: CustomTestStringConvertible {
    var timePassed, improved, dramatic, significant, worse: Bool

    var isKept: Bool { timePassed || improved || dramatic || (significant && !worse) }

    var testDescription: String {
      [
        timePassed ? "time" : "", improved ? "improved" : "", dramatic ? "dramatic" : "",
        significant ? "significant" : "", worse ? "worse" : "",
      ].filter { !$0.isEmpty }.joined(separator: "+")
    }

    static let all = (0..<32).map { n in
      Novelty(
        timePassed: n & 1 != 0, improved: n & 2 != 0, dramatic: n & 4 != 0,
        significant: n & 8 != 0, worse: n & 16 != 0)
    }

    /// Thresholds are chosen so that each of the 32 combinations can occur: 'dramatic' below
    /// 'significant', and a ratio above one where a worse fix is to count as improved.
    var filter: FixFilter {
      FixFilter(
        rule: .significant(
          time: .seconds(300), accuracyRatio: improved && worse ? 2 : 0.5,
          dramatic: dramatic && !significant ? .meters(50) : .meters(dramatic ? 200 : 1_000),
          distance: significant ? .meters(100) : .meters(400)),
        maxAge: .hours(1), maxAccuracy: nil)
    }

    var fix: Fix {
      let accuracy: UInt16 = worse ? 30 : improved ? 8 : 16
      return Fix.at(
        timePassed ? 300 : 299, x: dramatic ? 250 : significant ? 150 : 40, accuracy: accuracy)
    }
  }

  @Test("HY5: a fix is kept for the reasons of the rule and no other", arguments: Novelty.all)
  func truthTable(novelty: Novelty) {
    let last = Fix.at(0, accuracy: 20)
    let kept = novelty.filter.accepts(
      novelty.fix, after: last, now: Timeline.second(301), always: false)
    #expect(kept == novelty.isKept)
  }

  @Test("HY5: the first fix is kept")
  func first() {
    let filter = PolicySettings.standard.background.filter
    #expect(filter.accepts(.at(0), after: nil, now: Timeline.second(1), always: false))
  }

  @Test("HY5: the last fix changes only when one is kept, so small steps add up")
  func smallSteps() {
    var app = Timeline { $0.background.service.pattern = .off }
    var kept: [Double] = []
    for n in 0..<12 {
      let answer = app.notify(
        .location(.at(Double(n), x: 30 * Double(n)), .imprecise), at: Double(n))
      if answer.contains("keep") { kept.append(30 * Double(n)) }
    }
    #expect(kept == [0, 120, 240])
  }

  @Test("EF1: a kept fix is at least T later and D away from the last kept one")
  func minimumProperty() {
    let rule = FixFilter.Rule.minimum(time: .seconds(60), distance: .meters(100))
    let filter = FixFilter(rule: rule, maxAge: .hours(24), maxAccuracy: nil)
    var draw = Draw(seed: 8, phone: 0, .appSample)
    var last: Fix?
    var (second, x, kept) = (0.0, 0.0, 0)
    for _ in 0..<5_000 {
      second += draw.exponential(mean: 20)
      x += 40 * draw.normal()
      let fix = Fix.at(second, x: x)
      let far = last.map { abs(fix.distanceMeters(to: $0)) >= 100 } ?? true
      let late = last.map { fix.time.instant - $0.time.instant >= .seconds(60) } ?? true
      let accepted = filter.accepts(fix, after: last, now: Timeline.second(second), always: false)
      #expect(accepted == (far && late))
      if accepted {
        last = fix
        kept += 1
      }
    }
    #expect(kept > 50)
  }

  /// Fixes that the energy saver keeps of ten minutes in the foreground, one a second at 2 m/s.
  private static func keptInFront(_ changes: String) throws -> [Double] {
    var app = Timeline(try Shipped.policy("significant-change", changes))
    app.notify(.launched(.user), at: 0)
    app.notify(.becameActive, at: 0)
    return (1...600).map(Double.init).filter { second in
      app.notify(.location(.at(second, x: 2 * second), .standard), at: second).contains("keep")
    }
  }

  @Test("EF1: compared with the last delivered fix, a fix a second is dropped, all but the first")
  func againstDelivered() throws {
    // The article's `oldLocation` is the fix before this one, kept or not: Δt is always 1 s.
    #expect(try Self.keptInFront("foreground.filter.against=delivered") == [1])
  }

  @Test("EF1: compared with the last delivered fix, the first one of a later session is kept too")
  func laterSession() throws {
    let policy = try Shipped.policy("significant-change", "foreground.filter.against=delivered")
    var app = Timeline(policy)
    app.notify(.launched(.user), at: 0)
    app.notify(.becameActive, at: 0)
    func keeps(_ second: Double) -> Bool {
      app.notify(.location(.at(second, x: 2 * second), .standard), at: second).contains("keep")
    }
    #expect(keeps(1) && !keeps(2))
    app.notify(.enteredBackground, at: 10)
    app.notify(.becameActive, at: 20)
    #expect(keeps(21) && !keeps(22))
  }

  @Test("EF1: compared with the last kept fix, one is kept each minute of the same walk")
  func againstKept() throws {
    let kept = try Self.keptInFront("foreground.filter.against=kept")
    #expect(kept == stride(from: 1, through: 600, by: 60).map { $0 })
  }

  @Test("EF1: the last delivered fix is lost when the app ends, so the first fix always passes")
  func deliveredAnew() throws {
    var app = Timeline(
      try Shipped.policy("significant-change", "background.filter.against=delivered"))
    app.notify(.launched(.location), at: 0)
    #expect(app.notify(.location(.at(0), .imprecise), at: 0).contains("keep"))
    #expect(!app.notify(.location(.at(10, x: 200), .imprecise), at: 10).contains("keep"))
    app.die()
    app.notify(.launched(.location), at: 20)
    #expect(app.notify(.location(.at(20, x: 400), .imprecise), at: 20).contains("keep"))
  }

  @Test("SL5, NO3: a fix older than the limit is dropped, the first one and a push's answer too")
  func staleness() {
    let filter = FixFilter(rule: .everything, maxAge: .minutes(5), maxAccuracy: nil)
    for always in [false, true] {
      #expect(filter.accepts(.at(0), after: nil, now: Timeline.second(300), always: always))
      #expect(!filter.accepts(.at(0), after: nil, now: Timeline.second(300.02), always: always))
    }
  }

  @Test("a fix less accurate than the limit is dropped")
  func vagueness() {
    let filter = FixFilter(rule: .everything, maxAge: .minutes(5), maxAccuracy: .meters(65))
    let now = Timeline.second(1)
    #expect(filter.accepts(.at(0, accuracy: 65), after: nil, now: now, always: false))
    #expect(!filter.accepts(.at(0, accuracy: 66), after: nil, now: now, always: true))
  }

  @Test("a fix that is not newer than the last is dropped, unless a push requests one")
  func order() {
    let filter = FixFilter(rule: .everything, maxAge: .minutes(5), maxAccuracy: nil)
    let now = Timeline.second(10)
    #expect(!filter.accepts(.at(5), after: .at(5), now: now, always: false))
    #expect(!filter.accepts(.at(4), after: .at(5), now: now, always: false))
    #expect(filter.accepts(.at(5), after: .at(5), now: now, always: true))
  }
}

extension Purpose {
  /// Random numbers of the tests.
  static let appSample = Purpose(rawValue: 390)
}
