import Foundation
import LiveSupport
import Testing

@Suite("simulate --sweep", .timeLimit(.minutes(2)))
struct SweepCommandTests {
  @Test("Ctrl-C exits with 130 and reports the finished part")
  func interrupt() async throws {
    let folder = try TemporaryFolder()
    let run = try Program.start([
      "simulate", "city", "--phones", "40", "--duration", "12h", "--set", "warmStart=1h",
      "--ui", "plain", "--set", "run.threads=1", "--sweep", "push.silentAfter=1h..40h:40",
      "--out", folder["run"].path,
    ])
    // Most of the 40 points are not finished.
    try await eventually("some points are done") {
      run.errorOutput.contains(#/([4-9]|[1-3]\d) of 40/#)
    }
    run.signal(SIGINT)
    let ended = try await run.end()
    #expect(ended.code == 130, "\(ended.errorOutput)")
    #expect(ended.text.contains("of 40 points; these are reported"))
    #expect(FileManager.default.fileExists(atPath: folder["run/sweep.json"].path))
  }
}
