@testable import Core
import TestSupport
import Testing
@testable import Figures

@Suite("Clocks in a record", .quick)
struct ClockFiguresTests {
  @Test("CK2: a phone counts in every step that its clock error reaches, ahead or behind")
  func steps() {
    var seen = ClockOffsets()
    let offsets: [SimDuration] = [
      .milliseconds(300), .seconds(2), .minutes(40), .zero - .hours(13), .hours(24),
    ]
    for offset in offsets { seen.add(offset) }
    #expect(seen.phones == 5)
    #expect([seen.ahead.second, seen.ahead.minute, seen.ahead.halfHour] == [3, 2, 2])
    #expect(seen.ahead.halfDay == 1 && seen.late.second == 1 && seen.late.halfDay == 1)
    var sum = seen
    sum.merge(seen)
    #expect(sum.phones == 10 && sum.ahead.second == 6 && sum.late.halfHour == 2)
  }

  @Test("CK2: a record counts clocks that look off, and a record without them says nothing")
  func record() throws {
    var record = RunRecord()
    #expect(!summaryMarkdown(record).contains("Clock offsets"))
    #expect(try RunRecord(json: record.json()) == record)
    var clocks = ClockFigures()
    clocks.off.second = 7
    record.clocks = clocks
    #expect(clocks.sentence.isEmpty && !summaryMarkdown(record).contains("Clock offsets"))
    var seen = ClockOffsets()
    seen.add(.minutes(5))
    seen.add(.zero - .seconds(3))
    seen.stampedAhead = 1_200
    clocks.seen = seen
    record.clocks = clocks
    #expect(try RunRecord(json: record.json()) == record)
    let summary = summaryMarkdown(record)
    #expect(summary.contains("1 of 2 phones were at least 1 s ahead of the server"))
    #expect(summary.contains("1,200 batches had a newest fix later than their receipt"))
    #expect(summary.contains("| 1 s | 7 | 1 | 1 |"))
  }
}
