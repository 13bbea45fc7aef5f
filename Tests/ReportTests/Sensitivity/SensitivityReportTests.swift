import Capacity
import Core
import Figures
import Foundation
import TestSupport
import Testing
@testable import Report
@testable import ReportSupport

@Suite("A sensitivity study as text and page", .quick)
struct SensitivityReportTests {
  private static let record = SensitivityFixture.record

  @Test("the table is sorted by μ*, and has range, σ, direction and bar")
  func table() throws {
    let lines = Self.record.report(top: 15).lines
    let first = try #require(lines.firstIndex { $0.hasPrefix("profiles.os[ios17].regions") })
    #expect(lines[first].contains("50m – 200m"))
    #expect(lines[first].contains("  6  2.83      falls  ▆▆▆▆▆▆▆│"), "\(lines[first])")
    #expect(lines[first + 1].hasPrefix("fleet.phone.offline"))
    #expect(lines[first + 1].contains("both ways"))
    #expect(lines.contains("Not shown: 1 without effect."))
    #expect(lines.contains { $0.contains("another seed changes the figure by 1.9") })
  }

  @Test("it says how many were varied, why others were not, and the range of a headline")
  func sentences() {
    let lines = Self.record.report(top: 1).lines
    #expect(
      lines.contains {
        $0.contains("Varied 3 of 5; 1 are choices (words, switches, lists), 1 are outside")
      }, "\(lines)")
    #expect(lines.contains { $0.contains("45.9 %") && $0.contains("42.1 – 49.5 %") })
    #expect(lines.contains { $0.hasPrefix("Not shown: 1 more with at most 2") })
    #expect(lines.contains("No step was made."))
    #expect(lines.allSatisfy { $0.last != " " })
  }

  @Test("refused points are counted, and the moved parameters are named")
  func refused() throws {
    var record = Self.record
    #expect(SensitivityWords.refused(record) == nil)
    record.refused.points = 12
    record.refused.moved = ["a": 3, "b": 9]
    record.refused.blocked = 2
    let text = try #require(SensitivityWords.refused(record))
    #expect(text.contains("12 points and 0 bases were invalid"))
    #expect(text.contains("b 9×, a 3×") && text.contains("2 steps were impossible"))
  }

  @Test("a study that was stopped says so")
  func stopped() {
    var record = Self.record
    record.runs.done = 70
    #expect(SensitivityWords.lives(record).contains("70 runs of 85 (stopped early): "))
  }

  @Test("the page has a section for each figure, its tornado, and the parameters held")
  func page() {
    let html = Self.record.report.html(.none)
    #expect(html.contains("Sensitivity of fresh phone-time"))
    #expect(html.contains("No parameter has an effect."))
    #expect(html.contains("profiles.os[].pauseTrap"))
    #expect(!html.contains("<source>"))
  }

  @Test("the CSV has a row for each figure and parameter")
  func csv() throws {
    let rows = try #require(Self.record.csv).split(separator: "\n")
    #expect(rows.count == 1 + 3)
    #expect(rows[1].hasPrefix("freshness,profiles.os[ios17].regions.cushion,100m,50m,200m,linear"))
  }

  @Test("a record whose effects name other parameters is damaged")
  func damage() {
    var record = Self.record
    #expect(record.damage == nil)
    record.parameters.removeLast()
    #expect(record.damage != nil)
  }
}

@Suite("Certainty on the first screen", .quick)
struct SurenessTests {
  static var evidence: JSONValue {
    func count(_ contained: Int, of made: Int) -> JSONValue {
      .object(["contained": .integer(contained), "made": .integer(made)])
    }
    return .object([
      "all": count(10, of: 50), "coverage": .number(0.2), "width": .number(3.14),
      "areas": .object([
        "background": count(1, of: 6), "latency": count(2, of: 9), "push": count(3, of: 14),
        "energy": count(4, of: 21),
      ]),
    ])
  }

  private static func html(
    _ record: RunRecord, _ study: SensitivityRecord?, _ evidence: JSONValue? = nil
  ) -> String {
    Sureness(record, Facts(record), study, evidence.map { Facts($0) })
      .section(Page(libraries: .none))?.markup ?? ""
  }

