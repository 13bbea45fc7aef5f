import Foundation
import LiveSupport
import TestSupport
import Testing

/// Read-backs that differ from a target's file.
extension TargetLoadTests {
  @Test(
    "rows are read in common formats and pages; unreadable ones are unverified, not lost",
    .needs(.python),
    arguments: [
      ("rows-space", Int32(0), "Verified by read-back"),
      ("rows-pages", 0, "Verified by read-back"),
      ("part", 0, "Verified by read-back"), ("rows-vague", 99, "/at is no time by timeUnit"),
      ("rows-none", 99, "could not be read back from acme: 404"),
      ("rows-mirrored", 97, "with latitude and longitude swapped. Example: sent "),
    ])
  func rows(_ answers: String, _ code: Int32, _ line: String) async throws {
    let backend = try await TargetBackend(answers)
    if answers == "rows-space" || answers == "rows-pages" {
      try backend.change {
        answers == "rows-space"
          ? $0.replacing("timeUnit: ms", with: "timeUnit: iso")
          : $0.replacing("query: { id: $id }", with: "query: { id: $id, from: $cursor }")
            .replacing("rows: /points", with: "rows: /points\n  cursor: /next")
      }
    }
    // How many requests the server answers in time does not matter here.
    let levels = ["--set", "slo.failed=100%", "--set", "slo.stored=0%"]
    let ended = try await backend.start(levels).end()
    ended.expectRun(code == 97 ? [97] : [98, code])
    #expect(ended.text.contains(line), "\(ended.text)")
    let record = try backend.run.record
    try record.expectTargetBalance()
    let stored = try record.count("target.fixes.stored")
    #expect(stored > 20)
    let lost = code == 97 ? stored : 0
    #expect(try record.count("target.readback.missing") == lost)
    if code == 0 { #expect(try record.count("target.readback.confirmed") == stored) }
    if answers == "part" { #expect(try record.counts("target.fixes.refusedBy").count == 1) }
    if ended.code == 99 { #expect(try record.verdict == "not-verified") }
  }
}

extension TargetBackend {
  /// Rewrites the file.
  func change(_ change: (String) -> String) throws {
    let text = try String(contentsOf: folder["acme.yaml"], encoding: .utf8)
    try Data(change(text).utf8).write(to: folder["acme.yaml"])
  }
}
