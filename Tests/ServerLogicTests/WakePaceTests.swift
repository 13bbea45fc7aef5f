import Core
import Scenarios
import TestSupport
import Testing

@testable import ServerLogic

@Suite("Pace of pushes", .quick)
struct WakePaceTests {
  /// The minutes of the pushes to phone 1, which was registered at minute 0.
  private func minutes(
    through last: Int, _ change: (inout PushTerms) -> Void,
    _ live: (Int, inout Timeline) -> Void = { _, _ in }
  ) -> [Int] {
    var line = Timeline(change)
    line.register(1)
    var minutes: [Int] = []
    for minute in 1...last {
      if !line.pushes(from: minute, through: minute).isEmpty { minutes.append(minute) }
      live(minute, &line)
    }
    return minutes
  }

  @Test("backoff: from the after-th unanswered push on the spacing grows, at most to the longest")
  func backoff() {
    let pushes = minutes(through: 900) {
      $0.backoff = PushBackoff(after: 2, factor: 2, longest: .hours(3))
    }
    // 30 min, then 30 · 2, 30 · 4, and 180 instead of 240.
    #expect(pushes == [60, 90, 150, 270, 450, 630, 810])
  }

  @Test("any report ends the series of unanswered pushes")
  func backoffEnds() {
    let pushes = minutes(
      through: 400,
      { $0.backoff = PushBackoff(after: 1, factor: 4, longest: .hours(24)) },
      { minute, line in if minute == 130 { line.report(1, at: 130, taken: 10) } })
    // 60, then 120 min later; the report at 130 makes it due 60 min after that, not at 180.
    #expect(pushes == [60, 190, 310])
  }

  @Test(
    "a push that the provider refused for now is repeated after retryAfter",
    arguments: [(429, 75), (500, 75), (503, 75), (403, 90), (413, 90)])
  func retry(status: Int, again: Int) {
    var line = Timeline {
      $0.retryAfter = .minutes(15)
      $0.backoff = PushBackoff(after: 1, factor: 1, longest: .hours(24))
    }
    line.register(1)
    var ids: [UInt64] = []
    line.backend.sweep(at: Timeline.minute(60)) { ids.append($0.id) }
    line.backend.pushResult(ids[0], status: status, at: Timeline.minute(60))
    #expect(line.pushes(from: 61, through: 100) == [.init(minute: again, phone: 1)])
  }

  @Test("a refused push is not an unanswered one")
  func refusedIsNotUnanswered() {
    func pushes(_ status: Int) -> [Timeline.Push] {
      var line = Timeline {
        $0.backoff = PushBackoff(after: 2, factor: 10, longest: .hours(24))
        $0.retryAfter = .minutes(30)
      }
      line.register(1)
      var ids: [UInt64] = []
      line.backend.sweep(at: Timeline.minute(60)) { ids.append($0.id) }
      line.backend.pushResult(ids[0], status: status, at: Timeline.minute(60))
      return line.pushes(from: 61, through: 130)
    }
    #expect(pushes(503).map(\.minute) == [90, 120])
    #expect(pushes(200).map(\.minute) == [90])
  }

  private static func adaptive(_ settings: inout PushTerms) {
    settings.scheduler = .adaptive
    settings.adaptive = AdaptivePushing(
      prior: 0.5, weight: 0.25, silentAfter: .minutes(30), spacing: .minutes(40), caution: 1,
      longest: .hours(10))
  }

  @Test("adaptive: a phone that answers is pushed sooner and one that does not less and less often")
  func adaptive() {
    let deaf = minutes(through: 4_000, Self.adaptive)
    let gaps = zip(deaf, deaf.dropFirst()).map { $1 - $0 }
    #expect(gaps == gaps.sorted())
    #expect(gaps.last == 600)
    let keen = minutes(through: 4_000, Self.adaptive) { minute, line in
      // Two minutes after each push there is an answer.
      let chosen = line.backend.snapshot(of: PhoneID(rawValue: 1)).chosenAt
      if chosen == Timeline.minute(Double(minute - 2)) { line.report(1, at: Double(minute)) }
    }
    #expect(keen.count > 2 * deaf.count)
    // 2 min to the answer, and silence close to 30 min; but no closer than the 40 of its spacing.
    let last = zip(keen, keen.dropFirst()).map { $1 - $0 }.suffix(10)
    #expect(last.allSatisfy { (40...42).contains($0) }, "\(last)")
  }

  @Test("adaptive: a phone's answer history survives its own reports, and changes with its answers")
  func outlives() {
    var line = Timeline(Self.adaptive)
    line.register(1)
    let phone = PhoneID(rawValue: 1)
    let before = line.backend.snapshot(of: phone).answers
    #expect(before == AnswerHistory(share: 128, unanswered: 0))
    _ = line.pushes(from: 1, through: 60)
    #expect(line.backend.snapshot(of: phone).answers == AnswerHistory(share: 96, unanswered: 1))
    // A flush of the outbox is no answer, but the phone is alive.
    line.report(1, at: 61, taken: 5)
    #expect(line.backend.snapshot(of: phone).answers == AnswerHistory(share: 96, unanswered: 0))
    line.report(1, at: 62)
    #expect(line.backend.snapshot(of: phone).answers == AnswerHistory(share: 159, unanswered: 0))
    var other = Timeline(Self.adaptive)
    other.backend.restore(line.backend.snapshot(of: phone), at: Timeline.minute(63))
    #expect(other.backend.snapshot(of: phone) == line.backend.snapshot(of: phone))
  }

