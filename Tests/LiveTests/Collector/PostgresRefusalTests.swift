import Foundation
import TestSupport
import Testing

@testable import Collector
@testable import CollectorSupport

/// Databases that cannot be a store.
@Suite(
  "Unusable databases", .needs(.postgreSQL), .serialized, .live, .timeLimit(.minutes(10)))
struct PostgresRefusalTests {
  let cluster: TestCluster

  init() throws { cluster = try TestCluster(shared: ()) }

  private func refusal(_ store: StoreAddress) -> StoreError? {
    do throws(StoreError) {
      _ = try store.open()
      return nil
    } catch { return error }
  }

  private func store(_ url: String) throws -> StoreAddress {
    .postgreSQL(try #require(PostgresAddress(url)))
  }

  @Test("no server: one line with the address and without the password")
  func unreachable() throws {
    let store = try store("postgresql://me:secret%21@127.0.0.1:1/fleet?password=hidden")
    let error = try #require(refusal(store))
    guard case .unreachable = error else {
      Issue.record("\(error)")
      return
    }
    #expect(error.description.contains("postgresql://me@127.0.0.1:1/fleet"))
    for secret in ["secret", "hidden", "\n"] { #expect(!error.description.contains(secret)) }
  }

  @Test("a wrong password is reported, and not printed")
  func password() throws {
    try cluster.run("CREATE ROLE locked LOGIN PASSWORD 'right'")
    let data = URL(fileURLWithPath: cluster.folder.path("pg")).appending(path: "data")
    let rules = data.appending(path: "pg_hba.conf")
    let text = try String(contentsOf: rules, encoding: .utf8)
    let handle = try FileHandle(forWritingTo: rules)
    try handle.truncate(atOffset: 0)
    try handle.write(contentsOf: Data("local all locked scram-sha-256\n\(text)".utf8))
    try handle.close()
    try cluster.run("SELECT pg_reload_conf()")
    let place = cluster.cluster.url(cluster.database).replacing(
      "user=flotilla", with: "user=locked")
    var error: StoreError?
    for _ in 0..<3_000 where error == nil {
      error = refusal(try store("\(place)&password=mistaken"))
      // The server reloads its rules with some delay; without CREATE it refuses as well.
      if case .noRight = error { error = nil }
      usleep(20_000)
    }
    let said = try #require(error).description
    #expect(said.contains("password authentication failed") && !said.contains("mistaken"))
    #expect(said.contains("Check the server, the address, the user and the password"))
  }

  @Test("a user without the right to create tables gets the missing grant")
  func noRight() throws {
    try cluster.run("CREATE ROLE guest LOGIN")
    let place = cluster.cluster.url(cluster.database).replacing("user=flotilla", with: "user=guest")
    let error = try #require(refusal(try store(place)))
    guard case .noRight = error else {
      Issue.record("\(error)")
      return
    }
    #expect(error.description.contains("Grant CREATE on the database"))
  }

  @Test("a user who does not own the tables gets an error before the run")
  func notOwner() throws {
    try cluster.store().open().close()
    try cluster.run(
      """
      CREATE ROLE passerby LOGIN;
      GRANT USAGE ON SCHEMA flotilla TO passerby;
      GRANT ALL ON ALL TABLES IN SCHEMA flotilla TO passerby
      """)
    let place = cluster.cluster.url(cluster.database).replacing(
      "user=flotilla", with: "user=passerby")
    for error in [refusal(try store(place)), probe(place)] {
      let said = try #require(error).description
      #expect(said.contains("the tables in schema flotilla belong to 'flotilla'"), "\(said)")
    }
    // A reader needs no more.
    #expect(try StoreAudit.run(store(place)).isIntact)
  }

  private func probe(_ url: String) -> StoreError? {
    do throws(StoreError) {
      try PostgresAddress(url)?.probe()
      return nil
    } catch { return error }
  }

  @Test("a server without free connections is reported with the needed number")
  func noConnection() throws {
    let small = try TestCluster([
      ("max_connections", "5"), ("superuser_reserved_connections", "3"),
    ])
    try small.run("CREATE ROLE small LOGIN; GRANT CREATE ON DATABASE postgres TO small")
    let place = small.cluster.url().replacing("user=flotilla", with: "user=small")
    let error = try #require(refusal(try store(place)))
    guard case .noConnection = error else {
      Issue.record("\(error)")
      return
    }
    #expect(error.description.contains("max_connections"))
    #expect(error.description.contains("--store-connections"))
  }

  @Test(
    "a prepared statement of another session is reported as a connection pooler",
    arguments: ["42P05"])
  func pooled(state: String) {
    let error = StoreError.of(state: state, store: "db", detail: "it exists")
    #expect(error == .pooled(store: "db", detail: "it exists"))
    #expect(error.description.contains("pool_mode = session"))
  }

  @Test(
    "a folder without access for the server's user is reported with a fix",
    .needsData(getuid() == 0, "only root starts a server as another user"))
  func closedFolder() throws {
    let folder = TemporaryFolder()
    let closed = folder.path("closed")
    try FileManager.default.createDirectory(
      atPath: closed, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    do throws(PostgresCluster.ClusterError) {
      _ = try PostgresCluster(folder: closed + "/run/postgresql")
      Issue.record("it was made")
    } catch {
      #expect(error.description.hasPrefix("\(closed): as root, PostgreSQL runs"), "\(error)")
      #expect(error.description.contains("chmod o+x"))
    }
  }

  @Test("collector and verify reject older and newer schemas", arguments: ["0", "99"])
  func otherSchema(version: String) throws {
    let store = try cluster.store()
    let opened = try store.open()
    opened.close()
    try cluster.run("UPDATE flotilla.meta SET value = '\(version)' WHERE key = 'schema'")
    let expected = StoreError.otherSchema(
      path: store.name, found: Int(version) ?? -1, wanted: PostgresSchema.version)
    #expect(refusal(store) == expected)
    #expect(throws: expected) { try StoreAudit.run(store) }
  }

  @Test("verify rejects a database without a store, and leaves it unchanged")
  func empty() throws {
    let store = try cluster.store()
    #expect(throws: StoreError.noStore(path: store.name, detail: "it has no store tables")) {
      try StoreAudit.run(store)
    }
    #expect(try cluster.number("SELECT count(*) FROM pg_namespace WHERE nspname = 'flotilla'") == 0)
  }
}
