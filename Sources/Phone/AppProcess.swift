package import Core

/// The process of an app under the operating system.
///
///     notRunning ──launch──▶ background ◀──▶ foreground
///         ▲                    │   ▲
///         └──kill── suspended ◀┘───┘ wake
///
/// A suspended app runs no code (LC1), and its timers do not advance (LC2). On Android such an app
/// is cached and frozen (ALC3).
package struct AppProcess: Sendable, BitwiseCopyable {
  package enum State: UInt8, Sendable, BitwiseCopyable, CaseIterable {
    case notRunning, suspended, background, foreground
  }

  package private(set) var state = State.notRunning
  /// Whether the user has force-quit the app and not opened it since (LC11).
  package var isForceQuit = false
  /// LC12: Whether the user can force-quit the app. After a background launch the app is not in the
  /// app switcher until the user opens it.
  package private(set) var canBeSwiped = false
  /// AU7: Whether the app was in the foreground or was woken by a significant change since its last
  /// suspension. A location service started while `mayContinue` is true continues in the
  /// background.
  package private(set) var mayContinue = false
  /// Whether only the location push extension runs and the app itself does not. The extension
  /// leaves the app's force-quit state unchanged.
  package private(set) var isExtension = false
  /// LC8: Whether the process has created a location manager, to which events can be delivered.
  package var hasManager = false
  /// Whether the process has requested motion activity (AC5).
  package var receivesMotion = false
  package var openBackgroundTasks: UInt8 = 0
  /// The start of the background time and its budget (LC5); `distantFuture` outside the background.
  package private(set) var backgroundSince = SimInstant.distantFuture

  package enum Ending: UInt8, Sendable, BitwiseCopyable, CaseIterable {
    case none
    case memory
    case update
    case reinstall
  }
  /// The cause that ended the process or makes the app wait for its owner; `none` after a launch.
  package private(set) var ending = Ending.none
  /// LC15: Whether the app, after an update, does not run until its owner opens it.
  package private(set) var needsOpening = false

  package mutating func launch(intoForeground: Bool, now: SimInstant) {
    state = intoForeground ? .foreground : .background
    canBeSwiped = intoForeground
    mayContinue = intoForeground
    hasManager = false
    receivesMotion = false
    backgroundSince = intoForeground ? .distantFuture : now
    openBackgroundTasks = 0
    ending = .none
    needsOpening = false
  }

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

  /// Sets `ending` to `cause`, or to `none` if the app runs no code and need not be opened.
  package mutating func willEnd(by cause: Ending, needsOpening: Bool) {
    ending = mayRunCode || needsOpening ? cause : .none
    self.needsOpening = needsOpening
    guard cause == .reinstall else { return }
    isForceQuit = false
    canBeSwiped = false
  }

  /// DC6: The end of a location session that kept the app running restarts the background time.
  package mutating func locationSessionEnded(now: SimInstant) {
    if state == .background { backgroundSince = now }
  }

  package var mayRunCode: Bool { state == .foreground || state == .background }

  /// LC3: The system suspends a background app after its callback, unless a task or service runs.
  package func mustSuspend(isHeldByService: Bool) -> Bool {
    state == .background && openBackgroundTasks == 0 && !isHeldByService
  }

  /// Returns when open background tasks expire (LC5); `distantFuture` if none is open or a location
  /// session keeps the app running (DC6).
  ///
  /// - Parameter budget: the system's time for tasks after the app left the foreground.
  package func backgroundExpiry(isHeldByService: Bool, budget: SimDuration) -> SimInstant {
    guard state == .background, openBackgroundTasks > 0, !isHeldByService else {
      return .distantFuture
    }
    return backgroundSince + budget
  }
}

package enum CrashReason: UInt8, Sendable, BitwiseCopyable, CaseIterable {
  /// AU8: The app set `allowsBackgroundLocationUpdates` without `location` in `UIBackgroundModes`.
  case backgroundModeMissing
  /// LC6: The main thread did not answer in time.
  case watchdog
  /// LC4: A background task was open after its expiration handler (0x8badf00d).
  case backgroundTimeOver
}
