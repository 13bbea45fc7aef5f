import Core
import Foundation
import ServerLogic
import TestSupport
import Testing

@testable import Run

@Suite("A server's state of its phones, on disk", .quick)
struct SnapshotSpillTests {
  private func snapshot(_ number: Int) -> PhoneSnapshot {
    PhoneSnapshot(
      phone: PhoneID(rawValue: UInt32(number)), authorization: .always, tokenValid: number % 2 == 0,
      reportedAt: SimInstant(microseconds: Int64(number) * 7), chosenAt: .distantPast,
      newestFix: FixTime(centiseconds: Int64(number)),
      coordinate: Coordinate(latitudeE6: Int32(number), longitudeE6: -Int32(number)),
      sequences: SequenceRun(epoch: 1, low: 1, high: UInt32(number)),
      answers: number % 3 == 0 ? AnswerHistory(share: 9, unanswered: 2) : nil)
  }

  @Test(
    "reads back unchanged and in order, with any number and location of pages",
    arguments: [0, 1, 9_999, 10_000, 20_001], [true, false])
  func comesBack(count: Int, hasDisk: Bool) {
    let spool =
      hasDisk ? SnapshotSpill() : SnapshotSpill(in: URL(fileURLWithPath: "/nowhere/at/all"))
    for number in 0..<count { spool.append(snapshot(number)) }
    #expect(spool.count == count)
    // It is read again for each new collector.
    for _ in 0..<2 {
      var next = 0
      spool.forEachPage { page in
        #expect(page.count <= SnapshotSpill.page)
        for row in page {
          if row != snapshot(next) { Issue.record("phone \(next) came back as \(row)") }
          next += 1
        }
      }
      #expect(next == count)
    }
  }
}
