import Core
import Foundation
import ServerLogic
import TestSupport
import Testing
import Wire

@testable import Collector
@testable import CollectorSupport

@Suite("Damaged and inaccessible stores", .quick)
struct StoreDamageTests {
  let folder = TemporaryFolder()
  private static let page = UInt64(StoreSchema.pageBytes)

  /// A run of 40 phones with 10 batches each, ended cleanly: 400 rows on about ten pages. Created
  /// once, since each of its acks waits for the disk.
  private static let sample = Result {
    let folder = TemporaryFolder()
    let collector = try LiveCollector(store: .sqlite(path: folder.path("run.db")))
    try collector.open()
    for phone in 0..<40 as Range<UInt32> {
      for sequence in 1...10 as ClosedRange<UInt32> {
        try collector.upload(LiveCollector.id(phone, sequence))
      }
    }
    collector.stop()
    return try Data(contentsOf: URL(filePath: folder.path("run.db")))
  }

  private func filled() throws -> String {
    try Self.sample.get().write(to: URL(filePath: folder.path("run.db")))
    return folder.path("run.db")
  }

  private func overwrite(_ path: String, at offset: UInt64, with bytes: [UInt8]) throws {
    let file = try FileHandle(forUpdating: URL(filePath: path))
    try file.seek(toOffset: offset)
    try file.write(contentsOf: Data(bytes))
    try file.close()
  }

  private func change(_ path: String, _ sql: String) throws {
    try Database(path: path).run(sql)
  }

  private func audit(_ path: String) throws -> AuditReport {
    try StoreAudit.run(.sqlite(path: path))
  }

  /// The error with which a collector refuses to start. It must not change the file.
  private func refusal(_ path: String) -> StoreError? {
    do {
      _ = try CollectorServer(CollectorConfiguration(store: .sqlite(path: path)))
      return nil
    } catch CollectorError.store(let error) {
      return error
    } catch {
      return nil
    }
  }

  private func isRefused(_ path: String) -> Bool {
    switch refusal(path) {
    case .corrupt, .damaged: true
    default: false
    }
  }

  @Test("an intact store passes, every batch is visited, and its sums equal the ledger's")
  func intact() throws {
    let path = try filled()
    var visited: [BatchID] = []
    let report = try StoreAudit.run(.sqlite(path: path), visit: { visited.append($0.id) })
    #expect(report.isIntact, "\(report.findings)")
    #expect(report.found == report.committed)
    #expect(report.found.batches == 400 && report.phones == 40 && report.installations == 40)
    #expect(report.gaps == 0)
    #expect(Set(visited).count == 400)
    #expect(report.found.hashSum == visited.map { LiveCollector.hash(of: $0) }.reduce(0, &+))
    #expect(!FileManager.default.fileExists(atPath: path + "-wal"))
  }

  @Test("gaps and new installations are reported, and are not damage")
  func gaps() throws {
    let collector = try LiveCollector(store: .sqlite(path: folder.path("run.db")))
    try collector.open()
    for sequence: UInt32 in [1, 2, 5, 9] { try collector.upload(LiveCollector.id(3, sequence)) }
    try collector.upload(LiveCollector.id(3, 2, epoch: 2))
    collector.stop()
    let report = try audit(folder.path("run.db"))
    #expect(report.isIntact)
    #expect(report.installations == 2 && report.phones == 1)
    #expect(report.gaps == 3 && report.missingNumbers == 2 + 3 + 1)
    #expect(report.someGaps.map(\.first) == [3, 6, 1])
  }

  @Test("a missing row is reported by number, and the collector does not resume the rest")
  func vanished() throws {
    let path = try filled()
    try change(path, "DELETE FROM batches WHERE number IN (7, 8, 400)")
    let report = try audit(path)
    #expect(report.findings.contains(.missing(first: 7, last: 8)))
    #expect(report.findings.contains(.missing(first: 400, last: 400)))
    #expect(report.findings.contains(.otherTotal("batches", committed: 400, found: 397)))
    #expect(isRefused(path))
  }

  @Test(
    "an altered row is reported",
    arguments: [
      ("hash = hash + 1", "its fixes differ"), ("sequence = 77", "its fixes differ"),
      ("payload = zeroblob(40)", "does not decode"), ("fix_count = 9", "its fixes differ"),
      ("scenario_us = scenario_us + 1", "arrival times"),
    ])
  func altered(change: String, finding: String) throws {
    let path = try filled()
    try self.change(path, "UPDATE batches SET \(change) WHERE number = 33")
    let report = try audit(path)
    #expect(report.findings.contains { "\($0)".contains(finding) }, "\(report.findings)")
    if finding != "arrival times" {
      #expect(report.findings.contains { "\($0)".hasPrefix("row 33, phone 3, epoch 1") })
    }
    #expect(isRefused(path))
  }

  @Test("a batch stored twice is reported")
  func twice() throws {
    let path = try filled()
    try change(
      path,
      """
      INSERT INTO batches SELECT NULL, phone, epoch, sequence, scenario_us, wall_us, fix_count,
        hash, encoding, uncompressed_size, payload FROM batches WHERE number = 12
      """)
    #expect(try audit(path).findings.contains(.twice(LiveCollector.id(1, 2))))
    #expect(isRefused(path))
  }

