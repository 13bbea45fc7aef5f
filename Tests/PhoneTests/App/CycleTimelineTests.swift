import Core
import Scenarios
import TestSupport
import Testing
@testable import Phone

/// Tests the duty cycle: on until 10 s after the first fix, and again 60 s after it.
@Suite("Tracker: the duty cycle as a timeline", .quick)
struct CycleTimelineTests {
  /// Makes an app that has been in the background since second 0.
  static func app() throws -> Timeline { try Shipped.app("duty-cycle", leftAt: 0) }

  @Test("DC1: with 4 s to the first fix the service is 14 s on in a period of 64 s")
  func period() throws {
    var app = try Self.app()
    var starts: [Double] = []
    var now = 0.0
    for _ in 0..<10 {
      #expect(app.standardIsOn)
      starts.append(now)
      app.notify(.location(.at(now + 4), .standard), at: now + 4)
      #expect(app.timer(.stopStandard) == now + 14 && app.timer(.restart) == now + 64)
      app.notify(.timer(.stopStandard), at: now + 14)
      #expect(!app.standardIsOn)
      now += 64
      app.notify(.timer(.restart), at: now)
    }
    #expect(zip(starts, starts.dropFirst()).allSatisfy { $1 - $0 == 64 })
  }

  @Test("DC1: until a first fix comes the service stays on")
  func noFix() throws {
    let app = try Self.app()
    #expect(app.timers.isEmpty && app.standardIsOn)
  }

  @Test("DC2: further fixes of a cycle are stored and start no timer")
  func oneTimerPair() throws {
    var app = try Self.app()
    app.notify(.location(.at(4), .standard), at: 4)
    for s in 5..<14 {
      let words = app.notify(.location(.at(Double(s)), .standard), at: Double(s))
      #expect(words == ["keep"])
    }
    #expect(app.timer(.stopStandard) == 14 && app.timer(.restart) == 64)
    #expect(app.outbox.count == 10)
  }

  @Test("DC3: the stop timer only stops the service; a mode without a cycle kills the restart too")
  func stops() throws {
    var app = try Self.app()
    app.fixes(at: [4])
    app.notify(.timer(.stopStandard), at: 14)
    #expect(app.timer(.restart) == 64)
    app.settings = try Shipped.policy("significant-change")
    #expect(app.notify(.settingsChanged, at: 20).contains("no restart timer"))
    #expect(app.timer(.restart) == nil && !app.standardIsOn)
  }

  @Test("DC4: entering the background starts updates and begins one background task")
  func enteringBackground() throws {
    var app = try Shipped.app("duty-cycle")
    #expect(app.openTasks == 0)
    #expect(
      app.notify(.enteredBackground, at: 30)
        == ["no send timer", "task begins", "standard on best"])
    #expect(app.openTasks == 1)
  }

  @Test("DC5: after N begins the master task and the newest are open; the foreground ends them all")
  func masterTask() throws {
    var app = try Self.app()
    var begun = 1
    for cycle in 0..<6 {
      #expect(app.openTasks == min(begun, 2))
      let now = Double(cycle) * 64
      app.notify(.location(.at(now + 4), .standard), at: now + 4)
      begun += 1
      app.notify(.timer(.stopStandard), at: now + 14)
      app.notify(.uploadFinished(.acknowledged), at: now + 15)
      app.notify(.timer(.restart), at: now + 64)
    }
    #expect(app.openTasks == 2)
    app.notify(.becameActive, at: 400)
    #expect(app.openTasks == 0)
  }

  @Test("DC6, LC4: the handler that only logs ends no task; one that ends them lets the app sleep")
  func expiration() throws {
    var app = try Self.app()
    app.fixes(at: [4])
    app.notify(.timer(.stopStandard), at: 14)
    app.notify(.uploadFinished(.acknowledged), at: 15)
    var careful = app
    #expect(app.notify(.backgroundTimeExpiring, at: 44) == [])
    #expect(app.openTasks == 2)
    var settings = try Shipped.policy("duty-cycle")
    settings.app.mistakes.ignoresExpiration = false
    careful.settings = settings
    careful.notify(.backgroundTimeExpiring, at: 44)
    #expect(careful.openTasks == 0)
  }

  @Test("DC7: while the app runs, a fix comes every 60 s plus the time to a first fix")
  func fixRate() throws {
    var app = try Self.app()
    for cycle in 0..<60 {
      let now = Double(cycle) * 64
      app.notify(.location(.at(now + 4), .standard), at: now + 4)
      app.notify(.timer(.stopStandard), at: now + 14)
      if app.tracker.isSending { app.notify(.uploadFinished(.acknowledged), at: now + 15) }
      app.notify(.timer(.restart), at: now + 64)
    }
    #expect(app.uploads.flatMap(\.fixes).count + app.waiting.count >= 60)
    #expect(app.uploads.count >= 59, "a batch a cycle")
  }

  @Test("SP2: a push in a cycle's pause is answered by its own fix, and the cycle continues")
  func pushInPause() throws {
    var app = try Self.app()
    app.fixes(at: [4])
    app.notify(.timer(.stopStandard), at: 14)
    app.notify(.uploadFinished(.acknowledged), at: 15)
    #expect(app.notify(.silentPush(cached: nil), at: 30).contains("standard on best"))
    app.fixes(at: [32])
    #expect(app.timer(.stopStandard) == 32 && app.timer(.restart) == 64)
    #expect(app.notify(.timer(.stopStandard), at: 32).contains("send 2: 1"))
  }
}
