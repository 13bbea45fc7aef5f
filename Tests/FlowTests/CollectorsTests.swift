import Foundation
import LiveSupport
import TestSupport
import Testing

/// A load whose collectors share one PostgreSQL database.
@Suite("Collectors on one database", .needs(.postgreSQL), .timeLimit(.minutes(2)))
struct CollectorsTests {
  @Test("one of two is killed and restarts: nothing is lost or stored twice")
  func death() async throws {
    let folder = try TemporaryFolder()
    // The server may run as another user, who needs access.
    try FileManager.default.setAttributes(
      [.posixPermissions: 0o755], ofItemAtPath: folder.url.path)
    let files = RunFiles(folder: folder["run"])
    let trial = Trial.open(
      phones: 200, "collector.store=postgresql", "collector.count=2", "network.deadline=4s")
    let load = try Program.start(["load"] + trial.options(out: files.folder))
    try await load.acknowledges()
    let server = try #require(Self.server(in: files.folder))
    let collectors = try await Self.collectors(of: load.pid)
    try #require(collectors.count == 2)
    kill(collectors[1], SIGSTOP)
    try await load.hasUploadsUnderWay()
    kill(collectors[1], SIGKILL)
    try await load.says("batches acknowledged by both again") {
      let parts = $0.split(separator: "is back", maxSplits: 1)
      return parts.count == 2 && parts[1].contains(#/ measure .*acked=[1-9]/#)
    }
    load.signal(SIGINT)
    let ended = try await load.end()
    ended.expectInterrupted()
    let record = try files.record
    try record.expectClosedLedger()
    try record.expectNothingLost()
    let names = [0, 1].map { "machine.collectors.\($0)" }
    let parts = try names.map { try record.count("\($0).acknowledgedBatches") }
    #expect(parts.allSatisfy { $0 > 0 })
    let acknowledged = try record.count("ledger.batches.acknowledged")
    // More if a response arrived after the timeout of its phone, which sends again.
    #expect(parts.reduce(0, +) >= acknowledged, "\(parts)")
    // The process IDs do not show which of them it was.
    let restarts = try names.map { try record.count("\($0).restarts") }.sorted()
    let logs = try ["collector", "collector-2"].map { try files.text("\($0).log") }
    #expect(restarts == [0, 1], "\(ended.text)\(logs)")
    for process in ["collector", "collector 1", "collector 2", "database"] {
      #expect(try record.number("machine.processes.\(process).cpuSeconds") >= 0)
    }
    #expect(try await !ProcessTable.isAlive(server))
    #expect(Self.server(in: files.folder) == nil)
  }

  /// The collectors of a load, oldest first; its database is a child as well.
  private static func collectors(of load: Int32) async throws -> [Int32] {
    try await ProcessTable.children(of: load).filter { child in
      let words = (try? String(contentsOfFile: "/proc/\(child)/cmdline", encoding: .utf8)) ?? ""
      return words.split(separator: "\0").contains("collect")
    }.sorted()
  }

  /// The process of the run's database server; nil for none.
  private static func server(in run: URL) -> Int32? {
    let path = run.appending(path: "postgresql/data/postmaster.pid").path
    let text = try? String(contentsOfFile: path, encoding: .utf8)
    return text?.split(separator: "\n").first.flatMap { Int32($0) }
  }
}
