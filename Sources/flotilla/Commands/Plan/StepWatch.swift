internal import Commands
internal import Core
internal import Foundation
internal import Synchronization
internal import Transport

/// Shows the step of a long command after a silence: on a terminal each second, elsewhere every few
/// seconds. Uses its own thread, so that a step need not report anything. Thread-safe.
final class StepWatch: Sendable {
  /// In seconds: on a terminal, and in a log.
  static let (longestOnTerminal, longestInLog) = (1.0, 3.0)

  private struct State {
    /// Nil while no step is active.
    var step: String?
    var began = MonotonicClock.now
    var shown = MonotonicClock.now
    /// The length of the rewritten line on the terminal; 0 for none.
    var width = 0
    /// Whether a screen has the terminal: a step is then shown once.
    var isOnScreen = false
    var isSaid = false
    var isOver = false
  }

  private let console: Console
  private let isShown: Bool
  private let isTerminal: Bool
  private let state = Mutex(State())

  /// Starts the thread; `close()` ends it.
  init(_ console: Console, isShown: Bool, isTerminal: Bool) {
    self.console = console
    self.isShown = isShown
    self.isTerminal = isTerminal
    guard isShown else { return }
    let thread = Thread { [weak self] in
      while let watch = self, watch.look() { usleep(100_000) }
    }
    thread.name = "flotilla.steps"
    thread.start()
  }

  convenience init(_ console: Console, _ options: RunOptions) {
    let isLines = options.interface == .auto || options.interface == .plain
    self.init(
      console, isShown: !options.isQuiet && (isLines || options.interface == .tui),
      isTerminal: options.interface != .plain && isatty(STDERR_FILENO) == 1)
  }

  /// Begins a step, named by a phrase such as "writes the report"; nil for none.
  func step(_ text: String?) {
    state.withLock { state in
      state.step = text
      state.began = MonotonicClock.now
      state.isSaid = false
    }
  }

  func noteShown() { state.withLock { $0.shown = MonotonicClock.now } }

  func screen(isUp: Bool) { state.withLock { $0.isOnScreen = isUp } }

  /// Prints a line on standard error, in place of the rewritten one.
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
  }

  private func look() -> Bool {
    state.withLock { state in
      guard !state.isOver else { return false }
      guard let step = state.step else { return true }
      let now = MonotonicClock.now
      let isLine = isTerminal && !state.isOnScreen
      let silence = (now - state.shown).seconds
      guard silence >= (isLine ? Self.longestOnTerminal : Self.longestInLog) else { return true }
      state.shown = now
      let text = "\(step) (\(Int((now - state.began).seconds)) s)"
      if isLine {
        rewrite(text, &state)
      } else if !state.isOnScreen || !state.isSaid {
        state.isSaid = true
        console.printError(text)
      }
      return true
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
