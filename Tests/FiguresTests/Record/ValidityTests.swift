@testable import Core
import TestSupport
import Testing
@testable import Figures

@Suite("Verdict and validity", .quick)
struct ValidityTests {
  @Test("the worst finding decides, and every finding is a reason")
  func worst() {
    let missed = ServiceLevelResult.atMost(50, 61.5, name: "responseP99", unit: "ms")
    let all = Judgement(losses: ["l"], invalid: ["i"], interrupted: ["x"], slo: [missed])
    #expect(all.verdict == .loss)
    #expect(all.reasons == ["l", "i", "x", "responseP99 is 61.5 ms, the SLO is 50 ms."])
    #expect(
      Judgement(losses: [], invalid: ["i"], interrupted: ["x"], slo: []).verdict == .invalid)
    #expect(
      Judgement(losses: [], invalid: [], interrupted: ["x"], slo: [missed]).verdict
        == .interrupted)
    #expect(
      Judgement(losses: [], invalid: [], interrupted: [], slo: [missed]).verdict == .sloMissed)
    let unread = Judgement(
      losses: [], invalid: [], interrupted: [], unverified: ["u"], slo: [missed])
    #expect(unread.verdict == .notVerified && unread.reasons.first == "u")
    let clean = Judgement(losses: [], invalid: [], interrupted: [], slo: [])
    #expect(clean.verdict == .pass && clean.reasons.isEmpty)
    #expect(Verdict.allCases.sorted() == Verdict.allCases && Verdict.loss < .pass)
  }

  @Test("an SLO is met at its limit, and an unknown value does not pass")
  func levels() {
    #expect(ServiceLevelResult.atMost(5, 5, name: "a", unit: "").pass)
    #expect(!ServiceLevelResult.atMost(5, 5.1, name: "a", unit: "").pass)
    #expect(ServiceLevelResult.atLeast(0.9, 0.9, name: "a", unit: "").pass)
    #expect(!ServiceLevelResult.atLeast(0.9, nil, name: "a", unit: "").pass)
  }

  @Test(
    "a percentile is the generator's if its lag is above 5 % of it and above 1 ms",
    arguments: [
      (.value(10_000), .value(1_000), false), (.value(10_000), .value(1_001), true),
      (.value(100_000), .value(5_000), false), (.value(100_000), .value(5_001), true),
      (.unsupported, .value(9_000), false), (.beyond(30_000_000), .value(1_000_000), false),
      (.beyond(30_000_000), .value(2_000_000), true),
    ] as [(Percentile, Percentile, Bool)])
  func generatorBound(response: Percentile, lag: Percentile, bound: Bool) {
    #expect(Validity.isGeneratorBound(response, lag: lag) == bound)
    #expect((Validity.generatorBoundReason("p99", response, lag: lag) != nil) == bound)
  }

  static func watch(deficit: (Int) -> Int) -> DeficitWatch {
    var watch = DeficitWatch(allowance: .milliseconds(50))
    for tick in 0..<100 {
      let now = WallInstant(microseconds: Int64(tick) * 10_000)
      let intended = tick * 10
      watch.observe(
        at: now, intended: intended, dispatched: intended - deficit(tick),
        intendedPerSecond: 1_000)
    }
    return watch
  }

  @Test("1 % of a second's load may be late, and more for no longer than the SLO's latency")
  func deficit() {
    #expect(Self.watch { _ in 10 }.reason == nil)
    #expect(Self.watch { $0 < 6 ? 11 : 0 }.reason == nil)
    let late = Self.watch { (10..<20).contains($0) ? 40 : 0 }
    #expect(late.reason?.contains("40 first attempts") == true)
    #expect(late.deficitMax == 40)
    #expect(Self.watch { $0 % 5 == 0 ? 0 : 500 }.reason == nil)
  }

  @Test("a process above 90 % of its cores is invalid: it measured itself")
  func cpu() {
    #expect(
      Validity.cpuReason(process: "generator", cpuSeconds: 18, wallSeconds: 10, cores: 2) == nil)
    #expect(
      Validity.cpuReason(process: "generator", cpuSeconds: 18.1, wallSeconds: 10, cores: 2)
        != nil)
  }

  @Test("the four parts sum to the response, and concurrent writers lose nothing")
  func recorder() async {
    let recorder = IntervalRecorder()
    let timing = BatchTiming(generatorLag: 1, connect: 20, hold: 300, service: 4_000)
    #expect(timing.response == 4_321)
    var total = Interval()
    await withTaskGroup(of: Void.self) { group in
      for _ in 0..<4 {
        group.addTask {
          for _ in 0..<2_000 {
            recorder.record(timing)
            recorder.update { $0.counters[.acknowledgedBatches] += 1 }
          }
        }
      }
      for _ in 0..<20 { total.merge(recorder.take()) }
    }
    total.merge(recorder.take())
    #expect(total.counters[.acknowledgedBatches] == 8_000)
    #expect(total.latency.response.count == 8_000 && total.latency.response.sum == 8_000 * 4_321)
    #expect(recorder.take().latency.response.isEmpty)
  }

  @Test(
    "figures have units and a sensible number of digits",
    arguments: [
      (Figure.time(840), "840 µs"), (Figure.time(12_345), "12.3 ms"),
      (Figure.time(1_400_000), "1.4 s"), (Figure.bytes(300 << 20), "300 MiB"),
      (Figure.grouped(-1_234_567), "-1,234,567"), (Figure.percent(0.9731), "97.3 %"),
      (Figure.quantity(0.00045), "0.00045"), (Figure.quantity(-0.000_456), "-0.00046"),
      (Figure.quantity(0.001), "0.001"), (Figure.quantity(1e-9), "0"), (Figure.quantity(0), "0"),
      (Figure.plain(50_000), "50000"), (Figure.plain(-0.0001), "0"),
    ])
  func figures(text: String, expected: String) { #expect(text == expected) }
}
