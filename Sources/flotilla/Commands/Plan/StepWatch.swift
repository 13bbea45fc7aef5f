internal import Commands
internal import Core
internal import Foundation
internal import Synchronization
internal import Transport

/// Shows the current step of a long command: every second on a terminal, otherwise every three
/// seconds. A separate thread does so, and steps need not report. Thread-safe.
final class StepWatch: Sendable {
  /// The longest times without output, on a terminal and in a log.
  static let (longestOnTerminal, longestInLog) = (WallDuration.seconds(1), WallDuration.seconds(3))

  private struct State {
    /// Nil while no step is active.
    var step: String?
    var began = MonotonicClock.now
    var shown = MonotonicClock.now
    /// The length of the rewritten line on the terminal; 0 for none.
    var width = 0
    /// Whether a full-screen display is active, in which each step is shown once.
    var isOnScreen = false
    var isSaid = false
    var isOver = false
  }

  private let console: Console
  private let isShown: Bool
  private let isTerminal: Bool
  private let state = Mutex(State())
  private let waiter = Waiter()

  /// Starts the thread; `close()` ends it.
  init(_ console: Console, isShown: Bool, isTerminal: Bool) {
    self.console = console
    self.isShown = isShown
    self.isTerminal = isTerminal
    guard isShown else { return }
    let thread = Thread { [weak self, waiter] in waiter.takeTurns { self?.look() } }
    thread.name = "flotilla.steps"
    thread.start()
  }

  deinit { waiter.wake() }

  convenience init(_ console: Console, _ options: RunOptions) {
    let isLines = options.interface == .auto || options.interface == .plain
    self.init(
      console, isShown: !options.isQuiet && (isLines || options.interface == .tui),
      isTerminal: options.interface != .plain && console.surroundings.areErrorsTerminal)
  }

  /// Begins a step, named by a phrase such as "writing the report"; nil ends the step.
  func step(_ text: String?) {
    state.withLock { state in
      state.step = text
      state.began = MonotonicClock.now
      state.isSaid = false
    }
    waiter.wake()
  }

  func noteShown() { state.withLock { $0.shown = MonotonicClock.now } }

  func screen(isUp: Bool) {
    state.withLock { $0.isOnScreen = isUp }
    waiter.wake()
  }

  /// Prints a line on standard error, in place of the rewritten line.
  func line(_ text: String) {
    guard isShown else { return }
    state.withLock { state in
      erase(&state)
      state.shown = MonotonicClock.now
      console.printError(text)
    }
  }

  /// Removes the rewritten line, and ends the thread.
  func close() {
    state.withLock { state in
      erase(&state)
      state.isOver = true
    }
    waiter.wake()
  }

  /// Returns the instant of the next update; nil after `close()`.
  private func look() -> WallInstant? {
    state.withLock { state in
      guard !state.isOver else { return nil }
      guard let step = state.step else { return .distantFuture }
      let now = MonotonicClock.now
      let isLine = isTerminal && !state.isOnScreen
      let longest = isLine ? Self.longestOnTerminal : Self.longestInLog
      guard now >= state.shown + longest else { return state.shown + longest }
      state.shown = now
      let text = "\(step) (\(Int((now - state.began).seconds)) s)"
      if isLine {
        rewrite(text, &state)
      } else if !state.isOnScreen || !state.isSaid {
        state.isSaid = true
        console.printError(text)
      }
      return now + longest
    }
  }

  private func rewrite(_ text: String, _ state: inout State) {
    let pad = String(repeating: " ", count: max(0, state.width - text.count))
    state.width = text.count
    FileHandle.standardError.write(Data(("\r" + text + pad).utf8))
  }

  private func erase(_ state: inout State) {
    guard state.width > 0 else { return }
    let blank = String(repeating: " ", count: state.width)
    state.width = 0
    FileHandle.standardError.write(Data(("\r" + blank + "\r").utf8))
  }
}
