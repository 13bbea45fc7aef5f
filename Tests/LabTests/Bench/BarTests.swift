import Foundation
import TestSupport
import Testing
@testable import flotilla_lab

@Suite("Bars of a benchmark", .quick)
struct BarTests {
  private static let figure = BenchFigure([1, 5, 9])

  @Test(
    "a bar applies to the median or to the worst sample",
    arguments: [
      (BenchBar("x", .atLeast(5)), true), (BenchBar("x", .atLeast(5.1)), false),
      (BenchBar("x", .atLeast(5), judged: .worst), false),
      (BenchBar("x", .atLeast(1), judged: .worst), true),
      (BenchBar("x", .atMost(5)), true), (BenchBar("x", .atMost(4.9)), false),
      (BenchBar("x", .atMost(5), judged: .worst), false),
      (BenchBar("x", .atMost(9), judged: .worst), true),
    ])
  func judging(_ bar: BenchBar, _ isMet: Bool) {
    #expect(bar.isMet(by: Self.figure) == isMet)
  }

  @Test(
    "a shared database has bars for one collector, a slow disk and several collectors",
    arguments: zip(
      DatabaseIngestBench.Plan.bars,
      [
        BenchBar("batchesPerSecond", .atLeast(40_000)),
        BenchBar("batchesPerSecond", .atLeast(20_000)),
        BenchBar("ofOneCollector", .atLeast(0.9)), BenchBar("ofOneCollector", .atLeast(0.9)),
      ]))
  func database(_ plan: DatabaseIngestBench.Plan, _ bar: BenchBar) {
    #expect(plan.limits.first == bar)
    // In any case, nothing may be lost or stored twice.
    #expect(plan.limits.suffix(2) == [BenchBar("lost", .atMost(0)), BenchBar("twice", .atMost(0))])
    #expect(DatabaseIngestBench.Plan(collectors: 3).limits.count == 2)
  }

  @Test("a paced rate has the bar of commits, and must be reached")
  func paced() {
    var plan = DatabaseIngestBench.Plan()
    plan.pace = 40_000
    #expect(plan.limits[0] == BenchBar("batchesPerSecond", .atLeast(39_600)))
    #expect(plan.limits[1] == BenchBar("commitP99Milliseconds", .atMost(30)))
    #expect(plan.limits.count == 4)
  }

  private static func row(_ bars: [BenchBar]) -> BenchRow {
    BenchRow(
      bench: "ingest", parameters: [("connections", .count(1_000)), ("rounds", .count(3))],
      figures: [("fast", figure), ("slow", figure)], bars: bars)
  }

  @Test("the table shows the bar of a figure, and whether it is met")
  func table() {
    let table = BenchTable([
      Self.row([BenchBar("fast", .atLeast(4)), BenchBar("slow", .atMost(4))])
    ])
    #expect(
      table.text == """
        bench   parameters                   figure  median  min  max  bar  result
        ingest  connections 1,000, rounds 3  fast         5    1    9  ≥ 4  met
                                             slow         5    1    9  ≤ 4  MISSED
        """)
    #expect(
      table.summary == """
        1 of 2 bars met
          MISSED  ingest (connections 1,000): slow 5, bar ≤ 4
        """)
  }

  @Test("the summary names the deciding sample")
  func judged() {
    let row = Self.row([BenchBar("fast", .atMost(8), judged: .worst)])
    #expect(BenchTable([row]).summary?.hasSuffix("fast 9, bar ≤ 8") == true)
  }

  @Test("a figure without samples misses its bar and has a line")
  func missing() {
    let row = Self.row([BenchBar("absent", .atLeast(1))])
    #expect(row.results.map(\.isMet) == [false])
    let table = BenchTable([row])
    #expect(table.text.contains("absent       —    —    —  ≥ 1  MISSED"))
    #expect(table.summary?.hasPrefix("0 of 1 bars met") == true)
  }

  @Test("a table without bars has no bar columns and no summary")
  func none() {
    let table = BenchTable([Self.row([])])
    #expect(!table.text.contains("bar"))
    #expect(table.summary == nil)
  }

  @Test("many parameters take several lines; large numbers are grouped")
  func wide() {
    let row = BenchRow(
      bench: "ingest",
      parameters: [
        ("mode", .word("per-phone")), ("connections", .count(10_000)), ("inFlight", .count(8)),
        ("store", .word("none")), ("rounds", .count(3)),
      ],
      figures: [("rate", BenchFigure([123_456.7]))], bars: [])
    #expect(
      BenchTable([row]).text == """
        bench   parameters                           figure   median      min      max
        ingest  mode per-phone, connections 10,000,  rate    123,457  123,457  123,457
                inFlight 8, store none, rounds 3
        """)
  }

  @Test("in JSON, a row lists its bars and whether they are met")
  func json() throws {
    let row = Self.row([
      BenchBar("fast", .atLeast(4)), BenchBar("slow", .atMost(4), judged: .worst),
    ])
    let data = Data(try BenchTable([row]).json().utf8)
    let read = try #require(try JSONSerialization.jsonObject(with: data) as? [[String: Any]])
    let bars = try #require(read[0]["bars"] as? [[String: Any]])
    #expect(bars.map { $0["isMet"] as? Bool } == [true, false])
    #expect(bars.map { $0["judged"] as? String } == ["median", "worst"])
    #expect(bars[0]["atLeast"] as? Double == 4)
    #expect(bars[1]["atMost"] as? Double == 4)
  }
}
