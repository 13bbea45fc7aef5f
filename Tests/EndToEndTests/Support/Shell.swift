import Foundation

/// A line of shell that a test needs.
enum Shell {
  struct ShellError: Error, CustomStringConvertible {
    var line: String
    var description: String { "failed: \(line)" }
  }

  static func run(_ line: String) async throws { _ = try await output(line) }

  /// What it printed, without the last line's end.
  ///
  /// On a thread of its own: the tests share as many threads as there are processors, and one
  /// that blocks there holds up tests that must look in time.
  static func output(_ line: String) async throws -> String {
    try await withCheckedThrowingContinuation { continuation in
      Thread.detachNewThread { continuation.resume(with: Result { try wait(for: line) }) }
    }
  }

  /// Through popen: Foundation's Process waits until nobody holds a socket that it passes on, and
  /// a server that the line starts and that lives on would.
  private static func wait(for line: String) throws -> String {
    let stream = Births.oneAtATime { popen("(\(line)) </dev/null 2>/dev/null", "r") }
    guard let stream else { throw ShellError(line: line) }
    var bytes: [UInt8] = []
    var piece = [UInt8](repeating: 0, count: 4_096)
    while true {
      let count = fread(&piece, 1, piece.count, stream)
      guard count > 0 else { break }
      bytes += piece[..<count]
    }
    guard pclose(stream) == 0 else { throw ShellError(line: line) }
    return String(decoding: bytes, as: UTF8.self).trimmingCharacters(in: .newlines)
  }
}

/// Starts one process at a time.
///
/// Foundation knows that a process ended when the other end of a socket closes, which it has open
/// itself while it starts the process: one that is started in that instant would inherit it, and
/// the first would seem to live as long as the second.
enum Births {
  private static let turn = NSLock()

  static func oneAtATime<Value>(_ start: () throws -> Value) rethrows -> Value {
    try turn.withLock(start)
  }
}
