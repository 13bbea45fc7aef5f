import Foundation
import LiveSupport
import TestSupport
import Testing

/// A table of runs whose outcome no change of shape may alter: `Guard/runs.txt`.
@Suite("Guard table", .live, .timeLimit(.minutes(10)))
struct GuardTests {
  @Test(
    "every run of the table has unchanged digests and bytes",
    .needs(.python))
  func table() async throws {
    let script = Program.root.appendingPathComponent("Tests/LiveTests/Python/guard.py")
    let ended = try await Program.runTool(
      "python3", [script.path, Program.fast.path])
    #expect(ended.code == 0, "\(ended.text)\(ended.errorOutput)")
    #expect(ended.text.contains(" runs, 0 differ"), "\(ended.text)")
  }
}
