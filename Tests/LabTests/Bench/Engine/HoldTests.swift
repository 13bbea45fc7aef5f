import Core
import Scenarios
import TestSupport
import Testing
@testable import flotilla_lab

@Suite("Event queue benchmark", .quick)
struct HoldTests {
  @Test("the number of pending events is constant, with one hold per mean wait")
  func pattern() {
    var pattern = HoldPattern(pending: 2_000)
    var last = pattern.now
    for _ in 0..<10 {
      pattern.hold(2_000)
      #expect(pattern.count == 2_000)
      #expect(pattern.now > last)
      last = pattern.now
    }
    #expect((9.0...11).contains(Double(pattern.now.microseconds) / 1e6))
  }

  @Test("the order is the same for any split into rounds")
  func order() {
    var whole = HoldPattern(pending: 500)
    whole.hold(3_000)
    var parts = HoldPattern(pending: 500)
    for _ in 0..<30 { parts.hold(100) }
    #expect(whole.order == parts.order)
    #expect(whole.now == parts.now)
  }

  @Test("a round reports events per second; a million events have a bar")
  func round() {
    var bench = HoldBench(pending: 100, events: 1_000)
    var clock = WallInstant(microseconds: 0)
    let figures = bench.round {
      clock += .seconds(2)
      return clock
    }
    #expect(figures[0].figure == "eventsPerSecond")
    #expect(figures[0].samples == [500])
    #expect(bench.bars.isEmpty)
  }
}

@Suite("Reduce benchmark", .quick)
struct ReduceBenchTests {
  @Test("a round measures encoding one second and adding all processes")
  func round() {
    var bench = ReduceBench(.standard(phones: 90), processes: 3, batches: 50)
    var clock = WallInstant(microseconds: 0)
    let figures = bench.round {
      clock += .milliseconds(2)
      return clock
    }
    // 2 ms for a hundred of each.
    #expect(figures.map(\.samples) == [[20], [20]])
    #expect(bench.bars.map(\.limit) == [.atMost(1_000), .atMost(1_000)])
  }
}

@Suite("Histogram benchmark", .quick)
struct HistogramBenchTests {
  @Test("a round measures record, percentile and merge")
  func round() {
    var bench = HistogramBench(values: 500)
    var clock = WallInstant(microseconds: 0)
    let figures = bench.round {
      clock += .milliseconds(2)
      return clock
    }
    // 2 ms for 4 × 500 records, 64 × 4 queries, 256 merges.
    #expect(figures.map(\.samples) == [[1_000], [7_812.5], [7_812.5]])
  }
}
