import Core
import Scenarios
import TestSupport
import Testing
@testable import Phone

@Suite("Tracker: answers to silent pushes", .quick)
struct AppPushTests {
  @Test("SP2: push, burst, and a send that ignores the send interval")
  func pushBurstSend() {
    var app = Timeline()
    app.notify(.launched(.location), at: 0)
    app.notify(.regionExited(.imprecise, cached: nil), at: 0)
    app.fixes(at: [2])
    app.notify(.timer(.stopStandard), at: 22)
    app.notify(.uploadFinished(.acknowledged), at: 24)
    // Within minInterval and within the send interval, and the phone has not moved.
    #expect(
      app.notify(.silentPush(cached: nil), at: 60)
        == ["task begins", "standard on tenMeters", "stopStandard timer"])
    #expect(app.notify(.location(.at(62), .standard), at: 62) == ["keep", "stopStandard timer"])
    #expect(app.notify(.location(.at(63), .standard), at: 63) == [], "one answer is enough")
    #expect(app.notify(.timer(.stopStandard), at: 82).last == "send 2: 1")
    #expect(app.notify(.uploadFinished(.acknowledged), at: 84) == ["forget 1", "task ends"])
  }

  @Test("SP2: a push during a burst forces the send at its end")
  func pushDuringBurst() {
    var app = Timeline { $0.send.interval = .hours(10) }
    app.notify(.launched(.location), at: 0)
    app.notify(.regionExited(.imprecise, cached: nil), at: 0)
    app.fixes(at: [2])
    app.notify(.timer(.stopStandard), at: 22)
    app.notify(.uploadFinished(.acknowledged), at: 24)
    app.notify(.regionExited(.imprecise, cached: nil), at: 300)
    app.fixes(at: [302], x: 300)
    app.notify(.silentPush(cached: nil), at: 305)
    #expect(app.notify(.timer(.stopStandard), at: 322).last == "send 2: 1")
  }

  @Test("a policy without bursts answers a push with its first fix")
  func pushWithoutBursts() {
    var app = Timeline(.significantOnly)
    app.notify(.launched(.push), at: 0)
    #expect(
      app.notify(.silentPush(cached: nil), at: 0)
        == ["task begins", "standard on tenMeters", "stopStandard timer"])
    app.fixes(at: [3])
    #expect(app.timer(.stopStandard) == 3)
    #expect(app.notify(.timer(.stopStandard), at: 3).last == "send 1: 1")
  }

  @Test("a policy that answers from the cache keeps the cached fix and sends it at once")
  func cached() {
    var app = Timeline { $0.onPush = .cached }
    app.notify(.launched(.push), at: 0)
    #expect(
      app.notify(.silentPush(cached: .at(0)), at: 1) == ["task begins", "keep", "send 1: 1"])
    var empty = Timeline { $0.onPush = .cached }
    empty.notify(.launched(.push), at: 0)
    #expect(empty.notify(.silentPush(cached: nil), at: 1) == ["task begins", "task ends"])
  }

  @Test("a policy that ignores pushes does nothing")
  func ignored() {
    var app = Timeline { $0.onPush = .nothing }
    app.notify(.launched(.push), at: 0)
    #expect(app.notify(.silentPush(cached: .at(0)), at: 1) == ["task begins", "task ends"])
  }

  @Test("SP2: in the foreground one unfiltered fix answers: kept, sent at once, and only that one")
  func pushInForeground() {
    var app = Timeline()
    app.notify(.launched(.user), at: 0)
    app.notify(.becameActive, at: 0)
    app.fixes(at: [2])
    // A phone at rest sends nothing through a filter of 10 m.
    #expect(
      app.notify(.silentPush(cached: nil), at: 10) == [
        "standard on tenMeters", "stopStandard timer",
      ])
    #expect(
      app.notify(.location(.at(11), .standard), at: 11)
        == ["keep", "no stopStandard timer", "standard on tenMeters 10 m", "send 1: 2"])
    app.notify(.uploadFinished(.acknowledged), at: 12)
    #expect(app.notify(.location(.at(13), .standard), at: 13) == [])
    #expect(app.standardIsOn)
  }

  @Test("a push does not end a background service that is always on")
  func pushWhileContinuous() {
    var app = Timeline(.continuous)
    app.notify(.launched(.user), at: 0)
    app.notify(.becameActive, at: 0)
    app.notify(.enteredBackground, at: 5)
    app.notify(.silentPush(cached: nil), at: 60)
    #expect(app.notify(.location(.at(61), .standard), at: 61) == ["keep", "send 1: 1"])
    #expect(app.timer(.stopStandard) == nil && app.standardIsOn)
  }

  @Test("a foreground without a service starts one for the push, and stops it again")
  func pushInQuietForeground() {
    var app = Timeline { $0.foreground.service.pattern = .off }
    app.notify(.launched(.user), at: 0)
    app.notify(.becameActive, at: 0)
    #expect(app.notify(.silentPush(cached: nil), at: 10).contains("stopStandard timer"))
    app.fixes(at: [12])
    #expect(app.timer(.stopStandard) == 12)
    #expect(app.notify(.timer(.stopStandard), at: 12).contains("send 1: 1"))
    #expect(!app.standardIsOn)
  }

  @Test("a push unanswered in the foreground does not disable the filter of a later burst")
  func forgottenPush() {
    var app = Timeline()
    app.notify(.launched(.user), at: 0)
    app.notify(.becameActive, at: 0)
    app.fixes(at: [2])
    app.notify(.silentPush(cached: nil), at: 10)
    app.notify(.enteredBackground, at: 11)
    app.notify(.uploadFinished(.acknowledged), at: 12)
    app.notify(.regionExited(.imprecise, cached: nil), at: 200)
    #expect(app.notify(.location(.at(202), .standard), at: 202) == ["stopStandard timer"])
  }
}