  @Test(
    "values that no collector writes are damage, and crash nothing",
    arguments: [
      "INSERT INTO phones VALUES(4000000000, 3, 1, 0, 0, 0, 0, 0, 1, 1, 3, -1, 0)",
      "INSERT INTO phones VALUES(50, 3, 1, 9223372036854775807, 0, 0, 0, 0, 1, 1, 3, -1, 0)",
      "INSERT INTO phones VALUES(50, 3, 1, 0, 0, 9223372036854775807, 0, 0, 1, 1, 3, -1, 0)",
      "INSERT INTO phones VALUES(50, 3, 1, 0, 0, 0, 0, 0, 1, 3, 4294967295, -1, 0)",
      "INSERT INTO occasions VALUES(1, 1, -9223372036854775808, 0)",
      "UPDATE meta SET value = 9223372036854775807 WHERE key = 'run_wall_us'",
      "UPDATE batches SET scenario_us = 9223372036854775807 WHERE number = 7",
      "UPDATE batches SET number = 9223372036854775807 WHERE number = 400",
      "UPDATE totals SET batches = -1",
    ])
  func impossible(sql: String) throws {
    let path = try filled()
    try change(path, sql)
    // The audit's result is a separate matter.
    _ = try? audit(path)
    if !sql.contains("SET number") { #expect(isRefused(path), "\(sql)") }
  }

  @Test("a page of zeros or noise, or a truncated file, is detected, and no collector resumes it")
  func pages() throws {
    let path = try filled()
    let size = try #require(
      try FileManager.default.attributesOfItem(atPath: path)[.size] as? UInt64)
    let noise = (0..<Self.page).map { UInt8(truncatingIfNeeded: Draw.mix($0)) }
    for (name, number) in [("first", 0), ("early", 6), ("middle", size / Self.page / 2)] {
      let zeros = [UInt8](repeating: 0, count: Int(Self.page))
      for (kind, bytes) in [("zeros", zeros), ("noise", noise)] {
        let copy = "\(name)-\(kind).db"
        try folder.copy("run.db", to: copy)
        try overwrite(folder.path(copy), at: number * Self.page, with: bytes)
        if name == "first" {
          #expect(throws: StoreError.self) { try audit(folder.path(copy)) }
        } else {
          #expect(try !audit(folder.path(copy)).isIntact, "\(copy)")
        }
        #expect(refusal(folder.path(copy)) != nil, "\(copy)")
      }
    }
    try folder.copy("run.db", to: "cut.db")
    try FileHandle(forUpdating: URL(filePath: folder.path("cut.db"))).truncate(
      atOffset: size / Self.page / 2 * Self.page)
    #expect(try !audit(folder.path("cut.db")).isIntact)
    #expect(isRefused(folder.path("cut.db")))
  }

  @Test("a header that is damaged after its first bytes is damage, not another kind of file")
  func header() throws {
    let path = try filled()
    try overwrite(path, at: 16, with: [0xFF, 0xFF, 0xFF, 0xFF])
    let report = try audit(path)
    #expect(report.findingsInAll == 1)
    #expect(isRefused(path))
  }

  @Test("a truncated or corrupt write-ahead log loses its tail: a whole prefix remains")
  func tornLog() throws {
    let collector = try LiveCollector(store: .sqlite(path: folder.path("run.db")))
    try collector.open()
    for sequence in 1...50 as ClosedRange<UInt32> {
      try collector.upload(LiveCollector.id(1, sequence))
    }
    let log = try Data(contentsOf: URL(filePath: folder.path("run.db-wal")))
    for (name, end) in [("third", log.count / 3), ("torn", log.count - 1_001), ("none", 10)] {
      for hasGarbage in [false, true] {
        let copy = "\(name)-\(hasGarbage).db"
        try folder.copy("run.db", to: copy)
        var cut = Data(log.prefix(end))
        if hasGarbage { cut += Data((0..<9_000).map { UInt8(truncatingIfNeeded: $0 &* 31) }) }
        try cut.write(to: URL(filePath: folder.path(copy + "-wal")))
        guard name != "none" else {
          // All was in the log: nothing remains, and no batch in part.
          #expect(throws: StoreError.self) { try audit(folder.path(copy)) }
          continue
        }
        let report = try audit(folder.path(copy))
        #expect(report.isIntact, "\(report.findings)")
        #expect((1..<50).contains(Int(report.found.batches)) && report.gaps == 0)
        // The audit has changed nothing.
        #expect(try Data(contentsOf: URL(filePath: folder.path(copy + "-wal"))) == cut)
        let next = try LiveCollector(store: .sqlite(path: folder.path(copy)))
        #expect(try next.snapshot().batches.distinct == report.found.batches)
        next.stop()
      }
    }
    collector.stop()
  }

