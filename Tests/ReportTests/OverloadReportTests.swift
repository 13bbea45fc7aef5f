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

  @Test("its first sentence says what is sustained, what is left of it, and when all is normal")
  func answer() {
    #expect(
      Self.record.answer
        == """
        It sustains 1,000 batches/s; offered 3 times that it acknowledges 95 % of it, and 0 s \
        after it all was normal.
        """)
    #expect(
      Self.record.perCore
        == """
        For each second of CPU time that it got, it acknowledged 95 % of what it does at the \
        sustainable rate.
        """)
    var stopped = Self.record
    stopped.seconds = []
    #expect(stopped.answer.hasSuffix("the overload was not measured."))
    stopped.search = []
    #expect(stopped.answer == "No rate was sustained.")
  }

  @Test("its three charts are drawn, and every second stands in a table")
  func page() throws {
    let gnuplot = try #require(
      Gnuplot(searchPath: ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin"))
    let html = Self.record.report.html(gnuplot.svg)
    #expect(html.components(separatedBy: "<figure>").count == 4)
    #expect(!html.contains("could not draw"))
    #expect(
      html.components(separatedBy: "<td>overload").count
        + html.components(
          separatedBy: ">overload</td>"
        ).count >= 21)
  }
}
