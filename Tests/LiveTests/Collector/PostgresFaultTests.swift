import Core
import Foundation
import TestSupport
import Testing
import Transport
import Wire

@testable import Collector
@testable import CollectorSupport

/// A server with a full disk, and one replaced by its standby.
@Suite(
  "PostgreSQL: full disk and failover", .needs(.postgreSQL), .serialized,
  .live, .timeLimit(.minutes(10)))
struct PostgresFaultTests {
  private func expectHeld(_ acknowledged: Set<BatchID>, in store: StoreAddress) throws {
    var held: Set<BatchID> = []
    let report = try StoreAudit.run(store, visit: { held.insert($0.id) })
    #expect(report.isIntact, "\(report.findings)")
    #expect(report.found.batches == UInt64(held.count))
    #expect(acknowledged.subtracting(held).isEmpty)
  }

  @Test(
    "a full disk rejects with a backoff and loses nothing; then the collector continues",
    .needs(.tmpfs))
  func diskFull() throws {
    let disk = try SmallDisk(megabytes: 160)
    // Enough log is preallocated: a server that cannot write its log ends itself.
    let cluster = try TestCluster([("min_wal_size", "64MB"), ("max_wal_size", "64MB")], on: disk)
    defer { cluster.cluster.stop() }
    let store = try cluster.store()
    let collector = try LiveCollector(store: store)
    try collector.open()
    let all = Uploaders([collector])
    try all.wait(for: 200)
    try cluster.run("SELECT pg_switch_wal()")
    try cluster.run("CHECKPOINT")
    let responder = AdminResponder(collector.server)
    let before = all.refused
    var status: CallStatus?
    var readiness: UInt32 = 200
    // A checkpoint may remove log files, and a table has grown ahead of its rows: the disk is
    // filled again until no space is left.
    for sequence in 1...6_000 where readiness == 200 || all.refused < before + 20 {
      try disk.fill()
      // A later upload may fit into room that a checkpoint has made.
      let refused = collector.failure {
        try collector.upload(LiveCollector.id(99, UInt32(sequence)))
      }
      status = refused ?? status
      readiness = responder.answer(AdminRequest(path: "/readyz")).code
      usleep(10_000)
    }
    #expect(status?.code == .unavailable)
    #expect((status?.pushbackMilliseconds ?? 0) > 0)
    #expect(status?.text.contains("the disk is full. Uploads are not acknowledged") == true)
    #expect(status?.text.contains("\n") == false)
    #expect(readiness == 503)
    try disk.makeRoom()
    try all.wait(for: all.acknowledged.count + 200)
    all.stop()
    #expect(responder.answer(AdminRequest(path: "/readyz")).code == 200)
    #expect(collector.stop())
    try expectHeld(all.acknowledged, in: store)
  }

  @Test("after a full disk, a collector without traffic becomes ready again")
  func readiness() throws {
    let cluster = try TestCluster()
    let collector = try LiveCollector(store: cluster.store())
    try collector.open()
    try cluster.run(
      """
      CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS
        $$ BEGIN RAISE EXCEPTION 'no room' USING ERRCODE = 'disk_full'; END $$;
      CREATE TRIGGER refuse BEFORE INSERT ON flotilla.groups
        FOR EACH ROW EXECUTE FUNCTION refuse();
      """)
    #expect(collector.failure { try collector.upload(LiveCollector.id(1, 1)) } != nil)
    let responder = AdminResponder(collector.server)
    func code() -> UInt32 { responder.answer(AdminRequest(path: "/readyz")).code }
    #expect(code() == 503)
    for _ in 0..<3_000 where code() != 200 { usleep(20_000) }
    #expect(code() == 200)
    #expect(collector.failure { try collector.upload(LiveCollector.id(1, 1)) } != nil)
    #expect(code() == 503)
    #expect(collector.stop())
  }

  @Test("a promoted standby has all acknowledged batches, and the collector continues")
  func promotion() throws {
    let primary = try TestCluster()
    let standby = try PostgresCluster(
      folder: primary.folder.path("standby"), standbyOf: primary.cluster)
    try standby.start()
    defer { standby.stop() }
    try primary.run("ALTER SYSTEM SET synchronous_standby_names = '*'")
    try primary.run("SELECT pg_reload_conf()")
    let count = "SELECT count(*) FROM pg_stat_replication WHERE sync_state = 'sync'"
    for _ in 0..<3_000 where try primary.number(count) == 0 { usleep(20_000) }
    #expect(try primary.number(count) == 1)
    // Both are named, and the writable one is used.
    let second = try #require(standby.url().firstMatch(of: #/host=([^&]*)/#)).1
    let url = primary.cluster.url().replacing(#/host=[^&]*/#) { "\($0.0),\(second)" }
    let store = StoreAddress.postgreSQL(
      try #require(PostgresAddress(url + "&target_session_attrs=read-write")))
    let collector = try LiveCollector(store: store)
    try collector.open()
    let all = Uploaders([collector])
    try all.wait(for: 300)
    primary.cluster.kill()
    try standby.run("SELECT pg_promote()")
    try all.wait(for: all.acknowledged.count + 200)
    all.stop()
    #expect(collector.stop())
    #expect(all.refused > 0)
    try expectHeld(all.acknowledged, in: StoreAddress(named: standby.url()))
  }
}
