package import Dashboard
internal import Figures
internal import Foundation
internal import Synchronization

/// Standard output and standard error.
///
/// A reader that goes away (`flotilla … | head`) ends the output, never the run. What cannot be
/// written for another reason, such as a disk that is full, is an error at the end.
package final class Console: Sendable {
  private let isOutputOpen = Mutex(true)
  /// The reason why standard output could not be written; nil: it could, or its reader went away.
  private let outputFailure = Mutex<Int32?>(nil)
  private let areErrorsOpen = Mutex(true)
  private let screen = Mutex<LiveScreen?>(nil)

  /// Takes standard output and standard error of the process.
  package init() {
    signal(SIGPIPE, SIG_IGN)
    // Else the first file that is opened takes the place of what the caller has closed, and is
    // written into.
    for descriptor in [STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO]
    where fcntl(descriptor, F_GETFD) < 0 { _ = open("/dev/null", O_RDWR) }
  }

  /// Until it is lowered, what would be printed goes to the screen.
  package func raise(_ screen: LiveScreen) { self.screen.withLock { $0 = screen } }

  /// Gives the terminal back, if a screen has it.
  ///
  /// - Returns: what went to standard error meanwhile; it is printed, too.
  @discardableResult
  package func lowerScreen() -> String {
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
  package func closeOutput() { isOutputOpen.withLock { $0 = false } }

  /// Prints nothing on standard error from now on.
  package func closeErrors() { areErrorsOpen.withLock { $0 = false } }

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
  package func leave(_ code: ExitCode) -> Never {
    lowerScreen()
    exit(code.rawValue)
  }

  /// Reports why standard output could not be written, where it could not.
  ///
  /// - Parameters:
  ///   - code: how the program would end.
  ///   - program: its name.
  /// - Returns: how it ends: what went well has not, where nobody can read its result.
  package func finish(_ code: ExitCode, of program: String) -> ExitCode {
    guard let reason = outputFailure.withLock({ $0 }) else { return code }
    printError(
      "\(program): standard output: cannot be written (\(String(cString: strerror(reason)))); "
        + "send it to another file.")
    return code == .pass ? .cannotListenOrWrite : code
  }

  /// Prints a line, or lines, on standard output, without what texts of others in it would do to a
  /// terminal, and without passwords.
  package func line(_ text: String) { page(Self.shown(text)) }

  /// Prints a text of the program's own, whose styles reach the terminal.
  package func page(_ text: String) {
    if isDiverted(text) { return }
    _ = Array((text + "\n").utf8).withUnsafeBytes { write($0) }
  }

  /// Prints a line, or lines, on standard error, as `line` does.
  package func printError(_ text: String) {
    let text = Self.shown(text)
    if isDiverted(text) { return }
    areErrorsOpen.withLock { isOpen in
      guard isOpen else { return }
      _ = Array((text + "\n").utf8).withUnsafeBytes { Self.write($0, to: STDERR_FILENO) }
    }
  }

  /// Writes bytes on standard output; false when it takes no more.
  package func write(_ bytes: UnsafeRawBufferPointer) -> Bool {
    isOutputOpen.withLock { isOpen in
      guard isOpen else { return false }
      guard let reason = Self.write(bytes, to: STDOUT_FILENO) else { return true }
      isOpen = false
      if reason != EPIPE { outputFailure.withLock { $0 = reason } }
      return false
    }
  }

  /// Returns why not all could be written; nil: it was.
  private static func write(
    _ bytes: UnsafeRawBufferPointer, to descriptor: Int32
  ) -> Int32? {
    var rest = bytes
    while !rest.isEmpty {
      let count = Foundation.write(descriptor, rest.baseAddress, rest.count)
      if count >= 0 {
        rest = UnsafeRawBufferPointer(rebasing: rest.dropFirst(count))
        continue
      }
      switch errno {
      case EINTR: break
      case EAGAIN:
        // Others that have the same terminal or pipe may have made it one that does not block.
        var wait = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
        _ = poll(&wait, 1, -1)
      case let reason: return reason
      }
    }
    return nil
  }
}
