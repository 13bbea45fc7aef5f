import Core
import Scenarios
import TestSupport
import Testing
@testable import Phone

@Suite("Tracker: permission, settings, visits, and an app's errors", .quick)
struct AppTimelineTests {
  @Test("AU1, AU3, AU6: the app asks when it is first opened, and never again")
  func asksOnce() {
    var app = Timeline { $0.app.request = .whenInUse }
    app.notify(.launched(.location), at: 0)
    #expect(app.notify(.becameActive, at: 10).first == "asks for whenInUse")
    app.notify(.enteredBackground, at: 20)
    #expect(!app.notify(.becameActive, at: 30).contains { $0.hasPrefix("asks") })
    app.die()
    app.notify(.launched(.user), at: 40)
    #expect(!app.notify(.becameActive, at: 40).contains { $0.hasPrefix("asks") })
  }

  @Test("AU11: an app that asks in two steps asks for Always once When In Use is granted")
  func asksInTwoSteps() {
    var app = Timeline { $0.app.request = .whenInUseThenAlways }
    app.notify(.launched(.user), at: 0)
    #expect(app.notify(.becameActive, at: 0).first == "asks for whenInUse")
    #expect(app.notify(.authorizationChanged(.whenInUse), at: 3).first == "asks for always")
    let words = app.notify(.authorizationChanged(.always), at: 6)
    #expect(!words.contains { $0.hasPrefix("asks") })
  }

  @Test("AU17: an app that chooses its moment asks for Always when it is opened again")
  func asksAtNextOpening() {
    var app = Timeline { $0.app.request = .alwaysAtNextOpening }
    app.notify(.launched(.user), at: 0)
    #expect(app.notify(.becameActive, at: 0).first == "asks for whenInUse")
    let words = app.notify(.authorizationChanged(.whenInUse), at: 3)
    #expect(!words.contains { $0.hasPrefix("asks") })
    app.notify(.enteredBackground, at: 20)
    #expect(app.notify(.becameActive, at: 4_000).first == "asks for always")
  }

  @Test("AU14: an app whose permission was reset asks again when it is opened")
  func asksAgain() {
    var app = Timeline { $0.app.request = .whenInUse }
    app.notify(.launched(.user), at: 0)
    #expect(app.notify(.becameActive, at: 0).first == "asks for whenInUse")
    app.notify(.enteredBackground, at: 20)
    app.notify(.authorizationChanged(.notDetermined), at: 400)
    #expect(app.notify(.becameActive, at: 400).first == "asks for whenInUse")
    #expect(!app.notify(.becameActive, at: 401).contains { $0.hasPrefix("asks") })
  }

  @Test("AU1: an app that requests no permission starts its services, and receives nothing")
  func asksNothing() {
    var app = Timeline { $0.app.request = .nothing }
    app.notify(.launched(.user), at: 0)
    let words = app.notify(.becameActive, at: 0)
    #expect(!words.contains { $0.hasPrefix("asks") })
    #expect(words.contains("standard on tenMeters 10 m"))
  }

