import Core
import Scenarios
import TestSupport
import Testing

@testable import ServerLogic

@Suite("Wake scheduler", .quick)
struct WakeSchedulerTests {
  typealias Push = Timeline.Push

  @Test("a phone that is silent for silentAfter is pushed at the next sweep, then every spacing")
  func silence() {
    var line = Timeline()
    line.register(1)
    line.report(1, at: 0.5)
    #expect(
      line.pushes(from: 1, through: 125) == [
        Push(minute: 61, phone: 1), Push(minute: 91, phone: 1), Push(minute: 121, phone: 1),
      ])
  }

  @Test("SP1: a report moves the due instant, whenever it comes: a push is the last resort")
  func reports() {
    var line = Timeline()
    line.register(1)
    #expect(line.pushes(from: 1, through: 50) == [])
    line.report(1, at: 50)
    #expect(line.pushes(from: 51, through: 110) == [Push(minute: 110, phone: 1)])
    line.report(1, at: 110.5)
    #expect(line.pushes(from: 111, through: 171) == [Push(minute: 171, phone: 1)])
  }

  @Test("a late sweep finds every phone that came due in between")
  func lateSweep() {
    var line = Timeline()
    line.register(1)
    line.register(2, at: 10)
    #expect(
      line.pushes(from: 1_000, through: 1_000) == [
        Push(minute: 1_000, phone: 1), Push(minute: 1_000, phone: 2),
      ])
  }

  @Test("only phones with Always permission and a valid token are pushed")
  func reachable() {
    var line = Timeline()
    line.register(0, .whenInUse)
    line.register(1, .denied)
    line.register(2, .always, token: false)
    line.register(3, .always)
    #expect(line.pushes(from: 1, through: 61) == [Push(minute: 60, phone: 3)])
    line.register(0, .always, at: 61.5)
    #expect(line.pushes(from: 62, through: 62) == [Push(minute: 62, phone: 0)])
  }

  @Test("phones above the rate wait, the longest due first, then by phone")
  func rate() {
    var line = Timeline { $0.rate = Rate(perSecond: 1.0 / 60) }
    line.register(3, at: -1)
    for phone: UInt32 in [2, 0, 1] { line.register(phone) }
    #expect(
      line.pushes(from: 1, through: 63) == [
        Push(minute: 59, phone: 3), Push(minute: 60, phone: 0), Push(minute: 61, phone: 1),
        Push(minute: 62, phone: 2),
      ])
  }

  @Test("a phone that reports while it waits for the rate is not pushed")
  func reportsWhileWaiting() {
    var line = Timeline { $0.rate = Rate(perSecond: 1.0 / 60) }
    line.register(0)
    line.register(1)
    #expect(line.pushes(from: 1, through: 60) == [Push(minute: 60, phone: 0)])
    line.report(1, at: 60.5)
    #expect(line.pushes(from: 61, through: 89) == [])
  }

  @Test("a rate below one push a sweep lets one through in turn")
  func slowRate() {
    var line = Timeline(phones: 100) { $0.rate = Rate(perSecond: 1.0 / 180) }
    for phone: UInt32 in 0..<100 { line.register(phone) }
    #expect(line.pushes(from: 1, through: 119).count == 20)
  }

  @Test("a token that the provider calls dead is pushed no more until the phone registers again")
  func deadToken() {
    var line = Timeline()
    line.register(1)
    var ids: [UInt64] = []
    line.backend.sweep(at: Timeline.minute(60)) { ids.append($0.id) }
    line.backend.pushResult(ids[0], status: 410, at: Timeline.minute(60))
    #expect(line.pushes(from: 61, through: 200) == [])
    line.register(1, at: 200.5)
    #expect(line.pushes(from: 201, through: 201) == [Push(minute: 201, phone: 1)])
    #expect(line.backend.wake[.pushesRefused] == 1)
  }

  @Test("jitter spreads a storm over its width and is the same in every run of a seed")
  func jitter() {
    func minutes(seed: UInt64) -> [Push] {
      var line = Timeline(phones: 300, seed: seed) { $0.jitter = .minutes(10) }
      for phone: UInt32 in 0..<300 { line.register(phone) }
      return line.pushes(from: 1, through: 70)
    }
    let pushes = minutes(seed: 42)
    #expect(pushes.count == 300)
    #expect(Set(pushes.map(\.minute)) == Set(61...70))
    #expect(pushes == minutes(seed: 42))
    #expect(pushes != minutes(seed: 43))
  }

  @Test("the scheduler none pushes no phone")
  func none() {
    var line = Timeline { $0.scheduler = .none }
    line.register(1)
    #expect(line.pushes(from: 1, through: 200) == [])
  }
}

@Suite("Wake figures", .quick)
struct WakeMetricsTests {
  /// One push at minute 60, within 10 min.
  static func pushed(_ change: (inout PushTerms) -> Void = { _ in }) -> Timeline {
    var line = Timeline(change)
    line.register(1)
    line.backend.openMeasure(at: Timeline.minute(1))
    _ = line.pushes(from: 1, through: 60)
    return line
  }

