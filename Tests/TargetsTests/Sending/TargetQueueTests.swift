internal import Core
internal import TestSupport
internal import Testing
@testable internal import Targets

/// Batches that phones hand to an app, by the rules of shipped targets.
@Suite("A phone's queue to a target", .quick)
struct TargetQueueTests {
  /// One phone, its queue and the account of its fixes.
  struct App {
    let rule: AppRetry
    var queue: TargetQueue
    var account = FixAccount()
    var now = WallInstant(microseconds: 0)
    var isEnding = false

    init(_ target: String, _ change: (inout Target) -> Void = { _ in }) throws {
      var target = try shippedTargets.load(target)
      change(&target)
      rule = AppRetry(target)
      queue = TargetQueue(rule)
    }

    mutating func handle(_ event: TargetQueue.Event) -> TargetQueue.Effects {
      let effects = queue.handle(
        event, rule, &account, at: now, chance: 0.5, isEnding: isEnding)
      #expect(account.check() == [])
      return effects
    }

    mutating func hand(
      _ fixes: Int, sequence: UInt32 = 1, attempt: UInt32 = 1, epoch: UInt32 = 1
    ) -> TargetQueue.Effects {
      let id = BatchID(phone: PhoneID(rawValue: 7), epoch: epoch, sequence: sequence)
      return handle(.handed(id, attempt: attempt, fixes: fixes, isLaunched: false))
    }

    mutating func answer(_ outcome: Answer.Outcome) -> TargetQueue.Effects {
      handle(.answered(Answer(rule: 0, outcome: outcome)))
    }
  }

  @Test("a batch of three is sent in three requests, and its phone gets one result")
  func requestByRequest() throws {
    var app = try App("owntracks")
    #expect(app.hand(3).sends?.fixes == 0..<1)
    #expect(app.account[.inFlight] == 1)
    let second = app.answer(.stored)
    #expect(second.sends?.fixes == 1..<2)
    #expect(second.stored == 0..<1)
    #expect(second.result == nil)
    #expect(app.answer(.refused(reason: "4xx")).sends?.fixes == 2..<3)
    let last = app.answer(.duplicate)
    #expect(last.sends == nil)
    #expect(last.result?.1 == .taken)
    #expect(app.account[.stored] == 2)
    #expect(app.account.duplicates == 1)
    #expect(app.account.refusedBy == ["4xx": 1])
  }

  @Test("after a partly stored request that many fixes are stored, and the others are refused")
  func partly() throws {
    var app = try App("radar") { $0.upload.fixes = .upTo(5) }
    #expect(app.hand(5).sends?.fixes == 0..<5)
    let end = app.answer(.partly(taken: 3, reason: "not accepted"))
    #expect(end.partly?.fixes == 0..<5 && end.partly?.taken == 3 && end.stored.isEmpty)
    #expect(end.result?.1 == .taken)
    #expect(app.account[.stored] == 3 && app.account.refusedBy == ["not accepted": 2])
    var none = try App("radar") { $0.upload.fixes = .upTo(5) }
    _ = none.hand(5)
    #expect(none.answer(.partly(taken: 0, reason: "x")).result?.1 == .thrownAway)
    #expect(none.account[.stored] == 0 && none.account[.refused] == 5)
  }

  @Test(
    "failed fixes return to the phone, and are sent again no earlier than the rule says")
  func handedAgain() throws {
    var app = try App("owntracks")
    _ = app.hand(2)
    _ = app.answer(.stored)
    let failed = app.answer(.failed)
    #expect(failed.result?.1 == .failed)
    #expect(failed.wakeAt == nil)
    #expect(app.account[.failed] == 1)
    app.now = WallInstant(microseconds: 400_000)
    let held = app.hand(2, attempt: 2)
    #expect(held.sends == nil)
    #expect(held.wakeAt == WallInstant(microseconds: 1_000_000))
    app.now = WallInstant(microseconds: 1_000_000)
    #expect(app.handle(.timer).sends?.fixes == 1..<2)
    let end = app.answer(.stored)
    #expect(end.result?.attempt == 2)
    #expect(end.result?.1 == .taken)
    #expect(app.account[.stored] == 2)
  }

  @Test("a batch whose answer the phone has missed is not sent again")
  func missedAnswer() throws {
    var app = try App("owntracks")
    _ = app.hand(1)
    _ = app.answer(.stored)
    let again = app.hand(1, attempt: 2)
    #expect(again.sends == nil)
    #expect(again.result?.1 == .taken)
    #expect(app.account.handed == 1)
  }

  @Test("a batch of which nothing is stored was discarded")
  func thrownAway() throws {
    var app = try App("owntracks")
    _ = app.hand(1)
    #expect(app.answer(.refused(reason: "no")).result?.1 == .thrownAway)
    var newest = try App("homeassistant") { $0.register = nil }
    let sent = newest.hand(4)
    #expect(sent.sends?.fixes == 3..<4)
    #expect(newest.account[.dropped] == 3)
    #expect(newest.answer(.stored).result?.1 == .taken)
  }

  @Test("GPSLogger gives up a point after a try and three more")
  func attempts() throws {
    var app = try App("gpslogger")
    _ = app.hand(1)
    for attempt in 2...4 {
      #expect(app.handle(.unanswered).result?.1 == .failed)
      #expect(app.account[.unknown] == 1)
      app.now = app.now + .seconds(600)
      #expect(app.hand(1, attempt: UInt32(attempt)).sends != nil)
    }
    #expect(app.handle(.unanswered).result?.1 == .thrownAway)
    #expect(app.account[.dropped] == 1)
    #expect(app.account[.unknown] == 0)
  }

