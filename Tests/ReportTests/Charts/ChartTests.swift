import Core
import Foundation
import TestSupport
import Testing
@testable import Report
@testable import ReportSupport

@Suite("Charts", .quick)
struct ChartTests {
  @Test(
    "labels move apart and stay on the chart",
    arguments: [
      ([10.0, 11, 12], [10.0, 20, 30]), ([95.0, 96], [90.0, 100]), ([5.0, 50], [5.0, 50]), ([], []),
    ] as [([Double], [Double])])
  func apart(_ wanted: [Double], _ expected: [Double]) {
    #expect(ChartSVG.apart(wanted, by: 10, within: 0...100) == expected)
  }

  @Test("axes end at round numbers")
  func scales() {
    #expect(Scale.fromZero(to: 104, ticks: 4, text: Figure.quantity).high == 150)
    #expect(Scale.fromZero(to: 0, ticks: 4, text: Figure.quantity).high == 1)
    #expect(
      Scale.fromZero(to: 0.23, ticks: 4, text: Figure.quantity).ticks.map(\.text).first == "0")
    let clock = Scale.clock(from: 27_000, to: 30_600, ticks: 4)
    #expect(clock.ticks.map(\.text) == ["07:30", "07:45", "08:00", "08:15", "08:30"])
    let days = Scale.clock(from: 27_000, to: 27_000 + 5 * 86_400, ticks: 4)
    #expect(days.ticks.map(\.text) == ["+2 d", "+4 d"])
    let nines = Scale.nines(samples: 1_200)
    #expect(nines.ticks.map(\.text) == ["50 %", "90 %", "99 %", "99.9 %"])
  }

  private static var lines: LineChart {
    LineChart(
      x: { .fromZero(to: 10, ticks: $0, text: Figure.quantity) }, y: .share, unit: "fresh",
      xUnit: "min",
      series: [
        .init(name: "a", ink: .blue, points: [(0, 0.5), (5, nil), (10, 1)]),
        .init(name: "b", ink: .green, points: [(0, 0.25), (10, 0.5)]),
      ], marks: [.init(x: 4, text: "here")], spans: [.init(from: 2, to: 30, text: "outage")])
  }

  @Test("a chart is SVG in the page's colours, and no text becomes markup")
  func svg() {
    let bars = Chart(
      title: "A & \"B\"",
      body: .bars(
        BarChart(
          bars: [.init(name: "<script>a\"", value: 1, text: "1", ink: .blue)], unit: "u")))
    let html = ChartSVG.html(bars, .wide).markup
    #expect(html.contains("aria-label=\"A &amp; &quot;B&quot;\""))
    #expect(html.contains("&lt;script&gt;a&quot;") && !html.contains("<script"))
    #expect(html.contains("fill=\"var(--blue)\""))
  }

  @Test("a line breaks where a value is missing, and a fault ends at the edge of the chart")
  func gap() throws {
    let html = ChartSVG.html(Chart(title: "x", body: .lines(Self.lines)), .wide).markup
    let path = try #require(html.firstMatch(of: /d="([^"]*)" fill="none" stroke="var\(--blue\)/))
    #expect(path.1.split(separator: "M").count == 2 && !path.1.contains("L"))
    let span = try #require(
      html.firstMatch(of: /d="M([0-9.]+) [^L]*L([0-9.]+) .*Z" fill="var\(--verm/))
    let (from, to) = (try #require(Double(span.1)), try #require(Double(span.2)))
    #expect(from < to && to <= 760)
    #expect(html.contains(">outage</text>") && html.contains(">here</text>"))
  }

  @Test(
    "data for the script has a row for each x, a dash for a gap, null where nothing was sampled")
  func data() throws {
    let chart = Chart(title: "</script><b>", body: .lines(Self.lines))
    let html = try #require(ChartData.json(chart)).markup
    #expect(html.components(separatedBy: "</script>").count == 2)
    let text = try #require(html.firstMatch(of: />(\{.*\})</)).1
    let found = try JSONDecoder().decode(JSONValue.self, from: Data(text.utf8))
    guard case .object(let chart) = found else {
      Issue.record("no object")
      return
    }
    #expect(chart["title"] == .string("</script><b>"))
    #expect(
      chart["rows"]
        == .array([
          .array([.integer(0), .number(0.5), .number(0.25)]),
          .array([.integer(5), .string("-"), .null]),
          .array([.integer(10), .integer(1), .number(0.5)]),
        ]))
    #expect(chart["spans"] == .array([.array([.integer(2), .integer(30), .string("outage")])]))
  }

  @Test(
    "a missing library leaves static charts and says so; nothing of it is loaded from elsewhere")
  func libraries() throws {
    let folder = try Folder()
    let none = PageLibraries(folders: [folder.url])
    #expect(none.dygraphs == nil && none.leaflet == nil)
    let page = reportHTML(RunFixture.live(), none)
    #expect(page.contains("Charts are static: dygraphs was not found") && page.contains("<svg"))
    #expect(!page.contains("<script"))
    #expect(page.ranges(of: "<table>").count > 10)
  }
}
