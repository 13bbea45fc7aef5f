internal import Foundation

/// Keeps processes to a core each, with util-linux' `taskset`; where there is none, or only one
/// core, nothing is pinned and the record says so.
enum CorePin {
  private static let tool = "/usr/bin/taskset"

  static var isPossible: Bool {
    ProcessInfo.processInfo.activeProcessorCount > 1
      && FileManager.default.isExecutableFile(atPath: tool)
  }

  /// The command that starts `executable` on `core`.
  static func command(
    _ core: Int, _ executable: String, _ arguments: [String]
  ) -> (executable: String, arguments: [String]) {
    isPossible ? (tool, ["-c", "\(core)", executable] + arguments) : (executable, arguments)
  }

  /// Moves all threads of this process to `core`; those that they start follow.
  static func pinThisProcess(to core: Int) -> Bool {
    guard isPossible else { return false }
    let process = Process()
    process.executableURL = URL(fileURLWithPath: tool)
    process.arguments = [
      "-a", "-p", "-c", "\(core)", "\(ProcessInfo.processInfo.processIdentifier)",
    ]
    process.standardOutput = FileHandle.nullDevice
    guard (try? process.run()) != nil else { return false }
    process.waitUntilExit()
    return process.terminationStatus == 0
  }
}
