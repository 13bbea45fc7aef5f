internal import Core
internal import Foundation
package import Report
internal import Synchronization

/// Standard output and standard error. A reader that closes the pipe (`flotilla … | head`) stops
/// the output, not the run. Any other write error is reported at the end.
package final class Console: Sendable {
  private let isOutputOpen = Mutex(true)
  /// The errno value of a failed write; nil without an error, or if the reader closed the pipe.
  private let outputFailure = Mutex<Int32?>(nil)
  private let areErrorsOpen = Mutex(true)
  private let screen = Mutex<LiveScreen?>(nil)
  private let usedVariables = Mutex<[String]>([])

  package let surroundings: Surroundings

  package init(_ surroundings: Surroundings = .ofProcess()) { self.surroundings = surroundings }

  /// The environment variables in place of options, such as `FLOTILLA_PHONES=5000`.
  package var variables: [String] { usedVariables.withLock { $0 } }

  func note(variables: [String]) { usedVariables.withLock { $0 = variables } }

  /// Redirects output to `screen` until `lowerScreen`.
  package func raise(_ screen: LiveScreen) { self.screen.withLock { $0 = screen } }

  /// Closes the screen. Prints and returns the error output that the screen has held back.
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

  /// Discards standard output from now on, but not standard error.
  package func closeOutput() { isOutputOpen.withLock { $0 = false } }

  /// Discards standard error from now on.
  package func closeErrors() { areErrorsOpen.withLock { $0 = false } }

  private static func shown(_ text: String) -> String {
    ForeignText.inTerminal(Redaction.passwords(in: text))
  }

  private func isDiverted(_ text: String) -> Bool {
    guard let screen = screen.withLock({ $0 }) else { return false }
    screen.say(text)
    return true
  }

  /// Closes the screen, whose thread could still draw, and ends the program at once.
  package func leave(_ code: ExitCode) -> Never {
    lowerScreen()
    exit(code.rawValue)
  }

  /// Reports a write error of standard output. Returns `code`, or an error instead of `pass`.
  package func finish(_ code: ExitCode, of program: String) -> ExitCode {
    guard let reason = outputFailure.withLock({ $0 }) else { return code }
    printError(
      "\(program): standard output: cannot be written (\(String(cString: strerror(reason)))); "
        + "redirect it to another file.")
    return code == .pass ? .cannotListenOrWrite : code
  }

  /// Prints lines on standard output, without terminal control characters and passwords.
  package func line(_ text: String) { page(Self.shown(text)) }

  package func page(_ text: String) {
    if isDiverted(text) { return }
    _ = Array((text + "\n").utf8).withUnsafeBytes { write($0) }
  }

  package func printError(_ text: String) {
    let text = Self.shown(text)
    if isDiverted(text) { return }
    areErrorsOpen.withLock { isOpen in
      guard isOpen else { return }
      _ = Array((text + "\n").utf8).withUnsafeBytes(surroundings.errors)
    }
  }

  /// Writes to standard output. Returns false once standard output has failed or is closed.
  package func write(_ bytes: UnsafeRawBufferPointer) -> Bool {
    isOutputOpen.withLock { isOpen in
      guard isOpen else { return false }
      guard let reason = surroundings.output(bytes) else { return true }
      isOpen = false
      if reason != EPIPE { outputFailure.withLock { $0 = reason } }
      return false
    }
  }
}
