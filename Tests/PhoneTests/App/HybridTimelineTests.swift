import Core
import Scenarios
import TestSupport
import Testing
@testable import Phone

/// The hybrid policy: 20 s bursts at most every 180 s, a region of 100 m, a send every 300 s.
@Suite("Tracker: the hybrid policy as a timeline", .quick)
struct HybridTimelineTests {
  /// Makes an app that was launched and received a region exit at second 0.
  static func woken(_ change: (inout PolicySettings) -> Void = { _ in }) -> Timeline {
    var app = Timeline(.standard, change)
    app.notify(.launched(.location), at: 0)
    app.notify(.regionExited(.imprecise, cached: nil), at: 0)
    return app
  }

  @Test("LC8: a launch starts the services of the policy, and nothing else")
  func launch() {
    var app = Timeline()
    #expect(app.notify(.launched(.location), at: 0) == ["significant on", "visits on"])
    var silent = Timeline {
      $0.significantChange = false
      $0.visits = false
    }
    #expect(silent.notify(.launched(.user), at: 0) == ["significant off"])
  }

  @Test("HY1: wake, burst, stop timer, region and send, acknowledgement, forget")
  func wakeToForget() {
    var app = Timeline()
    app.notify(.launched(.location), at: 0)
    #expect(
      app.notify(.regionExited(.imprecise, cached: nil), at: 0)
        == ["task begins", "standard on tenMeters", "stopStandard timer"])
    // The first fix sets the end of the burst; later ones do not move it.
    #expect(app.notify(.location(.at(2), .standard), at: 2) == ["keep", "stopStandard timer"])
    #expect(app.timer(.stopStandard) == 22)
    #expect(app.notify(.location(.at(3), .standard), at: 3) == [])
    #expect(app.notify(.location(.at(4, x: 120), .standard), at: 4) == ["keep"])
    #expect(app.timer(.stopStandard) == 22)
    #expect(
      app.notify(.timer(.stopStandard), at: 22)
        == ["standard off", "no stopStandard timer", "region 100 m", "send 1: 2"])
    #expect(app.tracker.isSending && app.openTasks == 1)
    #expect(app.notify(.uploadFinished(.acknowledged), at: 24) == ["forget 2", "task ends"])
    #expect(app.openTasks == 0 && app.outbox.count == 0 && !app.tracker.isSending)
  }

  @Test("HY1: every burst ends with a send, however recent the last one")
  func everyBurstSends() throws {
    var app = Timeline(try Shipped.policy("hybrid"))
    app.notify(.launched(.location), at: 0)
    app.notify(.regionExited(.imprecise, cached: nil), at: 0)
    app.fixes(at: [2])
    #expect(app.notify(.timer(.stopStandard), at: 22).last == "send 1: 1")
    app.notify(.uploadFinished(.acknowledged), at: 24)
    app.notify(.regionExited(.imprecise, cached: nil), at: 200)
    app.fixes(at: [202], x: 500)
    #expect(
      app.notify(.timer(.stopStandard), at: 222)
        == ["standard off", "no stopStandard timer", "region 100 m", "send 2: 1"])
  }

  @Test("HY1: a burst without any fix ends in time to send within 30 s")
  func burstWithoutFix() {
    var app = Self.woken()
    #expect(app.timer(.stopStandard) == 27)
    #expect(
      app.notify(.timer(.stopStandard), at: 27)
        == ["standard off", "no stopStandard timer", "task ends"])
  }

  @Test("HY1: a late first fix shortens its burst")
  func lateFirstFix() {
    var app = Self.woken()
    app.fixes(at: [15])
    #expect(app.timer(.stopStandard) == 27)
  }

  @Test("NO3: an old point at the start does not set the burst's end, the first new fix does")
  func oldPoint() {
    var app = Timeline()
    app.notify(.launched(.location), at: 5_000)
    app.notify(.regionExited(.imprecise, cached: nil), at: 5_000)
    #expect(app.notify(.location(.at(10), .standard), at: 5_000) == [])
    #expect(app.timer(.stopStandard) == 5_027)
    app.fixes(at: [5_002])
    #expect(app.timer(.stopStandard) == 5_022)
  }

  @Test("RG4, HY3: a second wake within minInterval moves the region, then the fix is filtered")
  func secondWake() {
    var app = Self.woken()
    app.fixes(at: [2])
    app.notify(.timer(.stopStandard), at: 22)
    app.notify(.uploadFinished(.acknowledged), at: 24)
    #expect(
      app.notify(.regionExited(.imprecise, cached: .at(170, x: 250)), at: 170)
        == ["task begins", "region 100 m", "keep", "task ends"])
    #expect(
      app.notify(.regionExited(.imprecise, cached: nil), at: 180).contains("standard on tenMeters"))
  }

  @Test("RG4: after every exit that ends without a burst exactly one region is registered")
  func oneRegion() {
    var app = Self.woken()
    app.fixes(at: [2])
    app.notify(.timer(.stopStandard), at: 22)
    for minute in 1...2 {
      let before = app.regions
      app.notify(.regionExited(.imprecise, cached: .at(0, x: 1_000)), at: Double(minute) * 60)
      #expect(app.regions == before + 1)
    }
  }

  @Test("RG1: the policy's radius is passed to the system unchanged")
  func radius() {
    var app = Self.woken { $0.regionRadius = .meters(250) }
    app.fixes(at: [2])
    #expect(app.notify(.timer(.stopStandard), at: 22).contains("region 250 m"))
  }

  @Test("HY3: while a burst runs, fixes of the imprecise manager are ignored")
  func impreciseDuringBurst() {
    var app = Self.woken()
    #expect(app.notify(.location(.at(1, x: 900), .imprecise), at: 1) == [])
    #expect(app.notify(.visit(.ended(.at(1, x: 900))), at: 1) == [])
    #expect(app.outbox.count == 0)
  }

  @Test("HY3: otherwise an imprecise fix first changes the tracking and then passes the filter")
  func impreciseAtRest() {
    var app = Timeline()
    app.notify(.launched(.location), at: 0)
    #expect(
      app.notify(.location(.at(0), .imprecise), at: 0)
        == ["task begins", "standard on tenMeters", "stopStandard timer", "keep"])
  }

  @Test("SL5, NO3: an old fix of a significant change wakes, but is not kept")
  func staleFix() {
    var app = Timeline()
    app.notify(.launched(.location), at: 4_000)
    #expect(!app.notify(.location(.at(0), .imprecise), at: 4_000).contains("keep"))
  }

  @Test("HY3: a fix that the filter drops has still changed the tracking")
  func droppedButTracked() {
    var app = Self.woken()
    app.fixes(at: [2])
    app.notify(.timer(.stopStandard), at: 22)
    app.notify(.uploadFinished(.acknowledged), at: 24)
    #expect(
      app.notify(.location(.at(100, x: 5, accuracy: 65), .imprecise), at: 100)
        == ["task begins", "region 100 m", "task ends"])
  }

  @Test("HY3: a fix that passes the filter at a wake without a burst is sent with that wake")
  func sentWithItsWake() {
    var app = Timeline(.significantOnly) { $0.send.interval = .zero }
    app.notify(.launched(.location), at: 0)
    #expect(
      app.notify(.location(.at(0), .imprecise), at: 0) == ["task begins", "keep", "send 1: 1"])
  }

  @Test("without a send, a second burst waits for the interval, and a full outbox does not")
  func sendInterval() {
    var app = Self.woken {
      $0.send.maxFixes = 3
      $0.send.afterBurst = false
    }
    app.fixes(at: [2])
    app.notify(.timer(.stopStandard), at: 22)
    app.notify(.uploadFinished(.acknowledged), at: 24)
    app.notify(.regionExited(.imprecise, cached: nil), at: 200)
    app.fixes(at: [202], x: 500)
    #expect(app.notify(.timer(.stopStandard), at: 222).last == "task ends")
    app.notify(.regionExited(.imprecise, cached: nil), at: 400)
    app.fixes(at: [402], x: 1_000)
    app.fixes(at: [403], x: 1_500)
    #expect(app.notify(.timer(.stopStandard), at: 422).last == "send 2: 3")
  }

  @Test("after an acknowledgement a full outbox sends more, and the rest waits")
  func sendsOn() {
    var app = Self.woken { $0.send.maxFixes = 2 }
    for n in 0..<5 { app.fixes(at: [Double(2 + n)], x: Double(200 * n)) }
    #expect(app.notify(.timer(.stopStandard), at: 22).last == "send 1: 2")
    #expect(app.notify(.uploadFinished(.acknowledged), at: 24) == ["forget 2", "send 2: 2"])
    #expect(app.notify(.uploadFinished(.refused), at: 26) == ["forget 2", "task ends"])
    #expect(app.outbox.count == 1 && app.openTasks == 0)
  }

  @Test("HY2, EF2: the foreground has its own settings, and one standard service at a time")
  func foregroundAndBack() {
    var app = Self.woken()
    #expect(
      app.notify(.becameActive, at: 5)
        == [
          "asks for always", "standard off", "no stopStandard timer",
          "standard on tenMeters 10 m", "send timer",
        ])
    app.fixes(at: [10])
    #expect(app.timer(.stopStandard) == nil, "the foreground is continuous")
    #expect(
      app.notify(.enteredBackground, at: 60)
        == [
          "no send timer", "standard off", "no stopStandard timer", "region 100 m", "send 1: 1",
        ])
    #expect(app.notify(.uploadFinished(.acknowledged), at: 62) == ["forget 1", "task ends"])
  }

  @Test("the foreground sends by its timer, which renews itself")
  func foregroundSends() {
    var app = Timeline()
    app.notify(.launched(.user), at: 0)
    app.notify(.becameActive, at: 0)
    app.fixes(at: [3])
    #expect(app.timer(.send) == 300)
    #expect(app.notify(.timer(.send), at: 300) == ["send 1: 1", "send timer"])
    #expect(app.notify(.uploadFinished(.acknowledged), at: 301) == ["forget 1", "send timer"])
    #expect(app.timer(.send) == 601)
  }
}
