internal import Figures
internal import Foundation

/// A run of `flotilla` as a process of its own, whose memory and CPU time are its alone.
struct RunProgram {
  let executable: String
  /// The run writes here; the caller removes it.
  let folder: URL
  /// Where fleets are kept after their warm starts. Off: no run takes the warm start of the one
  /// before, each does the same work.
  var cache = "off"

  ///
  /// - Parameter command: `simulate` or `load`.
  /// - Returns: its record; nil: it was interrupted.
  func run(_ command: String, _ arguments: [String]) throws(ProgramError) -> RunRecord? {
    let process = try Process.started(
      executable,
      [command] + arguments
        + ["--quiet", "--ui", "none", "--cache", cache, "--out", folder.path])
    process.waitUntilExit()
    do throws(RunRecordError) {
      let record = try RunRecord.read(from: folder.appendingPathComponent("run.json"))
      return record.verdict == .interrupted ? nil : record
    } catch {
      // A service level that was missed is no failure of the program.
      guard process.terminationStatus == 0 else {
        throw .failed(program: "flotilla \(command)", status: process.terminationStatus)
      }
      throw .unreadable(error)
    }
  }
}
