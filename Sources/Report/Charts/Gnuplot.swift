package import Foundation
internal import Synchronization

/// Renders scripts to SVG, one gnuplot process each. A plot that exceeds the time limit is killed.
/// SIGPIPE is ignored from then on, as a gnuplot may end early.
package struct Gnuplot: Sendable {
  private let executable: URL
  private let limit: TimeInterval

  /// nil if there is no gnuplot on the path.
  package init?(searchPath: String, limit: TimeInterval = 20) {
    let candidates = searchPath.split(separator: ":").map {
      URL(fileURLWithPath: String($0), isDirectory: true).appendingPathComponent("gnuplot")
    }
    guard
      let found = candidates.first(where: {
        FileManager.default.isExecutableFile(atPath: $0.path)
      })
    else { return nil }
    executable = found
    self.limit = limit
    signal(SIGPIPE, SIG_IGN)
  }

  /// Written once by a reading thread, before the semaphore is signalled.
  private final class Answer: Sendable {
    let data = Mutex(Data())
  }

  /// - Returns: nil when gnuplot fails or takes too long.
  package func svg(_ script: String) -> String? {
    let process = Process()
    process.executableURL = executable
    process.arguments = ["-"]
    let input = Pipe()
    let output = Pipe()
    process.standardInput = input
    process.standardOutput = output
    process.standardError = FileHandle.nullDevice
    // `waitUntilExit` looks at the process every 50 ms only, longer than most pictures take.
    let ended = DispatchSemaphore(value: 0)
    process.terminationHandler = { _ in ended.signal() }
    guard (try? process.run()) != nil else { return nil }
    // Both ends move on threads of their own, so that neither pipe can fill up and stop us.
    DispatchQueue.global().async {
      try? input.fileHandleForWriting.write(contentsOf: Data(script.utf8))
      try? input.fileHandleForWriting.close()
    }
    let answer = Answer()
    let done = DispatchSemaphore(value: 0)
    DispatchQueue.global().async {
      let data = (try? output.fileHandleForReading.readToEnd()) ?? Data()
      answer.data.withLock { $0 = data }
      done.signal()
    }
    guard done.wait(timeout: .now() + limit) == .success else {
      process.terminate()
      kill(process.processIdentifier, SIGKILL)
      return nil
    }
    ended.wait()
    guard process.terminationStatus == 0 else { return nil }
    let text = answer.data.withLock { String(decoding: $0, as: UTF8.self) }
    return text.contains("</svg>") ? text : nil
  }
}
