import Core
import TestSupport
import Testing

@testable import ServerLogic

@Suite("Dedupe and ledger", .quick)
struct DedupeTests {
  @Test("a phone is 56 bytes, the calendar included: 56 MB a million")
  func rowSize() {
    #expect(MemoryLayout<LastSeen>.stride == 56)
  }

  @Test("a batch is stored once, with any order and gaps of sequence numbers")
  func once() {
    var line = Timeline()
    for sequence: UInt32 in [1, 2, 3, 6, 5, 9, 4, 7] {
      #expect(line.report(1, at: 1, sequence: sequence) == .stored)
    }
    for sequence: UInt32 in [1, 2, 3, 4, 5, 6, 7, 9] {
      #expect(line.report(1, at: 2, sequence: sequence) == .duplicate)
    }
    #expect(line.report(1, at: 2, sequence: 8) == .stored)
    let holdings = line.backend.holdings(from: PhoneID(rawValue: 0), limit: 4)
    #expect(holdings.map(\.phone.rawValue) == [1])
    let held = holdings[0].runs.flatMap { $0.low...$0.high }
    #expect(held == Array(1...9))
  }

  @Test("a new installation starts at 1, and the old one is remembered")
  func epochs() {
    var line = Timeline()
    line.report(1, at: 1, sequence: 1, epoch: 1)
    line.report(1, at: 1, sequence: 2, epoch: 1)
    #expect(line.report(1, at: 2, sequence: 1, epoch: 2) == .stored)
    #expect(line.report(1, at: 2, sequence: 2, epoch: 1) == .duplicate)
    #expect(line.report(1, at: 2, sequence: 3, epoch: 1) == .stored)
    #expect(line.report(1, at: 2, sequence: 1, epoch: 2) == .duplicate)
  }

  @Test("every reason of rejection is named, counted, and changes nothing in the table")
  func rejections() {
    var line = Timeline()
    let at = Timeline.minute(10)
    func ingest(_ id: BatchID, _ fixes: [Fix]) -> IngestResult {
      fixes.withUnsafeBufferPointer { line.backend.ingest(id, fixes: $0, at: at) }
    }
    let id = BatchID(phone: PhoneID(rawValue: 1), epoch: 1, sequence: 1)
    let unknownPhone = BatchID(phone: PhoneID(rawValue: 4), epoch: 1, sequence: 1)
    let zero = BatchID(phone: PhoneID(rawValue: 1), epoch: 1, sequence: 0)
    let good = Fix.sample(at: at)
    #expect(ingest(unknownPhone, [good]) == .rejected(.unknownPhone))
    #expect(ingest(zero, [good]) == .rejected(.sequenceZero))
    #expect(ingest(id, []) == .rejected(.noFixes))
    #expect(
      ingest(id, [good, .sample(at: at, latitudeE6: 90_000_001)])
        == .rejected(.coordinateOutOfRange))
    #expect(
      ingest(id, [.sample(at: at, longitudeE6: .min)]) == .rejected(.coordinateOutOfRange))
    #expect(
      ingest(id, [.sample(at: SimInstant(microseconds: 946_684_799_990_000))])
        == .rejected(.beforeYear2000))
    #expect(
      ingest(id, [.sample(at: at + FixLimits.futureTolerance + .milliseconds(10))])
        == .rejected(.fromTheFuture))
    var odd = good
    for accuracy in [0, 50_001] as [UInt16] {
      odd.accuracyMeters = accuracy
      #expect(ingest(id, [good, odd]) == .rejected(.accuracyOutOfRange))
    }
    odd = good
    for speed in [-2, 5_151] as [Int16] {
      odd.speedDecimetersPerSecond = speed
      #expect(ingest(id, [odd]) == .rejected(.speedOutOfRange))
    }
    odd = good
    for course in [-2, 361] as [Int16] {
      odd.courseDegrees = course
      #expect(ingest(id, [odd]) == .rejected(.courseOutOfRange))
    }
    let failure = [good, odd].withUnsafeBufferPointer {
      line.backend.inspect(id, fixes: $0, at: at)
    }
    guard case .failure(let failure) = failure else { return #expect(Bool(false)) }
    #expect(failure.description == "courseOutOfRange: fix 1 has 361")
    #expect(ingest(id, [.sample(at: at + .minutes(5))]) == .stored)
    #expect(line.backend.ledger.batches.rejectedInAll == 13)
    #expect(line.backend.ledger.fixes.rejectedInAll == 15)
    #expect(line.backend.ledger.batches.distinct == 1)
    #expect(line.backend.ledger.isExact)
  }

  @Test("received = distinct + duplicate + rejected, and the hash sum is that of the set")
  func property() {
    var chance = Draw(seed: 1, phone: 0, Purpose(rawValue: 999))
    var line = Timeline(phones: 20)
    var expected: [BatchID: UInt64] = [:]
    var sent: UInt64 = 0
    for _ in 0..<5_000 {
      let id = BatchID(
        phone: PhoneID(rawValue: UInt32.random(in: 0..<22, using: &chance)),
        epoch: UInt32.random(in: 1...2, using: &chance),
        // So few that no phone leaves more gaps than are remembered.
        sequence: UInt32.random(in: 0...14, using: &chance))
      // A batch's content follows from its id, as in a resend.
      let count = Int(id.sequence % 4)
      let fixes = (0..<count).map {
        Fix.sample(at: Timeline.minute(Double(id.sequence)), accuracy: UInt16($0 + 1))
      }
      sent += 1
      let result = fixes.withUnsafeBufferPointer {
        line.backend.ingest(id, fixes: $0, at: Timeline.minute(100))
      }
      let isGood = id.phone.rawValue < 20 && id.sequence > 0 && count > 0
      switch result {
      case .stored:
        #expect(isGood && expected[id] == nil)
        var hash = BatchHash(key: 7, id)
        for fix in fixes { hash.combine(fix) }
        expected[id] = hash.value
      case .duplicate: #expect(expected[id] != nil)
      case .rejected: #expect(!isGood)
      }
    }
    let ledger = line.backend.ledger
    #expect(ledger.isExact)
    #expect(ledger.batches.received == sent)
    #expect(ledger.batches.distinct == UInt64(expected.count))
    #expect(ledger.batches.duplicate > 0)
    #expect(ledger.hashSum == expected.values.reduce(0, &+))
    let held = line.backend.holdings(from: PhoneID(rawValue: 0), limit: 20).flatMap { holding in
      holding.runs.flatMap { run in
        (run.low...run.high).map {
          BatchID(phone: holding.phone, epoch: run.epoch, sequence: $0)
        }
      }
    }
    #expect(Set(held) == Set(expected.keys))
    #expect(held.count == expected.count)
  }

  @Test("a phone restored from another server is deduplicated and due as it was there")
  func restore() {
    var yesterday = Timeline()
    yesterday.register(1)
    yesterday.report(1, at: 5)
    yesterday.report(1, at: 6)
    var today = Timeline()
    today.backend.restore(
      yesterday.backend.snapshot(of: PhoneID(rawValue: 1)), at: Timeline.minute(7))
    #expect(today.report(1, at: 8, sequence: 2) == .duplicate)
    #expect(today.backend.ledger.batches.distinct == 0)
    #expect(today.pushes(from: 8, through: 66) == [.init(minute: 66, phone: 1)])
  }
}
