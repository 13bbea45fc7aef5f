import Core
import TestSupport
import Testing

@testable import Phone
@testable import Scenarios

@Suite("Tracker: features of each shipped policy", .quick)
struct PolicyTimelineTests {
  @Test("radar-continuous: a location every 30 s, given up after 20 s, 3 km to stay alive between")
  func radarContinuous() throws {
    var app = try Shipped.app("radar-continuous", leftAt: 0)
    for n in 0..<20 {
      let now = Double(n) * 30
      #expect(app.standard == "best" && app.timer(.stopStandard) == now + 20)
      if n % 3 == 2 {
        app.notify(.timer(.stopStandard), at: now + 20)
      } else {
        #expect(app.notify(.location(.at(now + 3), .standard), at: now + 3).contains("keep"))
        app.notify(.uploadFinished(.acknowledged), at: now + 5)
      }
      #expect(app.standard == "threeKilometers 3000 m" && app.timer(.restart) == now + 30)
      app.notify(.timer(.restart), at: now + 30)
    }
    #expect(app.uploads.count == 14)
  }

  @Test("radar-responsive: every 150 s while moving, off after 140 s within 70 m, a bubble waits")
  func radarResponsive() throws {
    var app = try Shipped.app("radar-responsive", leftAt: 0)
    app.fixes(at: [3])
    app.notify(.uploadFinished(.acknowledged), at: 5)
    #expect(app.timer(.restart) == 150 && app.timer(.still) == 143)
    let words = app.notify(.timer(.still), at: 143)
    #expect(words.contains("region 100 m") && words.contains("no restart timer"))
    #expect(!app.standardIsOn && app.openTasks == 0)
    app.notify(.regionExited(.imprecise, cached: nil), at: 2_000)
    #expect(app.standard == "hundredMeters" && app.timer(.restart) == 2_150)
    #expect(app.timer(.still) == 2_140)
  }

