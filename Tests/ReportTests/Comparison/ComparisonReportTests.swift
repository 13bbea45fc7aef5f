import Core
import Figures
import TestSupport
import Testing
@testable import Report

@Suite("The report of a comparison", .quick)
struct ComparisonReportTests {
  /// Policies clustered in one corner, with the longest names.
  static func record(_ count: Int) -> ComparisonRecord {
    var record = ComparisonRecord()
    record.scenario.name = "city"
    record.scenario.phones = 100
    record.phones = ["reachable": 44, "installed": 100]
    record.freshWithinSeconds = 1_800
    record.locatedWithinMeters = 500
    record.world = "w"
    for n in 0..<count {
      var policy = ComparisonRecord.Policy(
        name: "policy-with-a-name-\(n)", verdict: .pass, world: "w", behaviour: "b\(n)",
        answered: nil)
      for population in ComparisonRecord.Population.allCases {
        for measure in StudyFigure.compared {
          let value = measure == .freshness ? 0.5 + Double(n) * 0.01 : 1.5 + Double(n) * 0.04
          policy.measures.append(
            .init(
              measure, population,
              value: Ratio(value: value, low: value * 0.98, high: value * 1.02),
              difference: n == 0
                ? nil : Ratio(value: 0.1, low: measure == .located ? -0.1 : 0.05, high: 0.2)))
        }
      }
      record.policies.append(policy)
    }
    return record
  }

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
    let html = Self.record(3).report.html(.none)
    #expect(html.contains("city: 3 policies compared"))
    #expect(!html.contains("<script"))
    for n in 0..<3 { #expect(html.split(separator: "policy-with-a-name-\(n)").count > 6) }
    #expect(html.contains("~ +10.0 (−10.0 … +20.0)"))
    #expect(html.contains("<svg class=\"wide\""))
  }

  @Test("says that policies of different worlds are not paired")
  func unpaired() {
    var record = Self.record(2)
    record.policies[1].world = "another"
    #expect(record.report.html(.none).contains("Not paired"))
  }

  @Test("on a terminal has tables in line, and marks differences that may be zero")
  func lines() {
    let lines = Self.record(3).report.lines
    let rows = lines.filter { $0.hasPrefix("policy") }
    #expect(rows.count == 3 + 3 * 2 + 2)
    #expect(rows.dropLast(3).prefix(4).map(\.count).allSatisfy { $0 == rows[0].count })
    #expect(lines.allSatisfy { $0.count <= 130 })
    #expect(lines.contains { $0.contains("~ +10.0 (−10.0 … +20.0)") })
  }

  @Test("has a row of CSV for each policy, population and measure")
  func csv() throws {
    let rows = try #require(Self.record(2).csv).split(separator: "\n")
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