  @Test("AU2, AU3: once permitted, silently ignored services are started again")
  func permitted() {
    var app = Timeline()
    app.notify(.launched(.user), at: 0)
    app.notify(.becameActive, at: 0)
    #expect(
      app.notify(.authorizationChanged(.always), at: 5)
        == ["significant on", "visits on", "standard on tenMeters 10 m"])
    #expect(app.notify(.authorizationChanged(.denied), at: 9).contains("standard off"))
  }

  @Test("LC8: an app that starts nothing at its relaunch ignores the event that woke it")
  func startsNothing() {
    var app = Timeline { $0.app.mistakes.startsNothingAtLaunch = true }
    #expect(app.notify(.launched(.location), at: 0) == [])
    #expect(app.notify(.location(.at(0), .imprecise), at: 0) == [])
    #expect(app.notify(.regionExited(.imprecise, cached: .at(0)), at: 1) == [])
    #expect(app.notify(.visit(.ended(.at(1))), at: 2) == [])
    #expect(app.outbox.count == 0)
    #expect(app.notify(.becameActive, at: 10).contains("significant on"))
    app.die()
    #expect(app.notify(.launched(.user), at: 20).contains("significant on"))
  }

  @Test("LC4: an app that leaks begins a task with each wake and ends none")
  func leaks() {
    var app = Timeline { $0.app.mistakes.leaksBackgroundTasks = true }
    app.notify(.launched(.location), at: 0)
    for n in 1...5 {
      app.notify(.regionExited(.imprecise, cached: nil), at: Double(n))
      #expect(app.openTasks == n)
    }
    app.notify(.timer(.stopStandard), at: 30)
    app.notify(.backgroundTimeExpiring, at: 31)
    #expect(app.openTasks == 5)
  }

  @Test("LC6: work on the main thread comes last whenever the app is opened or minimised")
  func mainThread() {
    var app = Timeline { $0.app.mistakes.mainThreadWork = .seconds(11) }
    app.notify(.launched(.user), at: 0)
    #expect(app.notify(.becameActive, at: 0).last == "blocks 11 s")
    #expect(app.notify(.enteredBackground, at: 60).last == "blocks 11 s")
  }

  @Test(
    "LC7: the task ends after success and failure of the send", arguments: UploadResult.allCases)
  func taskEnds(result: UploadResult) throws {
    for name in ["hybrid", "significant-change", "traccar", "radar-efficient"] {
      var app = Timeline(try Shipped.policy(name)) { $0.onPush = .cached }
      app.notify(.launched(.push), at: 0)
      app.notify(.silentPush(cached: .at(1)), at: 1)
      #expect(app.openTasks == 1 && app.tracker.isSending)
      app.notify(.uploadFinished(result), at: 2)
      #expect(app.openTasks == 0)
    }
  }

  @Test("HY2: new settings restart the services; outbox, numbers and last fix survive")
  func newSettings() throws {
    var app = HybridTimelineTests.woken()
    app.fixes(at: [2])
    app.notify(.timer(.stopStandard), at: 22)
    app.notify(.uploadFinished(.acknowledged), at: 24)
    app.notify(.location(.at(100, x: 900), .imprecise), at: 100)
    let before = app.tracker
    app.settings = try Shipped.policy("owntracks-move")
    let words = app.notify(.settingsChanged, at: 200)
    for word in ["significant off", "visits off", "no region", "standard on best"] {
      #expect(words.contains(word))
    }
    #expect(app.tracker.outboxCount == before.outboxCount && before.outboxCount == 1)
    #expect(app.tracker.lastSequence == before.lastSequence)
    #expect(app.tracker.lastAccepted == before.lastAccepted)
  }

  @Test("VI2, VI3: visits of unknown arrival do not collide; the same visit twice is stored once")
  func visitKeys() {
    let first = Visit(fix: .at(100), arrival: .distantPast, departure: Timeline.second(100))
    let second = Visit(
      fix: .at(900, x: 2_000), arrival: .distantPast, departure: Timeline.second(900))
    // The bug as it shipped: neither date is ever nil, so the first one always wins.
    func shippedKey(_ visit: Visit) -> SimInstant? { Optional(visit.arrival) ?? visit.departure }
    #expect(shippedKey(first) == shippedKey(second) && first.key != second.key)
    var app = Timeline { $0.background.service.pattern = .off }
    app.notify(.launched(.location), at: 0)
    app.notify(.visit(first), at: 100)
    app.notify(.visit(first), at: 101)
    app.notify(.visit(second), at: 900)
    #expect(app.uploads.flatMap(\.fixes).count + app.waiting.count >= 2)
    #expect(app.outbox.count == 2)
  }

  @Test("PT1, PT3: a pause leaves a region behind, and a wake requests the service again")
  func pause() {
    var app = Timeline(.continuous)
    app.notify(.launched(.user), at: 0)
    app.notify(.becameActive, at: 0)
    app.notify(.enteredBackground, at: 5)
    app.fixes(at: [10])
    #expect(app.notify(.standardPaused, at: 910) == ["region 100 m"])
    #expect(
      app.notify(.regionExited(.imprecise, cached: nil), at: 2_000).contains(
        "standard on tenMeters"))
  }

  @Test("RG2: of the two managers that receive an exit one handles it")
  func oneManager() {
    var app = Timeline()
    app.notify(.launched(.location), at: 0)
    #expect(app.notify(.regionExited(.standard, cached: nil), at: 0) == [])
    #expect(app.notify(.regionExited(.imprecise, cached: nil), at: 0).count == 3)
  }
}
