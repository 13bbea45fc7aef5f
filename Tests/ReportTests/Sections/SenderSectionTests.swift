import Core
import Figures
import TestSupport
import Testing
@testable import Report
@testable import ReportSupport

@Suite("The section of a push sender", .quick)
struct SenderSectionTests {
  private func bars(_ files: RunFiles) throws -> [BarChart.Bar] {
    let chart = try #require(RunSections(files: files, page: Page(libraries: .none)).coverage)
    guard case .bars(let bars) = chart.body else { return [] }
    return bars.bars
  }

  @Test("the picture goes from all accepted pushes over each gate to those that caused a position")
  func coverage() throws {
    let files = RunFixture.live()
    let (wake, bars) = (files.record.wake, try bars(files))
    let caused = wake.outcomes["caused"] ?? 0
    #expect(bars.first?.name == "accepted")
    #expect(bars.first?.value == Double(wake.requested + wake.withheld))
    let last = try #require(bars.last { $0.name.hasPrefix("past ") })
    #expect(last.value == Double(caused), "what no gate stopped was caused")
    #expect(bars.contains { $0.name == "caused" && $0.value == Double(caused) })
    #expect(bars.last?.name == "answered")
    let gates = bars.filter { $0.name.hasPrefix("past ") }.map(\.value)
    #expect(gates == gates.sorted(by: >))
    #expect(bars.contains { $0.name == "past force quit" && $0.text.contains("(−") })
  }

  @Test("alerts are counted apart, with the gates that stopped them")
  func types() throws {
    let files = RunFixture.live { $0.wake.setShown(150) }
    let wake = files.record.wake
    let types = try #require(wake.types)
    #expect(types.map(\.name) == ["background", "alert"])
    #expect(types.reduce(0) { $0 + $1.requested } == wake.requested)
    for (outcome, count) in wake.outcomes {
      #expect(types.reduce(0) { $0 + ($1.outcomes[outcome] ?? 0) } == count, "\(outcome)")
    }
    let html = reportHTML(files, .none)
    let row =
      "<th scope=\"row\">requested</th>"
      + types.map { "<td>\(Figure.grouped($0.requested))</td>" }.joined()
    #expect(html.contains("Outcomes by push type") && html.contains(row))
    let alerts = Figure.grouped(types[1].requested)
    #expect(html.contains("\(alerts) of the pushes were alerts; phones displayed 150"))
  }

  @Test("faults are listed with example and advice; without a sender there is no section")
  func page() {
    let html = reportHTML(RunFixture.live(), .none)
    for text in [
      "Your push sender", "phone 4711", "background pushes with priority 10", "BadPriority",
      "adaptive", "Signatures of provider tokens were not checked.",
    ] { #expect(html.contains(text), "\(text)") }
    let none = reportHTML(RunFixture.live { $0.sender = nil }, .none)
    #expect(!none.contains("id=\"sender\""))
  }

  @Test("a record keeps the figures, and a terminal has a line for each topic")
  func record() throws {
    let record = RunFixture.live().record
    let sender = try #require(record.sender)
    #expect(try RunRecord(json: record.json()).sender == sender)
    let lines = sender.lines
    #expect(lines[0].contains("2,120 pushes, 1,900 accepted, 75 of them withheld"))
    #expect(lines.contains { $0.contains("400 BadPriority: 200, 40 in the busiest second") })
    #expect(lines.contains { $0.hasPrefix("pushes to apps that were force-quit: 140, first ") })
    #expect(lines.contains { $0.hasPrefix("fixed: ") })
  }
}
