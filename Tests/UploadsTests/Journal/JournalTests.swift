import Core
import Foundation
import TestSupport
import Testing
@testable import Uploads

@Suite("Journal of a fleet", .quick)
struct JournalTests {
  let folder = FileManager.default.temporaryDirectory
    .appendingPathComponent("journal-\(UUID().uuidString)")

  var header = JournalHeader(
    scenarioHash: 11, seed: 7, hashKey: 13, phones: 10, runID: "city-b-now")

  func submission(_ phone: UInt32, _ sequence: UInt32) -> JournalRecord.Submission {
    JournalRecord.Submission(
      id: id(phone, sequence), fixCount: 3, hash: UInt64(phone) * 100 + UInt64(sequence),
      at: SimInstant(microseconds: Int64(sequence) * 1_000_000),
      newest: FixTime(centiseconds: Int64(sequence) * 100), check: 99,
      message: [1, 2, UInt8(sequence)])
  }

  func id(_ phone: UInt32, _ sequence: UInt32) -> BatchID {
    BatchID(phone: PhoneID(rawValue: phone), epoch: 1, sequence: sequence)
  }

  func submit(_ batches: [(UInt32, UInt32)], to journal: FleetJournal) {
    for (phone, sequence) in batches {
      journal.submit(submission(phone, sequence), as: id(phone, sequence))
    }
    journal.flush()
  }

  func reopened<Value>(_ body: (JournalContent) throws -> Value) throws -> Value {
    let journal = try FleetJournal(directory: folder.path, header)
    return try body(try #require(journal.earlier))
  }

  @Test("a restarted fleet finds unacknowledged batches, byte for byte, in order")
  func nextLife() throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    do {
      let journal = try FleetJournal(directory: folder.path, header)
      #expect(journal.earlier == nil)
      submit([(3, 1), (1, 1), (1, 2), (2, 1)], to: journal)
      // Sent again by its phone: the same batch, written once.
      submit([(1, 2)], to: journal)
      journal.append([.acknowledged(id(1, 1), duplicate: true), .refused(id(2, 1))])
    }
    try reopened { content in
      #expect(content.open == [submission(1, 2), submission(3, 1)])
      #expect(content.batches.count == 4)
      #expect(content.duplicates == 1)
      #expect(content.highest[PhoneID(rawValue: 1)] == id(1, 2).order)
      #expect(content.newest[PhoneID(rawValue: 1)] == FixTime(centiseconds: 200))
      #expect(content.last == SimInstant(microseconds: 2_000_000))
      #expect(content.lives == 1)
    }
    let content = try FleetJournal.read(directory: folder.path)
    #expect(content.lives == 2)
    #expect(content.resent == 2)
  }

  @Test("a tail torn anywhere is cut off, and later records are whole")
  func tornTail() throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    do {
      let journal = try FleetJournal(directory: folder.path, header)
      submit([(1, 1), (1, 2)], to: journal)
    }
    let file = FleetJournal.path(in: folder.path)
    let whole = try Data(contentsOf: URL(fileURLWithPath: file))
    let last = RecordHead.bytes + 42 + 3
    for cut in 1...last {
      try whole.dropLast(cut).write(to: URL(fileURLWithPath: file))
      try reopened { #expect($0.batches.keys.map(\.sequence) == [1], "cut off \(cut)") }
      #expect(try FleetJournal.read(directory: folder.path).lives == 2)
    }
  }

