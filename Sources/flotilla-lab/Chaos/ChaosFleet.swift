internal import Core
internal import Foundation

/// A fleet process of a round, on one thread. The process ends when its input pipe is closed.
final class ChaosFleet {
  private let executable: String
  private let arguments: [String]
  private let folder: URL
  private var process: Process?
  private var lifeline: Pipe?
  private(set) var lives = 0

  /// - Parameter arguments: The command line without `--out`, since each start has a new folder.
  init(_ executable: String, _ arguments: [String], folder: URL) {
    self.executable = executable
    self.arguments = arguments
    self.folder = folder
  }

  var out: URL { folder.appendingPathComponent("fleet-\(lives)", isDirectory: true) }

  func start() throws(ChaosError) {
    lives += 1
    let process = Process()
    let lifeline = Pipe()
    process.executableURL = URL(fileURLWithPath: executable)
    process.arguments = arguments + ["--set", "run.withParent=true", "--out", out.path]
    process.standardInput = lifeline
    let log = folder.appendingPathComponent("fleet-\(lives).log")
    do {
      try Data().write(to: log)
      let handle = try FileHandle(forWritingTo: log)
      process.standardOutput = handle
      process.standardError = handle
      try process.run()
    } catch {
      throw .cannotStart("\(executable): cannot be started (\(FileErrorText.reason(error)))")
    }
    self.process = process
    self.lifeline = lifeline
  }

  var isRunning: Bool { process?.isRunning ?? false }

  func kill() {
    signal(SIGKILL)
    process?.waitUntilExit()
  }

  func signal(_ number: Int32) {
    guard let process, process.isRunning else { return }
    Foundation.kill(process.processIdentifier, number)
  }

  /// The exit code as in a shell: 128 + the number of the signal that ended the process.
  var exitCode: Int32 {
    guard let process else { return -1 }
    return process.terminationStatus + (process.terminationReason == .exit ? 0 : 128)
  }
}

package enum ChaosError: Error, Equatable, Sendable, CustomStringConvertible {
  case cannotStart(String)
  case interrupted

  package var description: String {
    switch self {
    case .cannotStart(let why): why
    case .interrupted: "interrupted"
    }
  }
}
