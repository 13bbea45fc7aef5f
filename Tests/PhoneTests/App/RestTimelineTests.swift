import Core
import Scenarios
import TestSupport
import Testing
@testable import Phone

@Suite("Tracker: rest, by motion activity and by stillness", .quick)
struct RestTimelineTests {
  @Test(
    "AC5: active at first; cycling has 10 m, other and unknown activities 3 km and no filter")
  func setActive() throws {
    var app = Timeline(try Shipped.policy("motion-gated"))
    #expect(app.notify(.launched(.user), at: 0) == ["significant on", "motion on"])
    #expect(app.notify(.becameActive, at: 0).contains("standard on tenMeters 10 m"))
    #expect(app.notify(.motionActivity(.cycling), at: 5) == [])
    let idle = ["standard on threeKilometers max"]
    #expect(app.notify(.motionActivity(.walking), at: 60) == idle)
    #expect(app.notify(.motionActivity(nil), at: 70) == [])
    #expect(app.notify(.motionActivity(.cycling), at: 80) == ["standard on tenMeters 10 m"])
    #expect(app.notify(.motionActivity(nil), at: 90) == idle)
  }

  @Test("AC5: the mode changes with motion activities and with nothing else")
  func onlyByActivity() throws {
    var app = try Shipped.app("motion-gated", leftAt: 5)
    app.notify(.motionActivity(.stationary), at: 10)
    for n in 0..<50 {
      let words = app.notify(.location(.at(Double(20 + n), x: Double(n) * 50), .standard), at: 20)
      #expect(!words.contains { $0.hasPrefix("standard") })
    }
  }

  @Test("AC6: the session is never stopped, in foreground or background, resting or not")
  func neverStopped() throws {
    var app = try Shipped.app("motion-gated")
    var words: [String] = []
    for (n, activity) in [MotionActivity.cycling, .walking, .cycling, .automotive].enumerated() {
      let now = Double(n) * 100
      words += app.notify(.motionActivity(activity), at: now)
      words += app.notify(.enteredBackground, at: now + 10)
      words += app.notify(.motionActivity(nil), at: now + 20)
      words += app.notify(.becameActive, at: now + 30)
      words += app.notify(.regionExited(.imprecise, cached: nil), at: now + 40)
    }
    #expect(!words.contains("standard off") && app.standardIsOn)
  }

  @Test("AU10: without motion activity the tracker stays active")
  func withoutActivity() throws {
    var app = try Shipped.app("motion-gated", leftAt: 5)
    app.fixes(at: [10, 4_000])
    #expect(app.standard == "tenMeters 10 m")
  }

  @Test("a push in a resting session gets one unfiltered fix, then the session is coarse again")
  func pushAtRest() throws {
    var app = try Shipped.app("motion-gated", leftAt: 5)
    app.notify(.motionActivity(.stationary), at: 10)
    app.notify(.silentPush(cached: nil), at: 100)
    #expect(app.standard == "tenMeters")
    #expect(app.notify(.location(.at(102), .standard), at: 102).contains("send 1: 1"))
    #expect(app.standard == "threeKilometers max")
  }

  @Test(
    "rest by stillness: the service stops after its time, a region is set, and new fixes are sent")
  func still() throws {
    var app = try Shipped.app("elastic", leftAt: 5)
    app.fixes(at: [10])
    app.notify(.uploadFinished(.acknowledged), at: 11)
    #expect(app.timer(.still) == 310)
    app.fixes(at: [100], x: 20)
    app.notify(.uploadFinished(.acknowledged), at: 101)
    #expect(app.timer(.still) == 310, "20 m are no move")
    app.fixes(at: [120], x: 60)
    app.notify(.uploadFinished(.acknowledged), at: 121)
    #expect(app.timer(.still) == 420)
    let words = app.notify(.timer(.still), at: 420)
    #expect(words.contains("region 200 m") && words.contains("standard off"))
    #expect(app.openTasks == 0)
  }

  @Test("a region exit, a significant change and a departure end the rest, an arrival does not")
  func restEnds() throws {
    let events: [(OSEvent, Bool)] = [
      (.regionExited(.imprecise, cached: nil), true),
      (.location(.at(500, x: 900), .imprecise), true),
      (.visit(.ended(.at(500, x: 900))), true),
      (
        .visit(
          Visit(fix: .at(500), arrival: Timeline.second(10), departure: .distantFuture)), false
      ),
    ]
    for (event, ends) in events {
      var app = try Shipped.app("elastic", leftAt: 5)
      app.fixes(at: [10])
      app.notify(.uploadFinished(.acknowledged), at: 11)
      app.notify(.timer(.still), at: 310)
      #expect(!app.standardIsOn)
      app.notify(event, at: 500)
      #expect(app.standardIsOn == ends)
      #expect((app.timer(.still) != nil) == ends)
    }
  }

  @Test(
    "elastic: the distance filter is 10 m for each 5 m/s begun, and set when that changes")
  func elasticity() throws {
    var app = try Shipped.app("elastic", leftAt: 5)
    func filter(at second: Double, _ metersPerSecond: Double) -> [String] {
      var fix = Fix.at(second, x: second * metersPerSecond)
      fix.speedDecimetersPerSecond = Int16(metersPerSecond * 10)
      return app.notify(.location(fix, .standard), at: second).filter { $0.hasPrefix("standard") }
    }
    #expect(filter(at: 10, 1) == [])
    #expect(filter(at: 11, 5) == [])
    #expect(filter(at: 12, 5.1) == ["standard on best 20 m"])
    #expect(filter(at: 13, 9) == [])
    #expect(filter(at: 14, 27) == ["standard on best 60 m"])
    #expect(filter(at: 15, 0) == ["standard on best 10 m"])
  }
}
