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
