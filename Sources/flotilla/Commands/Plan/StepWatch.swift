internal import Commands
internal import Foundation
internal import SimulationCore
internal import Synchronization
internal import Transport

/// Says what a long command does whenever nothing else has been shown for a while: on a terminal
/// each second in a line that is rewritten, elsewhere a line every few seconds.
///
/// A thread of its own watches the clock, so that a step need not report anything while it lasts.
/// Any thread may call it.
final class StepWatch: Sendable {
  /// Is the longest silence in seconds: on a terminal, and in a log.
  static let (longestOnTerminal, longestInLog) = (1.0, 3.0)

  private struct State {
    /// Is nil while nothing is under way.
    var step: String?
    var began = MonotonicClock.now
    /// Is when something was shown last.
    var shown = MonotonicClock.now
    /// Is the length of the line that stands on the terminal and is rewritten; 0: none does.
    var width = 0
    /// Is true where a screen has the terminal: a step is then said once.
    var isOnScreen = false
    var isSaid = false
    var isOver = false
  }

  private let console: Console
  private let isShown: Bool
  private let isTerminal: Bool
  private let state = Mutex(State())

  /// Starts the thread; `close()` ends it.
  ///
  /// - Parameter isTerminal: whether a line can be rewritten in place.
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

  /// Makes the watch of a command with the options of a run.
  convenience init(_ console: Console, _ options: RunOptions) {
    let isLines = options.interface == .auto || options.interface == .plain
    self.init(
      console, isShown: !options.isQuiet && (isLines || options.interface == .tui),
      isTerminal: options.interface != .plain && isatty(STDERR_FILENO) == 1)
  }

  /// Begins a step, named by a phrase such as "writes the report"; nil: nothing is under way.
  func step(_ text: String?) {
    state.withLock { state in
      state.step = text
      state.began = MonotonicClock.now
      state.isSaid = false
    }
  }

  /// Notes that something else has just been shown.
  func noteShown() { state.withLock { $0.shown = MonotonicClock.now } }

  /// Says whether a screen has the terminal.
  func screen(isUp: Bool) { state.withLock { $0.isOnScreen = isUp } }

  /// Prints a line on standard error, in the place of the one that is rewritten.
  func line(_ text: String) {
    guard isShown else { return }
    state.withLock { state in
      erase(&state)
      state.shown = MonotonicClock.now
      console.printError(text)
    }
  }

  /// Removes the line that is rewritten, and ends the thread.
  func close() {
    state.withLock { state in
      erase(&state)
      state.isOver = true
    }
  }

  /// - Returns: false once it is closed.
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
