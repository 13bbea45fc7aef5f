internal import Dashboard
internal import Foundation
internal import Measure
internal import Synchronization

/// Standard output and standard error.
///
/// A reader that goes away (`flotilla … | head`) ends the output, never the run.
final class Console: Sendable {
  private let isOutputOpen = Mutex(true)
  private let areErrorsOpen = Mutex(true)
  private let screen = Mutex<LiveScreen?>(nil)

  init() { signal(SIGPIPE, SIG_IGN) }

  /// Until it is lowered, what would be printed goes to the screen.
  func raise(_ screen: LiveScreen) { self.screen.withLock { $0 = screen } }

  /// Gives the terminal back, if a screen has it.
  ///
  /// - Returns: what went to standard error meanwhile; it is printed, too.
  @discardableResult
  func lowerScreen() -> String {
    guard let screen = screen.withLock({ $0 }) else { return "" }
    let text = screen.close()
    let wasUp = self.screen.withLock { screen in
      defer { screen = nil }
      return screen != nil
    }
    if wasUp, !text.isEmpty { printError(text) }
    return text
  }

  /// Prints nothing on standard output from now on; errors still go to standard error.
  func closeOutput() { isOutputOpen.withLock { $0 = false } }

  /// Prints nothing on standard error from now on.
  func closeErrors() { areErrorsOpen.withLock { $0 = false } }

  private static func shown(_ text: String) -> String {
    ForeignText.inTerminal(Redaction.passwords(in: text))
  }

  private func isDiverted(_ text: String) -> Bool {
    guard let screen = screen.withLock({ $0 }) else { return false }
    screen.say(text)
    return true
  }

  /// Ends the program at once: but for a screen, whose thread would else draw on when the terminal
  /// has been given back.
  func leave(_ code: ExitCode) -> Never {
    lowerScreen()
    exit(code.rawValue)
  }

  /// Prints a line, or lines, on standard output, without what texts of others in it would do to a
  /// terminal, and without passwords.
  func line(_ text: String) { page(Self.shown(text)) }

  /// Prints a text of the program's own, whose styles reach the terminal.
  func page(_ text: String) {
    if isDiverted(text) { return }
    isOutputOpen.withLock { isOpen in
      if isOpen { isOpen = Self.write(text + "\n", to: STDOUT_FILENO) }
    }
  }

  /// Prints a line, or lines, on standard error, as `line` does.
  func printError(_ text: String) {
    let text = Self.shown(text)
    if isDiverted(text) { return }
    areErrorsOpen.withLock { isOpen in
      if isOpen { _ = Self.write(text + "\n", to: STDERR_FILENO) }
    }
  }

  /// Writes bytes on standard output; false when nobody reads it any more.
  func write(_ bytes: UnsafeRawBufferPointer) -> Bool {
    isOutputOpen.withLock { isOpen in
      if isOpen { isOpen = Self.write(bytes, to: STDOUT_FILENO) }
      return isOpen
    }
  }

  private static func write(_ text: String, to descriptor: Int32) -> Bool {
    Array(text.utf8).withUnsafeBytes { write($0, to: descriptor) }
  }

  private static func write(
    _ bytes: UnsafeRawBufferPointer, to descriptor: Int32
  ) -> Bool {
    var rest = bytes
    while !rest.isEmpty {
      let count = Foundation.write(descriptor, rest.baseAddress, rest.count)
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { return false }
      rest = UnsafeRawBufferPointer(rebasing: rest.dropFirst(count))
    }
    return true
  }
}
