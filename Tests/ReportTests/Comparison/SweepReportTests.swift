import Core
import Figures
import TestSupport
import Testing
@testable import Report

@Suite("The report of a sweep", .quick)
struct SweepReportTests {
  /// A grid in which every figure of point n is about n.
  static func record(_ axes: (String, [String])...) -> SweepRecord {
    var record = SweepRecord()
    record.scenario.name = "city"
    record.scenario.phones = 100
    record.command = [
      "flotilla", "simulate", "city", "--sweep", "a=1,2", "--out", "x", "--seed", "3",
    ]
    record.freshWithinSeconds = 1_800
    record.axes = axes.map {
      .init(key: $0.0, values: $0.1, places: $0.1.compactMap { Double($0) }, isGeometric: false)
    }
    for i in record.axes.indices
    where record.axes[i].places?.count != record.axes[i].values.count {
      record.axes[i].places = nil
    }
    var grid: [[String]] = [[]]
    for axis in axes { grid = grid.flatMap { head in axis.1.map { head + [$0] } } }
    record.planned = grid.count
    for (n, values) in grid.enumerated() {
      var point = SweepRecord.Point(
        number: n, values: values, verdict: .pass, world: "w", behaviour: "b")
      let share = Double(n + 1) / Double(grid.count + 1)
      point.answered = Ratio(value: share, low: share * 0.9, high: share * 1.1)
      point.uplift = Ratio(value: share - 0.3, low: share - 0.4, high: share - 0.2)
      for figure in StudyFigure.swept where figure != .answered && figure != .uplift {
        let size = figure == .freshness ? share : Double(n + 1)
        point.figures[figure.key] = Ratio(value: size, low: size * 0.8, high: size * 1.2)
      }
      point.isFreshest = n >= grid.count - 2
      record.points.append(point)
    }
    record.freshest = grid.count - 1
    record.judge()
    return record
  }

  @Test("answers in its first line, on the terminal, in Markdown and on the page")
  func answer() {
    let record = Self.record(
      ("push.silentAfter", ["15min", "1h", "4h"]), ("push.scheduler", ["fixed", "adaptive"]))
    let answer =
      "silentAfter 4h, scheduler adaptive removes the most stale phone-minutes per push, 6 "
    #expect(record.report.lines.prefix(2).joined(separator: " ").hasPrefix(answer))
    #expect(record.report.markdown.contains("\n\(answer)"))
    #expect(record.report.html(.none).contains("<strong>\(answer)"))
  }

  @Test(
    "lines fit 100 columns with any axes, and say what they leave out",
    arguments: [5, 24, 60])
  func width(letters: Int) {
    let words = ["a", "b"].map { String(repeating: $0, count: letters) }
    let record = Self.record(
      ("push.silentAfter", ["15min", "1h"]), ("x.policy", words), ("y.z", words))
    let lines = record.report.lines
    #expect(lines.allSatisfy { $0.count <= 100 }, "\(lines)")
    #expect(lines.contains { $0.hasPrefix("Omitted for width:") })
  }

  @Test("two axes make a map for each figure, with a number and a colour in each cell")
  func maps() {
    let html = Self.record(("a.x", ["1", "2", "3"]), ("a.y", ["p", "q"])).report.html(.none)
    #expect(html.split(separator: "<table class=\"heat\">").count == 1 + 6)
    #expect(html.split(separator: "<td class=\"heat").count == 1 + 6 * 6)
    #expect(html.split(separator: "<ul class=\"legend\">").count == 1 + 6)
    #expect(!html.contains("<script"))
  }

  @Test("a third axis makes a map for each of its values, on one scale")
  func slices() {
    let record = Self.record(("a.x", ["1", "2"]), ("a.y", ["p", "q"]), ("a.z", ["u", "v", "w"]))
    let html = record.report.html(.none)
    #expect(html.split(separator: "<table class=\"heat\">").count == 1 + 3 * 6)
    let slices = ["u", "v", "w"].map { SweepMap(record, .pushes, slice: [2: $0]) }
    #expect(slices.map { $0.step(6) } == [2, 2, 2])
    #expect(slices[0].step(1) == 0 && slices[0].step(12) == 4)
  }

  @Test("one axis of numbers makes curves with their intervals, one of words a map")
  func curves() {
    let html = Self.record(("push.after", ["1", "2", "3"])).report.html(.none)
    #expect(html.split(separator: "<svg class=\"wide\"").count == 1 + 6)
    let words = Self.record(("push.scheduler", ["fixed", "none"])).report.html(.none)
    #expect(words.split(separator: "<table class=\"heat\">").count == 1 + 6)
  }

  @Test("has a row of CSV for each point, quoted where a value has a comma")
  func csv() throws {
    let rows = try #require(Self.record(("a", ["{ b: 1, c: 2 }", "x"])).csv).split(separator: "\n")
    #expect(rows.count == 3)
    #expect(rows[1].hasPrefix("point,\"{ b: 1, c: 2 }\",0,"))
    #expect(
      rows[2].split(separator: ",", omittingEmptySubsequences: false).count
        == rows[0].split(separator: ",").count)
  }

  @Test("gives the command for the answer alone, quoted for a shell")
  func command() {
    let record = Self.record(("a.b", ["{ c: 1 }", "2"]))
    #expect(
      record.command(for: record.points[0])
        == "flotilla simulate city --seed 3 --set 'a.b={ c: 1 }'")
  }

  @Test("markup in a value stays text")
  func escaped() {
    let html = Self.record(("a", ["<b>x", "y"])).report.html(.none)
    #expect(!html.contains("<b>x"))
  }
}