  @Test("radar-efficient: visits, sent at once, and nothing else")
  func radarEfficient() throws {
    var app = Timeline(try Shipped.policy("radar-efficient"))
    #expect(app.notify(.launched(.location), at: 0) == ["significant off", "visits on"])
    #expect(
      app.notify(.visit(.ended(.at(0))), at: 10) == ["task begins", "keep", "send 1: 1"])
    #expect(app.notify(.uploadFinished(.acknowledged), at: 12) == ["forget 1", "task ends"])
  }

  @Test("owntracks-significant: each significant change and visit is one upload, without GPS")
  func ownTracksSignificant() throws {
    var app = Timeline(try Shipped.policy("owntracks-significant"))
    app.notify(.launched(.location), at: 0)
    for n in 0..<4 {
      let now = Double(n) * 600
      app.notify(.location(.at(now, x: Double(n) * 800), .imprecise), at: now)
      app.notify(.uploadFinished(.acknowledged), at: now + 2)
    }
    #expect(app.uploads.map(\.fixes.count) == [1, 1, 1, 1] && !app.standardIsOn)
  }

  @Test("owntracks-move: of fixes a second apart it publishes one every 200 m or 180 s")
  func ownTracksMove() throws {
    var app = try Shipped.app("owntracks-move", leftAt: 0)
    func run(_ seconds: ClosedRange<Int>, metersPerSecond: Double) -> Int {
      let before = app.uploads.count
      for s in seconds {
        app.notify(
          .location(.at(Double(s), x: Double(s) * metersPerSecond), .standard), at: Double(s))
        if app.tracker.isSending { app.notify(.uploadFinished(.acknowledged), at: Double(s)) }
      }
      return app.uploads.count - before
    }
    #expect((48...52).contains(run(1...1_000, metersPerSecond: 10)))
    #expect((9...12).contains(run(1_001...3_000, metersPerSecond: 0)))
  }

  @Test("traccar: 300 s, 100 m or a turn of 30 degrees; one fix a POST; retried within 30 s")
  func traccar() throws {
    var app = try Shipped.app("traccar", leftAt: 0)
    #expect(app.standard == "hundredMeters")
    func reported(_ second: Double, x: Double, course: Int16) -> Bool {
      var fix = Fix.at(second, x: x)
      fix.courseDegrees = course
      defer { app.notify(.uploadFinished(.acknowledged), at: second) }
      return app.notify(.location(fix, .standard), at: second).contains("keep")
    }
    #expect(reported(1, x: 0, course: 90))
    #expect(!reported(60, x: 50, course: 110))
    #expect(reported(70, x: 60, course: 121))
    #expect(reported(80, x: 161, course: 121))
    #expect(!reported(379, x: 161, course: 121))
    #expect(reported(380, x: 161, course: 121))
    #expect(app.uploads.allSatisfy { $0.fixes.count == 1 })
    app.fixes(at: [900], x: 900)
    app.notify(.uploadFinished(.failed), at: 901)
    #expect(app.timer(.send).map { $0 <= 931 } ?? false)
    app.notify(.timer(.send), at: 931)
    #expect(app.uploads.last == app.uploads[app.uploads.count - 2])
  }

  @Test("SF1: foreground-correction has the standard service in the foreground and only there")
  func foregroundCorrection() throws {
    var app = Timeline(try Shipped.policy("foreground-correction"))
    #expect(app.notify(.launched(.location), at: 0) == ["significant on"])
    app.notify(.location(.at(0), .imprecise), at: 0)
    #expect(!app.standardIsOn && app.uploads.count == 1)
    app.notify(.uploadFinished(.acknowledged), at: 1)
    app.notify(.becameActive, at: 10)
    #expect(app.standard == "best")
    #expect(app.notify(.enteredBackground, at: 60).contains("standard off"))
    #expect(!app.notify(.becameActive, at: 100).contains("significant off"), "SLC always")
  }

  @Test("SF3, PT4: a policy's pause settings are passed to the system with the request")
  func pauseHints() throws {
    let settings = try Shipped.policy("foreground-correction")
    let request = ServiceRequest(settings.background.service, settings.app)
    #expect(request.pausesAutomatically && request.activityType == .automotive)
    let gated = try Shipped.policy("motion-gated")
    #expect(!ServiceRequest(gated.background.service, gated.app).pausesAutomatically)
  }

  @Test("EF1, EF2: significant-change has exactly one service after each change of state")
  func significantChange() throws {
    var app = Timeline(try Shipped.policy("significant-change"))
    #expect(app.notify(.launched(.location), at: 0) == ["significant on"])
    for n in 0..<5 {
      let now = Double(n) * 1_000
      #expect(app.notify(.becameActive, at: now).filter { $0.hasPrefix("standard on") }.count == 1)
      #expect(app.notify(.enteredBackground, at: now + 60).contains("standard off"))
    }
    #expect(app.notify(.location(.at(6_000), .imprecise), at: 6_000).contains("send 1: 1"))
    app.notify(.uploadFinished(.acknowledged), at: 6_002)
    #expect(!app.notify(.location(.at(6_059, x: 900), .imprecise), at: 6_059).contains("keep"))
    #expect(!app.notify(.location(.at(6_200, x: 90), .imprecise), at: 6_200).contains("keep"))
    #expect(app.notify(.location(.at(6_200, x: 900), .imprecise), at: 6_201).contains("keep"))
  }

  @Test("EF3: the standard service alone requests nothing that would relaunch the app")
  func standardAlone() throws {
    var app = Timeline(try Shipped.policy("owntracks-move"))
    #expect(app.notify(.launched(.user), at: 0) == ["significant off"])
    app.notify(.becameActive, at: 0)
    app.notify(.enteredBackground, at: 60)
    #expect(app.regions == 0 && app.standardIsOn)
  }

  @Test(
    "AU7: a session begun in the foreground continues in the background, never stopped between",
    arguments: [
      "motion-gated", "radar-continuous", "radar-responsive", "elastic", "owntracks-move",
      "traccar", "duty-cycle",
    ])
  func sessionGoesOn(name: String) throws {
    var app = try Shipped.app(name)
    app.fixes(at: [3])
    let words = app.notify(.enteredBackground, at: 5)
    #expect(!words.contains("standard off"))
    #expect(words.contains { $0.hasPrefix("standard on") })
  }

  @Test("SP3: with pushes instead of significant changes only the server wakes the app")
  func pushVariant() throws {
    var settings = try Shipped.policy("significant-change")
    settings.significantChange = false
    settings.onPush = .burst
    var app = Timeline(settings)
    #expect(app.notify(.launched(.push), at: 0) == ["significant off"])
    app.notify(.silentPush(cached: nil), at: 0)
    app.fixes(at: [3])
    #expect(app.notify(.timer(.stopStandard), at: 3).contains("send 1: 1"))
  }

  @Test("DF1: a deferral is passed with the request; a push's one fix is not deferred")
  func deferral() throws {
    var settings = try Shipped.policy("owntracks-move")
    settings.background.service.deferral = Deferral(distance: .kilometers(5), time: .minutes(5))
    #expect(ServiceRequest(settings.background.service, settings.app).deferral != nil)
    var app = Timeline(settings)
    app.notify(.launched(.user), at: 0)
    app.notify(.becameActive, at: 0)
    app.notify(.enteredBackground, at: 5)
    #expect(app.deferral != nil)
    app.notify(.silentPush(cached: nil), at: 60)
    #expect(app.deferral == nil)
    app.fixes(at: [62])
    #expect(app.deferral != nil)
  }

  @Test("LU2: an app that is relaunched starts live updates at once, or has lost its session")
  func retakesSession() throws {
    var app = Timeline(try Shipped.policy("live-updates"))
    #expect(app.notify(.launched(.location), at: 0).contains("standard on best"))
    app.fixes(at: [2, 3])
    app.notify(.enteredBackground, at: 5)
    #expect(app.standardIsOn)
    var careless = Timeline(
      try Shipped.policy("live-updates", "app.activitySession=forgotten"))
    careless.notify(.launched(.location), at: 0)
    #expect(!careless.standardIsOn)
    // Opening the app starts them in any case.
    careless.notify(.becameActive, at: 60)
    #expect(careless.standardIsOn)
  }

  @Test(
    "SP1: a fix that no push caused is sent without waiting for one", arguments: Shipped.names)
  func sendsByItself(name: String) throws {
    var app = try Shipped.app(name, leftAt: 5)
    app.notify(.location(.at(700, x: 2_000), .imprecise), at: 700)
    app.notify(.visit(.ended(.at(701, x: 2_000))), at: 701)
    if app.standardIsOn { app.fixes(at: [702], x: 2_100) }
    if app.timer(.stopStandard) != nil { app.notify(.timer(.stopStandard), at: 722) }
    #expect(app.uploads.count >= 1)
  }
}
