package import Scenarios
package import SimulationCore

/// The app's life as the operating system keeps it.
///
///     notRunning ──launch──▶ background ◀──▶ foreground
///         ▲                    │   ▲
///         └──kill── suspended ◀┘───┘ wake
///
/// A suspended app runs no code (LC1); its timers stand still (LC2).
package struct AppProcess: Sendable, BitwiseCopyable {
  package enum State: UInt8, Sendable, BitwiseCopyable, CaseIterable {
    case notRunning, suspended, background, foreground
  }

  package private(set) var state = State.notRunning
  /// The user swiped the app away and has not opened it since (LC11).
  package var isForceQuit = false
  /// LC12: an app that was launched in the background and not opened since is not among those that
  /// its user can swipe away.
  package private(set) var canBeSwiped = false
  /// AU7: since it was last suspended the app was in the foreground, or woken by a significant
  /// change. What it starts now goes on in the background.
  package private(set) var mayContinue = false
  /// What runs is the location push extension of an app that does not: it ends when it is done, and
  /// leaves the app as it was, force-quit or not.
  package private(set) var isExtension = false
  /// LC8: the process has made a location manager, so there is somebody to deliver to.
  package var hasManager = false
  /// The process asked for motion activity (AC5).
  package var receivesMotion = false
  package var openBackgroundTasks: UInt8 = 0
  /// When the present stretch of background time began; the budget counts from here (LC5).
  package private(set) var backgroundSince = SimInstant.distantFuture

  package init() {}

  package mutating func launch(intoForeground: Bool, now: SimInstant) {
    state = intoForeground ? .foreground : .background
    canBeSwiped = intoForeground
    mayContinue = intoForeground
    hasManager = false
    receivesMotion = false
    backgroundSince = intoForeground ? .distantFuture : now
    openBackgroundTasks = 0
  }

  /// The extension of an app that is not running, in the background and for a short while.
  package mutating func launchExtension(now: SimInstant) {
    let couldBeSwiped = canBeSwiped
    launch(intoForeground: false, now: now)
    canBeSwiped = couldBeSwiped
    isExtension = true
  }

  package mutating func wake(now: SimInstant) {
    guard state == .suspended else { return }
    state = .background
    backgroundSince = now
  }

  /// AU7: a significant change is about to be told.
  package mutating func wokenBySignificantChange() { mayContinue = true }

  package mutating func becomeActive() {
    state = .foreground
    isExtension = false
    canBeSwiped = true
    mayContinue = true
    backgroundSince = .distantFuture
  }

  package mutating func enterBackground(now: SimInstant) {
    state = .background
    backgroundSince = now
  }

  package mutating func suspend() {
    state = .suspended
    mayContinue = false
    backgroundSince = .distantFuture
  }

  package mutating func die() {
    state = .notRunning
    isExtension = false
    openBackgroundTasks = 0
    mayContinue = false
    hasManager = false
    receivesMotion = false
    backgroundSince = .distantFuture
  }

  /// DC6: a location session that kept the app running is over, and the budget counts anew.
  package mutating func locationSessionEnded(now: SimInstant) {
    if state == .background { backgroundSince = now }
  }

  package var mayRunCode: Bool { state == .foreground || state == .background }

  /// LC3: a background app with nothing to hold it is suspended as soon as its callback returns.
  package func mustSuspend(isHeldByService: Bool) -> Bool {
    state == .background && openBackgroundTasks == 0 && !isHeldByService
  }

  /// When open background tasks expire (LC5). A location session that keeps the app running stops
  /// the clock (DC6).
  package func backgroundExpiry(isHeldByService: Bool, os: OSProfile) -> SimInstant {
    guard state == .background, openBackgroundTasks > 0, !isHeldByService else {
      return .distantFuture
    }
    return backgroundSince + os.backgroundTaskBudget
  }
}
