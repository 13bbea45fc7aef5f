import Capacity
import Core
import Figures
import Foundation
import FoundationXML
import TestSupport
import Testing

@testable import Report
@testable import ReportSupport

@Suite("JUnit XML and annotations of a run", .quick)
struct JUnitSuiteTests {
  private static func record(_ change: (inout RunRecord) -> Void = { _ in }) -> RunRecord {
    var record = RunRecord()
    record.scenario.name = "city"
    record.verdict = .sloMissed
    record.reasons = ["freshness is 40 %, the SLO is 45 %."]
    record.timing.wallSeconds = 12.5
    record.slo = [
      .atMost(50_000, 9_000, name: "responseP99", unit: "µs"),
      .atLeast(0.45, 0.4, name: "freshness", unit: "share"),
      .atMost(0, nil, name: "lost", unit: "fixes"),
    ]
    change(&record)
    return record
  }

  private static let undecided = UndecidedLevel(
    .atLeast(0.6, nil, name: "answered", unit: "share"), "answered is unknown.")

  private static func outcomes(_ suite: JUnitSuite) -> [String: JUnitSuite.Outcome] {
    Dictionary(uniqueKeysWithValues: suite.cases.map { ($0.name, $0.outcome) })
  }

  @Test("each objective is a case with its value and its bound")
  func cases() throws {
    let suite = JUnitSuite(Self.record(), "load", undecided: [Self.undecided])
    #expect(
      Self.outcomes(suite) == [
        "verdict": .failed, "responseP99": .passed, "freshness": .failed, "lost": .failed,
        "answered": .skipped,
      ])
    let document = try XMLDocument(xmlString: JUnitSuite.xml([suite], name: "flotilla load"))
    let root = try #require(document.rootElement()?.elements(forName: "testsuite").first)
    let counts = ["tests", "failures", "errors", "skipped", "time"].map {
      root.attribute(forName: $0)?.stringValue
    }
    #expect(counts == ["5", "3", "0", "1", "12.5"])
    let failures = try document.nodes(forXPath: "//testcase[@name='freshness']/failure")
    #expect(failures.map(\.stringValue) == ["40.0 % (SLO ≥ 45.0 %)"])
    let skipped = try document.nodes(
      forXPath: "//testcase[@classname='flotilla.load.city'][skipped]/@name")
    #expect(skipped.map(\.stringValue) == ["answered"])
    #expect(suite.cases[3].note == "not measured (SLO ≤ 0 fixes)")
  }

  @Test("an interrupted run decides no objective, a late generator not its response")
  func undecidedLevels() {
    let stopped = JUnitSuite(Self.record { $0.verdict = .interrupted }, "load")
    #expect(
      Self.outcomes(stopped) == [
        "verdict": .error, "responseP99": .skipped, "freshness": .skipped, "lost": .skipped,
      ])
    let late = JUnitSuite(Self.record { $0.verdict = .invalid }, "load")
    #expect(Self.outcomes(late)["responseP99"] == .skipped)
    #expect(Self.outcomes(late)["freshness"] == .failed)
  }

  @Test("a plan has a case for each check of its capacity")
  func plan() throws {
    var capacity = PlanFixture.measured
    capacity.verified = nil
    var record = PlanFixture.record(capacity)
    let suite = JUnitSuite(record, "plan")
    let names = capacity.checks.map(\.name)
    #expect(names.count > 1 && names.allSatisfy { Self.outcomes(suite)[$0] != nil })
    #expect(Self.outcomes(suite)["the scenario’s phones"] == .skipped)
    #expect(Self.outcomes(suite).values.contains(.passed))
    record.verdict = .interrupted
    let stopped = Self.outcomes(JUnitSuite(record, "plan"))
    #expect(names.allSatisfy { stopped[$0] == .skipped })
  }

  @Test("any text is valid XML, and one line of a command")
  func escapes() throws {
    var draw = Draw(seed: 3, phone: 0, Purpose(rawValue: 0))
    let hard = Array(
      "\u{0}\u{8}\u{1b}\r\n\t%:,<>&\"'`|]]>\u{FFFE}\u{202E}é😀::"
    ).map(String.init)
    for _ in 0..<200 {
      let text = (0..<12).map { _ in hard.randomElement(using: &draw) ?? "" }.joined()
      let suite = JUnitSuite(
        text, [.init(text, text, .failed, text), .init(text, text, .skipped, text)])
      let xml = JUnitSuite.xml([suite], name: text)
      let document = try XMLDocument(xmlString: xml)
      #expect(try document.nodes(forXPath: "//testcase[failure]").count == 1, "\(text)")
      let annotation = try #require(suite.annotations.first)
      let pieces = annotation.split(separator: "::", maxSplits: 1)
      #expect(annotation.hasPrefix("::error title=") && pieces.count == 2)
      #expect(!annotation.unicodeScalars.contains { $0 == "\n" || $0 == "\r" })
      // The title is one property.
      #expect(!pieces[0].dropFirst("error title=".count).contains(#/[:,]/#))
      let rows = suite.summary([text]).split(separator: "\n").filter { $0.hasPrefix("| ") }
      #expect(rows.count >= 3)
    }
  }

  @Test("annotations begin with the worst, at most ten, and do not repeat the verdict")
  func annotations() {
    let missed = JUnitSuite(Self.record(), "load").annotations
    #expect(
      missed == [
        "::error title=flotilla load city%3A freshness::40.0 %25 (SLO ≥ 45.0 %25)",
        "::error title=flotilla load city%3A lost::not measured (SLO ≤ 0 fixes)",
      ])
    let lost = JUnitSuite(
      Self.record {
        $0.verdict = .loss
        $0.reasons = ["2 fixes are lost.", "Two\nlines."]
      }, "load"
    ).annotations
    #expect(
      lost.first
        == "::error title=flotilla load city%3A verdict::loss%0A2 fixes are lost.%0ATwo%0Alines.")
    let many = (0..<30).map { JUnitSuite.Case("a", "\($0)", .failed, "") }
    #expect(JUnitSuite("b", many).annotations.count == 10)
    #expect(JUnitSuite(RunRecord(), "load").annotations.count == 1)
  }

  @Test("neither XML nor annotations nor the summary have a password")
  func secrets() {
    let url = "postgresql://me:sesame@host/fleet"
    let suite = JUnitSuite(Self.record { $0.reasons = ["\(url) is slow."] }, "load")
    for text in [
      JUnitSuite.xml([suite], name: "x"), suite.annotations.joined(), suite.summary([url]),
    ] { #expect(!text.contains("sesame")) }
  }

  @Test("the summary has a table of the objectives and the closing lines")
  func summary() {
    let text = JUnitSuite(Self.record(), "load").summary(["rate     9/s", "```"])
    #expect(text.hasPrefix("### flotilla load city\n\n| objective | value | outcome |\n| --- |"))
    #expect(text.contains("\n| freshness | 40.0 % (SLO ≥ 45.0 %) | **failed** |\n"))
    #expect(text.hasSuffix("\n```text\nrate     9/s\n'''\n```\n\n"))
  }
}
