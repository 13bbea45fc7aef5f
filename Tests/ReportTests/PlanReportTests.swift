import Capacity
import Foundation
import Measure
import Scenarios
import Testing

@testable import Report

@Suite("Report of a plan")
struct PlanReportTests {
  /// Two hours of two batches a second, of a hundred phones that stand for three hundred.
  static func record(_ capacity: CapacityRecord? = measured) -> RunRecord {
    var recorder = DemandRecorder(policies: ["hybrid", "continuous"], seconds: 7_200)
    for half in 0..<14_400 {
      let second = Double(half) / 2
      recorder.add(
        second, phone: UInt32(half % 100), policy: half % 2, fixes: 20, bytes: 200,
        open: second...(second + 0.2))
    }
    recorder.addPush(10)
    let demand = DemandRecord(recorder, phones: 300, lived: 100, seed: 1)
    var record = RunRecord()
    record.scenario.name = "town <b>"
    record.scenario.start = "2026-03-02T07:30:00"
    record.verdict = .pass
    record.demand = JSONValue(encoding: demand)
    guard let capacity else { return record }
    record.capacity = JSONValue(encoding: capacity)
    let input = SizingInput(
      demand: demand, perCore: capacity.perCore, prices: .unpriced, delay: 1, bytesStored: 250,
      residentBytes: nil)
    var size = SizeRecord(input, seed: 1)
    size.alternatives = [SizeRecord.Alternative("continuous", demand, like: input)]
    record.size = JSONValue(encoding: size)
    return record
  }

  static var measured: CapacityRecord {
    var capacity = CapacityRecord(
      source: .measured, perCore: Ratio(value: 1_050, low: 1_000, high: 1_100))
    capacity.lowerBound = 1_000
    capacity.upperBound = 1_045
    capacity.verified = true
    capacity.latencyLimitMicroseconds = 50_000
    for (load, p99) in [(250.0, 3e3), (500, 4e3), (1_000, 2e4), (1_045, 9e4), (2_000, 4e5)] {
      var trial = TrialRecord(kind: .full, search: 1, load: load, seconds: 10)
      trial.p99Microseconds = p99
      trial.p50Microseconds = p99 / 4
      trial.isHigh = load > 1_000
      capacity.trials.append(trial)
    }
    capacity.trials[0].invalid = "generator: late by 4000 µs in one of a hundred sends"
    capacity.lawNote = "not fitted: too few"
    return capacity
  }

  @Test("the first sentence says what to buy, from where to where, and of what it is true")
  func answer() throws {
    let sentence = try #require(Answer(Self.record()).sentence?.text)
    #expect(sentence.hasPrefix("300 phones of town <b> need 2 instances [2 – 2] of 1 core and "))
    #expect(sentence.contains("limited by "))
    #expect(sentence.hasSuffix("(reference collector, loopback, no TLS, phones with iOS)."))
    #expect(planMarkdown(Self.record()).contains("**\(sentence)**"))
    #expect(PlanWords.lines(Self.record())[0] == "answer   \(sentence)")
    let asked = try #require(Answer(Self.record(nil)).sentence?.text)
    #expect(asked.contains("(100 of them were lived) ask for"))
  }

  @Test("the answer stands first, every chart is drawn, and invalid trials are listed")
  func page() throws {
    let gnuplot = try #require(
      Gnuplot(searchPath: ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin"))
    let html = reportHTML(RunFiles(record: Self.record()), plot: gnuplot.svg)
    #expect(!html.contains("could not draw"))
    #expect(!html.contains("town <b>"))
    #expect(html.components(separatedBy: "<figure>").count == 6)
    let main = try #require(html.range(of: "<main>"))
    let answer = try #require(html.range(of: "class=\"answer\""))
    let section = try #require(html.range(of: "<section"))
    #expect(main.lowerBound < answer.lowerBound && answer.lowerBound < section.lowerBound)
    #expect(html.contains("invalid, generator: late"))
    #expect(html.contains("data-key=\"size.interval.high\""))
    #expect(html.contains("not fitted: too few"))
  }

  @Test("a demand alone has no size, and one that was scaled too far says so")
  func demandAlone() throws {
    let html = reportHTML(RunFiles(record: Self.record(nil)), plot: nil)
    #expect(!html.contains("What to buy"))
    let recorder = DemandRecorder(policies: ["a"], seconds: 60)
    let far = DemandRecord(recorder, phones: 1_000, lived: 10, seed: 1)
    #expect(PlanWords.reasons(far)[0].contains("100 ×"))
    #expect(PlanWords.reasons(DemandRecord(recorder, phones: 10, lived: 10, seed: 1)).isEmpty)
  }
}
