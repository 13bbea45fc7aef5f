internal import Core
internal import Figures
internal import Foundation

/// A run of `flotilla` as a process, for its memory and CPU time.
struct RunProgram {
  let executable: String
  let folder: URL
  /// The setting `run.cache` of warm starts: `off` by default, so that each run does the same work.
  var cache = "off"

  /// Runs `simulate` or `load`. Returns the run's record; nil if interrupted.
  func run(_ command: String, _ arguments: [String]) throws(ProgramError) -> RunRecord? {
    let process = try Process.started(
      executable,
      [command] + arguments
        + ["--quiet", "--ui", "none", "--set", "run.cache=\(cache)", "--out", folder.path])
    process.waitUntilExit()
    do throws(RunRecordError) {
      let record = try RunRecord.read(from: folder.appendingPathComponent("run.json"))
      return record.verdict == .interrupted ? nil : record
    } catch {
      // A failed SLO is not an error of the program.
      guard process.terminationStatus == 0 else {
        throw .failed(program: "flotilla \(command)", status: process.terminationStatus)
      }
      throw .unreadable(error)
    }
  }
}
