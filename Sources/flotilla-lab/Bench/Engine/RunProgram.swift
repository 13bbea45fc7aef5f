internal import Figures
internal import Foundation

/// Runs `flotilla` as a process of its own, to measure its memory and CPU time.
struct RunProgram {
  let executable: String
  let folder: URL
  /// The setting `run.cache` of warm starts: by default `off`, so that each run does equal work.
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
      // Accepts a failed SLO, which is not an error of the program.
      guard process.terminationStatus == 0 else {
        throw .failed(program: "flotilla \(command)", status: process.terminationStatus)
      }
      throw .unreadable(error)
    }
  }
}
