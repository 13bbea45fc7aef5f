import Core
import Figures
import TestSupport
import Testing
@testable import Report
@testable import ReportSupport

@Suite("The report of a sweep", .quick)
struct SweepReportTests {
  @Test("answers in its first line, on the terminal, in Markdown and on the page")
  func answer() {
    let record = SweepFixture.record(
      ("push.silentAfter", ["15min", "1h", "4h"]), ("push.scheduler", ["fixed", "adaptive"]))
    let answer =
      "silentAfter 4h, scheduler adaptive removes the most stale phone-minutes per push, 6 "
    #expect(record.report.lines.prefix(2).joined(separator: " ").hasPrefix(answer))
    #expect(record.report.markdown.contains("\n\(answer)"))
    #expect(record.report.html(.none).contains("<p class=\"answer\">\(answer)"))
  }

  @Test(
    "lines fit 100 columns with any axes, and say what they leave out",
    arguments: [5, 24, 60])
  func width(letters: Int) {
    let words = ["a", "b"].map { String(repeating: $0, count: letters) }
    let record = SweepFixture.record(
      ("push.silentAfter", ["15min", "1h"]), ("x.policy", words), ("y.z", words))
    let lines = record.report.lines
    #expect(lines.allSatisfy { $0.count <= 100 }, "\(lines)")
    #expect(lines.contains { $0.hasPrefix("Omitted for width:") })
  }

  @Test("two axes make a map for each figure, with a number and a colour in each cell")
  func maps() {
    let html = SweepFixture.record(("a.x", ["1", "2", "3"]), ("a.y", ["p", "q"])).report.html(.none)
    #expect(html.split(separator: "<table class=\"heat\">").count == 1 + 7)
    #expect(html.split(separator: "<td class=\"heat").count == 1 + 6 * 7)
    #expect(html.split(separator: "<ul class=\"legend\">").count == 1 + 7)
    #expect(!html.contains("<script"))
  }

  @Test("a third axis makes a map for each of its values, on one scale")
  func slices() {
    let record = SweepFixture.record(
      ("a.x", ["1", "2"]), ("a.y", ["p", "q"]), ("a.z", ["u", "v", "w"]))
    let html = record.report.html(.none)
    #expect(html.split(separator: "<table class=\"heat\">").count == 1 + 3 * 7)
    let slices = ["u", "v", "w"].map { SweepMap(record, .pushes, slice: [2: $0]) }
    #expect(slices.map { $0.step(6) } == [2, 2, 2])
    #expect(slices[0].step(1) == 0 && slices[0].step(12) == 4)
  }

  @Test("one axis of numbers makes curves with their intervals, one of words a map")
  func curves() {
    let html = SweepFixture.record(("push.after", ["1", "2", "3"])).report.html(.none)
    #expect(html.split(separator: "<svg class=\"wide\"").count == 1 + 7)
    let words = SweepFixture.record(("push.scheduler", ["fixed", "none"])).report.html(.none)
    #expect(words.split(separator: "<table class=\"heat\">").count == 1 + 7)
  }

  @Test("has a row of CSV for each point, quoted where a value has a comma")
  func csv() throws {
    let rows = try #require(SweepFixture.record(("a", ["{ b: 1, c: 2 }", "x"])).csv).split(
      separator: "\n")
    #expect(rows.count == 3)
    #expect(rows[1].hasPrefix("point,\"{ b: 1, c: 2 }\",0,"))
    #expect(
      rows[2].split(separator: ",", omittingEmptySubsequences: false).count
        == rows[0].split(separator: ",").count)
  }

  @Test("gives the command for the answer alone, quoted for a shell")
  func command() {
    let record = SweepFixture.record(("a.b", ["{ c: 1 }", "2"]))
    #expect(
      record.command(for: record.points[0])
        == "flotilla simulate city --seed 3 --set 'a.b={ c: 1 }'")
  }

  @Test("markup in a value stays text")
  func escaped() {
    let html = SweepFixture.record(("a", ["<b>x", "y"])).report.html(.none)
    #expect(!html.contains("<b>x"))
  }
}
