import Core
import Figures
import Foundation
import TestSupport
import Testing
@testable import Report
@testable import ReportSupport

@Suite("Report of an overload", .quick)
struct OverloadReportTests {
  @Test(
    "its first sentence has the sustainable rate, the rest under overload, and the recovery time")
  func answer() {
    #expect(
      OverloadFixture.record.answer
        == """
        Sustainable rate 1,000 batches/s; under 3 × that load it acknowledges 95 % of it; \
        recovery after 0 s.
        """)
    #expect(
      OverloadFixture.record.perCore
        == """
        Acknowledged per second of CPU time under overload: 95 % of the value at the sustainable \
        rate.
        """)
    var stopped = OverloadFixture.record
    stopped.seconds = []
    #expect(stopped.answer.hasSuffix("overload not measured."))
    stopped.search = []
    #expect(stopped.answer == "No rate was sustained.")
  }

  @Test("its three charts are drawn, and every second is in a table")
  func page() throws {
    let html = OverloadFixture.record.report.html(.none)
    #expect(html.components(separatedBy: "<figure class=\"panel").count == 4)
    #expect(
      html.components(separatedBy: "<td>overload").count
        + html.components(
          separatedBy: ">overload</td>"
        ).count >= 21)
  }
}