  @Test("an audit is refused while a collector has the store open, and the collector continues")
  func inUse() throws {
    let path = folder.path("run.db")
    let collector = try LiveCollector(store: .sqlite(path: path))
    try collector.open()
    try collector.upload(LiveCollector.id(1, 1))
    #expect(throws: StoreError.inUse(path: path)) { try audit(path) }
    #expect(refusal(path) == .inUse(path: path))
    #expect(try collector.upload(LiveCollector.id(1, 2)).duplicate == false)
    collector.stop()
    #expect(try audit(path).found.batches == 2)
  }

  @Test("no file, an empty one, text, a folder and another program's database are distinguished")
  func noStore() throws {
    try Data().write(to: URL(filePath: folder.path("empty")))
    try Data("phone,epoch\n1,1\n".utf8).write(to: URL(filePath: folder.path("text")))
    try change(folder.path("other.db"), "CREATE TABLE songs(title TEXT)")
    let before = try Data(contentsOf: URL(filePath: folder.path("other.db")))
    for name in ["nowhere", "empty", "text", "other.db"] {
      do throws(StoreError) {
        _ = try StoreAudit.run(.sqlite(path: folder.path(name)))
        Issue.record("\(name) was read")
      } catch {
        guard case .noStore = error else {
          Issue.record("\(name): \(error)")
          continue
        }
        #expect("\(error)".contains(name))
      }
    }
    #expect(refusal(folder.path("other.db")) != nil)
    #expect(try Data(contentsOf: URL(filePath: folder.path("other.db"))) == before)
    // The folder itself is at the file's path.
    guard case .cannotOpen = refusal(folder.path("")) else {
      Issue.record("a folder was opened")
      return
    }
  }

  @Test("a store of an earlier schema is refused by number, and is not changed")
  func otherSchema() throws {
    let path = try filled()
    try change(path, "UPDATE meta SET value = 2 WHERE key = 'schema'; DROP TABLE totals")
    #expect(refusal(path) == .otherSchema(path: path, found: 2, wanted: StoreSchema.version))
    #expect(throws: StoreError.otherSchema(path: path, found: 2, wanted: StoreSchema.version)) {
      try audit(path)
    }
  }

  @Test("after the first damaged page nothing is acknowledged any more")
  func damagedWhileRunning() throws {
    let path = folder.path("run.db")
    var file = try StoreFile(path: path)
    func group(_ sequence: UInt32) -> CommitGroup {
      var group = CommitGroup()
      group.records = [
        .batch(
          StoredBatch(
            id: LiveCollector.id(1, sequence), receivedAt: LiveCollector.start,
            receivedAtWall: WallInstant(microseconds: 0), fixCount: 1, hash: 5, encoding: 1,
            uncompressedSize: 1), OpenStore.update(at: LiveCollector.start), payload: 0..<0)
      ]
      return group
    }
    #expect(file.commit(group(1)) == nil)
    // Its pages leave log and cache, so that they are read from disk.
    let flush = "PRAGMA wal_checkpoint(TRUNCATE); PRAGMA shrink_memory"
    try file.database.run(flush)
    let whole = try Data(contentsOf: URL(filePath: path))
    let noise = [UInt8](repeating: 0xAA, count: Int(Self.page))
    for page in 1..<UInt64(whole.count) / Self.page {
      try overwrite(path, at: page * Self.page, with: noise)
    }
    guard case .corrupt? = file.commit(group(2)) else {
      Issue.record("committed into a damaged file")
      return
    }
    // The page is restored, as with a loose cable; other pages may still be lost.
    try whole.write(to: URL(filePath: path), options: [])
    try file.database.run("PRAGMA shrink_memory")
    guard case .corrupt? = file.commit(group(3)) else {
      Issue.record("went on after damage")
      return
    }
    #expect(file.totals.batches == 1)
  }
}

@Suite("Commit groups", .quick)
struct CommitGroupTests {
  @Test(
    "a group is bounded in records and in bytes, and groups are committed in the order of arrival")
  func bounds() {
    var box = StoreMailbox()
    func put(_ token: UInt64, bytes: Int) {
      box.put(
        token,
        { group in
          _ = group.append([UInt8](repeating: 0, count: bytes))
          return .occasion(
            WakeOccasion(pushID: token, at: LiveCollector.start, isWithheld: false))
        }, at: { WallInstant(microseconds: Int64(token)) })
    }
    let records = UInt64(CommitGroup.recordsMax)
    for token in 0..<(2 * records + 1) { put(token, bytes: 1) }
    put(2 * records + 1, bytes: CommitGroup.bytesMax)
    put(2 * records + 2, bytes: 1)
    #expect(box.hasFull)
    #expect(box.oldestSince == WallInstant(microseconds: 0))
    var group = CommitGroup()
    var sizes: [Int] = []
    var tokens: [UInt64] = []
    while box.take(into: &group, 1) {
      sizes.append(group.records.count)
      tokens += group.tokens
      box.ended(&group, CommitReport(tokens: [], took: .zero))
      #expect(group.records.isEmpty)
    }
    #expect(sizes == [CommitGroup.recordsMax, CommitGroup.recordsMax, 2, 1])
    #expect(tokens == Array(0..<(2 * records + 3)))
    #expect(box.oldestSince == nil && box.reports.count == 4)
  }
}
