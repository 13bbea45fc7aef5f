@testable import Capacity
@testable import Core
import Figures
import Foundation
import TestSupport
import Testing
@testable import Report
@testable import ReportSupport

@Suite("Both systems in a report", .quick)
struct SystemSectionTests {
  static let files = RunFixture.live { record in
    var (iOS, android) = (SystemFigures(.iOS, profile: nil), SystemFigures(.android, profile: nil))
    (iOS.phones, iOS.fresh, iOS.uploads, iOS.uploadsPerPhoneDay) = (3_000, 0.5, 1_000, 8)
    (android.phones, android.fresh, android.uploads) = (2_000, 0.25, 3_000)
    (android.uploadsPerPhoneDay, android.batteryPercentPerDay) = (36, 2.5)
    iOS.stale = ["force-quit": 75, "push-gate": 25]
    android.stale = ["force-quit": 10, "push-gate": 90]
    android.pushes = WakeGroup(
      name: "Android", requested: 200, eligible: 180, outcomes: ["doze": 150, "caused": 50],
      answered: Ratio(value: 0.3, low: 0.2, high: 0.4))
    record.systems = [iOS, android]
  }
  static let section = PushReportTests.section("systems", reportHTML(files, .none))

  @Test("the systems stand side by side, with their requests a second")
  func sideBySide() throws {
    let section = try #require(Self.section)
    #expect(section.contains("3,000 with iOS: fresh 50.0 %, 8 uploads a day; 2,000 with Android"))
    #expect(section.contains("<td>25.0 %</td>"))
    // 3,000 phones with 8 a day, and 2,000 with 36.
    #expect(section.contains("<td>0.278</td>") && section.contains("<td>0.833</td>"))
    #expect(section.contains("<td>180</td><td>30.0 %</td>"))
  }

  @Test("causes and ends of pushes have the words of each system")
  func words() throws {
    let section = try #require(Self.section)
    #expect(section.contains("app force-quit by its owner; Android: app force-stopped"))
    #expect(section.contains("push held in Doze, or app stopped 90.0 %"))
    #expect(section.contains(">doze<"))
    for cause in StaleCause.allCases { #expect(cause.words(on: .iOS) == cause.words) }
  }

  @Test("summary and output have the figures of both systems; one system has none")
  func elsewhere() {
    let summary = summaryMarkdown(Self.files.record)
    #expect(summary.contains("## Systems") && summary.contains("| Android | 2,000 | 25.0 % |"))
    let plain = RunFixture.live()
    #expect(!summaryMarkdown(plain.record).contains("## Systems"))
    #expect(PushReportTests.section("systems", reportHTML(plain, .none)) == nil)
  }

  @Test("a comparison of two such runs compares each system")
  func comparison() throws {
    let names = RunFigure.all.map(\.rawValue).filter { $0.hasSuffix("-android") }
    #expect(
      names == ["fresh-android", "answered-android", "battery-android", "uploads-android"])
    let runs = [("a", Self.files), ("b", Self.files)]
    let rows = try RunComparison(runs, tolerance: 0.05).rows
    let row = try #require(rows.first { $0.figure.rawValue == "fresh-android" })
    #expect(row.values == [0.25, 0.25])
    let plain = try RunComparison([("a", RunFixture.live()), ("b", Self.files)], tolerance: 0.05)
    #expect(!plain.rows.contains { $0.figure.rawValue == "fresh-ios" })
  }

  @Test(
    "a demand says what a plan for iPhones alone would get wrong",
    arguments: [(3_000.0, "2.5 times too small"), (500, "1.2 times too large")])
  func demand(android batches: Double, words: String) throws {
    var record = PlanFixture.record(nil)
    var plan = try #require(record.plan)
    func part(_ system: SystemKind, _ batches: Double) -> SystemDemand {
      SystemDemand(
        system: system, phones: 150, batches: batches, fixes: 10 * batches, bytes: 100 * batches,
        pushes: 0, busiestHour: batches / 3_600, busiestMinute: batches / 3_600)
    }
    plan.demand.systems = [part(.iOS, 750), part(.android, batches)]
    // All phones have the same rate in each minute.
    for i in plan.demand.minutes.indices {
      plan.demand.minutes[i].batches = [750 / 3_600, batches / 3_600]
    }
    record.plan = plan
    let lines = PlanWords.lines(record)
    let sentence = "50.0 % of the phones have Android. A plan for iPhones alone would be \(words)"
    #expect(lines.contains { $0.contains(sentence) }, "\(lines)")
    #expect(lines.contains { $0.contains("requests/s, busiest hour") }, "\(lines)")
    #expect(planMarkdown(record).contains(sentence))
    let page = reportHTML(RunFiles(record: record), .none)
    #expect(PushReportTests.section("systems", page)?.contains(sentence) == true)
    #expect(!PlanWords.lines(PlanFixture.record(nil)).contains { $0.contains("iPhones alone") })
  }
}
