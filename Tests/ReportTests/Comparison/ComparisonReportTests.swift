import Core
import Figures
import TestSupport
import Testing
@testable import Report
@testable import ReportSupport

@Suite("The report of a comparison", .quick)
struct ComparisonReportTests {
  @Test("names of many policies in one corner do not overlap", arguments: [2, 6, 14])
  func labels(count: Int) {
    var places = LabelPlaces(x: 40...760, y: 30...380)
    var boxes: [(x: ClosedRange<Double>, y: ClosedRange<Double>)] = []
    for n in 0..<count {
      let at = places.place(
        width: 150, height: 15, near: (x: 600 + Double(n) * 3, y: 120 + Double(n) * 2))
      boxes.append((at.x...(at.x + 150), (at.y - 7.5)...(at.y + 7.5)))
    }
    for (i, a) in boxes.enumerated() {
      #expect(a.x.lowerBound >= 40 && a.x.upperBound <= 760)
      for b in boxes[..<i] { #expect(!(a.x.overlaps(b.x) && a.y.overlaps(b.y))) }
    }
  }

  @Test("is a page with every policy in every table, and no script")
  func page() {
    let html = PoliciesFixture.record(3).report.html(.none)
    #expect(html.contains("city: 3 policies compared"))
    #expect(!html.contains("<script"))
    for n in 0..<3 { #expect(html.split(separator: "policy-with-a-name-\(n)").count > 6) }
    #expect(html.contains("~ +10.0 (−10.0 … +20.0)"))
    #expect(html.contains("<svg class=\"wide\""))
  }

  @Test("says below its picture what the points are, or that there is only one", arguments: [1, 3])
  func picture(policies: Int) {
    let html = PoliciesFixture.record(policies).report.html(.none)
    #expect(html.contains("There is only one policy.") == (policies == 1))
    #expect(html.contains("the reference. Line: Pareto front.") == (policies == 3))
  }

  @Test("says that policies of different worlds are not paired")
  func unpaired() {
    var record = PoliciesFixture.record(2)
    record.policies[1].world = "another"
    #expect(record.report.html(.none).contains("Not paired"))
  }

  @Test("on a terminal has tables in line, and marks differences that may be zero")
  func lines() {
    let lines = PoliciesFixture.record(3).report.lines
    let rows = lines.filter { $0.hasPrefix("policy") }
    #expect(rows.count == 3 + 3 * 2 + 2)
    #expect(rows.dropLast(3).prefix(4).map(\.count).allSatisfy { $0 == rows[0].count })
    #expect(lines.allSatisfy { $0.count <= 130 })
    #expect(lines.contains { $0.contains("~ +10.0 (−10.0 … +20.0)") })
  }

  @Test("with an ensemble has the intervals over its sets, and differences set by set")
  func ensemble() throws {
    var record = PoliciesFixture.record(2)
    let key = StudyFigure.freshness.key(of: .reachable)
    var (first, second): ([Int: EnsembleFigures.Values], [Int: EnsembleFigures.Values]) = ([:], [:])
    for set in 0..<20 {
      let value = 0.3 + 0.02 * Double(set)
      (first[set], second[set]) = ([key: value], [key: value + 0.05])
    }
    record.policies[0].ensemble = EnsembleFigures(sets: 32, phones: 300, first)
    record.policies[1].ensemble = EnsembleFigures(sets: 32, phones: 300, second, from: first)
    let lines = record.report.lines
    #expect(
      lines.contains(
        "90 % intervals over the model’s parameters: 20 of 32 sets of 300 phones"))
    #expect(lines.contains { $0.contains("50.0 % (30.1 – 67.9 %)") })
    #expect(lines.contains { $0.contains("+1.0 (+5.0 … +5.0)") })
    #expect(lines.allSatisfy { $0.count <= 130 })
    let html = record.report.html(.none)
    #expect(html.contains("id=\"model\""))
    #expect(FirstScreenTests.plain(html).contains("35.1 % – 72.9 % by the model"))
    let rows = try #require(record.csv).split(separator: "\n")
    #expect(
      rows.allSatisfy { $0.split(separator: ",", omittingEmptySubsequences: false).count == 14 })
  }

  @Test("has a row of CSV for each policy, population and measure")
  func csv() throws {
    let rows = try #require(PoliciesFixture.record(2).csv).split(separator: "\n")
    #expect(rows.count == 1 + 2 * 2 * StudyFigure.compared.count)
    #expect(
      rows.allSatisfy { $0.split(separator: ",", omittingEmptySubsequences: false).count == 10 })
    #expect(Set(StudyFigure.compared.map(\.key)).count == StudyFigure.compared.count)
  }

  @Test("fits the picture's axes to all points, with readable steps")
  func axes() {
    let wide = Scale.oneTwoFive(from: 0.3, to: 31, text: Figure.quantity)
    #expect(wide.low == 0.2 && wide.high == 50)
    #expect(wide.ticks.map(\.text).prefix(3) == ["0.2", "0.5", "1"])
    #expect(Scale.shares(from: 0.97, to: 1).ticks.map(\.text) == ["96 %", "98 %", "100 %"])
    #expect(Scale.shares(from: 0.1, to: 0.95).high == 1)
  }
}