  private static func text(
    _ record: RunRecord, _ study: SensitivityRecord?, _ evidence: JSONValue? = nil
  ) -> String {
    FirstScreenTests.plain(
      html(record, study, evidence).replacing(/<svg(?s:.)*?<\/svg>/, with: "")
        .replacing("</td>", with: " ")
    ).split(whereSeparator: \.isWhitespace).joined(separator: " ")
  }

  @Test("without a study it shows sampling alone, and names the command for the rest")
  func without() {
    let html = Self.html(RunFixture.live().record, nil)
    #expect(html.contains(">95 % sampling interval</text>"))
    #expect(html.contains(">Pushes answered</text>"))
    #expect(Self.text(RunFixture.live().record, nil).contains("--ensemble 32"))
    #expect(Self.html(RunRecord(), nil).isEmpty)
  }

  @Test("with a study each headline has its sampling and its model interval")
  func with() {
    let text = Self.text(RunFixture.live().record, SensitivityFixture.record)
    #expect(
      text.contains("fresh phone-time45.9 % 42.1 % – 49.5 % 40.6 % – 52.0 % —"), "\(text)")
    #expect(text.contains("battery per phone-day1.24 % not known not known —"))
    #expect(text.contains("From a sensitivity study of 300 phones for 360 min."))
    #expect(!text.contains("--ensemble"))
  }

  @Test("each headline has its evidence: published figures in the model's intervals, by area")
  func contained() {
    let live = RunFixture.live().record
    let with = Self.text(live, SensitivityFixture.record, Self.evidence)
    #expect(with.contains("40.6 % – 52.0 % background 1 of 6 and latency 2 of 9"), "\(with)")
    #expect(with.contains("energy 4 of 21"))
    let without = Self.text(live, nil, Self.evidence)
    #expect(without.contains("fresh phone-timebackground 1 of 6 and latency 2 of 9"), "\(without)")
    #expect(without.contains("push 3 of 14"))
    let score =
      "90 % intervals contained 10 of 50 published figures (20.0 %), a factor of 3.14 wide."
    #expect(with.contains(score), "\(with)")
    #expect(!Self.text(live, nil).contains("published"))
  }

  @Test("a model interval of fewer than 64 points says that they are too few")
  func tooFew() throws {
    let live = RunFixture.live().record
    var study = SensitivityFixture.record
    study.runs.pointsDone = 7
    #expect(Self.text(live, study).contains("not known (7 points are too few)"))
    #expect(Self.text(live, study).contains("40.6 % – 52.0 % —"))
    study.figures[0].model?.points = 32
    #expect(Self.text(live, study).contains("– 52.0 % (32 points are too few)"))
    #expect(study.report(top: 1).lines.contains { $0.contains("(too few: 32 points)") })
    #expect(!Self.text(live, SensitivityFixture.record).contains("too few"))
  }

  @Test("every number of the evidence names its key and its file")
  func citedEvidence() throws {
    let found = Self.html(RunFixture.live().record, nil, Self.evidence).matches(
      of: /data-key="([^"]*)" data-form="([^"]*)" data-file="claims\/intervals.csv">([^<]*)</)
    #expect(found.count >= 6)
    let facts = Facts(Self.evidence)
    for one in found {
      let form = try #require(Facts.Form(rawValue: String(one.2)))
      #expect(facts.text(String(one.1), form) == String(one.3))
    }
  }

  @Test("every number of the study's table names its key and its file")
  func cited() throws {
    let html = Self.html(RunFixture.live().record, SensitivityFixture.record)
    let found = html.matches(
      of: /data-key="([^"]*)" data-form="([^"]*)" data-file="sensitivity.json">([^<]*)</)
    #expect(found.count >= 8)
    let facts = Facts(SensitivityFixture.record)
    for one in found {
      let form = try #require(Facts.Form(rawValue: String(one.2)))
      #expect(facts.text(String(one.1), form) == String(one.3))
    }
    let left = html.replacing(/<svg(?s:.)*?<\/svg>/, with: "")
      .replacing(/<span class="[a-z]+" data-key[^>]*>[^<]*<\/span>/, with: "")
      .replacing(/<[^>]*>/, with: "").replacing(/&#[0-9]+;/, with: "")
    #expect(left.filter { $0.isNumber }.isEmpty, "\(left)")
  }
}
