import Collector
import Foundation
import LiveSupport
import TestSupport
import Testing

/// A load whose collectors share one PostgreSQL database.
@Suite("Collectors on one database", .needs(.postgreSQL), .live, .timeLimit(.minutes(10)))
struct CollectorsTests {
  let folder: TemporaryFolder
  let files: RunFiles

  init() throws {
    folder = try TemporaryFolder()
    // The server may run as another user, who needs access.
    try FileManager.default.setAttributes(
      [.posixPermissions: 0o755], ofItemAtPath: folder.url.path)
    files = RunFiles(folder: folder["run"])
  }

  private func load(_ trial: Trial, _ more: String...) -> [String] {
    ["load"] + trial.options(out: files.folder)
      + ["--set", "collector.store=postgresql", "--set", "network.deadline=4s"] + more
  }

  @Test("an unusable database is one line, before the simulation")
  func databases() async throws {
    let database = try await Database.start()
    try database.run("CREATE ROLE guest LOGIN")
    try await database.lock("locked", password: "right")
    let made = try await Program.run(["collect", "--store", database.url(of: "guest")])
    #expect(made.code == 73 && made.errorOutput.contains("Grant CREATE"), "\(made.errorOutput)")
    try await refused(database.url(of: "guest"), 73, "Grant CREATE on the database")
    // The server reloads its rules with some delay.
    try await eventually("a password is asked for") {
      try !isOpen(to: "locked", database)
    }
    try await refused(database.url(of: "locked"), 73, "the user and the password")
    try database.run(
      """
      CREATE SCHEMA flotilla; CREATE TABLE flotilla.meta(key text PRIMARY KEY, value bytea);
      INSERT INTO flotilla.meta VALUES('schema', '1')
      """)
    try await refused(database.url, 65, "has schema 1, this program needs 2. Use another")
    try database.run("UPDATE flotilla.meta SET value = '99'")
    try await refused(database.url, 65, "has schema 99, this program needs 2. Use another")
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

  @Test("prune deletes old days, and verify passes")
  func pruned() async throws {
    let database = try await Database.start()
    var trial = Trial()
    trial.settings += ["warmStart=0s", "start=2026-03-03T00:55", "collector.url=\(database.url)"]
    let ended = try await Program.run(load(trial))
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
      (["prune", database.url], 2, "prune requires --days."),
      (["prune", "collector.sqlite", "--days", "1"], 65, "a file cannot be pruned"),
      (["prune", "postgresql://me@127.0.0.1:1/x", "--days", "1"], 73, "cannot be reached"),
    ] as [([String], Int32, String)] {
      let ended = try await Program.run(arguments)
      #expect(ended.code == code && ended.errorOutput.contains(text), "\(ended.errorOutput)")
    }
  }
}
