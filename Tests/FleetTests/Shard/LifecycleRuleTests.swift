import Measure
import Mobility
import Phone
import PushService
import SimulationCore
import Telemetry
import Testing

@testable import Fleet
@testable import Scenarios

@Suite("Lifecycle", .timeLimit(.minutes(10)))
struct LifecycleRuleTests {
  static let rides = PermissionRuleTests.rides

  /// Wakes with significant changes, sends each fix at once.
  static var changes: PolicySettings {
    var settings = PolicySettings.quiet
    settings.significantChange = true
    settings.send.interval = .zero
    return settings
  }

  static func ios12() -> OSProfile {
    var os = OSProfile.standard
    os.backgroundTaskBudget = .seconds(180)
    return os
  }

  @Test("LC1: a suspended app hears nothing, whatever happens to its phone")
  func suspended() {
    let bench = PhoneBench(.quiet, way: Self.rides) { $0.fleet.phone.offline = 0.4 }
    bench.open()
    bench.leave()
    #expect(bench.state == .suspended)
    let mark = bench.mark
    bench.advance(.hours(3))
    #expect(bench.delivered(since: mark).isEmpty && bench.fixes(since: mark).isEmpty)
  }

  @Test("LC2: a suspended app is not woken by its timer; it fires when the app runs again")
  func timers() {
    let bench = PhoneBench(.quiet)
    bench.open()
    bench.command(.setTimer(.still, at: bench.now + .seconds(60)))
    bench.leave()
    let mark = bench.mark
    bench.advance(.hours(1))
    #expect(bench.metrics.wakes == 0 && bench.delivered(since: mark).isEmpty)
    bench.open()
    #expect(bench.timers(since: mark) == [.still])
  }

  @Test("LC3: without a background task the answer is lost, and heard of at the next wake")
  func lostAnswer() {
    var settings = Self.changes
    settings.send.backgroundTask = false
    let bench = PhoneBench(settings, way: Self.rides)
    bench.advance(until: .minutes(50))
    #expect(bench.metrics.uploadsStarted > 0)
    #expect(bench.results.contains(.connectionLost) && !bench.results.contains(.acknowledged))
    settings.send.backgroundTask = true
    let careful = PhoneBench(settings, way: Self.rides)
    careful.advance(until: .minutes(50))
    #expect(careful.results.contains(.acknowledged))
    #expect(!careful.results.contains(.connectionLost))
  }

  @Test("LC4: a background task that is never ended kills the app when its time is over")
  func leak() {
    let bench = PhoneBench(.quiet)
    bench.open()
    bench.command(.beginBackgroundTask)
    bench.leave()
    bench.advance(.seconds(29))
    #expect(bench.state == .background)
    bench.advance(.seconds(2))
    #expect(bench.state == .notRunning && bench.crashes == [.backgroundTimeOver])
  }

  @Test(
    "LC5: a task of 200 s expires after 180 s on old systems, after 30 s from iOS 13 on",
    arguments: zip([Self.ios12(), .standard], [180, 30] as [Int64]))
  func budget(os: OSProfile, seconds: Int64) {
    let bench = PhoneBench(.quiet, os: os)
    bench.open()
    bench.leave()
    bench.open()
    bench.advance(.seconds(5))
    bench.command(.beginBackgroundTask)
    bench.leave()
    let left = bench.now
    bench.advance(.seconds(200))
    let expired = bench.delivered.first {
      if case .backgroundTimeExpiring = $0.event { true } else { false }
    }
    #expect(expired?.at == left + .seconds(seconds))
  }

  @Test("LC6: 11 s of work on the main thread across a change of state crash the app, 9 s do not")
  func watchdog() {
    for (seconds, dies) in [(11, true), (9, false)] as [(Int64, Bool)] {
      let bench = PhoneBench(.quiet)
      bench.open()
      bench.command(changingState: true, .blockMainThread(.seconds(seconds)))
      #expect((bench.state == .notRunning) == dies)
      #expect(bench.crashes == (dies ? [.watchdog] : []))
    }
    let steady = PhoneBench(.quiet)
    steady.open()
    steady.command(.blockMainThread(.seconds(11)))
    #expect(steady.state == .foreground, "nothing changes, nobody watches")
  }

  @Test("LC7: after a send no task is open, whether it succeeded, failed or found no path")
  func taskAfterSend() {
    for result in [UploadResult.acknowledged, .failed, .refused] {
      let bench = PhoneBench(Self.changes, way: Self.rides)
      bench.shard.answer(.fromOutside)
      var answered = 0
      while bench.age < .minutes(58) {
        bench.advance(.seconds(1))
        guard bench.phone.upload.isInFlight else { continue }
        let attempt = bench.phone.upload.attempt
        bench.consume(.outcome(attempt: attempt, result))
        answered += 1
        bench.advance(.seconds(5))
        #expect(bench.phone.process.openBackgroundTasks == 0 && bench.state == .suspended)
      }
      #expect(answered > 0)
    }
    let offline = PhoneBench(Self.changes, way: Self.rides) { scenario in
      scenario.faults = [
        Fault(
          kind: .networkOutage, at: scenario.start, lasts: .hours(9), lastsWall: .zero, cohort: nil,
          share: 1)
      ]
    }
    offline.advance(until: .minutes(58))
    #expect(offline.results.contains(.offline) && offline.phone.process.openBackgroundTasks == 0)
  }

