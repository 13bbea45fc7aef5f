import Foundation
import LiveSupport
import Testing

@Suite("Store check at the end of a run", .timeLimit(.minutes(2)))
struct StoreProofTests {
  @Test("a store file deleted during the run exits with 97, without a collector error")
  func unlinked() async throws {
    let folder = try TemporaryFolder()
    let files = RunFiles(folder: folder["run"])
    let load = try Program.start(["load"] + Trial.open().options(out: files.folder))
    try await load.acknowledges()
    try FileManager.default.removeItem(at: files.store)
    load.signal(SIGINT)
    let ended = try await load.end()
    #expect(ended.code == 97, "\(ended.text)\(ended.errorOutput)")
    let record = try files.record
    #expect(try record.verdict == "loss")
    #expect(try record.count("ledger.fixes.lost") == record.count("ledger.fixes.acknowledged"))
    #expect(try record.reasons.contains { $0.contains("deleted, moved or replaced") })
  }
}
