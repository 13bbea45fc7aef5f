import Core
import Figures
import Foundation
import TestSupport
import Testing
@testable import Report
@testable import ReportSupport

@Suite("Silent pushes in the report", .quick)
struct PushReportTests {
  static func section(_ id: String, _ html: String) -> String? {
    html.split(separator: "<section ").first { $0.hasPrefix("id=\"\(id)\"") }.map(String.init)
  }

  static let page = reportHTML(RunFixture.live(), .none)

  @Test("every outcome that occurred has its share, its meaning and what to do")
  func outcomes() throws {
    let section = try #require(Self.section("pushes", Self.page))
    let wake = RunFixture.live().record.wake
    for outcome in WakeOutcome.allCases {
      let count = wake.outcomes[outcome.rawValue] ?? 0
      let row = "<th scope=\"row\">\(outcome.name)</th><td>\(Figure.grouped(count))</td>"
      #expect(section.contains(row) == (count > 0), "\(outcome)")
      #expect(!outcome.meaning.isEmpty && !outcome.advice.isEmpty)
    }
    #expect(section.contains("Use a longer expiration"))
  }

  @Test("the stages of the funnel lose every push at exactly one stage")
  func stages() {
    let ended: [WakeOutcome] = [.caused, .pending]
    let lost = PushStage.allCases.flatMap(\.row.losses)
    #expect(Set(lost).union(ended) == Set(WakeOutcome.allCases))
    #expect(lost.count + ended.count == WakeOutcome.allCases.count)
  }

  @Test("the funnel ends with the pushes that caused a position in time")
  func funnel() throws {
    let wake = RunFixture.live().record.wake
    let caused = Figure.grouped(wake.outcomes["caused"] ?? 0)
    let section = try #require(Self.section("pushes", Self.page))
    #expect(section.contains("<th scope=\"row\">in time</th><td>\(caused)</td>"))
    #expect(section.contains("<th scope=\"row\">ended</th>"))
  }

  @Test("push latency has the curve's own quartiles; if half never arrive, that is said")
  func time() throws {
    let section = try #require(Self.section("push-time", Self.page))
    #expect(section.contains(" were answered within "))
    #expect(section.contains("10 min (the scenario’s)"))
    var files = RunFixture.live()
    files.record.wake.curves?.answered?.medianSeconds = nil
    let other = reportHTML(files, .none)
    #expect(try #require(Self.section("push-time", other)).contains(", 50 % within") == false)
  }

  @Test("cohorts, systems and hours have a table each, with intervals")
  func groups() throws {
    let section = try #require(Self.section("push-groups", Self.page))
    for name in ["commuters", "cyclists", "ios17", "00", "23"] {
      #expect(section.contains("<th scope=\"row\">\(name)</th>"), "\(name)")
    }
  }

  @Test("uplift names its method and source; an interval with zero is called chance")
  func uplift() throws {
    let section = try #require(Self.section("uplift", Self.page))
    #expect(section.contains("paired: the same push withheld"))
    #expect(section.contains("holdout: other pushes withheld"))
    #expect(section.contains("the simulator only") && section.contains("a real server"))
    #expect(section.contains("reachable, pushed"))
    #expect(!section.contains("not significant"))
    var files = RunFixture.live()
    files.record.wake.uplift = Ratio(value: 0.01, low: -0.02, high: 0.04)
    let other = reportHTML(files, .none)
    #expect(try #require(Self.section("uplift", other)).contains("not significant"))
  }

  @Test("a record from before curves and groups still shows its outcomes")
  func old() throws {
    var object = try #require(
      JSONSerialization.jsonObject(with: RunFixture.live().record.json()) as? [String: Any])
    let known = [
      "requested", "eligible", "withheld", "withinSeconds", "outcomes", "answered", "caused",
      "uplift",
    ]
    object["wake"] = (object["wake"] as? [String: Any])?.filter { known.contains($0.key) }
    let record = try RunRecord(json: JSONSerialization.data(withJSONObject: object))
    let html = reportHTML(RunFiles(record: record), .none)
    #expect(Self.section("pushes", html) != nil && Self.section("uplift", html) != nil)
    #expect(Self.section("push-time", html) == nil && Self.section("push-groups", html) == nil)
    #expect(summaryMarkdown(record).contains("uplift"))
  }

  @Test("a summary has the main lines: ratios with method, limits, times, all silent phones")
  func summary() {
    let text = summaryMarkdown(RunFixture.live().record)
    for words in [
      "uplift (paired)", "Uplift by the holdout", "30 min", "Answered: 25 % within",
      "unreachable phones",
    ] { #expect(text.contains(words), "\(words)") }
  }

  @Test("every chart of it is drawn")
  func pictures() throws {
    let html = reportHTML(RunFixture.live(), .none)
    for id in ["pushes", "push-time", "push-groups"] {
      #expect(try #require(Self.section(id, html)).contains("<svg class=\"wide\""), "\(id)")
    }
    #expect(try #require(Self.section("push-time", html)).contains("fill-opacity"))
  }
}
