import SimulationCore
import Testing

@testable import Bench

@Suite("Bench of the event queue")
struct HoldTests {
  @Test("as many are pending as there were, and each is held about once a mean wait")
  func pattern() {
    var bench = HoldBench(pending: 2_000, events: 20_000)
    var clock = WallInstant(microseconds: 0)
    let figures = bench.round {
      clock += .seconds(1)
      return clock
    }
    // A round ends with the tick in which its last event lies.
    #expect((20_000..<20_100).contains(bench.held))
    #expect(figures.map(\.figure) == ["eventsPerSecond"])
    #expect(figures[0].samples == [Double(bench.held)])
    #expect((9.0...11).contains(bench.scenarioSeconds))
  }

  @Test("only a million pending are held against a bar")
  func bars() {
    #expect(HoldBench(pending: 1_000, events: 1).bars.isEmpty)
  }
}

@Suite("Bench of the histogram")
struct HistogramBenchTests {
  @Test("a round times recording, asking and merging")
  func round() {
    var bench = HistogramBench(values: 500)
    var clock = WallInstant(microseconds: 0)
    let figures = bench.round {
      clock += .milliseconds(2)
      return clock
    }
    // 2 ms for 4 × 500 records, 64 × 4 questions, 256 merges.
    #expect(figures.map(\.samples) == [[1_000], [7_812.5], [7_812.5]])
  }
}
