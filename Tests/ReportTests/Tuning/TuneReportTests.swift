import Capacity
import Core
import Figures
import Foundation
import Testing
@testable import Report

/// A search of four candidates, whose numbers are round.
enum TuneFixture {
  static let record: TuneRecord = {
    var record = TuneRecord()
    record.scenario.name = "city"
    record.scenario.question = "What is <fresh>?"
    record.seed = 42
    record.policy = "hybrid"
    record.axes = [
      .init(key: "policies[hybrid].send.interval", values: ["1min", "5min"]),
      .init(key: "push.silentAfter", values: ["15min", "1h"]),
    ]
    record.figures = ["fresh", "battery"]
    record.question = TuneQuestion(
      goals: [.init(figure: 0, direction: .maximize)],
      bounds: [.init(figure: 1, limit: 2, isUpper: true)])
    record.schedule = TuneSchedule(candidates: 4, phones: 600, seconds: 3_600, warmStart: 3_600)
    (record.cost.search, record.cost.grid) = (100, 200)
    record.candidates = [
      candidate(["1min", "15min"], rung: 1, fresh: 0.7, battery: 3),
      candidate(["1min", "1h"], rung: 1, fresh: 0.6, battery: 1.5),
      candidate(["5min", "15min"], rung: 1, fresh: 0.5, battery: 1.6),
      candidate(["5min", "1h"], rung: 0, fresh: 0.2, battery: 1.4),
    ]
    (record.front, record.winner) = ([0, 1], 1)
    record.margins = [
      .init(candidate: 0, goal: Ratio(value: -0.1, low: -0.12, high: -0.08)),
      .init(candidate: 2, goal: Ratio(value: 0.1, low: -0.01, high: 0.21)),
    ]
    record.confirmation = confirmation
    return record
  }()

  private static func ratio(_ value: Double, _ width: Double) -> Ratio {
    Ratio(value: value, low: value - width, high: value + width)
  }

  private static func candidate(
    _ values: [String], rung: Int, fresh: Double, battery: Double
  ) -> TuneRecord.Candidate {
    var one = TuneRecord.Candidate(values: values)
    (one.rung, one.figures) = (rung, [ratio(fresh, 0.02), ratio(battery, 0.1)])
    return one
  }

  private static var confirmation: TuneRecord.Confirmation {
    var found = TuneRecord.Confirmation()
    (found.seeds, found.phones) = ([7, 8], 1_200)
    found.winner = [ratio(0.59, 0.02), ratio(1.95, 0.1)]
    found.asWritten = [ratio(0.4, 0.02), ratio(1.2, 0.1)]
    found.difference = [ratio(0.19, 0.02), ratio(0.75, 0.1)]
    found.bounds = [.unsure]
    return found
  }
}

@Suite("A search of settings as text and page", .timeLimit(.minutes(10)))
struct TuneReportTests {
  private static let record = TuneFixture.record

  @Test("the lines have the last rung, the winner, how sure it is, and what confirmed it")
  func lines() throws {
    let lines = Self.record.report.lines
    #expect(lines.contains("Asked: fresh as large as can be, with battery ≤ 2 %/day."))
    #expect(lines.contains { $0.contains("100 phone-days, 50.0 % of the 200 that a grid") })
    let head = try #require(lines.firstIndex { $0.contains("send.interval") })
    #expect(!lines[head].contains("policies["))
    #expect(lines[head + 1].contains("front") && lines[head + 1].contains("70.0 %"))
    #expect(lines[head + 2].contains("winner") && lines[head + 2].contains("58.0 – 62.0 %"))
    #expect(!lines.contains { $0.contains("20.0 %") }, "a candidate of the first rung is not shown")
    #expect(
      lines.contains {
        $0.hasPrefix("The best is send.interval 1min, push.silentAfter 1h: fresh 60.0 %")
          && $0.contains("1 of 2 others of the last rung cannot be told apart")
      })
    #expect(lines.contains { $0.hasPrefix("On 1,200 phones of 2 other seeds: fresh 59.0 %") })
    #expect(lines.contains { $0.hasPrefix("battery ≤ 2 %/day is not sure there: 1.95 %/day") })
  }

  @Test("says where settings as written break a bound, or are better than the winner")
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
    let sentence = "As written they break battery ≤ 2 %/day with 2.5 %/day (2.4 – 2.6 %/day)."
    #expect(breaks.contains(sentence))
    let better = lines { $0.difference[0] = Ratio(value: -0.1, low: -0.12, high: -0.08) }
    #expect(better.contains { $0.hasSuffix("better than the winner: vary around them.") })
    #expect(!Self.record.report.lines.contains { $0.hasPrefix("As written") })
  }

  @Test("the page has the front as a picture, and escapes what a scenario says")
  func page() throws {
    let html = Self.record.report.html(ReportPageTests.blank)
    #expect(html.contains("fresh against battery") && html.contains("<svg"))
    if let gnuplot = Tool.gnuplot {
      let drawn = Self.record.report.html(gnuplot.svg)
      #expect(drawn.contains("<svg") && !drawn.contains("could not draw"))
    }
    #expect(html.contains("What is &lt;fresh&gt;?") && !html.contains("<fresh>"))
    #expect(html.contains("The winner beside the settings as written"))
    let markdown = Self.record.report.markdown
    #expect(markdown.contains("| winner | 1min | 1h | 60.0 % (58.0 – 62.0 %) |"))
    let csv = try #require(Self.record.csv).split(separator: "\n")
    #expect(csv.count == 5 && csv[2].hasPrefix("1min,1h,2,1,1,0.6,"))
  }

  @Test("a record goes into a file and comes back, and one that does not fit is refused")
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