  @Test("damage before the last record is no torn tail, but an error")
  func damage() throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    do {
      let journal = try FleetJournal(directory: folder.path, header)
      submit([(1, 1), (1, 2)], to: journal)
    }
    let file = URL(fileURLWithPath: FleetJournal.path(in: folder.path))
    let whole = try Data(contentsOf: file)
    for place in [9, 20, 60] {
      var broken = whole
      broken[place] ^= 0xFF
      try broken.write(to: file)
      #expect(throws: JournalError.self, "byte \(place)") { try reopened { _ in } }
    }
  }

  @Test("the journal of an older version is refused, with what to do, and is not changed")
  func older() throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    let file = URL(fileURLWithPath: FleetJournal.path(in: folder.path))
    let old = Data([0, 0, 0, 43, 1, 2, 3, 4, 1] + [UInt8](repeating: 7, count: 42))
    try old.write(to: file)
    let error = #expect(throws: JournalError.self) { try reopened { _ in } }
    let text = "\(try #require(error))"
    #expect(text.contains("it is not a file of this version"), "\(text)")
    #expect(text.contains("Move it away, or choose another run.state."))
    #expect(try Data(contentsOf: file) == old)
  }

  @Test("a record with an impossible time or number is damage, whatever its check")
  func impossible() throws {
    for change in [
      { (batch: inout JournalRecord.Submission) in batch.at = SimInstant(microseconds: .max) },
      { $0.at = SimInstant(microseconds: .min) },
      { $0.newest = FixTime(centiseconds: .max) }, { $0.newest = FixTime(centiseconds: .min) },
      { $0.id.sequence = .max },
    ] {
      defer { try? FileManager.default.removeItem(at: folder) }
      do {
        let journal = try FleetJournal(directory: folder.path, header)
        var batch = submission(1, 1)
        change(&batch)
        journal.append([.submitted(batch), .refused(id(1, 1))])
      }
      #expect(throws: JournalError.self) { try reopened { _ in } }
    }
  }

  @Test("another scenario, seed or number of phones is another run, and named")
  func otherRun() throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    _ = try FleetJournal(directory: folder.path, header)
    for change in [
      { (header: inout JournalHeader) in header.seed = 8 },
      { $0.scenarioHash = 12 }, { $0.phones = 11 },
    ] {
      var other = header
      change(&other)
      #expect {
        try FleetJournal(directory: folder.path, other)
      } throws: { error in
        guard case .otherRun? = error as? JournalError else { return false }
        return true
      }
    }
  }

  @Test("a file at the folder's path is refused, and the message says so")
  func file() throws {
    let path = folder.path
    defer { try? FileManager.default.removeItem(at: folder) }
    try Data("notes".utf8).write(to: folder)
    #expect(throws: JournalError.noFolder(path: path)) {
      try FleetJournal(directory: path, header)
    }
    #expect("\(JournalError.noFolder(path: path))".contains("is a file"))
    #expect(try Data(contentsOf: folder) == Data("notes".utf8))
  }

  @Test("two fleets cannot write one journal")
  func inUse() throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    let journal = try FleetJournal(directory: folder.path, header)
    #expect(throws: JournalError.inUse(path: journal.path)) {
      try FleetJournal(directory: folder.path, header)
    }
    withExtendedLifetime(journal) {}
  }

  @Test("a proof names lost, duplicate, unequal and foreign batches, and no others")
  func proof() throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    do {
      let journal = try FleetJournal(directory: folder.path, header)
      submit([(1, 1), (1, 2), (1, 3), (2, 1)], to: journal)
      journal.append([1, 2, 3].map { .acknowledged(id(1, $0), duplicate: false) })
    }
    let content = try FleetJournal.read(directory: folder.path)
    var good = LedgerProof(content)
    // A batch without an answer may be held or not.
    for sequence in UInt32(1)...3 {
      good.take(id(1, sequence), fixes: 3, hash: 100 + UInt64(sequence))
    }
    good.finish()
    #expect(good.holds)
    #expect(good.open == 1)
    var bad = LedgerProof(content)
    bad.take(id(1, 1), fixes: 3, hash: 101)
    bad.take(id(1, 1), fixes: 3, hash: 101)
    bad.take(id(1, 2), fixes: 2, hash: 102)
    bad.take(id(9, 9), fixes: 3, hash: 1)
    bad.finish()
    #expect(bad.twice == [id(1, 1)])
    #expect(bad.unequal == [id(1, 2)])
    #expect(bad.foreign == [id(9, 9)])
    #expect(bad.lost == [id(1, 3)])
    #expect(bad.differences.count == 4)
    #expect(bad.differences[0].contains("phone 1 batch 3"))
  }
}
