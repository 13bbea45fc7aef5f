import Foundation
import LiveSupport
import TestSupport
import Testing

@Suite("The ledger of a live run", .timeLimit(.minutes(2)))
struct LedgerTests {
  /// The run that this suite, the store's and the capture's read: its folder, and its record.
  struct Made {
    let folder: TemporaryFolder
    let ended: Ended
    var files: RunFiles { RunFiles(folder: folder["run"]) }
  }

  static let run = Task {
    let folder = try TemporaryFolder()
    let trial = Trial.short(
      phones: 300, duration: "26min", "run.capture=\(folder["capture"].path)")
    return Made(
      folder: folder,
      ended: try await Program.run(["load"] + trial.options(out: folder["run"])))
  }

  @Test("all accounts balance, and the store matches the ledger")
  func identities() async throws {
    let run = try await Self.run.value
    run.ended.expectRun()
    let files = run.files
    let record = try files.record
    try record.expectClosedLedger()
    try record.expectNothingLost()
    // A batch whose app was suspended before the response is stored and not acknowledged; it
    // waits in the outbox, so the sets differ by no more than that.
    let unanswered =
      try record.count("ledger.batches.distinct") - record.count("ledger.batches.acknowledged")
    #expect(unanswered >= 0)
    #expect(try unanswered <= record.count("ledger.batches.outbox"))
    #expect(
      try record.count("ledger.fixes.distinct") >= record.count("ledger.fixes.acknowledged"))
    #expect(try record.count("ledger.batches.distinct") > 20)
    let faults = try record.reasons.filter { $0.contains("hash") || $0.contains("fixes:") }
    #expect(faults.isEmpty)
    try await expectStore(files, record)
    #expect(try files.text("summary.md").contains("Ledger"))
    let rows = try files.text("timeline.csv").split(separator: "\n")
    #expect(rows.count > 5)
    #expect(
      Set(rows.map { $0.split(separator: ",", omittingEmptySubsequences: false).count })
        .count == 1)
  }

  private func expectStore(_ files: RunFiles, _ record: RecordFile) async throws {
    guard try OracleRule.mayRun(.sqlite) else { return }
    let answer = try await Program.runTool(
      "sqlite3", [files.store.path, "SELECT count(*), sum(fix_count) FROM batches"])
    let batches = try record.count("ledger.batches.distinct")
    let fixes = try record.count("ledger.fixes.distinct")
    #expect(answer.text == "\(batches)|\(fixes)\n")
    let unique = try await Program.runTool(
      "sqlite3",
      [
        files.store.path,
        "SELECT count(*) FROM (SELECT DISTINCT phone, epoch, sequence FROM batches)",
      ])
    #expect(unique.text == "\(batches)\n")
  }
}
