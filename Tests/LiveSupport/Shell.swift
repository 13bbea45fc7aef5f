internal import Foundation
internal import TestSupport

/// Shell lines for tests.
package enum Shell {
  package struct ShellError: Error, CustomStringConvertible {
    package var line: String
    package var description: String { "failed: \(line)" }
  }

  package static func run(_ line: String) async throws { _ = try await output(line) }

  /// Its output, without the last line end.
  ///
  /// On a separate thread: the tests share as many threads as there are processors, and a blocked
  /// one
  /// delays tests that must poll in time.
  package static func output(_ line: String) async throws -> String {
    try await withCheckedThrowingContinuation { continuation in
      Thread.detachNewThread { continuation.resume(with: Result { try wait(for: line) }) }
    }
  }

  /// Processes that the line starts and leaves running are not waited for.
  private static func wait(for line: String) throws -> String {
    let folder = try TemporaryFolder()
    let child = try Child(
      "/bin/sh", ["-c", "(\(line)) </dev/null 2>/dev/null"], output: folder["output"])
    child.wait()
    guard child.code == 0 else { throw ShellError(line: line) }
    return try String(contentsOf: folder["output"], encoding: .utf8)
      .trimmingCharacters(in: .newlines)
  }
}
