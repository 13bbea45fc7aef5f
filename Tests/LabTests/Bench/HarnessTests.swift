import Core
import Foundation
import Scenarios
import TestSupport
import Testing
@testable import flotilla_lab

@Suite("Benches", .quick)
struct HarnessTests {
  /// Counts its rounds, with one second per sample by its own clock.
  private struct Counting: Benchmark {
    var name: String { "counting" }
    var parameters: [(name: String, value: BenchRow.Parameter)] {
      [("size", .count(1_000)), ("kind", .word("plain"))]
    }
    var rounds = 0

    mutating func round(_ clock: () -> WallInstant) -> [(figure: String, samples: [Double])] {
      rounds += 1
      return [("number", [Double(rounds), Double(rounds) / 2]), ("nothing", [])]
    }
  }

  private static func clock() -> () -> WallInstant {
    var ticks: Int64 = 0
    return {
      ticks += 1
      return WallInstant(microseconds: ticks * 10_000)
    }
  }

  @Test("warm-up samples are discarded; results are median, minimum and maximum")
  func rounds() throws {
    var bench = Counting()
    let rows = try #require(Harness(warmUp: 2, rounds: 3, clock: Self.clock()).run(&bench))
    #expect(bench.rounds == 5)
    let samples = [3, 1.5, 4, 2, 5, 2.5]
    #expect(rows[0].figures.map(\.name) == ["number"])
    #expect(rows[0]["number"] == BenchFigure(samples))
    #expect(BenchFigure(samples) == BenchFigure([2.5, 1.5, 5]))
  }

  @Test("each benchmark has a row of the CPU probe, measured by the clock")
  func probe() throws {
    var bench = Counting()
    let rows = try #require(Harness(warmUp: 0, rounds: 2, clock: Self.clock()).run(&bench))
    #expect(rows.map(\.bench) == ["counting", "cpu-probe"])
    // 10 ms for 5 million steps.
    #expect(rows[1]["nanosecondsPerStep"]?.median == 2)
  }

  @Test("a benchmark that stops before a measured round has no rows")
  func stopped() {
    var bench = Counting()
    let harness = Harness(warmUp: 2, rounds: 3, clock: Self.clock())
    #expect(harness.run(&bench) { round, _ in round <= 2 } == nil)
    #expect(harness.run(&bench) { round, _ in round <= 3 }?.count == 2)
  }

  @Test("in JSON, parameters and figures are fields of a row")
  func json() throws {
    let row = BenchRow(
      bench: "x", parameters: [("phones", .count(3)), ("scheduler", .word("fixed"))],
      figures: [("bytes", BenchFigure([1, 2, 9]))])
    let data = Data(try BenchTable([row]).json().utf8)
    let read = try #require(try JSONSerialization.jsonObject(with: data) as? [[String: Any]])
    #expect(read[0]["phones"] as? Int == 3)
    #expect(read[0]["scheduler"] as? String == "fixed")
    #expect(read[0]["bytes"] as? [String: Double] == ["median": 2, "min": 1, "max": 9])
  }

  @Test("as text, every figure has a line under one header")
  func text() {
    let row = BenchRow(
      bench: "push", parameters: [("phones", .count(1_000_000))],
      figures: [("a", BenchFigure([1.25])), ("longer", BenchFigure([1, 2, 3]))])
    #expect(
      BenchTable([row]).text == """
        bench  parameters        figure  median   min   max
        push   phones 1,000,000  a         1.25  1.25  1.25
                                 longer       2     1     3
        """)
  }
}

@Suite("Push benchmark", .quick)
struct PushBenchTests {
  @Test("in a steady state, every sweep pushes some phones; a phone needs under 64 bytes")
  func settles() throws {
    var bench = PushBench(phones: 20_000, scheduler: .fixed)
    let harness = Harness(
      warmUp: 2, rounds: 1, clock: { WallInstant(microseconds: 0) })
    var row = try #require(harness.run(&bench)?.first)
    let pushes = try #require(row["pushesPerSweep"])
    #expect(pushes.min > 0 && pushes.max < 2_000)
    let bytes = try #require(row["bytesPerPhone"])
    #expect((56...64).contains(bytes.median))
    #expect(row["sweepMilliseconds"]?.max == 0)
    row.bars = PushBench.millionPhones
    #expect(row.results.map(\.isMet) == [true, true])
  }

  @Test("the limits of the slowest sweep and the memory are inclusive")
  func limits() {
    func results(_ milliseconds: Double, _ megabytes: Double) -> [Bool] {
      BenchRow(
        bench: "push", parameters: [],
        figures: [
          ("sweepMilliseconds", BenchFigure([1, 1, milliseconds])),
          ("megabytes", BenchFigure([megabytes])),
        ], bars: PushBench.millionPhones
      ).results.map(\.isMet)
    }
    let (time, memory) = (PushBench.mostMilliseconds, PushBench.mostMegabytes)
    #expect(results(time, memory) == [true, true])
    #expect(results(time.nextUp, memory) == [false, true])
    #expect(results(time, memory.nextUp) == [true, false])
  }
}
