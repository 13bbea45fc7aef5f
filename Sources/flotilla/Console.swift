internal import Foundation
internal import Synchronization

/// Standard output and standard error.
///
/// A reader that goes away (`flotilla … | head`) ends the output, never the run.
final class Console: Sendable {
  private let isOutputOpen = Mutex(true)
  private let screen = Mutex<(@Sendable (String) -> Void)?>(nil)

  init() { signal(SIGPIPE, SIG_IGN) }

  /// While a screen is up, what would be printed goes to `screen`; nil: it is down again.
  func divert(to screen: (@Sendable (String) -> Void)?) { self.screen.withLock { $0 = screen } }

  private func isDiverted(_ text: String) -> Bool {
    guard let screen = screen.withLock({ $0 }) else { return false }
    screen(text)
    return true
  }

  /// Prints a line, or lines, on standard output.
  func line(_ text: String) {
    if isDiverted(text) { return }
    isOutputOpen.withLock { isOpen in
      if isOpen { isOpen = Self.write(text + "\n", to: STDOUT_FILENO) }
    }
  }

  /// Prints a line, or lines, on standard error.
  func complain(_ text: String) {
    if isDiverted(text) { return }
    _ = Self.write(text + "\n", to: STDERR_FILENO)
  }

  private static func write(_ text: String, to descriptor: Int32) -> Bool {
    var rest = Array(text.utf8)[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { Foundation.write(descriptor, $0.baseAddress, $0.count) }
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { return false }
      rest = rest.dropFirst(count)
    }
    return true
  }
}
