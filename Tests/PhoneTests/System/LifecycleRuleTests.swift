import Core
import PhoneSupport
import Scenarios
import TestSupport
import Testing
@testable import Phone

@Suite("Lifecycle", .quick)
struct LifecycleRuleTests {
  /// Makes an app that gives no commands of its own, opened once and left.
  static func quiet(
    os: OSProfile = .standard, _ way: [Stretch] = [.stay(.hours(24))]
  ) -> PhoneLife {
    DeviceTests.installed(PhoneLife(.way(way), os: os, app: DeviceTests.app()))
  }

  /// An app woken by significant changes, however it was launched.
  static func changes(
    os: OSProfile = .standard, _ way: [Stretch] = Stretch.rides
  ) -> PhoneLife {
    DeviceTests.installed(
      PhoneLife(.way(way), os: os, app: DeviceTests.careful(.startSignificantChange)))
  }

  static func ios12() -> OSProfile {
    var os = OSProfile.standard
    os.system.rules.backgroundTaskBudget = .seconds(180)
    return os
  }

  @Test("LC1, LC3: an idle app is suspended when its user leaves it, and then receives nothing")
  func suspended() {
    let life = Self.quiet(Stretch.rides)
    #expect(life.launches == [.user] && life.state == .suspended)
    let mark = life.mark
    for _ in 0..<24 {
      life.loseConnection(for: .minutes(20))
      life.advance(.minutes(30))
    }
    #expect(life.mark == mark)
  }

  @Test("LC2: a suspended app is not woken by its timer; it fires when the app runs again")
  func timers() {
    let life = Self.quiet()
    life.open()
    life.ask(.setTimer(.still, at: life.now + .seconds(60)))
    life.leave()
    let mark = life.mark
    life.advance(.hours(1))
    #expect(life.wakes == 0 && life.mark == mark)
    life.open()
    let timers = life.delivered(since: mark).compactMap {
      if case .timer(let timer) = $0 { timer } else { nil }
    }
    #expect(timers == [.still])
  }

  @Test(
    "LC4: a background task holds the app until its time is over; not ending it then is fatal",
    arguments: [true, false])
  func backgroundTask(endsIt: Bool) {
    let life = PhoneLife(.way([.stay(.hours(24))])) { event in
      event.isExpiry && endsIt ? [.endBackgroundTask] : []
    }
    life.open()
    life.ask(.beginBackgroundTask)
    life.leave()
    life.advance(.seconds(29))
    #expect(life.state == .background && life.count(\.isExpiry) == 0)
    life.advance(.seconds(2))
    #expect(life.count(\.isExpiry) == 1)
    #expect(life.state == (endsIt ? .suspended : .notRunning))
    #expect(life.crashes == (endsIt ? [] : [.backgroundTimeOver]))
  }

  @Test(
    "LC5: a task of 200 s expires after 180 s on old systems, after 30 s from iOS 13 on",
    arguments: zip([Self.ios12(), .standard], [180, 30] as [Int64]))
  func budget(os: OSProfile, seconds: Int64) {
    let life = Self.quiet(os: os)
    life.open()
    life.advance(.seconds(5))
    life.ask(.beginBackgroundTask)
    life.leave()
    let left = life.now
    life.advance(.seconds(200))
    #expect(life.delivered.first { $0.event.isExpiry }?.at == left + .seconds(seconds))
  }

  @Test("LC6: 11 s of work on the main thread across a change of state crash the app, 9 s do not")
  func watchdog() {
    for isChange in [\.isLaunch, \.isActivation, \.isLeave] as [(OSEvent) -> Bool] {
      for (seconds, dies) in [(11, true), (9, false)] as [(Int64, Bool)] {
        let life = PhoneLife(.way([.stay(.hours(24))])) { event in
          isChange(event) ? [.blockMainThread(.seconds(seconds))] : []
        }
        life.open()
        life.leave()
        #expect(life.state == (dies ? .notRunning : .suspended))
        #expect(life.crashes == (dies ? [.watchdog] : []))
      }
    }
  }

  @Test("LC6: without a change of state the system does not watch the main thread")
  func steady() {
    let steady = Self.quiet()
    steady.open()
    steady.ask(.blockMainThread(.seconds(11)))
    #expect(steady.state == .foreground && steady.crashes.isEmpty)
  }

