import Capacity
import Core
import Figures
import Foundation
import Scenarios
import TestSupport
import Testing
@testable import Report
@testable import ReportSupport

@Suite("Report of a plan", .quick)
struct PlanReportTests {
  @Test("the first sentence says what to buy, with its interval and its conditions")
  func answer() throws {
    let sentence = try #require(Answer(PlanFixture.record()).sentence?.text)
    #expect(sentence.hasPrefix("300 phones of town <b> need 2 instances [2 – 2] of 1 core and "))
    #expect(sentence.contains("limited by "))
    #expect(sentence.hasSuffix("(reference collector, loopback, no TLS, phones with iOS)."))
    // Text like a tag is text in a page.
    let shown = sentence.replacing("<b>", with: "&lt;b>")
    #expect(planMarkdown(PlanFixture.record()).contains("**\(shown)**"))
    #expect(PlanWords.lines(PlanFixture.record())[0] == "answer   \(sentence)")
    let asked = try #require(Answer(PlanFixture.record(nil)).sentence?.text)
    #expect(asked.contains("(100 simulated) send"))
  }

  @Test("reads by viewers are a line, a curve and a column, and nothing without viewers")
  func views() throws {
    let plain = PlanWords.lines(PlanFixture.record())
    #expect(!plain.contains { $0.contains("viewers") })
    let before = reportHTML(RunFiles(record: PlanFixture.record()), .none)
    #expect(!before.contains("viewers"))
    let record = PlanFixture.viewed
    let lines = PlanWords.lines(record)
    #expect(lines.filter { !$0.contains("viewers") }.count == plain.count)
    #expect(
      lines.contains { $0.contains(#/reads by viewers +mean 1.5\/s, busiest second 3, busiest/#) })
    #expect(lines.contains { $0.contains(" batches/s and 3 reads/s by viewers") })
    let page = reportHTML(RunFiles(record: record), .none)
    #expect(page.contains("Reads by viewers/s over time") && page.contains("tile-viewers"))
    #expect(page.contains(">reads/s<"))
  }

  @Test("with an ensemble, headline figures of output and page have its intervals")
  func ensemble() throws {
    let values = (0..<20).map { set -> (Int, EnsembleFigures.Values) in
      let rise = Double(set)
      return (
        set, ["instances": 2 + rise, "peak": 8 + rise, "busiest-hour": 5 + rise, "batches": 9]
      )
    }
    let figures = EnsembleFigures(sets: 20, phones: 300, Dictionary(uniqueKeysWithValues: values))
    var plan = PlanFixture.record()
    plan.ensemble = figures
    plan.ensemble?.figures["instances"] = Ratio(value: 3, low: 2, high: 5)
    plan.ensemble?.figures["peak"] = Ratio(value: 12, low: 8, high: 27)
    let sentence = try #require(Answer(plan).sentence?.text)
    #expect(
      sentence.contains("need 2 instances [2 – 2] (2 – 5 over the model’s parameters) of 1 core"))
    let lines = PlanWords.lines(plan)
    #expect(lines.contains { $0.contains("2 (2 – 5 over the model’s parameters): 1 needed") })
    #expect(lines.contains { $0.contains(" (8 – 27 over the model’s parameters) batches/s") })
    #expect(lines.contains { $0.hasPrefix("model    90 % intervals over the model’s parameters") })
    #expect(planMarkdown(plan).contains("20 sets of 300 phones."))
    let html = reportHTML(RunFiles(record: plan), .none)
    for key in ["instances.low", "instances.high", "peak.high", "busiest-hour.low", "batches.low"] {
      #expect(html.contains("data-key=\"ensemble.figures.\(key)\""), "\(key)")
    }
    let tile = try #require(
      html.split(separator: "<li class=\"tile").first { $0.contains("id=\"tile-instances\"") })
    #expect(tile.contains("by the model"))
    var demand = PlanFixture.record(nil)
    demand.ensemble = figures
    demand.ensemble?.figures["busiest-hour"] = Ratio(value: 12, low: 5, high: 24)
    let asked = try #require(Answer(demand).sentence?.text)
    #expect(
      asked.contains("on average, 6 (5 – 24 over the model’s parameters) in the busiest hour and"))
    #expect(PlanWords.lines(demand).contains { $0.contains("6 (5 – 24) batches/s") })
    // Without sets nothing mentions the model.
    let plain = PlanWords.lines(PlanFixture.record()).joined()
    #expect(!plain.contains("model’s") && !plain.contains("rate to sustain at the peak"))
  }

  @Test("the answer is first, every chart is drawn, and invalid trials are listed")
  func page() throws {
    let html = reportHTML(RunFiles(record: PlanFixture.record()), .none)
    #expect(!html.contains("town <b>"))
    #expect(html.components(separatedBy: "<figure>").count == 6)
    #expect(html.components(separatedBy: "<figure class=\"panel").count == 4)
    let main = try #require(html.range(of: "<main>"))
    let answer = try #require(html.range(of: "class=\"answer\""))
    let section = try #require(html.range(of: "<section"))
    #expect(main.lowerBound < answer.lowerBound && answer.lowerBound < section.lowerBound)
    #expect(html.contains("invalid, generator: send lag"))
    #expect(html.contains("data-key=\"size.interval.high\""))
    #expect(html.contains("not fitted: too few"))
  }

  @Test("the sentences answer the design's four questions, each with figures of run.json")
  func fourQuestions() throws {
    let record = PlanFixture.record()
    let html = reportHTML(RunFiles(record: record), .none)
    let head = try #require(
      html.split(separator: "<section id=\"words\">").last?.split(separator: "</section>").first)
    let questions = [
      ("How many phones can a server take?", ["capacity.lowerBound", "size.phonesPerCore"]),
      ("How fresh is the data, and what does it cost?", ["freshness.reachable.share"]),
      ("Which silent phones can a push wake?", ["wake.answered.value"]),
      ("How many instances are needed?", ["size.instances", "size.headroom"]),
    ]
    for (question, keys) in questions {
      let answer = try #require(
        head.split(separator: "<dt>\(question)</dt>").dropFirst().first?
          .split(separator: "</dd>").first)
      for key in keys { #expect(answer.contains("data-key=\"\(key)\""), "\(question)") }
    }
    #expect(head.contains("First failure at "))
    #expect(html.contains("battery a day"))
  }

  @Test("a demand alone, and a fleet without pushes, leave out unanswered questions")
  func fewerQuestions() {
    var record = PlanFixture.record(nil)
    record.wake = .init()
    let html = reportHTML(RunFiles(record: record), .none)
    #expect(!html.contains("Which silent phones") && !html.contains("How many phones can"))
    #expect(html.contains("How fresh is the data"))
  }

  @Test("each bound is next to its result, and a broken one is marked")
  func checks() {
    var capacity = PlanFixture.measured
    capacity.generatorCeiling = 1_200
    capacity.demonstrated = 1_000
    capacity.derived = 1_500
    capacity.isFarApart = true
    let held = capacity.checks.map(\.holds)
    // Bounds and phones hold; 1,200 is less than 1.3 × 1,045, and 1,500 half as much again.
    #expect(held == [true, true, false, false])
    capacity.generatorCeiling = 1_400
    capacity.isFarApart = false
    capacity.trials[1].lagP99Microseconds = 2_400
    #expect(capacity.checks.map(\.holds) == [true, true, true, true, true])
    capacity.upperBound = 1_200
    #expect(capacity.checks[0].holds == false)
    capacity.verified = nil
    capacity.lowerBound = nil
    #expect(capacity.checks.prefix(2).map(\.holds) == [nil, nil])
    capacity.source = .given
    #expect(capacity.checks.isEmpty)
  }

  @Test("an invalid plan recommends no purchase")
  func invalid() {
    var record = PlanFixture.record()
    record.verdict = .invalid
    let html = reportHTML(RunFiles(record: record), .none)
    #expect(!html.contains("Needed: <"))
    #expect(html.contains("from invalid figures"))
  }

  @Test("a plan with a given capacity mentions no trials")
  func given() {
    let given = CapacityRecord(source: .given, perCore: .init(value: 9, low: 9, high: 9))
    let html = reportHTML(RunFiles(record: PlanFixture.record(given)), .none)
    #expect(html.contains("the capacity was given") && !html.contains("all of its trials"))
  }

  /// The same with a database, which took two thirds of the core.
  private static var shared: CapacityRecord {
    var capacity = PlanFixture.measured
    for index in capacity.trials.indices {
      capacity.trials[index].acknowledgedPerSecond = capacity.trials[index].load
      capacity.trials[index].collectorCores = 0.3
      capacity.trials[index].databaseCores = 0.6
    }
    let parts = DatabaseCapacity.divided(capacity.perCore, capacity.trials)
    (capacity.database, capacity.perCore) = (parts.database, parts.collector)
    return capacity
  }

  @Test("collectors and their database are sized apart, on the page and on the terminal")
  func database() throws {
    let record = PlanFixture.record(Self.shared)
    let html = reportHTML(RunFiles(record: record), .none)
    for text in [
      "A collector and its database, together on one core, sustains",
      "capacity per collector core", "capacity per database core",
      "collector 300 µs, database 600 µs", "The database needs 1 core",
    ] {
      #expect(html.contains(text), "\(text)")
    }
    let lines = PlanWords.lines(record)
    #expect(lines.contains { $0.contains("capacity per collector core") && $0.contains("3,150") })
    #expect(lines.contains { $0.contains("capacity per database core") })
    #expect(lines.contains { $0.hasPrefix("  database ") && $0.contains("1 core, ") })
    // Without one nothing speaks of one.
    #expect(!PlanWords.lines(PlanFixture.record()).contains { $0.contains("database") })
  }

  @Test("the trials as a file have a cell for each column, and quote commas")
  func trialsFile() throws {
    var trials = PlanFixture.measured.trials
    trials[0].invalid = "generator: late, \"very\""
    let rows = TrialRecord.csv(trials).split(separator: "\n")
    #expect(rows.count == trials.count + 1)
    let columns = rows[0].split(separator: ",").count
    #expect(rows[1].hasSuffix("invalid,\"generator: late, \"\"very\"\"\""))
    #expect(
      try #require(rows.last).split(separator: ",", omittingEmptySubsequences: false).count
        == columns)
  }

  @Test("a search says why it ended, also at the rate limit, and one position is one")
  func searchEnd() throws {
    var record = PlanFixture.record(nil)
    var found = TargetCapacity(name: "acme", address: "http://127.0.0.1")
    found.ended = "Sustained up to run.rateLimit."
    found.fixesPerUpload = 1
    record.targetCapacity = found
    record.command = ["flotilla", "plan", "town"]
    record.reasons = [found.ended]
    let html = reportHTML(RunFiles(record: record), .none)
    #expect(html.contains("The search is complete:"))
    #expect(html.contains("Sustained up to run.rateLimit.") && !html.contains("SLO that failed"))
    #expect(found.lines.contains { $0.contains("1 position per upload") })
  }

  @Test("a demand alone has no size, and one that was scaled too far says so")
  func demandAlone() throws {
    let html = reportHTML(RunFiles(record: PlanFixture.record(nil)), .none)
    #expect(!html.contains("<h2>Instances</h2>"))
    let recorder = DemandRecorder(policies: ["a"], seconds: 60)
    let far = DemandRecord(recorder, phones: 1_000, lived: 10, seed: 1)
    #expect(PlanWords.reasons(far)[0].contains("100 ×"))
    #expect(PlanWords.reasons(DemandRecord(recorder, phones: 10, lived: 10, seed: 1)).isEmpty)
  }
}
