import Core
import Figures
import Foundation
import TestSupport
import Testing
@testable import Report
@testable import ReportSupport

@Suite("Compared runs", .quick)
struct RunComparisonTests {
  private func change(_ figure: String, _ record: RunComparison) throws -> RunComparison.Change {
    let row = try #require(record.rows.first { $0.figure.rawValue == figure })
    return try #require(row.changes[0])
  }

  @Test("a run equals itself in every figure, without a regression")
  func same() throws {
    let record = try ComparisonFixture.comparison(try ComparisonFixture.run())
    #expect(record.rows.count > 15)
    #expect(record.rows.allSatisfy { $0.changes[0].map { $0.word == .same } ?? true })
    #expect(!record.hasRegression)
    #expect(record.pairings[0].isPaired && record.pairings[0].differences.isEmpty)
    #expect(record.pairings[0].sentence.hasPrefix("Paired by time"))
  }

  @Test("a response that is a fifth longer is a regression, with its interval")
  func slower() throws {
    let record = try ComparisonFixture.comparison(try ComparisonFixture.run(1.2))
    for figure in ["response-p50", "response-p99"] {
      let change = try change(figure, record)
      #expect(change.word == .worse && change.isRegression && change.method == .pairedBlocks)
      let (low, high) = (try #require(change.low), try #require(change.high))
      #expect(low > 1.15 && low <= high && high < 1.25)
    }
    #expect(record.regressions(ofRun: 1).contains { $0.hasPrefix("response p99 ") })
    #expect(
      !(try ComparisonFixture.comparison(try ComparisonFixture.run(1.2), tolerance: 0.3))
        .hasRegression)
    #expect(!(try ComparisonFixture.comparison(try ComparisonFixture.run(0.8))).hasRegression)
  }

  @Test("a figure is a regression if worse by more than the tolerance; one lost fix is")
  func tolerance() throws {
    let battery = try ComparisonFixture.comparison(
      try ComparisonFixture.run { $0.traffic.bytesPerFix = 61 })
    #expect(try change("bytes-per-fix", battery).word == .worse)
    #expect(!battery.hasRegression)
    let lost = try ComparisonFixture.comparison(
      try ComparisonFixture.run { $0.ledger.fixes.lost = 1 }, tolerance: 9)
    #expect(lost.regressions(ofRun: 1).contains { $0.hasPrefix("lost fixes") })
    #expect(try change("lost", lost).ratio == nil)
  }

