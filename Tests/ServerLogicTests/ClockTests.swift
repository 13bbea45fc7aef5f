import Core
import Scenarios
import TestSupport
import Testing

@testable import ServerLogic

@Suite("Phone clocks as seen by a server", .quick)
struct ClockTests {
  @Test("CK2: stamps after their receipt are stored and counted, by phone and by batch")
  func ahead() {
    var line = Timeline(phones: 5)
    line.report(0, at: 10, taken: 10)
    // Phone 1 is an hour ahead; half of its first batch's delay hides it.
    #expect(line.report(1, at: 10, taken: 40) == .stored)
    #expect(line.report(1, at: 20, taken: 80) == .stored)
    // Phone 2 is days ahead, phone 3 is half an hour behind, or its batches are late.
    #expect(line.report(2, at: 10, taken: 10 + 3 * 1_440) == .stored)
    line.report(3, at: 60, taken: 0)
    line.report(3, at: 90, taken: 59.5)
    let clocks = line.backend.clocks()
    #expect(clocks.phones == 4 && clocks.stampedAhead == 3)
    #expect(clocks.ahead.second == 2 && clocks.ahead.minute == 2)
    #expect(clocks.ahead.halfHour == 2 && clocks.ahead.halfDay == 1)
    #expect(clocks.late.minute == 1 && clocks.late.halfHour == 1 && clocks.late.halfDay == 0)
  }

  @Test("CK2: a duplicate adds no clock sample")
  func duplicate() {
    var line = Timeline(phones: 1)
    line.report(0, at: 10, taken: 15, sequence: 1)
    let before = line.backend.clocks()
    #expect(line.report(0, at: 11, taken: 15, sequence: 1) == .duplicate)
    #expect(line.backend.clocks() == before)
  }

  @Test("CK2: after a clock is set back the later sequence is the newest, whatever its stamp")
  func jump() {
    var line = Timeline(phones: 1)
    let phone = PhoneID(rawValue: 0)
    line.report(0, at: 10, taken: 130, sequence: 1)
    // Set right: the stamps jump back by two hours.
    line.report(0, at: 20, taken: 20, sequence: 3)
    #expect(line.backend.lastSeen(phone).newestFix == FixTime(Timeline.minute(20)))
    // A batch in flight since before the change does not take its place.
    line.report(0, at: 21, taken: 18, sequence: 2)
    #expect(line.backend.lastSeen(phone).newestFix == FixTime(Timeline.minute(20)))
    #expect(line.backend.lastSeen(phone).run.high == 3)
  }

  @Test("a server before 2000 accepts stamps of its own time, and none that is unset")
  func beforeYear2000() {
    let summer1999 = SimInstant(microseconds: 928_224_000_000_000)
    var line = Timeline(phones: 1)
    func ingest(_ sequence: UInt32, stamped: SimInstant) -> IngestResult {
      [.sample(at: stamped)].withUnsafeBufferPointer {
        line.backend.ingest(
          BatchID(phone: PhoneID(rawValue: 0), epoch: 1, sequence: sequence), fixes: $0,
          at: summer1999)
      }
    }
    #expect(ingest(1, stamped: summer1999) == .stored)
    #expect(ingest(2, stamped: summer1999 - .hours(24 * 30)) == .stored)
    #expect(ingest(3, stamped: SimInstant(microseconds: 0)) == .rejected(.beforeYear2000))
  }

  @Test("a phone known only by its batches is due at once, in any year")
  func beforeYear1970() {
    var line = Timeline(phones: 2)
    for phone in 0..<2 as Range<UInt32> {
      let row = PhoneSnapshot(
        phone: PhoneID(rawValue: phone), authorization: .always, tokenValid: true,
        reportedAt: .distantPast, chosenAt: .distantPast, newestFix: LastSeen.neverSeen,
        coordinate: Coordinate(latitudeE6: 0, longitudeE6: 0),
        sequences: SequenceRun(epoch: 1, low: 1, high: 3))
      // A restarted collector passes the instant of the report as the present one.
      line.backend.restore(row, at: phone == 0 ? .distantPast : Timeline.minute(0))
    }
    #expect(line.pushes(from: 1, through: 1).map(\.phone) == [0, 1])
  }

  @Test("CK1: under any scenario setting, no clock's stamps are refused as from the future")
  func tolerance() {
    #expect(FixLimits.futureTolerance > ClockErrors.most + .hours(24))
  }
}