  @Test(
    "answered(W) needs a fix taken after the push, accurate enough, arriving within W",
    arguments: [
      (62.0, 61.0, UInt16(20), 1),
      (70.0, 61.0, 200, 1),
      (70.1, 61.0, 20, 0),
      (62.0, 59.9, 20, 0),
      (62.0, 60.0, 20, 0),
      (62.0, 61.0, 201, 0),
    ] as [(Double, Double, UInt16, Int)])
  func answered(arrives: Double, taken: Double, accuracy: UInt16, answers: Int) {
    var line = Self.pushed()
    line.report(1, at: arrives, taken: taken, accuracy: accuracy)
    line.backend.closeMeasure(at: Timeline.minute(90))
    #expect(line.backend.wake[.pushesAnswered] == answers)
    #expect(line.backend.wake[.pushesEligible] == 1)
  }

  @Test("an outbox flush does not answer, the fix that follows it does, and only once")
  func once() {
    var line = Self.pushed()
    line.report(1, at: 61, taken: 30)
    #expect(line.backend.wake[.pushesAnswered] == 0)
    line.report(1, at: 62)
    line.report(1, at: 63)
    #expect(line.backend.wake[.pushesAnswered] == 1)
    #expect(line.backend.takeAnswered().map(\.phone.rawValue) == [1])
    #expect(line.backend.takeAnswered() == [])
  }

  @Test("a duplicate answers nothing")
  func duplicate() {
    var line = Timeline()
    line.register(1)
    line.report(1, at: 0, taken: 4, sequence: 1)
    line.backend.openMeasure(at: Timeline.minute(0))
    _ = line.pushes(from: 1, through: 60)
    #expect(line.report(1, at: 61, taken: 60.5, sequence: 1) == .duplicate)
    #expect(line.backend.wake[.pushesAnswered] == 0)
  }

  @Test("pushes later than W before the end are pending, answered or not")
  func pending() {
    var line = Self.pushed()
    line.report(1, at: 61)
    #expect(line.backend.wake[.pushesAnswered] == 1)
    line.backend.closeMeasure(at: Timeline.minute(69))
    let wake = line.backend.wake
    #expect(wake[.pushesRequested] == 1)
    #expect(wake[.pushesRequested] - wake[.pushesEligible] == 1)
    #expect(wake[.pushesEligible] == 0)
    #expect(wake[.pushesAnswered] == 0)
    #expect(line.backend.occasions.map(\.isPending) == [true])
  }

  @Test("pushes before the measured time do not count, whenever they are answered")
  func beforeMeasure() {
    var line = Timeline()
    line.register(1)
    _ = line.pushes(from: 1, through: 60)
    line.backend.openMeasure(at: Timeline.minute(61))
    line.report(1, at: 62)
    line.backend.closeMeasure(at: Timeline.minute(90))
    #expect(line.backend.wake == Sheet())
  }

  @Test("a withheld push is a control: counted as if sent, but never sent")
  func holdout() {
    var line = Self.pushed { $0.holdout = 1 }
    line.report(1, at: 61)
    _ = line.pushes(from: 61, through: 125)
    line.backend.closeMeasure(at: Timeline.minute(200))
    let wake = line.backend.wake
    #expect(wake[.pushesRequested] == 0)
    #expect(wake[.withheldEligible] == 2)
    #expect(wake[.withheldAnswered] == 1)
  }

  @Test("the holdout share is drawn by phone and occasion")
  func holdoutShare() {
    var line = Timeline(phones: 10_000) { $0.holdout = 0.05 }
    for phone: UInt32 in 0..<10_000 { line.register(phone) }
    line.backend.openMeasure(at: Timeline.minute(0))
    let pushes = line.pushes(from: 1, through: 60)
    #expect(pushes.count + line.backend.wake[.pushesWithheld] == 10_000)
    #expect((400...600).contains(line.backend.wake[.pushesWithheld]))
  }
}

@Suite("Wake log", .quick)
struct WakeLogTests {
  @Test("an occasion that a restarted server reads back counts for spacing and for its answer")
  func readBack() {
    var line = Timeline()
    line.register(1)
    line.backend.openMeasure(at: Timeline.minute(0))
    let number = UInt64(Timeline.minute(70).microseconds / 60_000_000)
    line.backend.begin(
      WakeOccasion(pushID: number << 32 | 1, at: Timeline.minute(70), isWithheld: false))
    #expect(line.pushes(from: 71, through: 100) == [.init(minute: 100, phone: 1)])
    var answered = Timeline()
    answered.register(1)
    answered.backend.openMeasure(at: Timeline.minute(0))
    answered.backend.begin(
      WakeOccasion(pushID: number << 32 | 1, at: Timeline.minute(70), isWithheld: false))
    answered.report(1, at: 75)
    #expect(answered.backend.takeAnswered().map(\.pushID) == [number << 32 | 1])
    #expect(answered.backend.wake[.pushesAnswered] == 1)
  }

  @Test("a million phones are swept by due time: a quiet sweep costs nothing")
  func quietSweeps() {
    var line = Timeline(phones: 1_000_000)
    for phone: UInt32 in 0..<1_000 { line.register(phone) }
    let clock = ContinuousClock()
    let took = clock.measure {
      _ = line.pushes(from: 1, through: 59)
    }
    // Checking every phone would be 59 million checks, seconds in a debug build.
    #expect(took < .seconds(1))
  }
}
