import Core
import Scenarios
import TestSupport
import Testing
@testable import Phone

@Suite("Tracker: failures, death and a full outbox", .quick)
struct FailureTimelineTests {
  /// Makes an app that kept one fix and sent it as batch 1 at second 1, whatever the interval.
  static func sending(phone: UInt32 = 1, _ change: (inout PolicySettings) -> Void = { _ in })
    -> Timeline
  {
    var app = Timeline(phone: phone) {
      $0.onPush = .cached
      $0.send.interval = .zero
      change(&$0)
    }
    app.notify(.launched(.push), at: 0)
    app.notify(.silentPush(cached: .at(1)), at: 1)
    return app
  }

  @Test(
    "HY4: a batch without an answer is sent again, the same fixes under the same number",
    arguments: [UploadResult.failed, .offline, .connectionLost])
  func sameBatchAgain(result: UploadResult) {
    var app = Self.sending()
    let first = app.uploads[0]
    #expect(app.notify(.uploadFinished(result), at: 2) == ["task ends"])
    #expect(app.outbox.count == 1 && app.openTasks == 0)
    // More fixes have come in by then; they stay out of the batch.
    app.notify(.silentPush(cached: .at(400, x: 500)), at: 400)
    #expect(app.uploads.count == 2 && app.uploads[1] == first)
    #expect(app.notify(.uploadFinished(.acknowledged), at: 401).first == "forget 1")
    #expect(app.waiting == [.at(400, x: 500)])
    app.notify(.silentPush(cached: nil), at: 402)
    #expect(app.uploads[2].sequence == 2)
  }

  @Test("backoff is uniform up to base · 2^failures and never above its cap")
  func fullJitter() {
    for failures in 1...9 {
      let bound = min(300, 5 * Double(1 << (failures - 1)))
      let waits = (0..<60).map { Self.wait(phone: UInt32($0), failures: failures) }
      #expect(waits.allSatisfy { $0 <= bound + 1 })
      #expect(waits.max() ?? 0 > 0.8 * bound, "after \(failures) failures")
      let mean = waits.reduce(0, +) / Double(waits.count)
      #expect(abs(mean - bound / 2) < 0.16 * bound, "after \(failures) failures: \(mean) s")
    }
  }

  /// Seconds from failure number `failures` to the retry, to the second.
  static func wait(phone: UInt32, failures: Int) -> Double {
    var app = sending(phone: phone)
    var now = 2.0
    for _ in 1..<failures {
      app.notify(.uploadFinished(.failed), at: now)
      now += 400
      app.notify(.silentPush(cached: nil), at: now)
      now += 1
    }
    app.notify(.uploadFinished(.failed), at: now)
    let sent = app.uploads.count
    var wait = 0.0
    while app.uploads.count == sent {
      wait += 0.5
      app.notify(.silentPush(cached: nil), at: now + wait)
    }
    return wait
  }

  @Test("an acknowledgement ends the backoff")
  func backOffEnds() {
    var app = Self.sending()
    app.notify(.uploadFinished(.failed), at: 2)
    app.notify(.silentPush(cached: nil), at: 400)
    app.notify(.uploadFinished(.acknowledged), at: 401)
    app.notify(.silentPush(cached: .at(402, x: 500)), at: 402)
    #expect(app.uploads.count == 3)
  }

  @Test("a full outbox drops its oldest fix that is in no batch")
  func eviction() {
    var app = Self.sending { $0.outbox.capacity = 4 }
    for n in 2...4 {
      app.notify(.location(.at(Double(n), x: Double(n) * 500), .standard), at: Double(n))
    }
    #expect(app.outbox.count == 4 && app.tracker.cutCount == 1)
    #expect(
      app.notify(.location(.at(5, x: 2_500), .standard), at: 5).prefix(2) == ["evict", "keep"])
    let held = app.waiting.map { ($0.time.instant - Timeline.midnight).seconds }
    #expect(held == [1, 3, 4, 5], "second 1 is in the batch under way")
    #expect(app.outbox.count == app.tracker.outboxCount)
  }

  @Test("an outbox whose fixes are all in flight accepts no further fix")
  func nothingToEvict() {
    var app = Self.sending { $0.outbox.capacity = 1 }
    #expect(!app.notify(.location(.at(5, x: 2_500), .standard), at: 5).contains("keep"))
    #expect(app.waiting == [.at(1)])
  }

  @Test("HY4, LC8: a relaunch keeps what is on disk and loses what was in memory")
  func relaunch() {
    var app = Self.sending()
    app.notify(.silentPush(cached: .at(2, x: 500)), at: 2)
    app.die()
    #expect(app.notify(.launched(.location), at: 60) == ["significant on", "visits on"])
    #expect(!app.tracker.isSending && app.tracker.outboxCount == 2 && app.tracker.cutCount == 1)
    #expect(app.tracker.lastAccepted == .at(2, x: 500))
    // The batch that died in flight is sent again unchanged.
    app.notify(.silentPush(cached: nil), at: 61)
    #expect(app.uploads.count == 2 && app.uploads[1] == app.uploads[0])
    #expect(app.openTasks == 1)
  }

  @Test("LC5, LC4: when background time expires the burst ends and so does the task")
  func expiration() {
    var app = Timeline()
    app.notify(.launched(.location), at: 0)
    app.notify(.regionExited(.imprecise, cached: nil), at: 0)
    app.fixes(at: [25])
    #expect(
      app.notify(.backgroundTimeExpiring, at: 30)
        == ["standard off", "no stopStandard timer", "region 100 m", "task ends"])
    #expect(app.openTasks == 0)
  }

  @Test("LC4, LC7: expiry during a send ends the task; the lost answer leaves none open")
  func expirationWhileSending() {
    var app = Self.sending()
    #expect(app.openTasks == 1)
    app.notify(.backgroundTimeExpiring, at: 30)
    #expect(app.openTasks == 0)
    app.notify(.uploadFinished(.connectionLost), at: 90)
    #expect(app.openTasks == 0 && app.outbox.count == 1)
  }

  @Test("HY6: a policy without background tasks begins none")
  func withoutTasks() {
    var app = Timeline { $0.send.backgroundTask = false }
    app.notify(.launched(.location), at: 0)
    #expect(
      app.notify(.regionExited(.imprecise, cached: nil), at: 0).first == "standard on tenMeters")
    app.fixes(at: [2])
    #expect(app.notify(.timer(.stopStandard), at: 22).last == "send 1: 1")
    #expect(app.notify(.uploadFinished(.acknowledged), at: 23) == ["forget 1"])
  }
}
