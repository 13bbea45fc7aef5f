import Core
import Foundation
import TestSupport
import Testing
import Wire

@testable import Collector
@testable import CollectorSupport

/// A collector's answers after another process changed its store.
@Suite("Reading the store again at the end of a run", .quick)
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

  @Test("an untouched store holds all acknowledged batches, and has no fault")
  func whole() throws {
    let collector = try filled()
    let found = try collector.stored()
    let snapshot = try collector.snapshot()
    #expect(found.ids.count == 400)
    #expect(found.reading.faults.isEmpty && found.reading.faultCount == 0)
    #expect(found.reading.read == 400 && found.reading.hashSum == snapshot.hashSum)
    // Later batches are in a later reading.
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

  @Test("twenty flipped bits are found under a running collector, which does not notice them")
  func flipped() throws {
    let collector = try filled()
    _ = try collector.stored()
    // The log is checkpointed by now: all pages are in the file.
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

  @Test("a truncated file is found under a running collector")
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

  @Test("a deleted file is found, although the collector can read it to the end")
  func unlinked() throws {
    let collector = try filled()
    try FileManager.default.removeItem(atPath: path)
    let found = try collector.stored()
    #expect(found.ids.isEmpty && found.reading.faultCount == 1)
    #expect(found.reading.faults.first?.contains("deleted, moved or replaced") == true)
    collector.stop()
  }

  @Test("a collector that keeps nothing reports its counts, and that nothing was read")
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
