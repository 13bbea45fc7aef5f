import Foundation
import LiveSupport
import TestSupport
import Testing

/// What becomes of a store under a running collector, and what its run says in the end.
@Suite("Store check at the end of a run", .live, .timeLimit(.minutes(10)))
struct StoreProofTests {
  let folder: TemporaryFolder
  let files: RunFiles

  init() throws {
    folder = try TemporaryFolder()
    // A database may run as another user, who needs access.
    try FileManager.default.setAttributes(
      [.posixPermissions: 0o755], ofItemAtPath: folder.url.path)
    files = RunFiles(folder: folder["run"])
  }

  /// Damages a store in the measured time, and ends the run.
  private func loaded(_ more: [String] = [], _ harm: () throws -> Void) async throws -> Ended {
    let trial = Trial.endless
    let load = try Program.start(["load"] + trial.options(out: files.folder) + more)
    try await load.says("acknowledged, measured batches") {
      $0.contains(#/ measure .*acked=[1-9]/#)
    }
    try harm()
    load.signal(SIGINT)
    return try await load.end()
  }

  @Test(
    "an unreachable database at the end is awaited; the result is not verified, not lost",
    .needs(.postgreSQL))
  func away() async throws {
    let ended = try await loaded(["--set", "collector.store=postgresql"]) {
      let path = files.folder.appending(path: "postgresql/data/postmaster.pid")
      let text = try String(contentsOf: path, encoding: .utf8)
      let server = try #require(text.split(separator: "\n").first.flatMap { Int32($0) })
      kill(server, SIGKILL)
    }
    #expect([98, 130].contains(ended.code), "\(ended.text)\(ended.errorOutput)")
    let record = try files.record
    #expect(try record.count("ledger.fixes.lost") == 0 && record.verdict != "loss")
    #expect(try record.count("ledger.fixes.acknowledged") > 0)
    #expect(
      try record.reasons.contains { $0.hasPrefix("Not verified: the database did not answer") })
    #expect(ended.text.contains("not known how many were lost"), "\(ended.text)")
  }
}
