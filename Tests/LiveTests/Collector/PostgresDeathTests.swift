import Core
import Foundation
import TestSupport
import Testing
import Transport
import Wire

@testable import Collector
@testable import CollectorSupport

/// A server killed while batches are being acknowledged.
@Suite(
  "PostgreSQL is killed", .needs(.postgreSQL), .serialized, .live, .timeLimit(.minutes(10)))
struct PostgresDeathTests {
  private func audit(_ store: StoreAddress) throws -> (AuditReport, Set<BatchID>) {
    var ids: Set<BatchID> = []
    let report = try StoreAudit.run(store, visit: { ids.insert($0.id) })
    return (report, ids)
  }

  @Test(
    "three kills: acknowledged batches are stored once, and the collector recovers")
  func deaths() throws {
    let cluster = try TestCluster()
    let store = try cluster.store()
    let collector = try LiveCollector(store: store)
    try collector.open()
    let all = Uploaders([collector])
    for round in 1...3 {
      try all.wait(for: all.acknowledged.count + 50 * round)
      cluster.cluster.kill()
      usleep(100_000)
      #expect(collector.failure { try collector.upload(LiveCollector.id(99, 1)) } != nil)
      try cluster.cluster.start()
    }
    try all.wait(for: all.acknowledged.count + 100)
    all.stop()
    #expect(collector.stop())
    let (report, held) = try audit(store)
    #expect(report.isIntact, "\(report.findings)")
    #expect(report.found.batches == UInt64(held.count))
    #expect(all.acknowledged.subtracting(held).isEmpty)
    #expect(all.refused > 0)
  }

  @Test("the same test finds the loss of a server with fsync off")
  func control() throws {
    // Its log is written every ten seconds, or when it is large: one death may come right after
    // that.
    let cluster = try TestCluster([("wal_writer_delay", "10s"), ("wal_writer_flush_after", "1GB")])
    let url = cluster.cluster.url() + "&options=-csynchronous_commit%3Doff"
    let store = StoreAddress.postgreSQL(try #require(PostgresAddress(url)))
    let collector = try LiveCollector(store: store)
    try collector.open()
    var acknowledged = 0
    for round in 1...3 {
      let all = Uploaders([collector])
      // The first of them are those of the round before.
      try all.wait(for: 300 * round)
      cluster.cluster.kill()
      all.stop()
      try cluster.cluster.start()
      acknowledged += all.acknowledged.count
      if try !all.acknowledged.subtracting(audit(cluster.store()).1).isEmpty {
        #expect(collector.stop())
        return
      }
    }
    Issue.record("of \(acknowledged) none is lost: the test proves nothing")
  }

  @Test("synchronous_commit=off of a role is overridden: acks are durable")
  func overruled() throws {
    let cluster = try TestCluster([("wal_writer_delay", "10s"), ("synchronous_commit", "off")])
    let store = try cluster.store()
    let collector = try LiveCollector(store: store)
    try collector.open()
    let all = Uploaders([collector])
    try all.wait(for: 300)
    cluster.cluster.kill()
    all.stop()
    try cluster.cluster.start()
    #expect(collector.stop())
    #expect(try all.acknowledged.subtracting(audit(store).1).isEmpty)
  }

  @Test("the collector is not ready while its server is down, with or without uploads")
  func readiness() throws {
    let cluster = try TestCluster()
    let collector = try LiveCollector(store: cluster.store())
    try collector.open()
    let responder = AdminResponder(collector.server)
    func waitUntilReady(_ isReady: Bool) throws {
      for _ in 0..<3_000 {
        let answer = responder.answer(AdminRequest(path: "/readyz"))
        if answer.code == (isReady ? 200 : 503) { return }
        usleep(20_000)
      }
      try #require(Bool(false), "never \(isReady ? "ready" : "away")")
    }
    try waitUntilReady(true)
    cluster.cluster.kill()
    try waitUntilReady(false)
    #expect(collector.failure { try collector.upload(LiveCollector.id(1, 1)) } != nil)
    try cluster.cluster.start()
    // Refusals are no reason to stay unready: a balancer sends nothing to a server that is not
    // ready.
    try waitUntilReady(true)
    try collector.upload(LiveCollector.id(1, 1))
    #expect(collector.stop())
  }

  @Test("a collector that notices the kill late reconnects when the server is back")
  func restartOfBoth() throws {
    let cluster = try TestCluster()
    let store = try cluster.store()
    let first = try LiveCollector(store: store)
    try first.open()
    try first.upload(LiveCollector.id(1, 1))
    cluster.cluster.kill()
    #expect(first.stop())
    #expect(throws: CollectorError.self) {
      try CollectorServer(CollectorConfiguration(store: store))
    }
    try cluster.cluster.start()
    let second = try LiveCollector(store: store)
    #expect(try second.upload(LiveCollector.id(1, 1)).duplicate)
    #expect(second.stop())
  }
}
