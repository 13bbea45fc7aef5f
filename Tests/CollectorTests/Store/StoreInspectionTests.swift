import Core
import Foundation
import TestSupport
import Testing
import Wire

@testable import Collector

/// What a collector answers of its store after somebody else changed it.
@Suite("A store that is read again at the end of a run", .timeLimit(.minutes(10)))
struct StoreInspectionTests {
  let folder = TemporaryFolder()
  private var path: String { folder.path("run.db") }

  /// A collector with 40 phones of ten batches each.
  private func filled() throws -> LiveCollector {
    let collector = try LiveCollector(store: .sqlite(path: path)) { $0.readingFreshFor = .zero }
    try collector.open()
    for phone in 0..<40 as Range<UInt32> {
      try collector.register(phone)
      for sequence in 1...10 as ClosedRange<UInt32> {
        try collector.upload(LiveCollector.id(phone, sequence))
      }
    }
    return collector
  }

  @Test("an untouched store holds all that was acknowledged, and has no fault")
  func whole() throws {
    let collector = try filled()
    let found = try collector.stored()
    let snapshot = try collector.snapshot()
    #expect(found.ids.count == 400)
    #expect(found.reading.faults.isEmpty && found.reading.faultCount == 0)
    #expect(found.reading.read == 400 && found.reading.hashSum == snapshot.hashSum)
    // What comes later is in a later reading.
    try collector.upload(LiveCollector.id(3, 12))
    #expect(try collector.stored().ids.count == 401)
    #expect(collector.stop())
  }

  @Test("pages of any size hold the same batches")
  func pages() throws {
    let collector = try filled()
    try collector.upload(LiveCollector.id(3, 12))
    let all = try collector.stored().ids
    #expect(try collector.stored(limit: 7).ids == all && all.count == 401)
    #expect(collector.stop())
  }

  @Test("twenty flipped bits are found under a running collector, which knows nothing of them")
  func flipped() throws {
    let collector = try filled()
    _ = try collector.stored()
    // The log is folded in by now: all pages are the file's.
    let file = try FileHandle(forUpdating: URL(filePath: path))
    let size = try file.seekToEnd()
    for number in 1...20 as ClosedRange<UInt64> {
      let place = size / 24 * (number + 2) + 13 * number
      try file.seek(toOffset: place)
      let byte = try #require(try file.read(upToCount: 1)?.first)
      try file.seek(toOffset: place)
      try file.write(contentsOf: Data([byte ^ 0x10]))
    }
    try file.close()
    try collector.upload(LiveCollector.id(3, 11))
    let found = try collector.stored()
    #expect(found.ids.count < 401 && found.reading.faultCount > 0, "\(found.reading)")
    #expect(try collector.snapshot().batches.distinct == 401)
    collector.stop()
  }

  @Test("a file that was cut is found under a running collector")
  func truncated() throws {
    let collector = try filled()
    _ = try collector.stored()
    let file = try FileHandle(forUpdating: URL(filePath: path))
    try file.truncate(atOffset: file.seekToEnd() / 2 / StorePage.bytes * StorePage.bytes)
    try file.close()
    let found = try collector.stored()
    #expect(found.ids.count < 400 && found.reading.faultCount > 0, "\(found.reading)")
    collector.stop()
  }

  @Test("a file that was deleted is found, although the collector can read it to the end")
  func unlinked() throws {
    let collector = try filled()
    try FileManager.default.removeItem(atPath: path)
    let found = try collector.stored()
    #expect(found.ids.isEmpty && found.reading.faultCount == 1)
    #expect(found.reading.faults.first?.contains("deleted, moved or replaced") == true)
    collector.stop()
  }

  @Test("a collector that keeps nothing tells what it knows, and says that nothing was read")
  func none() throws {
    let collector = try LiveCollector(store: .none)
    try collector.open()
    try collector.upload(LiveCollector.id(1, 1))
    let page = try collector.call(
      .holdings, HoldingsRequest(phone: PhoneID(rawValue: 0), epoch: 0, stored: true),
      as: HoldingsReply.self)
    #expect(page.store == nil && page.rows.map(\.phone) == [PhoneID(rawValue: 1)] && !page.more)
    #expect(collector.stop())
  }
}

private enum StorePage { static let bytes = UInt64(StoreSchema.pageBytes) }

/// The same over a database that several collectors may share.
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

extension LiveCollector {
  /// Asks what the store is found to hold, until it has been read.
  func stored(
    limit: UInt32 = 20_000
  ) throws -> (ids: Set<BatchID>, reading: StoreReading) {
    var ids: Set<BatchID> = []
    var next = HoldingsRequest(
      phone: PhoneID(rawValue: 0), epoch: 0, limit: limit, stored: true)
    while true {
      let page = try call(.holdings, next, as: HoldingsReply.self)
      let reading = try #require(page.store)
      guard !reading.isUnderWay else {
        usleep(2_000)
        continue
      }
      for row in page.rows {
        for sequence in Array(row.first...row.contiguous) + row.extra {
          ids.insert(BatchID(phone: row.phone, epoch: row.epoch, sequence: sequence))
        }
      }
      guard page.more, let last = page.rows.last else { return (ids, reading) }
      (next.phone, next.epoch) = (last.phone, last.epoch + 1)
    }
  }

  /// Asks again for as long as it fails.
  func patiently<Answer>(_ body: () throws -> Answer) throws -> Answer {
    for _ in 0..<600 {
      if let answer = try? body() { return answer }
      usleep(50_000)
    }
    return try body()
  }
}
