import Core
import Figures
import Foundation
import TestSupport
import Testing
@testable import Report

@Suite("Report of an overload", .quick)
struct OverloadReportTests {
  static var record: OverloadRecord {
    var record = OverloadRecord(
      latencyLimitMicroseconds: 50_000, factor: 3, fixesPerBatch: 20, connections: 16,
      isPinned: true, store: "sqlite")
    record.search = [
      .init(
        plannedPerSecond: 1_000, offeredPerSecond: 1_001, acknowledgedPerSecond: 1_000,
        p99Microseconds: 4_000, isSustained: true, collectorCores: 0.8)
    ]
    for second in 0..<40 {
      let phase: OverloadRecord.Phase =
        second < 10 ? .before : second < 30 ? .overload : .after
      var row = OverloadRecord.Second(second: second, phase: phase)
      row.offered = phase == .overload ? 3_000 : 500
      row.acknowledged = phase == .overload ? 950 : 500
      row.shed = row.offered - row.acknowledged
      row.p99Microseconds = phase == .overload ? 18_000 : 4_000
      row.collectorBytes = 40_000_000
      row.collectorCores = phase == .overload ? 0.8 : 0.4
      record.seconds.append(row)
    }
    return record
  }

  @Test(
    "its first sentence has the sustainable rate, the rest under overload, and the recovery time")
  func answer() {
    #expect(
      Self.record.answer
        == """
        Sustainable rate 1,000 batches/s; under 3 × that load it acknowledges 95 % of it; \
        recovery after 0 s.
        """)
    #expect(
      Self.record.perCore
        == """
        Acknowledged per second of CPU time under overload: 95 % of the value at the sustainable \
        rate.
        """)
    var stopped = Self.record
    stopped.seconds = []
    #expect(stopped.answer.hasSuffix("overload not measured."))
    stopped.search = []
    #expect(stopped.answer == "No rate was sustained.")
  }

  @Test("its three charts are drawn, and every second is in a table")
  func page() throws {
    let html = Self.record.report.html(.none)
    #expect(html.components(separatedBy: "<figure>").count == 4)
    #expect(
      html.components(separatedBy: "<td>overload").count
        + html.components(
          separatedBy: ">overload</td>"
        ).count >= 21)
  }
}
