import Core
import Foundation
import TestSupport
import Testing
import Wire

@testable import Collector
@testable import CollectorSupport

/// Reading a store again, in a database that several collectors may share.
@Suite(
  "Database check at the end of a run", .needs(.postgreSQL), .serialized,
  .live, .timeLimit(.minutes(10)))
struct DatabaseInspectionTests {
  @Test("rows deleted by SQL are reported as missing, without the collector knowing")
  func deleted() throws {
    let cluster = try TestCluster(shared: ())
    let collector = try LiveCollector(store: cluster.store())
    try collector.open()
    for sequence in 1...20 as ClosedRange<UInt32> {
      try collector.upload(LiveCollector.id(2, sequence))
    }
    #expect(try collector.stored().reading.faultCount == 0)
    try cluster.run("DELETE FROM flotilla.batches WHERE sequence IN (4, 5)")
    try collector.upload(LiveCollector.id(2, 21))
    let found = try collector.stored()
    #expect(found.ids.count == 19 && !found.ids.contains(LiveCollector.id(2, 4)))
    #expect(found.reading.faultCount > 0)
    #expect(try collector.snapshot().batches.distinct == 21)
    #expect(collector.stop())
  }

  @Test("an unreachable database gives an error with its reason, until it is back")
  func away() throws {
    let cluster = try TestCluster()
    let collector = try LiveCollector(store: cluster.store()) { $0.readingFreshFor = .zero }
    try collector.open()
    try collector.upload(LiveCollector.id(1, 1))
    #expect(try collector.stored().ids.count == 1)
    cluster.cluster.kill()
    for status in [
      collector.failure { _ = try collector.snapshot() },
      collector.failure { _ = try collector.stored() },
    ] {
      #expect(status?.code == .unavailable)
      #expect(status?.text.contains("cannot be reached") == true, "\(status?.text ?? "")")
    }
    try cluster.cluster.start()
    #expect(try collector.patiently { try collector.snapshot().batches.distinct } == 1)
    #expect(try collector.patiently { try collector.stored().ids.count } == 1)
    #expect(collector.stop())
  }
}