  @Test("adaptive: a control does not change a phone's answer history")
  func controls() {
    var line = Timeline {
      Self.adaptive(&$0)
      $0.holdout = 1
    }
    line.register(1)
    _ = line.pushes(from: 1, through: 100)
    #expect(
      line.backend.snapshot(of: PhoneID(rawValue: 1)).answers
        == AnswerHistory(share: 128, unanswered: 0))
  }
}

@Suite("Answers and their time", .quick)
struct WakeAnswerTests {
  @Test(
    "an occasion stays open up to the longest window that is no longer than the spacing",
    arguments: [(65.0, 5), (70, 10), (80, 20), (90, 30), (91, nil)] as [(Double, Int64?)])
  func windows(arrives: Double, minutes: Int64?) {
    var line = WakeMetricsTests.pushed {
      $0.spacing = .minutes(35)
      $0.windows = [.minutes(5), .minutes(30), .minutes(40)]
    }
    line.report(1, at: arrives, taken: 61)
    line.backend.closeMeasure(at: Timeline.minute(94))
    #expect(line.backend.occasions.map(\.answeredAfter) == [minutes.map { .minutes($0) }])
    let named = line.backend.takeAnswered().map(\.answeredAfter)
    #expect(named == (minutes.map { [.minutes($0)] } ?? []))
    // The count keeps to W = 10 min.
    #expect(line.backend.wake[.pushesAnswered] == ((minutes ?? 99) <= 10 ? 1 : 0))
  }

  @Test("the log is ordered by sweep and phone, whatever order phones came due in")
  func log() {
    var line = Timeline(phones: 50) { $0.rate = Rate(perSecond: 20.0 / 60) }
    line.backend.openMeasure(at: Timeline.minute(0))
    for phone: UInt32 in 0..<50 { line.register(phone, at: Double((phone * 37) % 50) / 10) }
    #expect(line.pushes(from: 1, through: 70).count == 50)
    for phone: UInt32 in 0..<50 { line.report(phone, at: 70) }
    let ids = line.backend.occasions.map(\.pushID)
    #expect(ids == ids.sorted())
    #expect(Set(line.backend.takeAnswered().map(\.phone)).count == 50)
  }
}

@Suite("Silent phones that cannot be pushed", .quick)
struct UnreachableTests {
  private func tallies(_ line: Timeline) -> [UInt32: [UInt16]] {
    var tallies: [UInt32: [UInt16]] = [:]
    line.backend.forEachUnreachable { tallies[$0.rawValue] = [$1.eligible, $1.answered] }
    return tallies
  }

  private func unreachable(_ line: Timeline) -> [Int] {
    [line.backend.wake[.unreachableEligible], line.backend.wake[.unreachableAnswered]]
  }

  @Test("they are counted by the plain rule, never pushed, and answer by themselves within W")
  func counted() {
    var line = Timeline()
    line.register(0, .whenInUse)
    line.register(1, .always, token: false)
    line.register(2)
    line.backend.openMeasure(at: Timeline.minute(1))
    // Occasions at 60 and 90; the report at 95 answers the second, and moves the next to 155.
    #expect(Set(line.pushes(from: 1, through: 94).map(\.phone)) == [2])
    line.report(0, at: 95)
    line.report(1, at: 102)
    #expect(Set(line.pushes(from: 96, through: 170).map(\.phone)) == [2])
    line.backend.closeMeasure(at: Timeline.minute(171))
    #expect(tallies(line) == [0: [3, 1], 1: [2, 0]])
    #expect(unreachable(line) == [5, 1])
    #expect(line.backend.occasions.allSatisfy { $0.phone.rawValue == 2 })
  }

  @Test("occasions without a whole W before the end, or before the begin, do not count")
  func edges() {
    var line = Timeline()
    line.register(0, .denied)
    line.register(1, .denied)
    _ = line.pushes(from: 1, through: 61)
    line.backend.openMeasure(at: Timeline.minute(62))
    _ = line.pushes(from: 62, through: 95)
    line.report(1, at: 96)
    #expect(unreachable(line) == [2, 1])
    line.backend.closeMeasure(at: Timeline.minute(99))
    #expect(unreachable(line) == [0, 0])
    #expect(tallies(line) == [:])
  }

  @Test("a phone that becomes reachable is pushed at once: it has no earlier push")
  func becomesReachable() {
    var line = Timeline()
    line.register(0, .whenInUse)
    _ = line.pushes(from: 1, through: 61)
    line.register(0, at: 61.5)
    #expect(line.pushes(from: 62, through: 62) == [.init(minute: 62, phone: 0)])
  }
}
