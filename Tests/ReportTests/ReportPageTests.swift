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
    #expect(reportHTML(files, .none) == reportHTML(files, .none))
  }

  @Test("it asks for nothing over the network", arguments: [PageLibraries.none, .installed])
  func isSelfContained(libraries: PageLibraries) throws {
    let html = reportHTML(RunFixture.live(), libraries)
    #expect(html.contains("content=\"default-src 'none';"))
    let page = html.replacing(/<script>(?s:.)*?<\/script>|<style>(?s:.)*?<\/style>/, with: "")
    for word in ["http:", "https:", "@import", "url(", "src=", "href=", "<link"] {
      #expect(!page.contains(word), "\(word)")
    }
  }

  @Test("every picture of a section has a sentence, and a table")
  func picturesHaveTables() {
    let html = reportHTML(RunFixture.live(), .none)
    let sections = html.split(separator: "<section ").dropFirst()
    // The intervals of "How sure" are written in its chart.
    let pictured = sections.filter { $0.contains("<figure>") && !$0.hasPrefix("id=\"sure\"") }
    #expect(pictured.count == 10)
    for section in pictured {
      #expect(section.contains("</h2>\n<p>"), "\(section.prefix(40))")
      #expect(
        section.contains("<details") || section.contains("<table"), "\(section.prefix(40))")
      #expect(section.ranges(of: "<svg class=\"wide\"").count == 1)
      #expect(section.ranges(of: "<svg class=\"narrow\"").count == 1)
    }
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
    let html = reportHTML(files, .none)
    #expect(!html.contains("<script>alert"))
    #expect(!html.contains("\u{7}"))
    #expect(html.contains("&lt;script&gt;alert(&#39;x&#39;)&lt;/script&gt;"))
  }

  @Test("damaged times and intervals still make a page")
  func damagedNumbers() throws {
    var files = RunFixture.live { record in
      record.wake.uplift = Ratio(value: 0, low: 9, high: -9)
    }
    let csv = RunFixture.csv(rows: 9).replacing("1772433540", with: "1e28")
    #expect(csv.contains("1e28"))
    files.timeline = try Timeline(csv: csv)
    #expect(reportHTML(files, .none).contains("id=\"time\""))
    files.record.scenario.utcOffsetSeconds = 1e300
    #expect(!reportHTML(files, .none).contains("id=\"time\""))
  }

  @Test(
    "a map of damaged numbers is left out",
    arguments: [
      { $0.cellMeters = 0 }, { $0.cellsAcross = .max }, { $0.silentMinutes[0] = -1 },
      { $0.presentMinutes[0] = .max },
    ] as [@Sendable (inout RunRecord.Map) -> Void])
  func damagedMap(change: @Sendable (inout RunRecord.Map) -> Void) throws {
    var files = RunFixture.live()
    var map = try #require(files.record.map)
    change(&map)
    files.record.map = map
    #expect(!reportHTML(files, .none).contains("id=\"map\""))
  }

  @Test("a record of an older program, and an empty one, still make a page")
  func lacksThings() {
    let empty = reportHTML(RunFiles(record: RunRecord()), .none)
    #expect(empty.contains("</html>"))
    var old = RunFixture.live { record in
      record.map = nil
      record.scenario.utcOffsetSeconds = nil
    }
    let header = "wall_s,scenario_s,phase,offered_per_s,acked_per_s"
    old.timeline =
      (try? Timeline(csv: "\(header)\n1,1772433060,ramp,5,5\n2,1772433120,ramp,6,6\n"))
      ?? Timeline()
    let html = reportHTML(old, .none)
    #expect(html.contains("id=\"time\"") && !html.contains("id=\"map\""))
    #expect(html.contains("07:31:00"), "without an offset the clock is found all the same")
  }
}
