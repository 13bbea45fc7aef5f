import Foundation
import LiveSupport
import Testing

@Suite("A killed fleet", .timeLimit(.minutes(2)))
struct ChaosTests {
  let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  @Test("it resumes from its outboxes: acknowledged batches are stored exactly once")
  func fleet() async throws {
    let store = folder["store.sqlite"].path
    let collector = try await OwnCollector(["--store-path", store])
    let first = try Program.start(load(collector.address, out: "first"))
    try await first.says("acknowledged batches") { $0.contains(#/acked=[1-9]/#) }
    // A stopped collector does not respond: new uploads stay unanswered.
    collector.process.signal(SIGSTOP)
    try await first.hasUploadsUnderWay()
    first.signal(SIGKILL)
    _ = try await first.end()
    collector.process.signal(SIGCONT)
    try await Program.run(load(collector.address, out: "second")).expectRun()
    try await collector.stop()
    let record = try RunFiles(folder: folder["second"]).record
    #expect(try record.count("ledger.batches.resent") > 0)
    #expect(try record.count("ledger.batches.lost") == 0)
    let verdict = try await Program.run(["verify", store, "--ledger", folder["state"].path])
    #expect(verdict.code == 0, "\(verdict.text)\(verdict.errorOutput)")
    #expect(verdict.text.contains("in 2 runs"))
    #expect(verdict.text.contains(#/open 0; sent again [1-9]/#))
    #expect(verdict.text.contains("lost 0, twice 0, unequal 0, never submitted 0"))
    // The state of another run is rejected with a reason.
    let other = try await Program.run(load(nil, out: "third") + ["--seed", "8"])
    #expect(other.code == 65)
    #expect(other.errorOutput.contains("seed 3 instead of 8"))
  }

  private func load(_ address: String?, out: String) -> [String] {
    let target = address.map { ["--collector", $0] } ?? []
    return [
      "load", "chaos", "--phones", "150", "--duration", "4min", "--seed", "3", "--set",
      "run.state=\(folder["state"].path)", "--out", folder[out].path,
    ] + target
  }
}
