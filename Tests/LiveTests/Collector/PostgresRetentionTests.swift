import Core
import Foundation
import TestSupport
import Testing
import Wire

@testable import Collector
@testable import CollectorSupport

/// Days that a database may drop.
@Suite("Retention in PostgreSQL", .needs(.postgreSQL), .serialized, .live, .timeLimit(.minutes(10)))
struct PostgresRetentionTests {
  let cluster: TestCluster
  let store: StoreAddress
  let address: PostgresAddress

  init() throws {
    cluster = try TestCluster(shared: ())
    store = try cluster.store()
    address = try #require(PostgresAddress(cluster.cluster.url(cluster.database)))
  }

  private func fixes(of id: BatchID, daysAgo: Int64) -> [Fix] {
    LiveCollector.fixes(of: id).map { fix in
      var fix = fix
      fix.time = FixTime(fix.time.instant - .hours(24 * daysAgo))
      return fix
    }
  }

  /// Phone 91 has sent five batches of today, phone 92 of yesterday, and so on up to phone 94.
  private func collector() throws -> LiveCollector {
    let collector = try LiveCollector(store: store)
    try collector.open()
    for sequence in 1...5 as ClosedRange<UInt32> {
      for phone in 91...94 as ClosedRange<UInt32> {
        let id = LiveCollector.id(phone, sequence)
        try collector.upload(id, fixes(of: id, daysAgo: Int64(phone) - 91))
      }
    }
    return collector
  }

  private func audit() throws -> (report: AuditReport, phones: Set<UInt32>) {
    var phones: Set<UInt32> = []
    let report = try StoreAudit.run(store, visit: { phones.insert($0.id.phone.rawValue) })
    return (report, phones)
  }

  @Test("recent days are kept, older ones deleted, and verify passes")
  func keeping() throws {
    #expect(try collector().stop())
    let outcome = try PostgresRetention.run(address, days: 2)
    #expect(outcome.batches == 10 && outcome.tables == 2)
    let (report, phones) = try audit()
    #expect(report.isIntact, "\(report.findings)")
    #expect(report.found.batches == 10 && report.dropped.batches == 10 && phones == [91, 92])
    // A second time, nothing is left to do.
    let again = try PostgresRetention.run(address, days: 2)
    #expect(again.batches == 0 && again.tables == 0 && again.keptFrom == outcome.keptFrom)
    #expect(try PostgresRetention.run(address, days: 1).batches == 5)
    #expect(try audit().report.isIntact)
    #expect(try audit().phones == [91])
  }

  @Test("collectors continue: late batches of a deleted day are acknowledged and not stored")
  func late() throws {
    let first = try collector()
    let second = try LiveCollector(store: store)
    let all = Uploaders([first])
    try all.wait(for: 50)
    #expect(try PostgresRetention.run(address, days: 1).batches == 15)
    try all.wait(for: all.acknowledged.count + 100)
    all.stop()
    // A collector without the batch in memory queries the database.
    let known = LiveCollector.id(94, 1)
    _ = try second.upload(known, fixes(of: known, daysAgo: 3))
    let new = LiveCollector.id(95, 1)
    #expect(try first.upload(new, fixes(of: new, daysAgo: 7)).duplicate)
    #expect(first.stop() && second.stop())
    // A collector that starts restores its state from the logs, which have all batches.
    let third = try LiveCollector(store: store)
    #expect(try third.upload(LiveCollector.id(91, 1)).duplicate)
    #expect(third.stop())
    let (report, phones) = try audit()
    #expect(report.isIntact, "\(report.findings)")
    #expect(phones.isDisjoint(with: [92, 93, 94, 95]) && phones.contains(91))
    #expect(report.dropped.batches == 15)
  }

  @Test("a prune killed between its steps leaves a valid store, and the next one finishes")
  func brokenOff() throws {
    #expect(try collector().stop())
    let today = GroupParameters.day(of: FixTime(LiveCollector.start))
    try PostgresRetention.takeOut(before: today, 1, PostgresConnection(address))
    let (report, phones) = try audit()
    #expect(report.isIntact, "\(report.findings)")
    #expect(report.dropped.batches == 15 && phones == [91])
    #expect(try PostgresRetention.run(address, days: 1).batches == 15)
    #expect(try audit().report.isIntact)
    let left = "SELECT count(*) FROM pg_class WHERE relname LIKE 'leaving%'"
    #expect(try cluster.number(left) == 0)
  }

  @Test("other missing rows are still found")
  func tampering() throws {
    #expect(try collector().stop())
    _ = try PostgresRetention.run(address, days: 2)
    for change in [
      "DELETE FROM flotilla.batches WHERE sequence = 3 AND phone = 91",
      "DELETE FROM flotilla.dropped WHERE grp = (SELECT min(grp) FROM flotilla.dropped)",
      "UPDATE flotilla.dropped SET batches = batches + 1",
    ] {
      let copy = cluster.database + "copy"
      try cluster.copy(as: copy)
      try cluster.run(change, in: copy)
      #expect(try StoreAudit.run(cluster.store(copy)).isIntact == false, "\(change)")
      try cluster.run("DROP DATABASE \(copy)")
    }
  }

  @Test("a long reader blocks the deletion, and is named")
  func busy() throws {
    #expect(try collector().stop())
    let reader = try store.read()
    _ = try reader.holds(PhoneID(rawValue: 91))
    let began = ContinuousClock.now
    #expect(throws: StoreError.busy(store: address.name)) {
      try PostgresRetention.run(address, days: 1, attempts: 1)
    }
    #expect(ContinuousClock.now - began > .seconds(1))
    #expect(try audit().report.found.batches == 20)
    withExtendedLifetime(reader) {}
  }
}