  @Test("LC8: an app that makes no manager at its relaunch does not receive the event")
  func noManager() {
    for isWrong in [true, false] {
      let app =
        isWrong
        ? DeviceTests.app(.startSignificantChange) : DeviceTests.careful(.startSignificantChange)
      let life = DeviceTests.installed(PhoneLife(.way(Stretch.rides), app: app))
      life.advance(.minutes(5))
      life.kill()
      let mark = life.mark
      life.advance(until: .hours(2))
      #expect(life.launches.contains(.location))
      #expect(life.fixes(since: mark).isEmpty == isWrong)
    }
  }

  @Test("LC9, SL8: a killed app gets no more fixes each second, and keeps its registrations")
  func killed() {
    let life = Self.changes()
    life.open()
    life.ask(.startStandard(.plain))
    life.advance(.minutes(1))
    life.leave()
    life.advance(.minutes(1))
    life.kill()
    #expect(!life.phone.standard.isOn && !life.phone.standard.isWanted)
    #expect(life.phone.services.significantChangeIsOn)
    let count = life.fixes(.standard).count
    life.advance(until: .hours(2))
    #expect(count > 0 && life.fixes(.standard).count == count)
    #expect(life.launches.contains(.location) && life.fixes(.imprecise).count > 2)
  }

  @Test("LC10: a force-quit app comes back with a significant change, if the system does so")
  func forceQuit() {
    for comesBack in [true, false] {
      var os = OSProfile.standard
      os.system.rules.relaunchesAfterForceQuit = comesBack
      let life = Self.changes(os: os)
      life.open()
      life.swipeAway()
      #expect(life.state == .notRunning && life.phone.process.isForceQuit)
      life.advance(until: .hours(8))
      #expect(life.launches.contains(.location) == comesBack)
      guard comesBack else { continue }
      #expect(life.phone.segment.position(at: life.now).x > 2_000)
    }
  }

  @Test("LC12: an app that was relaunched in the background cannot be swiped away")
  func relaunchedInBackground() {
    let life = Self.changes()
    life.open()
    life.kill()
    life.advance(until: .minutes(45))
    #expect(life.launches.contains(.location) && life.state == .suspended)
    life.swipeAway()
    #expect(life.state == .suspended && !life.phone.process.isForceQuit)
    life.open()
    life.swipeAway()
    #expect(life.state == .notRunning && life.phone.process.isForceQuit)
  }

  @Test(
    "DC6: the budget runs only without a session, and an expiry that ends nothing kills",
    arguments: zip([Self.ios12(), .standard], [180, 30] as [Int64]))
  func sessionStopsTheClock(os: OSProfile, seconds: Int64) {
    let life = Self.quiet(os: os, [.ride(.hours(5), metersPerSecond: 2)])
    life.open()
    life.ask(.startStandard(.background), .beginBackgroundTask)
    life.leave()
    life.advance(.minutes(20))
    #expect(life.state == .background, "the session holds it")
    for _ in 0..<3 {
      life.ask(.stopStandard)
      life.advance(.seconds(25))
      life.ask(.startStandard(.background))
      life.advance(.seconds(30))
    }
    #expect(life.state == .background, "each session starts the clock anew")
    life.ask(.stopStandard)
    life.advance(.seconds(seconds - 1))
    #expect(life.state == .background)
    life.advance(.seconds(2))
    #expect(life.state == .notRunning && life.crashes == [.backgroundTimeOver])
  }

  @Test("AU7: a burst ends with its task after a region exit, not after a significant change")
  func burstAfterWake() {
    for continues in [true, false] {
      let life = Self.quiet([.ride(.hours(2), metersPerSecond: 5)])
      life.wake(continues: continues, .startStandard(.background))
      life.advance(.minutes(2))
      #expect((life.state == .background) == continues)
    }
  }

  @Test(
    "a hidden standard service with significant changes is suspended from iOS 16.4 on",
    arguments: [true, false], [true, false])
  func hidden(suspends: Bool, showsIndicator: Bool) {
    var os = OSProfile.standard
    os.system.rules.suspendsHiddenStandard = suspends
    let life = Self.changes(os: os, [.stay(.hours(3))])
    life.open()
    var request = ServiceRequest.background
    request.accuracy = .threeKilometers
    request.showsIndicator = showsIndicator
    life.ask(.startStandard(request))
    life.advance(.seconds(20))
    life.leave()
    life.advance(.minutes(10))
    #expect((life.state == .suspended) == (suspends && !showsIndicator))
  }
}
