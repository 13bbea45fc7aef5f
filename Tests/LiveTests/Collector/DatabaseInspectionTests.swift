import Core
import Foundation
import TestSupport
import Testing
import Wire

@testable import Collector
@testable import CollectorSupport

/// A store that is read again, in a database that several collectors may share.
@Suite(
  "A database that is read again at the end of a run", .needs(.postgreSQL), .serialized,
  .timeLimit(.minutes(10)))
struct DatabaseInspectionTests {
  @Test("rows that were deleted by SQL are missing, and the collector knows nothing of that")
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

  @Test("a database that is away: an account is refused with its reason, and comes when it is back")
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
