import Collector
import Foundation
import LiveSupport
import TestSupport
import Testing

/// A load whose collectors share one PostgreSQL database.
@Suite("Collectors on one database", .needs(.postgreSQL), .timeLimit(.minutes(10)))
struct CollectorsTests {
  let folder: TemporaryFolder
  let files: RunFiles

  init() throws {
    folder = try TemporaryFolder()
    // The server may run as another user, who must be able to get there.
    try FileManager.default.setAttributes(
      [.posixPermissions: 0o755], ofItemAtPath: folder.url.path)
    files = RunFiles(folder: folder["run"])
  }

  private func load(_ trial: Trial, _ more: String...) -> [String] {
    ["load"] + trial.options(out: files.folder)
      + ["--set", "collector.store=postgresql", "--set", "network.deadline=4s"] + more
  }

  private static var acknowledgement: Regex<Substring> { #/ measure .*acked=[1-9]/# }

  @Test("one of two is killed in mid-run: it comes back, nothing is lost, nothing is held twice")
  func death() async throws {
    let (ended, server) = try await Seats.hold {
      let load = try Program.start(load(.endless, "--set", "collector.count=2"))
      try await load.says("acknowledged, measured batches") { $0.contains(Self.acknowledgement) }
      let server = try #require(Self.server(in: files.folder))
      let collectors = try await Self.collectors(of: load.pid)
      try #require(collectors.count == 2)
      kill(collectors[1], SIGSTOP)
      let printed = load.text.count
      try await load.says("uploads under way") {
        $0.dropFirst(printed).contains(#/inflight=[1-9]/#)
      }
      kill(collectors[1], SIGKILL)
      try await load.says("batches acknowledged by both again") {
        let parts = $0.split(separator: "is back", maxSplits: 1)
        return parts.count == 2 && parts[1].contains(Self.acknowledgement)
      }
      load.signal(SIGINT)
      return (try await load.end(), server)
    }
    #expect([98, 130].contains(ended.code), "\(ended.text)\(ended.errorOutput)")
    let record = try files.record
    try record.expectClosedLedger()
    try record.expectNothingLost()
    let names = [0, 1].map { "machine.collectors.\($0)" }
    let parts = try names.map { try record.count("\($0).acknowledgedBatches") }
    #expect(parts.allSatisfy { $0 > 0 })
    let acknowledged = try record.count("ledger.batches.acknowledged")
    // More where an answer came after its phone had given up: that one sends again.
    #expect(parts.reduce(0, +) >= acknowledged, "\(parts)")
    // Which of them it was does not follow from the numbers of processes.
    let restarts = try names.map { try record.count("\($0).restarts") }.sorted()
    let logs = try ["collector", "collector-2"].map { try files.text("\($0).log") }
    #expect(restarts == [0, 1], "\(ended.text)\(logs)")
    for process in ["collector", "collector 1", "collector 2", "database"] {
      #expect(try record.number("machine.processes.\(process).cpuSeconds") >= 0)
    }
    #expect(try await !ProcessTable.isAlive(server))
    #expect(Self.server(in: files.folder) == nil)
  }

  @Test("a database that cannot be used is said in one line, before anything is lived")
  func databases() async throws {
    let database = try await Database.start()
    try database.run("CREATE ROLE guest LOGIN")
    try await database.lock("locked", password: "right")
    let made = try await Program.run(["collect", "--store", database.url(of: "guest")])
    #expect(made.code == 73 && made.errorOutput.contains("Grant CREATE"), "\(made.errorOutput)")
    try await refused(database.url(of: "guest"), 73, "Grant CREATE on the database")
    // The server reads its rules again when it gets to it.
    try await eventually("a password is asked for") {
      try !isOpen(to: "locked", database)
    }
    try await refused(database.url(of: "locked"), 73, "the user and the password")
    try database.run(
      """
      CREATE SCHEMA flotilla; CREATE TABLE flotilla.meta(key text PRIMARY KEY, value bytea);
      INSERT INTO flotilla.meta VALUES('schema', '1')
      """)
    try await refused(database.url, 65, "written with schema 1, this program has 2. Use another")
    try database.run("UPDATE flotilla.meta SET value = '99'")
    try await refused(database.url, 65, "written with schema 99, this program has 2. Use another")
  }

  private func isOpen(to user: String, _ database: Database) throws -> Bool {
    do throws(StoreError) {
      try PostgresAddress(database.url(of: user))?.probe()
      return true
    } catch {
      if case .noRight = error { return true }
      return false
    }
  }

  private func refused(_ url: String, _ code: Int32, _ text: String) async throws {
    let ended = try await Program.run(load(Trial(), "--set", "collector.url=\(url)"))
    let said = ended.errorOutput
    #expect(ended.code == code && said.contains(text) && said.contains("postgresql:///"), "\(said)")
    #expect(said.split(separator: "\n").count == 1, "\(said)")
  }

  @Test("prune drops the days before the last ones, and verify finds the store whole")
  func pruned() async throws {
    let database = try await Database.start()
    var trial = Trial()
    trial.settings += ["warmStart=0s", "start=2026-03-03T00:55", "collector.url=\(database.url)"]
    let ended = try await Seats.hold { try await Program.run(load(trial)) }
    #expect([0, 98, 99].contains(ended.code), "\(ended.text)\(ended.errorOutput)")
    let before = try RecordFile(await Program.run(["verify", database.url, "--json"]).output)
    let pruned = try await Program.run(["prune", database.url, "--days", "1"])
    #expect(pruned.code == 0, "\(pruned.errorOutput)")
    #expect(pruned.text.contains("kept from 2026-03-03 on"), "\(pruned.text)")
    let after = try await Program.run(["verify", database.url, "--json"])
    #expect(after.code == 0, "\(after.text)\(after.errorOutput)")
    let record = try RecordFile(after.output)
    let dropped = try record.count("droppedBatches")
    #expect(try dropped > 0 && record.count("batches") > 0)
    #expect(try record.count("batches") + dropped == before.count("batches"))
    for (arguments, code, text) in [
      (["prune", database.url], 2, "prune needs --days."),
      (["prune", "collector.sqlite", "--days", "1"], 65, "a file keeps all that it has"),
      (["prune", "postgresql://me@127.0.0.1:1/x", "--days", "1"], 73, "cannot be reached"),
    ] as [([String], Int32, String)] {
      let ended = try await Program.run(arguments)
      #expect(ended.code == code && ended.errorOutput.contains(text), "\(ended.errorOutput)")
    }
  }

  /// The collectors of a load, oldest first; its database is a child as well.
  private static func collectors(of load: Int32) async throws -> [Int32] {
    try await ProcessTable.children(of: load).filter { child in
      let words = (try? String(contentsOfFile: "/proc/\(child)/cmdline", encoding: .utf8)) ?? ""
      return words.split(separator: "\0").contains("collect")
    }.sorted()
  }

  /// The process of the run's own server; nil where none runs.
  private static func server(in run: URL) -> Int32? {
    let path = run.appending(path: "postgresql/data/postmaster.pid").path
    let text = try? String(contentsOfFile: path, encoding: .utf8)
    return text?.split(separator: "\n").first.flatMap { Int32($0) }
  }
}
