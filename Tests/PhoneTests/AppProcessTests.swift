import Core
import Scenarios
import TestSupport
import Testing
@testable import Phone

@Suite("App process", .quick)
struct AppProcessTests {
  static let now = World.monday

  static func launched(foreground: Bool = false) -> AppProcess {
    var process = AppProcess()
    process.launch(intoForeground: foreground, now: now)
    return process
  }

  @Test("LC1: code runs in the foreground and in the background, never while suspended or dead")
  func mayRunCode() {
    var process = AppProcess()
    #expect(!process.mayRunCode && process.state == .notRunning)
    process.launch(intoForeground: false, now: Self.now)
    #expect(process.mayRunCode && process.state == .background)
    process.suspend()
    #expect(!process.mayRunCode)
    process.wake(now: Self.now)
    #expect(process.mayRunCode)
    process.becomeActive()
    #expect(process.mayRunCode && process.state == .foreground)
    process.enterBackground(now: Self.now)
    process.die()
    #expect(!process.mayRunCode && process.state == .notRunning)
  }

  @Test("a wake resumes only a suspended app: it launches no dead one and changes no running one")
  func wakeOnlySuspended() {
    var dead = AppProcess()
    dead.wake(now: Self.now)
    #expect(dead.state == .notRunning)
    var active = Self.launched(foreground: true)
    active.wake(now: Self.now)
    #expect(active.state == .foreground)
    var background = Self.launched()
    background.wake(now: Self.now + .seconds(20))
    #expect(background.backgroundSince == Self.now, "the budget is not renewed")
  }

  @Test("LC3: in the background only a task or a living standard service holds off suspension")
  func suspension() {
    var process = Self.launched()
    #expect(process.mustSuspend(isHeldByService: false))
    #expect(!process.mustSuspend(isHeldByService: true))
    process.openBackgroundTasks = 1
    #expect(!process.mustSuspend(isHeldByService: false))
    process.openBackgroundTasks = 0
    process.becomeActive()
    #expect(!process.mustSuspend(isHeldByService: false))
  }

  @Test(
    "LC5: a background task lasts 180 s on old systems, 30 s from iOS 13 on",
    arguments: zip([OSProfile.ios12, .ios17], [180, 30] as [Int64]))
  func budget(os: OSProfile, seconds: Int64) {
    var process = Self.launched()
    #expect(process.expiry(os) == .distantFuture)
    process.openBackgroundTasks = 1
    #expect(
      process.expiry(os) == Self.now
        + .seconds(seconds))
    process.suspend()
    process.wake(now: Self.now + .hours(1))
    #expect(
      process.expiry(os)
        == Self.now + .hours(1) + .seconds(seconds))
  }

  @Test("LC5, DC6: the budget does not run in the foreground, nor while a service keeps the app")
  func budgetStands() {
    var process = Self.launched()
    process.openBackgroundTasks = 1
    #expect(
      process.expiry(isHeld: true)
        == .distantFuture)
    process.becomeActive()
    #expect(
      process.expiry()
        == .distantFuture)
    process.enterBackground(now: Self.now + .minutes(9))
    #expect(
      process.expiry()
        == Self.now + .minutes(9) + .seconds(30))
    process.locationSessionEnded(now: Self.now + .minutes(20))
    #expect(
      process.expiry()
        == Self.now + .minutes(20) + .seconds(30), "it counts anew")
  }

  @Test("AU7: a service started after the foreground or a significant change runs till suspension")
  func mayContinue() {
    var process = Self.launched()
    #expect(!process.mayContinue)
    process.becomeActive()
    process.enterBackground(now: Self.now)
    #expect(process.mayContinue)
    process.suspend()
    process.wake(now: Self.now)
    #expect(!process.mayContinue)
    process.wokenBySignificantChange()
    #expect(process.mayContinue)
  }

  @Test("LC4: tasks die with their process")
  func tasksDie() {
    var process = Self.launched()
    process.openBackgroundTasks = 3
    process.die()
    #expect(process.openBackgroundTasks == 0)
    process.launch(intoForeground: false, now: Self.now)
    #expect(process.openBackgroundTasks == 0)
  }

  @Test("LC11: a force-quit outlives the process")
  func forceQuit() {
    var process = Self.launched()
    process.isForceQuit = true
    process.die()
    process.launch(intoForeground: false, now: Self.now)
    #expect(process.isForceQuit)
  }

}

extension AppProcess {
  fileprivate func expiry(_ os: OSProfile = .ios17, isHeld: Bool = false) -> SimInstant {
    backgroundExpiry(isHeldByService: isHeld, budget: os.system.rules.backgroundTaskBudget)
  }
}
