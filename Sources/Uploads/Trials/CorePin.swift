internal import Foundation

/// Pins processes to one core each, with `taskset` of util-linux. Without `taskset`, or with one
/// core, no process is pinned, and the record says so.
package enum CorePin {
  private static let tool = "/usr/bin/taskset"
  private static let scheduler = "/usr/bin/chrt"

  /// Whether this machine has at least two cores, and `taskset`.
  package static var isPossible: Bool {
    ProcessInfo.processInfo.activeProcessorCount > 1
      && FileManager.default.isExecutableFile(atPath: tool)
  }

  /// Returns the command that starts `executable` on `core`.
  ///
  /// - Parameter isPreferred: Whether it is scheduled like this process, see `preferThisProcess`;
  ///   otherwise normally.
  package static func command(
    _ core: Int, _ executable: String, _ arguments: [String], isPreferred: Bool = false
  ) -> (executable: String, arguments: [String]) {
    guard isPossible else { return (executable, arguments) }
    let isOrdinary = !isPreferred && FileManager.default.isExecutableFile(atPath: scheduler)
    let scheduling = isOrdinary ? [scheduler, "-o", "0"] : []
    return (tool, ["-c", "\(core)"] + scheduling + [executable] + arguments)
  }

  /// Moves all threads of this process to `core`, including those started later.
  package static func pinThisProcess(to core: Int) -> Bool {
    pin(ProcessInfo.processInfo.processIdentifier, to: core)
  }

  /// Moves all threads of a process to `core`, including threads and processes started later.
  @discardableResult
  package static func pin(_ id: Int32, to core: Int) -> Bool {
    guard isPossible else { return false }
    return change(id, tool, ["-a", "-p", "-c", "\(core)"])
  }

  /// Schedules all threads of this process as SCHED_RR (sched(7)), since time slices of other work
  /// would count as lateness. Without privileges nothing changes. With only some threads changed, a
  /// thread that yields to wait for another could wait forever.
  package static func preferThisProcess() {
    let id = ProcessInfo.processInfo.processIdentifier
    _ = change(id, scheduler, ["-a", "-r", "-p", "1"])
  }

  private static func change(_ id: Int32, _ tool: String, _ arguments: [String]) -> Bool {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: tool)
    process.arguments = arguments + ["\(id)"]
    process.standardOutput = FileHandle.nullDevice
    process.standardError = FileHandle.nullDevice
    guard (try? process.run()) != nil else { return false }
    process.waitUntilExit()
    return process.terminationStatus == 0
  }
}
