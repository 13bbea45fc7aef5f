import Core
import Foundation
import ServerLogic
import TestSupport
import Testing
import Wire

@testable import Collector
@testable import CollectorSupport

/// The store's tables other than batches, and where the file may be.
@Suite("Other tables and location of a store", .quick)
struct StoreTablesTests {
  let folder = TemporaryFolder()

  /// A store of twenty batches of two phones.
  private func filled() throws -> String {
    let path = folder.path("run.db")
    let collector = try LiveCollector(store: .sqlite(path: path))
    try collector.open()
    for sequence in 1...10 as ClosedRange<UInt32> {
      for phone in 1...2 as ClosedRange<UInt32> {
        try collector.upload(LiveCollector.id(phone, sequence))
      }
    }
    collector.stop()
    return path
  }

  private func change(_ path: String, _ sql: String) throws { try Database(path: path).run(sql) }

  private func audit(_ path: String) throws -> AuditReport {
    try StoreAudit.run(.sqlite(path: path))
  }

  private func isRefused(_ path: String) -> Bool {
    do {
      _ = try CollectorServer(CollectorConfiguration(store: .sqlite(path: path)))
      return false
    } catch CollectorError.store(.damaged) {
      return true
    } catch {
      return false
    }
  }

  @Test(
    "a row of another table that was altered, deleted or added is found, and is not resumed",
    arguments: [
      ("UPDATE phones SET high = high + 4 WHERE phone = 7", "table phones"),
      ("UPDATE phones SET authorization = 1 WHERE phone = 7", "table phones"),
      ("DELETE FROM phones WHERE phone = 7", "40 rows committed, 39 found"),
      ("UPDATE occasions SET withheld = 1 - withheld", "table occasions"),
      ("INSERT INTO occasions VALUES(NULL, 1, 1, 0)", "1 rows committed, 2 found"),
      ("UPDATE meta SET value = value + 1 WHERE key = 'run_wall_us'", "table meta"),
      ("UPDATE sums SET hashes = hashes + 1 WHERE name = 'phones'", "table phones"),
    ])
  func otherTables(sql: String, finding: String) throws {
    let path = folder.path("run.db")
    var file = try StoreFile(path: path)
    var group = CommitGroup()
    let request = group.append(try MessageCodec().encode(LiveCollector.openRequest()))
    group.records = [
      .run(
        id: group.append("run-1".utf8), request: request,
        openedAtWall: WallInstant(microseconds: 5)),
      .occasion(WakeOccasion(pushID: 1, at: LiveCollector.start, isWithheld: false)),
    ]
    for phone in 0..<40 as Range<UInt32> {
      // A second report changes a row, and adds none.
      for isValid in [true, false] {
        group.records.append(
          .registration(
            PhoneID(rawValue: phone), .always, tokenValid: isValid, at: LiveCollector.start))
      }
    }
    #expect(file.commit(group) == nil)
    _ = consume file
    #expect(try audit(path).isIntact)
    try change(path, sql)
    let report = try audit(path)
    #expect(report.findings.contains { "\($0)".contains(finding) }, "\(report.findings)")
    #expect(isRefused(path))
  }

  @Test(
    "a store without sums of its other tables is accepted, and has them once opened",
    arguments: [false, true])
  func earlierProgram(isWritten: Bool) throws {
    let path = try filled()
    try change(path, "DROP TABLE sums")
    #expect(try audit(path).isIntact)
    let collector = try LiveCollector(store: .sqlite(path: path))
    if isWritten { try collector.register(3) }
    collector.stop()
    #expect(try audit(path).isIntact)
    try change(path, "INSERT INTO occasions VALUES(NULL, 1, 1, 0)")
    #expect(try !audit(path).isIntact)
  }

  @Test("a store on read-only media is verified, with and without a write-ahead log")
  func readOnlyMedia() throws {
    let path = try filled()
    var visited = 0
    func audit(_ path: String) throws -> AuditReport {
      visited = 0
      return try StoreAudit.run(
        named: path, dictionary: nil, progress: { _ in true }, visit: { _ in visited += 1 }
      ) { () throws(StoreError) in try SQLiteReader(path: path, mayWrite: false) }
    }
    #expect(try audit(path).isIntact && visited == 20)
    let collector = try LiveCollector(store: .sqlite(path: path))
    try collector.upload(LiveCollector.id(1, 11))
    try folder.copy("run.db", to: "copy #1?.db")
    try folder.copy("run.db-wal", to: "copy #1?.db-wal")
    collector.stop()
    #expect(try audit(folder.path("copy #1?.db")).isIntact && visited == 21)
    let names = try FileManager.default.contentsOfDirectory(atPath: folder.path(""))
    #expect(Set(names) == ["run.db", "copy #1?.db", "copy #1?.db-wal"])
  }
}
