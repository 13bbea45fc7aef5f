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
  package var openBackgroundTasks: UInt8 = 0
  /// When the present stretch of background time began; the budget counts from here (LC5).
  package private(set) var backgroundSince = SimInstant.distantFuture

  package init() {}

  package mutating func launch(intoForeground: Bool, now: SimInstant) {
    state = intoForeground ? .foreground : .background
    backgroundSince = intoForeground ? .distantFuture : now
    openBackgroundTasks = 0
  }

  package mutating func wake(now: SimInstant) {
    guard state == .suspended else { return }
    state = .background
    backgroundSince = now
  }

  package mutating func becomeActive() {
    state = .foreground
    backgroundSince = .distantFuture
  }

  package mutating func enterBackground(now: SimInstant) {
    state = .background
    backgroundSince = now
  }

  package mutating func suspend() {
    state = .suspended
    backgroundSince = .distantFuture
  }

  package mutating func die() {
    state = .notRunning
    openBackgroundTasks = 0
    backgroundSince = .distantFuture
  }

  package var mayRunCode: Bool { state == .foreground || state == .background }

  /// LC3: a background app with nothing to hold it is suspended as soon as its callback returns.
  package func mustSuspend(standard: StandardService) -> Bool {
    state == .background && openBackgroundTasks == 0 && !(standard.isOn && standard.keepsAppAlive)
  }

  /// When open background tasks expire (LC5). A standard service that keeps the app alive stops
  /// the clock (DC6).
  package func backgroundExpiry(standard: StandardService, os: OSProfile) -> SimInstant {
    guard state == .background, openBackgroundTasks > 0 else { return .distantFuture }
    if standard.isOn && standard.keepsAppAlive { return .distantFuture }
    return backgroundSince + os.backgroundTaskBudget
  }
}
