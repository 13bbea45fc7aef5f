import Core
import Foundation
import ServerLogic
import TestSupport
import Testing
import Transport
import Wire

@testable import Collector
@testable import CollectorSupport

/// Collectors with their own database.
@Suite("A store in PostgreSQL", .needs(.postgreSQL), .serialized, .live, .timeLimit(.minutes(10)))
struct PostgresStoreTests {
  let cluster: TestCluster

  init() throws { cluster = try TestCluster(shared: ()) }

  private func held(_ store: StoreAddress) throws -> Set<BatchID> {
    var ids: Set<BatchID> = []
    let report = try StoreAudit.run(store, visit: { ids.insert($0.id) })
    #expect(report.isIntact, "\(report.findings)")
    #expect(report.found.batches == UInt64(ids.count))
    return ids
  }

  @Test("after a restart, all acknowledged phones and batches are there, none twice")
  func restart() throws {
    let store = try cluster.store()
    let first = try LiveCollector(store: store)
    try first.open()
    try first.register(1)
    for sequence in 1...40 as ClosedRange<UInt32> {
      #expect(try first.upload(LiveCollector.id(sequence % 7, sequence)).duplicate == false)
    }
    #expect(try first.upload(LiveCollector.id(1, 1)).duplicate)
    let before = try first.snapshot()
    #expect(first.stop())
    let second = try LiveCollector(store: store)
    let after = try second.snapshot()
    #expect(after.runID == "run-1" && after.batches.distinct == 40)
    #expect(after.hashSum == before.hashSum && after.fixes.distinct == before.fixes.distinct)
    #expect(try second.upload(LiveCollector.id(3, 3)).duplicate)
    #expect(try second.upload(LiveCollector.id(3, 41)).duplicate == false)
    #expect(second.stop())
    #expect(try held(store).count == 41)
    var lines = ""
    _ = try StoreExport.run(store, format: .csv) { bytes in
      lines += String(decoding: bytes, as: UTF8.self)
      return true
    }
    #expect(lines.split(whereSeparator: \.isNewline).count == 1 + Int(after.fixes.distinct) + 2)
  }

  @Test("of two collectors, one stores a batch and the other reports a duplicate")
  func twoCollectors() throws {
    let store = try cluster.store()
    let first = try LiveCollector(store: store)
    try first.open()
    let second = try LiveCollector(store: store)
    let id = LiveCollector.id(5, 1)
    #expect(try first.upload(id).duplicate == false)
    #expect(try second.upload(id).duplicate)
    let all = Uploaders([first, second], resends: true)
    try all.wait(for: 300)
    all.stop()
    let ledgers = try [first, second].map { try $0.snapshot().batches }
    #expect(first.stop() && second.stop())
    let held = try held(store)
    #expect(held == all.acknowledged.union([id]))
    // An account is of the whole store, from either collector.
    for side in ledgers {
      #expect(side.distinct == UInt64(held.count))
      #expect(side.received == side.distinct + side.duplicate && side.duplicate > 0)
    }
  }

