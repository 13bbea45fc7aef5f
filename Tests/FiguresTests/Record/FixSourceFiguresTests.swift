import TestSupport
import Testing
@testable import Core
@testable import Figures

@Suite("Sources of fixes in a record", .quick)
struct FixSourceFiguresTests {
  @Test("sources are ranked by their fixes, written to run.json and shown in the summary")
  func ranked() throws {
    var record = RunRecord()
    let title = "Sources of kept positions"
    #expect(record.rankedFixSources.isEmpty && !summaryMarkdown(record).contains(title))
    var wifi = FixSourceFigures()
    wifi.fixes = 30
    wifi.share = 0.75
    wifi.errorMedian = 40
    var cell = FixSourceFigures()
    cell.fixes = 10
    cell.share = 0.25
    record.fixSources = ["cell": cell, "wifi": wifi]
    #expect(record.rankedFixSources.map(\.name) == ["wifi", "cell"])
    #expect(try RunRecord(json: record.json()) == record)
    let summary = summaryMarkdown(record)
    #expect(summary.contains(title) && summary.contains("40 m"))
  }
}
