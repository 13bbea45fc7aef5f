import Core
import Figures
import Foundation
import TestSupport
import Testing
@testable import Report
@testable import ReportSupport

@Suite("Report page", .quick)
struct ReportPageTests {
  @Test("equal files give equal bytes")
  func isPure() {
    let files = RunFixture.live()
    #expect(reportHTML(files, plot: RunFixture.blank) == reportHTML(files, plot: RunFixture.blank))
  }

  @Test("it loads nothing: no script, no address, no import")
  func isSelfContained() throws {
    let html = reportHTML(RunFixture.live(), plot: Tool.gnuplot.map { $0.svg } ?? RunFixture.blank)
    for word in ["<script", "http:", "https:", "@import", "url(", "src=", "href=", "<link"] {
      #expect(!html.contains(word), "\(word)")
    }
  }

  @Test("every picture has a sentence, and a folded table")
  func picturesHaveTables() {
    let html = reportHTML(RunFixture.live(), plot: RunFixture.blank)
    let sections = html.split(separator: "<section ").dropFirst()
    let pictured = sections.filter { $0.contains("<figure>") }
    #expect(pictured.count == 12)
    for section in pictured {
      #expect(
        section.contains("</h2>\n<p>") && section.contains("<details"), "\(section.prefix(40))")
      #expect(section.ranges(of: "<svg class=\"wide\"").count == 1)
      #expect(section.ranges(of: "<svg class=\"narrow\"").count == 1)
    }
  }

  @Test("without gnuplot it keeps its tables and says so")
  func withoutGnuplot() {
    let html = reportHTML(RunFixture.live(), plot: nil)
    #expect(html.contains("No charts: gnuplot was not found"))
    #expect(!html.contains("<svg"))
    #expect(html.ranges(of: "<table>").count > 10)
    #expect(!reportHTML(RunFixture.live(), plot: { _ in nil }).contains("<svg"))
  }

  @Test("no text of a record becomes markup")
  func escapes() {
    let evil = "</style><script>alert('x')</script>\u{7}"
    let files = RunFixture.live { record in
      record.scenario.name = evil
      record.scenario.question = evil
      record.scenario.text = evil
      record.command = [evil]
      record.reasons = [evil]
      record.figures.failures = [evil: 1]
      record.machine.system = evil
      record.machine.processes[evil] = .init()
      record.stale[evil] = 5
      record.tool.version = evil
    }
    let html = reportHTML(files, plot: RunFixture.blank)
    #expect(!html.contains("<script"))
    #expect(!html.contains("\u{7}"))
    #expect(html.contains("&lt;script&gt;alert(&#39;x&#39;)&lt;/script&gt;"))
  }

  @Test("a record of an older program, and an empty one, still make a page")
  func lacksThings() {
    let empty = reportHTML(RunFiles(record: RunRecord()), plot: RunFixture.blank)
    #expect(empty.contains("</html>"))
    var old = RunFixture.live { record in
      record.map = nil
      record.scenario.utcOffsetSeconds = nil
    }
    let header = "wall_s,scenario_s,phase,offered_per_s,acked_per_s"
    old.timeline =
      (try? Timeline(csv: "\(header)\n1,1772433060,ramp,5,5\n2,1772433120,ramp,6,6\n"))
      ?? Timeline()
    let html = reportHTML(old, plot: RunFixture.blank)
    #expect(html.contains("id=\"rate\"") && !html.contains("id=\"map\""))
    #expect(html.contains("07:31:00"), "without an offset the clock is found all the same")
  }
}
