import Foundation
import TestSupport
import Testing
@testable import flotilla_lab

@Suite("Push endpoint benchmark", .quick)
struct PushEndpointBenchTests {
  @Test("h2load output is parsed; rejected requests do not count as pushes")
  func figures() throws {
    let text = """
      Warm-up phase is over for thread #0.

      finished in 4.00s, 40000.00 req/s, 1.68MB/s
      requests: 120000 total, 120000 started, 120000 done, 90000 succeeded, 30000 failed, \
      0 errored, 0 timeout
      status codes: 90000 2xx, 0 3xx, 30000 4xx, 0 5xx
      """
    let figures = try #require(H2Load.Figures(text))
    #expect(figures.perSecond == 30_000)
    #expect(figures.succeeded == 90_000 && figures.failed == 30_000)
  }

  @Test("output without figures gives nil", arguments: ["", "0 done, 0 succeeded, 1.0 req/s"])
  func nothing(text: String) { #expect(H2Load.Figures(text) == nil) }

  @Test("rate, memory and lost pushes have bars")
  func bars() {
    let plan = PushEndpointBench.Plan(
      executable: "", folder: URL(fileURLWithPath: "/nowhere"), unixNow: { 0 })
    let bench = PushEndpointBench(plan, shouldStop: { true })
    #expect(
      bench.bars.map(\.figure) == ["pushesPerSecond", "bytesPerToken", "lost"])
    #expect(bench.bars.map(\.limit) == [.atLeast(30_000), .atMost(64), .atMost(0)])
  }
}