  @Test("LC8: an app that makes no manager when it is relaunched is not told why")
  func noManager() {
    var settings = Self.changes
    settings.app.mistakes.startsNothingAtLaunch = true
    for (isWrong, settings) in [(true, settings), (false, Self.changes)] {
      let bench = PhoneBench(settings, way: Self.rides)
      bench.open()
      bench.command(.startSignificantChange)
      bench.leave()
      bench.advance(.minutes(5))
      bench.kill()
      let mark = bench.mark
      bench.advance(until: .hours(2))
      #expect(bench.metrics.launches > 0)
      #expect(bench.fixes(since: mark).isEmpty == isWrong)
    }
  }

  @Test("LC9, SL8: a killed app gets no more fixes each second, and what it registered stands")
  func killed() {
    let bench = PhoneBench(Self.changes, way: Self.rides)
    bench.open()
    bench.command(.startStandard(.plain))
    bench.advance(.minutes(1))
    bench.leave()
    bench.advance(.minutes(1))
    bench.kill()
    #expect(!bench.phone.standard.isOn && !bench.phone.standard.isWanted)
    #expect(bench.phone.os.services.significantChangeIsOn)
    let count = bench.fixes(.standard).count
    bench.advance(until: .hours(2))
    #expect(bench.fixes(.standard).count == count)
    #expect(bench.metrics.launches > 0 && bench.fixes(.imprecise).count > 2)
  }

  @Test("LC10: a force-quit app comes back with a significant change, where the system does so")
  func forceQuit() {
    for comesBack in [true, false] {
      var os = OSProfile.standard
      os.relaunchesAfterForceQuit = comesBack
      let bench = PhoneBench(Self.changes, os: os, way: Self.rides)
      bench.open()
      bench.forceQuit()
      #expect(bench.state == .notRunning)
      bench.advance(until: .hours(2))
      #expect((bench.metrics.launches > 0) == comesBack)
      guard comesBack else { continue }
      let launch = bench.delivered.first {
        if case .launched(.location) = $0.event { true } else { false }
      }
      let place = bench.phone.segment.position(at: bench.now)
      #expect(launch != nil && place.x > 2_000)
    }
  }

  @Test("LC11: no silent push reaches a force-quit app")
  func pushAfterForceQuit() {
    let bench = PhoneBench(.quiet)
    bench.push()
    #expect(bench.metrics.wakes == 1)
    bench.open()
    bench.forceQuit()
    bench.advance(.minutes(1))
    bench.push()
    #expect(bench.state == .notRunning && bench.metrics.wakes == 1)
    #expect(bench.shard.pushEndings.last?.outcome == .forceQuit)
  }

  @Test("LC12: an app that was relaunched in the background cannot be swiped away")
  func relaunchedInBackground() {
    let bench = PhoneBench(Self.changes, way: Self.rides)
    bench.open()
    bench.kill()
    bench.advance(until: .minutes(45))
    #expect(bench.metrics.launches > 0 && bench.state == .suspended)
    bench.forceQuit()
    #expect(bench.state == .suspended && !bench.phone.process.isForceQuit)
    bench.open()
    bench.forceQuit()
    #expect(bench.state == .notRunning && bench.phone.process.isForceQuit)
  }

  @Test(
    "DC6: the budget runs only without a session, and an expiry that ends nothing kills",
    arguments: zip([Self.ios12(), .standard], [180, 30] as [Int64]))
  func sessionStopsTheClock(os: OSProfile, seconds: Int64) {
    let bench = PhoneBench(.quiet, os: os, way: [.ride(.hours(5), metersPerSecond: 2)])
    bench.open()
    bench.command(.startStandard(.background), .beginBackgroundTask)
    bench.leave()
    bench.advance(.minutes(20))
    #expect(bench.state == .background, "the session holds it")
    for _ in 0..<3 {
      bench.command(.stopStandard)
      bench.advance(.seconds(25))
      bench.command(.startStandard(.background))
      bench.advance(.seconds(30))
    }
    #expect(bench.state == .background, "each session starts the clock anew")
    bench.command(.stopStandard)
    bench.advance(.seconds(seconds - 1))
    #expect(bench.state == .background)
    bench.advance(.seconds(2))
    #expect(bench.state == .notRunning && bench.crashes == [.backgroundTimeOver])
  }

  @Test("AU7: a burst after a region must fit its task, one after a significant change goes on")
  func burstAfterWake() {
    for continues in [true, false] {
      let bench = PhoneBench(.quiet, way: [.ride(.hours(2), metersPerSecond: 5)])
      bench.wake(continues: continues, .startStandard(.background))
      bench.advance(.minutes(2))
      #expect((bench.state == .background) == continues)
    }
  }

  @Test(
    "a hidden standard service beside significant changes is suspended from iOS 16.4 on",
    arguments: [true, false], [true, false])
  func hidden(suspends: Bool, showsIndicator: Bool) {
    var os = OSProfile.standard
    os.suspendsHiddenStandard = suspends
    let bench = PhoneBench(Self.changes, os: os, way: [.stay(.hours(3))])
    bench.open()
    var request = ServiceRequest.background
    request.accuracy = .threeKilometers
    request.showsIndicator = showsIndicator
    bench.command(.startStandard(request))
    bench.advance(.seconds(20))
    bench.leave()
    bench.advance(.minutes(10))
    #expect((bench.state == .suspended) == (suspends && !showsIndicator))
  }
}
