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