  @Test("Overland holds a batch until its next interval, while its phone waits")
  func interval() throws {
    var app = try App("overland")
    _ = app.hand(10)
    #expect(app.answer(.stored).result?.1 == .taken)
    app.now = WallInstant(microseconds: 5_000_000)
    let held = app.hand(10, sequence: 2, attempt: 2)
    #expect(held.sends == nil)
    #expect(held.result == nil)
    let at = try #require(held.wakeAt)
    app.now = at
    #expect(app.handle(.timer).sends?.fixes == 0..<10)
  }

  @Test("the first request is a registration, and is repeated until accepted")
  func registration() throws {
    var app = try App("homeassistant")
    #expect(app.hand(1).registers)
    #expect(app.handle(.unregistered).result?.1 == .failed)
    app.now = app.now + .seconds(600)
    #expect(app.hand(1, attempt: 2).registers)
    let taken = app.handle(.registered(Answer(rule: 0, outcome: .stored)))
    #expect(taken.sends?.fixes == 0..<1)
  }

  @Test("an opened app registers before it has uploads, and until it is accepted")
  func opened() throws {
    let none = BatchID(phone: PhoneID(rawValue: 7), epoch: 1, sequence: 0)
    var app = try App("homeassistant")
    #expect(app.handle(.opened(none)).registers)
    #expect(!app.handle(.opened(none)).registers)
    let at = try #require(app.handle(.unregistered).wakeAt)
    #expect(!app.handle(.timer).registers)
    app.now = at
    #expect(app.handle(.timer).registers)
    // A batch that comes meanwhile waits for the same registration.
    let handed = app.hand(2)
    #expect(!handed.registers && handed.sends == nil && handed.result == nil)
    let taken = app.handle(.registered(Answer(rule: 0, outcome: .stored)))
    #expect(taken.sends?.fixes == 1..<2)
    #expect(app.answer(.stored).result?.1 == .taken)
    #expect(!app.handle(.opened(none)).registers)
    // A reinstalled app does not wait for the deleted one's.
    var other = try App("homeassistant")
    _ = other.handle(.opened(none))
    #expect(other.hand(1, epoch: 2).registers)
    var ending = try App("homeassistant")
    ending.isEnding = true
    #expect(!ending.handle(.opened(none)).registers)
    var unregistered = try App("owntracks")
    #expect(!unregistered.handle(.opened(none)).registers)
    #expect(unregistered.hand(1).sends != nil)
  }

  @Test("a request without a listener is failed, one without an answer unknown")
  func unknown() throws {
    var app = try App("owntracks")
    _ = app.hand(1)
    _ = app.handle(.unreached)
    #expect(app.account[.failed] == 1)
    app.now = app.now + .seconds(600)
    _ = app.hand(1, attempt: 2)
    _ = app.handle(.unanswered)
    #expect(app.account[.unknown] == 1)
    #expect(app.queue.unknown == [0])
  }

  @Test("during the drain nothing new is sent, and waiting fixes return to their phone")
  func ending() throws {
    var app = try App("owntracks")
    _ = app.hand(2)
    app.isEnding = true
    let answered = app.answer(.stored)
    #expect(answered.sends == nil)
    #expect(answered.result?.1 == .failed)
    #expect(app.account[.stored] == 1)
    #expect(app.account[.waiting] == 1)
    var limited = try App("owntracks")
    _ = limited.hand(2)
    #expect(limited.handle(.unsent).result?.1 == .failed)
    #expect(limited.account[.waiting] == 2)
  }

  @Test("unsent fixes of a deleted app are in no other app's account")
  func deletedApp() throws {
    var app = try App("owntracks")
    _ = app.hand(3)
    _ = app.handle(.unanswered)
    let next = app.hand(2, attempt: 2, epoch: 2)
    #expect(next.sends?.fixes == 0..<1)
    #expect(app.account[.removed] == 3)
    #expect(app.account.handed == 5)
  }
}

@Suite("A rate limit", .quick)
struct RequestBucketTests {
  @Test("no second has more requests than the rate, however late the timer is")
  func rate() {
    for rate in [1.0, 7, 500, 20_000] {
      var bucket = RequestBucket(perSecond: rate)
      var now = WallInstant(microseconds: 5_000_000)
      var sent: [WallInstant] = []
      while now < WallInstant(microseconds: 8_000_000) {
        if let next = bucket.take(at: now) {
          #expect(next > now)
          // A timer is late by up to a millisecond.
          now = next + .microseconds(Int64(sent.count * 379 % 1_000))
        } else {
          sent.append(now)
        }
      }
      let inSecond = sent.count { $0 < WallInstant(microseconds: 6_000_000) }
      #expect(Double(inSecond) <= rate + rate * 0.002 + 1, "\(rate)")
      #expect(Double(sent.count) >= rate * 2.9, "\(rate)")
    }
  }

  @Test("without a limit every request goes at once")
  func unlimited() {
    var bucket = RequestBucket(perSecond: nil)
    for _ in 0..<10 { #expect(bucket.take(at: WallInstant(microseconds: 1)) == nil) }
  }
}
