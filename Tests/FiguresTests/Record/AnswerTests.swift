import TestSupport
import Testing
@testable import Core
@testable import Figures

@Suite("The answer's sentence", .quick)
struct AnswerTests {
  static func answer(_ kind: AnswerKind?, _ change: (inout RunRecord) -> Void) -> String? {
    var record = RunRecord()
    record.scenario.answers = kind
    record.verdict = .pass
    change(&record)
    return Answer(record).sentence?.text
  }

  @Test("wake: share that answers, uplift, and the main obstacles")
  func wake() {
    let text = Self.answer(.wake) { record in
      record.wake.requested = 1_100
      record.wake.withinSeconds = 600
      record.wake.outcomes = [
        "caused": 400, "raced": 60, "refresh-off": 140, "force-quit": 120, "throttled": 280,
        "pending": 100, "no-fix": 0,
      ]
      record.wake.answered = Ratio(value: 0.41, low: 0.39, high: 0.43)
      record.wake.uplift = Ratio(value: 0.33, low: 0.3, high: 0.36)
      record.wake.allSilent = RunRecord.Wake.AllSilent(
        occasions: 5_000, unreachable: 3_900,
        answered: Ratio(value: 0.09, low: 0.08, high: 0.1), caused: nil)
    }
    #expect(
      text == """
        A silent push brings back 41.0 % [39.0 % – 43.0 %] of reachable silent phones within 10 \
        min (9.0 % of all silent phones), uplift 33.0 points; most of the rest: throttled 28.0 %, refresh off \
        14.0 %, force quit 12.0 %.
        """)
    #expect(Self.answer(.wake) { _ in } == "No silent push was requested.")
  }

  @Test(
    "wake: pushes that no policy answers are named in the same sentence, and are not misses")
  func unanswerable() {
    let text = Self.answer(.wake) { record in
      record.wake.requested = 1_783
      record.wake.withinSeconds = 600
      record.wake.outcomes = ["caused": 400, "throttled": 600, "no-fix": 783]
      record.wake.answered = Ratio(value: 0.41, low: 0.39, high: 0.43)
      record.wake.unanswerable = RunRecord.Wake.Unanswerable(
        requested: 437, eligible: 358, answered: 3,
        othersOutcomes: ["caused": 400, "throttled": 600, "no-fix": 346])
    }
    #expect(
      text == """
        A silent push brings back 41.0 % [39.0 % – 43.0 %] of reachable silent phones within 10 \
        min (share of all silent phones not known); most of the rest: throttled 44.6 %, no fix 25.7 %; 437 of 1,783 pushes went to phones \
        whose policy ignores pushes.
        """)
  }

  static func storm(_ amplification: Double?, drain: Double?) -> StormFigures {
    var storm = StormFigures()
    storm.kind = "server-outage"
    storm.amplification = amplification
    storm.drainSeconds = drain
    storm.attemptsPerBatch = 1.4
    return storm
  }

  @Test("storm: peak, length and cost")
  func storms() {
    let one = Self.answer(.storm) { $0.storm = [Self.storm(7.3, drain: 94)] }
    #expect(
      one == """
        When the backend came back, uploads peaked at 7.3 × the normal rate and returned to \
        normal after 94 s; no uploads were rejected, 1.4 attempts a batch.
        """)
    let worst = Self.answer(.storm) {
      $0.storm = [Self.storm(2, drain: 10), Self.storm(9, drain: nil), Self.storm(nil, drain: nil)]
    }
    #expect(worst?.hasPrefix("After the worst of the outages uploads peaked at 9 ×") == true)
    #expect(worst?.contains("did not return to normal in the run") == true)
    #expect(
      Self.answer(.storm) { _ in } == "No outage ended in the measured time.")
  }

  @Test("capacity is the answer of older scenarios, live or simulated")
  func capacity() {
    let live = Self.answer(nil) { record in
      record.latency.attempt.count = 1
      record.latency.response.p99 = 9_800
      record.offered.batchesPerSecond = 80.5
      record.throughput.batchesPerSecond = 80.4
      record.stale = ["offline": 4, "policy-silent": 12, "server": 0]
    }
    #expect(
      live == """
        Throughput 80.4 batches/s of 80.5 offered, p99 9.8 ms, 0 fixes lost. Most common cause of \
        stale time: silent by policy, 75.0 %.
        """)
    let simulated = Self.answer(nil) { record in
      record.scenario.phones = 5_000
      record.offered.batchesPerSecond = 1.5
      record.offered.batchesPerSecondMax = 3.25
    }
    #expect(
      simulated
        == "5,000 phones send 1.5 batches per simulated second, 3.25 in the busiest minute.")
    let silent = Self.answer(nil) { record in
      record.scenario.phones = 3
      record.offered.batchesPerSecond = 0
      record.target = TargetFigures(
        name: "acme", address: "http://127.0.0.1", carrier: "http", client: "acme 1")
    }
    #expect(silent == "acme received no request.")
    #expect(Self.answer(nil) { _ in } == nil)
  }

  @Test("freshness and cohorts name shares of phone-time")
  func freshness() {
    let fresh = Self.answer(.freshness) { record in
      record.freshness.withinSeconds = 1_800
      record.freshness.reachable.share = 0.451
      record.stale = ["policy-silent": 30, "no-permission": 60, "server": 0, "in-outbox": 10]
    }
    #expect(
      fresh == """
        Reachable phones were fresh (position at most 30 min old) for 45.1 % of their time; \
        causes of stale time: without Always permission 60.0 %, silent by policy 30.0 %, position \
        waiting in the outbox 10.0 %.
        """)
    let always = Self.answer(.freshness) { record in
      record.freshness.withinSeconds = 1_800
      record.freshness.reachable.share = 1
      record.stale = ["server": 0]
    }
    #expect(always?.hasSuffix("of their time.") == true)
    let cohorts = Self.answer(.cohorts) { record in
      record.freshness.withinSeconds = 1_800
      record.freshness.cohorts = [
        .init(name: "on", share: 0.45), .init(name: "off", share: 0.31),
        .init(name: "nobody", share: nil),
      ]
    }
    #expect(cohorts?.contains("on 45.0 %, off 31.0 %") == true)
    #expect(cohorts?.contains("nobody") == false)
    let woken = Self.answer(.cohorts) { record in
      record.freshness.withinSeconds = 1_800
      record.freshness.cohorts = [.init(name: "on", share: 0.45)]
      record.wake.cohorts = [
        .init(
          name: "on", requested: 9, eligible: 9, outcomes: [:],
          answered: Ratio(value: 0.5, low: 0.4, high: 0.6),
          caused: Ratio(value: 0.4, low: 0.3, high: 0.5), uplift: nil, upliftMethod: nil)
      ]
    }
    #expect(
      woken == """
        Share of reachable phones’ time with a position at most 30 min old: on 45.0 %; silent \
        pushes answered (because of the push): on 50.0 % (40.0 %).
        """)
  }

  @Test("an unverified run says so before its figures")
  func doubt() {
    func said(_ verdict: Verdict) -> String {
      Self.answer(.wake) { $0.verdict = verdict } ?? ""
    }
    #expect(said(.invalid).hasPrefix("Invalid, "))
    #expect(said(.loss).hasPrefix("Data was lost"))
    #expect(said(.interrupted).hasPrefix("Interrupted: "))
    #expect(said(.sloMissed) == said(.pass))
  }

  @Test("the answer is first in the summary, below the question")
  func summary() {
    var record = RunRecord()
    record.scenario.name = "storm"
    record.scenario.question = "What hits it?"
    record.scenario.answers = .storm
    record.verdict = .pass
    record.storm = [Self.storm(7.3, drain: 94)]
    let lines = summaryMarkdown(record).split(separator: "\n")
    #expect(lines[1] == "> What hits it?")
    #expect(lines[2].hasPrefix("**When the backend came back, uploads peaked at 7.3 ×"))
    #expect(summaryMarkdown(record).contains("## After each outage"))
  }

  @Test("an invalid run names the limit of its first reason, after a target's certainty")
  func limit() {
    func said(_ reason: String, _ target: TargetFigures? = nil) -> String? {
      Self.answer(.wake) { record in
        record.verdict = .invalid
        record.target = target
        record.reasons = (target.map { [$0.sureness] } ?? []) + [reason, "The generator was late."]
      }
    }
    let target = TargetFigures(name: "acme", address: "a", carrier: "http", client: "")
    let others = "The generator waited 9 ms \(ProcessorContention.words): 2 of 2 cores."
    for (reason, limit) in [
      ("The generator ran out of descriptors 9 times.", "the generator was the limit"),
      (
        "\(RunRecord.collectorWasShort): it refused 9 connections.",
        "the collector ran out of file descriptors"
      ), (others, "other processes used the CPU"),
    ] {
      let expected = "Invalid, \(limit): No silent push was requested."
      #expect(said(reason) == expected)
      #expect(said(reason, target) == expected)
    }
  }
}