  @Test("an SLO met before and missed now is a regression")
  func promises() throws {
    let record = try ComparisonFixture.comparison(
      try ComparisonFixture.run {
        $0.slo[0] = .atMost(50_000, 61_000, name: "responseP99", unit: "µs")
      })
    #expect(
      record.regressions(ofRun: 1) == [
        "SLO missed: responseP99 is 61 ms, the SLO is 50 ms"
      ])
    let invalid = try ComparisonFixture.comparison(
      try ComparisonFixture.run { $0.verdict = .invalid })
    #expect(invalid.regressions(ofRun: 1) == ["verdict pass → invalid"])
  }

  @Test("words: an interval around one is no difference, and less is not always better")
  func words() throws {
    func word(_ name: String, _ b: Double, _ low: Double, _ high: Double) throws -> String {
      let figure = try #require(RunFigure(rawValue: name))
      return RunComparison.word(figure, 1, b, Ratio(value: b, low: low, high: high)).rawValue
    }
    #expect(try word("response-p99", 1.1, 0.9, 1.2) == "~")
    #expect(try word("response-p99", 1.1, 1.05, 1.2) == "worse")
    #expect(try word("response-p99", 0.9, 0.8, 0.95) == "better")
    #expect(try word("fresh-reachable", 0.9, 0.8, 0.95) == "worse")
    #expect(try word("throughput", 0.9, 0.8, 0.95) == "changed")
    let battery = try #require(RunFigure(rawValue: "battery"))
    #expect(RunComparison.word(battery, 1, 1, nil) == .same)
  }

  @Test("different worlds are not paired, and differences are listed by path")
  func differences() throws {
    let record = try ComparisonFixture.comparison(
      try ComparisonFixture.run(world: "v") {
        $0.seed = 43
        $0.scenario.phones = 10_000
        $0.scenario.text =
          "fleet:\n  cohorts:\n    - name: commuters\n      policy: elastic\npush:\n  sweep: 60s\n"
      })
    let pairing = record.pairings[0]
    #expect(!pairing.isPaired)
    #expect(pairing.sentence.contains("different worlds"))
    #expect(
      pairing.differences == [
        "phones: 5,000 → 10,000", "seed: 42 → 43",
        "fleet.cohorts.commuters.policy: hybrid → elastic",
        "push.sweep: 1 setting only in the second",
      ])
    #expect(try change("fresh-moving", record).word == .same)
  }

  @Test("a percentile that the generator decides is shown and not compared")
  func late() throws {
    let record = try ComparisonFixture.comparison(
      try ComparisonFixture.run { $0.latency.response.generatorBound = ["p99"] })
    let row = try #require(record.rows.first { $0.figure.rawValue == "response-p99" })
    #expect(row.texts[1] == "late" && row.changes == [nil])
  }

  @Test("a plan and a load share the phones' figures; two plans also share their capacity")
  func plans() throws {
    let plan = RunFiles(record: PlanFixture.record())
    // Shares of phones are comparable in all runs; without them no figure is left.
    let shares = try RunComparison(
      [("a", try ComparisonFixture.run()), ("b", plan)], tolerance: 0.05)
    #expect(shares.rows.contains { $0.figure.rawValue == "answered" })
    #expect(
      !shares.rows.contains {
        $0.figure.rawValue == "response-p99" || $0.figure.rawValue == "capacity-lower"
      })
    var bare = plan
    bare.record.wake = .init()
    bare.record.freshness = .init()
    bare.record.energy = .init()
    #expect(throws: RunComparison.ComparisonError.nothingInCommon(["a", "b"])) {
      try RunComparison([("a", try ComparisonFixture.run()), ("b", bare)], tolerance: 0.05)
    }
    let record = try RunComparison([("a", plan), ("b", plan)], tolerance: 0.05)
    #expect(record.rows.contains { $0.figure.rawValue == "capacity-lower" })
    #expect(record.rows.contains { $0.figure.rawValue == "instances" })
    #expect(!record.rows.contains { $0.figure.rawValue == "response-p99" })
  }

  @Test("a terminal's lines, Markdown, CSV and page name every figure and the regression")
  func forms() throws {
    let record = try ComparisonFixture.comparison(try ComparisonFixture.run(1.2))
    let lines = record.report().lines
    let table = lines.filter { $0.contains("response p") && !$0.hasPrefix("  ") }
    #expect(table.count == 4)
    #expect(lines.contains { $0.hasPrefix("  response p99 ") && $0.contains("worse 1.") })
    #expect(lines.prefix(4).contains { $0.hasPrefix("Paired by time") })
    let markdown = record.report().markdown
    let csv = record.csv.split(separator: "\n")
    #expect(csv.count == 1 + 2 * record.rows.count)
    #expect(
      csv.allSatisfy { $0.split(separator: ",", omittingEmptySubsequences: false).count == 11 })
    let html = record.report([try ComparisonFixture.run(), try ComparisonFixture.run(1.2)])
      .html(.none)
    for row in record.rows {
      #expect(markdown.contains("| \(row.figure.title) |"))
      #expect(html.contains(">\(row.figure.title)<"))
    }
    #expect(html.contains("Charts are static") && !html.contains("<script"))
    let read = try JSONDecoder().decode(RunComparison.self, from: record.json())
    #expect(read == record)
  }

  @Test("every figure has one row, with a unique name and title")
  func figures() {
    #expect(RunFigure.all.allSatisfy { RunFigure(rawValue: $0.rawValue) == $0 })
    #expect(Set(RunFigure.all.map(\.rawValue)).count == RunFigure.all.count)
    #expect(Set(RunFigure.all.map(\.title)).count == RunFigure.all.count)
    // The order of the rows of comparison.json.
    #expect(
      RunFigure.all.map(\.rawValue) == [
        "offered", "throughput", "acked-share", "response-p50", "response-p90", "response-p99",
        "response-p999", "failed-share", "fresh-reachable", "fresh-installed", "fresh-moving",
        "located", "answered", "answered-of-silent", "caused", "uplift", "battery",
        "bytes-per-batch", "bytes-per-fix", "collector-cpu-per-batch", "collector-memory",
        "peak-rate", "undelivered", "lost",
        "fresh-ios", "answered-ios", "battery-ios", "uploads-ios",
        "fresh-android", "answered-android", "battery-android", "uploads-android",
        "capacity-lower", "capacity-upper", "capacity-per-core", "cpu-per-batch", "instances",
        "storage", "cost",
      ])
  }

  @Test(
    "JUnit has a case for each figure and SLO, and is valid XML with any path",
    .needs(.python))
  func junit() throws {
    var record = try ComparisonFixture.comparison(try ComparisonFixture.run(1.2))
    record.runs[1].path = "runs/<b> & \"c\"\u{1}"
    let folder = try Folder()
    let file = try folder.write(record.junit, "junit.xml")
    let python = try #require(Oracle.python.path)
    let read = try Tool.run(
      python,
      [
        "-c",
        """
        import sys, xml.etree.ElementTree as E
        root = E.parse(sys.argv[1]).getroot()
        for s in root:
          c = s.findall('testcase')
          f = [x.get('name') for x in c if x.find('failure') is not None]
          words = [s.get('tests'), len(c), s.get('failures'), len(f), 'response-p99' in f]
          sys.stdout.write(' '.join(map(str, words)) + '\\n')
        """, file.path,
      ])
    let cases = 1 + record.rows.count + record.promises.count
    let failed = record.rows.filter { $0.changes[0]?.isRegression ?? false }.count
    #expect(read.text == "\(cases) \(cases) \(failed) \(failed) True\n")
  }
}
