internal import Figures
internal import Foundation
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

  @Test("each fitted value has its range, or is not determined")
  func ranges() throws {
    var record = try FitFixture.record(isSimulated: true)
    #expect(record.report.html(.none).contains("<section id=\"ranges\">"))
    let row = "| interval between fixes | 60 s | 48 s – 71 s | 24 s – 2.5 min |"
    #expect(record.report.markdown.contains(row))
    let lines = record.report.lines
    #expect(lines.contains { $0.hasPrefix("time offline") && $0.contains("not determined") })
    let note = """
      14 simulated policies with the log. No simulated policy comes near the log’s silent time \
      per phone.
      """
    #expect(lines.joined(separator: " ").contains(note))
    #expect(lines.allSatisfy { $0.count <= 120 })
    let again = try FitRecord(json: record.json())
    #expect(again == record && again.damage == nil)
    // A record of an older version has no ranges.
    record.ranges = nil
    #expect(!record.report.html(.none).contains("id=\"ranges\""))
    let old = String(decoding: try record.json(), as: UTF8.self)
      .replacing(/\s*"ranges" : null,/, with: "")
    #expect(!old.contains("\"ranges\""))
    #expect(try FitRecord(json: Data(old.utf8)) == record)
  }

  @Test("the colour of an hour grows with the root of its share")
  func steps() {
    #expect((0...4).map { HourMap.step(Double($0 * $0) / 25 + 0.001, of: 1) } == [0, 1, 2, 3, 4])
    #expect(HourMap.step(0, of: 0) == 0)
    #expect(HourMap.step(5, of: 5) == 4)
  }
}
