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
    #expect(ChartScript.apart(wanted, by: 10, within: 0...100) == expected)
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

  @Test("text cannot become a gnuplot command")
  func quoting() {
    let chart = Chart(
      name: "x", title: "x",
      body: .bars(
        BarChart(
          bars: [
            .init(name: "a\"\nsystem \"touch /tmp/x\"\\", value: 1, text: "1", ink: .blue)
          ], unit: "u")))
    let script = ChartScript.text(chart, .wide)
    #expect(script.contains("\"a\\\"system \\\"touch /tmp/x\\\"\\\\\""))
    #expect(!script.contains("\nsystem"))
  }

  @Test("an SVG in the page has no ids, no prolog and the page's own colours")
  func inlineSVG() throws {
    let gnuplot = """
      <?xml version="1.0"?><svg viewBox="0 0 358 280" xmlns="x">
      <title>t</title>
      <g id="gnuplot_canvas">
      <defs>
      <circle id='gpDot'/>
      </defs>
      <g fill="none">
      </g>
      <g id="a_plot_1" ><path stroke='rgb(  1,   2,   4)' d='M0,0'/></g>
      <text fill="rgb(1,2,1)" font-family="serif">x</text></g>
      </svg>
      """
    let html = try #require(InlineSVG.html(gnuplot, title: "A & B", canvas: .wide)).markup
    #expect(html.hasPrefix("<svg class=\"wide\" viewBox=\"0 0 358 280\""))
    #expect(html.contains("aria-label=\"A &amp; B\""))
    for gone in ["<?xml", "id=", "defs", "rgb(", "font-family", "<title"] {
      #expect(!html.contains(gone), "\(gone)")
    }
    #expect(html.contains("var(--blue)") && html.contains("var(--text)"))
    #expect(InlineSVG.html("no picture", title: "", canvas: .wide) == nil)
  }

  @Test("colours keep a contrast of 3 : 1 with their page", arguments: Ink.allCases)
  func contrast(_ ink: Ink) {
    // Areas have neighbours and labels to separate them; lines and text do not.
    let alone: Set<Ink> = [.text, .blue, .vermilion, .green, .purple, .grey]
    guard alone.contains(ink) else { return }
    #expect(Self.contrast(ink.light, Ink.paper.light) >= 3)
    #expect(Self.contrast(ink.dark, Ink.paper.dark) >= 3)
  }

  /// WCAG 2.1, "relative luminance" and "contrast ratio".
  private static func contrast(_ a: String, _ b: String) -> Double {
    let (x, y) = (luminance(a), luminance(b))
    return (max(x, y) + 0.05) / (min(x, y) + 0.05)
  }

  private static func luminance(_ hex: String) -> Double {
    let number = Int(hex.dropFirst(), radix: 16) ?? 0
    let parts = [16, 8, 0].map { shift -> Double in
      let part = Double(number >> shift & 0xFF) / 255
      return part <= 0.039_28 ? part / 12.92 : pow((part + 0.055) / 1.055, 2.4)
    }
    return 0.2126 * parts[0] + 0.7152 * parts[1] + 0.0722 * parts[2]
  }

  @Test("a gnuplot that hangs, fails or is missing makes no picture and no delay")
  func gnuplotProblem() throws {
    let folder = try Folder()
    #expect(Gnuplot(searchPath: "/nowhere:\(folder.url.path)") == nil)
    for (program, name) in [("sleep 60", "hangs"), ("exit 3", "fails"), ("echo hello", "lies")] {
      let file = try folder.write("#!/bin/sh\nexec \(program)\n", "gnuplot")
      if program.hasPrefix("e") {
        try Data("#!/bin/sh\n\(program)\n".utf8).write(to: file)
      }
      try FileManager.default.setAttributes(
        [.posixPermissions: 0o755], ofItemAtPath: file.path)
      let gnuplot = try #require(Gnuplot(searchPath: folder.url.path, limit: 0.3))
      let clock = ContinuousClock()
      let took = clock.measure {
        // Longer than a pipe holds.
        #expect(gnuplot.svg(String(repeating: "# nothing\n", count: 100_000)) == nil, "\(name)")
      }
      #expect(took < .seconds(20), "\(name)")
    }
  }
}
