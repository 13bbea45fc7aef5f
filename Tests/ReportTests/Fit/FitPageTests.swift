@testable import ReportSupport
internal import TestSupport
internal import Testing

@testable internal import Capacity
@testable internal import Report

@Suite("The report of a fit", .quick)
struct FitPageTests {
  @Test("overlays curves of log and simulation, and has every hour of each weekday")
  func simulated() throws {
    let html = try FitFixture.record(isSimulated: true).report.html(.none)
    #expect(html.contains("&lt;fixes&gt;: fleet fitted to a log"))
    #expect(!html.contains("<fixes>"))
    for id in ["intervals", "accuracy", "delays", "hours", "trials"] {
      #expect(html.contains("<section id=\"\(id)\">"), "\(id)")
    }
    #expect(html.contains("Curve as a table: simulated"))
    // 200 minutes from midnight of a Monday: four hours of one day, of both.
    #expect(html.contains("<th scope=\"colgroup\" colspan=\"2\">Mon</th>"))
    #expect(!html.contains(">Tue</th>"))
    #expect(html.contains("23 h</th>"))
    #expect(html.contains("No silent spell: too few values: "))
  }

  @Test("one picture of log and simulation is drawn of each figure that has a curve")
  func pictures() throws {
    let record = try FitFixture.record(isSimulated: true)
    var count = 0
    for figure in record.figures where (figure.log?.survival.count ?? 0) > 1 { count += 1 }
    #expect(count == 3)
    let html = record.report.html(.none)
    #expect(html.ranges(of: "<svg class=\"wide\"").count == count)
  }

  @Test("without a simulation the page has the log's figures, and no distances")
  func logAlone() throws {
    let record = try FitFixture.record(isSimulated: false)
    let html = record.report.html(.none)
    #expect(html.contains("&lt;fixes&gt;: log"))
    #expect(!html.contains("simulated"))
    let lines = record.report.lines
    #expect(lines[0] == "<fixes>: log")
    #expect(lines.allSatisfy { $0.count <= 120 })
    #expect(record.report.markdown.contains("| interval between fixes | 796 |"))
  }

  @Test("the colour of an hour grows with the root of its share")
  func steps() {
    #expect((0...4).map { HourMap.step(Double($0 * $0) / 25 + 0.001, of: 1) } == [0, 1, 2, 3, 4])
    #expect(HourMap.step(0, of: 0) == 0)
    #expect(HourMap.step(5, of: 5) == 4)
  }
}
