import Capacity
import Core
import Figures
import Foundation
import TestSupport
import Testing
@testable import Report
@testable import ReportSupport

@Suite("A search for settings as text and page", .quick)
struct TuneReportTests {
  private static let record = TuneFixture.record

  @Test("the lines have the last rung, the winner, its certainty, and its confirmation")
  func lines() throws {
    let lines = Self.record.report.lines
    #expect(lines.contains("Goal: maximize fresh, subject to battery ≤ 2 %/day."))
    #expect(lines.contains { $0.contains("100 phone-days, 50.0 % of a full grid’s 200") })
    let head = try #require(lines.firstIndex { $0.contains("send.interval") })
    #expect(!lines[head].contains("policies["))
    #expect(lines[head + 1].contains("front") && lines[head + 1].contains("70.0 %"))
    #expect(lines[head + 2].contains("winner") && lines[head + 2].contains("58.0 – 62.0 %"))
    #expect(!lines.contains { $0.contains("20.0 %") }, "a candidate of the first rung is not shown")
    #expect(
      lines.contains {
        $0.hasPrefix("Best: send.interval 1min, push.silentAfter 1h, fresh 60.0 %")
          && $0.contains(
            "does not differ significantly from 1 of 2 other candidates of the last rung.")
      })
    #expect(lines.contains { $0.hasPrefix("With 2 other seeds, 1,200 phones: fresh 59.0 %") })
    #expect(lines.contains { $0.hasPrefix("battery ≤ 2 %/day: uncertain, 1.95 %/day") })
  }

  @Test("says if the original settings break a bound, or are better than the winner")
  func asWritten() {
    func lines(_ change: (inout TuneRecord.Confirmation) -> Void) -> [String] {
      var record = Self.record
      if var found = record.confirmation {
        change(&found)
        record.confirmation = found
      }
      return record.report.lines
    }
    let breaks = lines { $0.asWritten[1] = Ratio(value: 2.5, low: 2.4, high: 2.6) }
    let sentence = "The original settings miss battery ≤ 2 %/day with 2.5 %/day (2.4 – 2.6 %/day)."
    #expect(breaks.contains(sentence))
    let better = lines { $0.difference[0] = Ratio(value: -0.1, low: -0.12, high: -0.08) }
    #expect(better.contains { $0.hasSuffix("better than the winner: search near them.") })
    #expect(!Self.record.report.lines.contains { $0.hasPrefix("The original settings") })
  }

  @Test("the page has the front as a picture, and escapes scenario texts")
  func page() throws {
    let html = Self.record.report.html(.none)
    #expect(html.contains("fresh against battery") && html.contains("<svg"))
    #expect(html.contains("What is &lt;fresh&gt;?") && !html.contains("<fresh>"))
    #expect(html.contains("Winner and original settings"))
    let markdown = Self.record.report.markdown
    #expect(markdown.contains("| winner | 1min | 1h | 60.0 % (58.0 – 62.0 %) |"))
    let csv = try #require(Self.record.csv).split(separator: "\n")
    #expect(csv.count == 5 && csv[2].hasPrefix("1min,1h,2,1,1,0.6,"))
  }

  @Test("with an ensemble has intervals of the front, and compares winner and original settings")
  func ensemble() {
    var record = Self.record
    var (before, after): ([Int: EnsembleFigures.Values], [Int: EnsembleFigures.Values]) = ([:], [:])
    for set in 0..<20 {
      let (fresh, battery) = (0.3 + 0.02 * Double(set), 1 + 0.1 * Double(set))
      before[set] = ["reachable-fresh": fresh, "installed-battery": battery]
      after[set] = ["reachable-fresh": fresh + 0.05, "installed-battery": battery + 0.5]
    }
    record.ensemble = EnsembleFigures(sets: 32, phones: 300, before)
    record.candidates[0].ensemble = EnsembleFigures(sets: 32, phones: 300, after)
    record.candidates[1].ensemble = EnsembleFigures(sets: 32, phones: 300, after, from: before)
    record.better = [19, 0]
    let sentence = """
      The winner is better than the original settings by fresh in 19 of 20, by battery in 0 of 20 \
      sets of the model’s parameters.
      """
    let lines = record.report.lines
    #expect(lines.contains(sentence))
    #expect(
      lines.contains("90 % intervals over the model’s parameters: 20 of 32 sets of 300 phones"))
    func rows(_ name: String) -> [String] { lines.filter { $0.hasPrefix(name) } }
    #expect(rows("settings").map { $0.contains("battery a day") } == [true, true])
    #expect(rows("original settings").map { $0.contains("40.0 % (30.1 – 67.9 %)") } == [true])
    // Of the front only the winner is compared.
    let other = rows("send.interval 1min, push.silentAfter 15min")
    #expect(other.map { $0.contains("70.0 % (35.1 – 72.9 %)") } == [true])
    let best = rows("winner: send.interval 1min, push.silentAfter 1h")
    #expect(best.count == 2 && best[0].contains("59.0 % (35.1 – 72.9 %)"))
    #expect(best[1].contains("+19.0 (+5.0 … +5.0)") && best[1].contains("+0.75 (+0.50 … +0.50)"))
    let html = record.report.html(.none)
    #expect(html.contains("id=\"model\"") && html.contains(sentence))
    #expect(FirstScreenTests.plain(html).contains("35.1 % – 72.9 % by the model"))
    let key = "candidates.1.ensemble.figures.installed-battery.high"
    #expect(html.contains("data-key=\"\(key)\""))
    #expect(record.report.markdown.contains(sentence))
    #expect(!Self.record.report.html(.none).contains("id=\"model\""))
  }

  @Test("a record reads back from a file, and one that does not fit is refused")
  func file() throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "tune-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: folder) }
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    let file = folder.appending(path: "tune.json")
    try Self.record.json().write(to: file)
    #expect(try TuneRecord.read(from: file) == Self.record)
    let changes: [(inout TuneRecord) -> Void] = [
      { $0.winner = 9 }, { $0.front = [4] }, { $0.figures = ["fresh"] },
      { $0.candidates[3].figures = [] }, { $0.confirmation?.bounds = [] },
      { $0.better = [1] },
    ]
    for change in changes {
      var damaged = Self.record
      change(&damaged)
      #expect(damaged.damage != nil)
      try damaged.json().write(to: file)
      #expect(throws: (any Error).self) { try TuneRecord.read(from: file) }
    }
  }
}
