internal import CNcurses
internal import Foundation

/// Restores the terminal even after a crash. Only this file may call the C functions, since each
/// Swift file that does gets a copy of their static object. The fault handler does only what POSIX
/// allows: it restores the terminal, prints captured errors and raises the fault again.
struct CrashGuard {
  /// A file descriptor that delivers the number of each signal as a byte.
  let signals: Int32
  private let errors: StandardErrorBuffer?

  /// Installs the guard; to be called before curses begins.
  init?() {
    errors = StandardErrorBuffer()
    signals = flotilla_guard_signals()
    guard signals >= 0 else { return nil }
  }

  /// Arms the guard; to be called once curses has begun.
  func arm() { flotilla_guard_arm(errors?.earlier ?? -1, errors?.file ?? -1) }

  /// Pauses the guard while no screen is up.
  func pause(_ isPaused: Bool) { flotilla_guard_pause(isPaused ? 1 : 0) }

  /// Returns what was written to standard error since the last call.
  func takeErrors() -> String { errors?.take() ?? "" }

  /// Removes the guard; to be called once curses has ended.
  func disarm() {
    flotilla_guard_disarm()
    errors?.giveBack()
  }

  func takeSignals() -> [Int32] {
    var bytes = [UInt8](repeating: 0, count: 64)
    let count = read(signals, &bytes, bytes.count)
    return count > 0 ? bytes[..<count].map(Int32.init) : []
  }
}

/// Captures standard error in an unlinked file while a screen is up, so that messages of libraries
/// do not tear the frame. The buffer may be used only on the screen's thread.
private final class StandardErrorBuffer {
  let earlier: Int32
  let file: Int32
  private var taken: off_t = 0

  init?() {
    var name = Array((NSTemporaryDirectory() + "flotilla-XXXXXX").utf8CString)
    file = mkstemp(&name)
    guard file >= 0 else { return nil }
    unlink(name)
    earlier = dup(STDERR_FILENO)
    _ = fcntl(file, F_SETFD, FD_CLOEXEC)
    _ = fcntl(earlier, F_SETFD, FD_CLOEXEC)
    // Appends to the file, so that a child that inherits the descriptor overwrites nothing.
    _ = fcntl(file, F_SETFL, O_APPEND)
    dup2(file, STDERR_FILENO)
  }

  func take() -> String {
    var text: [UInt8] = []
    var piece = [UInt8](repeating: 0, count: 4_096)
    while true {
      let count = pread(file, &piece, piece.count, taken)
      guard count > 0 else { break }
      taken += off_t(count)
      text += piece[..<count]
    }
    return String(decoding: text, as: UTF8.self)
  }

  func giveBack() {
    dup2(earlier, STDERR_FILENO)
    close(earlier)
    close(file)
  }
}