  @Test("concurrent commits during a read are not reported as damage")
  func committedMeanwhile() throws {
    let store = try cluster.store()
    let first = try LiveCollector(store: store)
    try first.open()
    for sequence in 1...5 as ClosedRange<UInt32> {
      try first.upload(LiveCollector.id(1, sequence))
    }
    let source = try store.open()
    defer { source.close() }
    var read: UInt64 = 0
    let sums = try source.replay { event in
      guard case .judged = event else { return }
      read += 1
      if read == 1 { #expect(throws: Never.self) { try first.upload(LiveCollector.id(2, 1)) } }
    }
    #expect(read == 5 && sums.committed.batches == 5)
    #expect(try source.totals().batches == 6)
    #expect(first.stop())
  }

  @Test("a store with wrong checksums is rejected, and its resources are closed")
  func damaged() throws {
    let store = try cluster.store()
    let first = try LiveCollector(store: store)
    try first.open()
    try first.upload(LiveCollector.id(1, 1))
    #expect(first.stop())
    try cluster.run("UPDATE flotilla.groups SET batches = batches + 1 WHERE batches > 0")
    do throws(CollectorError) {
      _ = try CollectorServer(CollectorConfiguration(store: store))
      Issue.record("a damaged store was taken")
    } catch {
      #expect("\(error)".contains("2 batches committed, 1 found"), "\(error)")
    }
  }

  @Test("an ack waits for the commit: a violated deferred constraint gives no ack")
  func deferredConstraint() throws {
    let store = try cluster.store()
    let collector = try LiveCollector(store: store)
    try collector.open()
    try collector.upload(LiveCollector.id(1, 1))
    try cluster.run(
      """
      CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS
        $$ BEGIN RAISE EXCEPTION 'refused at commit'; END $$;
      CREATE CONSTRAINT TRIGGER refuse AFTER INSERT ON flotilla.groups
        DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION refuse();
      """)
    let status = collector.failure { try collector.upload(LiveCollector.id(1, 2)) }
    #expect(status?.code == .unavailable)
    #expect(status?.text.contains("refused at commit") == true, "\(status.debugDescription)")
    #expect(try cluster.number("SELECT count(*) FROM flotilla.batches") == 1)
    try cluster.run("DROP TRIGGER refuse ON flotilla.groups")
    #expect(try collector.upload(LiveCollector.id(1, 2)).duplicate == false)
    #expect(collector.stop())
    #expect(try held(store).count == 2)
  }

  @Test("closed connections lose no acknowledged batch and duplicate none")
  func terminated() throws {
    let store = try cluster.store()
    let collector = try LiveCollector(store: store)
    try collector.open()
    let all = Uploaders([collector])
    for round in 1...5 {
      try all.wait(for: round * 100)
      try cluster.run(
        """
        SELECT pg_terminate_backend(pid) FROM pg_stat_activity
        WHERE datname = current_database() AND pid <> pg_backend_pid()
        """)
    }
    let before = all.acknowledged.count
    try all.wait(for: before + 100)
    all.stop()
    #expect(collector.stop())
    let held = try held(store)
    #expect(all.acknowledged.subtracting(held).isEmpty)
  }

  @Test("batches are in the table of their fixes' day, also for later duplicates")
  func days() throws {
    let store = try cluster.store()
    let collector = try LiveCollector(store: store)
    try collector.open()
    let day = GroupParameters.day(of: FixTime(LiveCollector.start))
    let yesterday = LiveCollector.fixes(of: LiveCollector.id(1, 1)).map { fix in
      var fix = fix
      fix.time = FixTime(fix.time.instant - .hours(24))
      return fix
    }
    let long = LiveCollector.fixes(of: LiveCollector.id(1, 2)).map { fix in
      var fix = fix
      fix.time = FixTime(centiseconds: 1_000_000_000_00)
      return fix
    }
    try collector.upload(LiveCollector.id(1, 1), yesterday)
    try collector.upload(LiveCollector.id(1, 2), long)
    try collector.upload(LiveCollector.id(1, 3))
    for (table, sequence) in [("\(day - 1)", 1), ("before", 2), ("\(day)", 3)] {
      #expect(
        try cluster.number("SELECT sequence FROM flotilla.batches_\(table)") == Int64(sequence))
    }
    let other = try LiveCollector(store: store)
    #expect(try other.upload(LiveCollector.id(1, 1), yesterday).duplicate)
    #expect(other.stop() && collector.stop())
    #expect(try held(store).count == 3)
  }

  @Test("verify names the group of a missing, changed or added row")
  func tampering() throws {
    let store = try cluster.store()
    let collector = try LiveCollector(store: store)
    try collector.open()
    for sequence in 1...9 as ClosedRange<UInt32> {
      try collector.upload(LiveCollector.id(2, sequence))
    }
    #expect(collector.stop())
    for change in [
      "DELETE FROM flotilla.batches WHERE sequence = 4",
      "UPDATE flotilla.batches SET received_us = received_us + 1 WHERE sequence = 5",
      "UPDATE flotilla.batches SET payload = '' WHERE sequence = 6",
      "INSERT INTO flotilla.batches SELECT received_us, wall_us, hash, 1, phone, 2, sequence, day, "
        + "fix_count, uncompressed_size, encoding, payload FROM flotilla.batches LIMIT 1",
      "DELETE FROM flotilla.groups WHERE batches > 0",
      "UPDATE flotilla.groups SET log = set_byte(log, 20, get_byte(log, 20) # 16) "
        + "WHERE batches > 0",
    ] {
      let copy = cluster.database + "copy"
      try cluster.copy(as: copy)
      try cluster.run(change, in: copy)
      #expect(try StoreAudit.run(cluster.store(copy)).isIntact == false, "\(change)")
      try cluster.run("DROP DATABASE \(copy)")
    }
    #expect(try held(store).count == 9)
  }

  @Test("another run is rejected by all collectors of a store")
  func otherRun() throws {
    let store = try cluster.store()
    let (first, second) = (try LiveCollector(store: store), try LiveCollector(store: store))
    try first.open()
    #expect(first.failure { try first.open(run: "run-2") }?.code == .failedPrecondition)
    #expect(second.failure { try second.open(run: "run-2") } != nil)
    // Within a second it takes the other one's run, with or without a request.
    try second.open()
    #expect(try second.upload(LiveCollector.id(1, 1)).duplicate == false)
    #expect(first.stop() && second.stop())
    #expect(try held(store).count == 1)
  }
}
