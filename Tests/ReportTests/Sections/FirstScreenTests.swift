import Core
import Foundation
import TestSupport
import Testing
@testable import Figures
@testable import Report
@testable import ReportSupport

/// The first screen compared with the record, read again as any reader of `run.json` would.
@Suite("First screen", .quick)
struct FirstScreenTests {
  struct Citation {
    var key: String
    var form: String
    var text: String
  }

  static func citations(_ html: String) -> [Citation] {
    html.matches(
      of: /<span class="[a-z]+" data-key="([^"]*)" data-form="([^"]*)">([^<]*)<\/span>/
    ).map { Citation(key: String($0.1), form: String($0.2), text: String($0.3)) }
  }

  /// The first screen and the sentences below it.
  static func page(_ files: RunFiles) -> String {
    let first = FirstScreen(files.record, files.timeline)
    return first.html.markup + (first.words?.markup ?? "")
  }

  private static func text(_ record: RunRecord) -> String {
    plain(page(RunFiles(record: record)))
  }

  @Test("every number is the value of its key in run.json", arguments: RunFixture.verdicts.indices)
  func numbersAreTraced(run: Int) throws {
    let (name, files) = RunFixture.verdicts[run]
    let object = try JSONSerialization.jsonObject(with: files.record.json())
    let citations = Self.citations(Self.page(files))
    for one in citations {
      let value = try #require(Self.value(one.key, in: object), "\(name): no key \(one.key)")
      let expected = try Self.text(value, one, object)
      #expect(Self.plain(one.text) == expected, "\(name): \(one.key) as \(one.form)")
    }
    if name == "pass" { #expect(citations.count > 30) }
  }

  @Test("every digit is in a cited number", arguments: RunFixture.verdicts.indices)
  func nothingElseIsANumber(run: Int) {
    let (name, files) = RunFixture.verdicts[run]
    let left = Self.page(files)
      .replacing(/<span class="[a-z]+" data-key[^>]*>[^<]*<\/span>/, with: "")
      .replacing(/<[^>]*>/, with: "").replacing(/&#[0-9]+;/, with: "")
      // The names of percentiles.
      .replacing(/p50|p99/, with: "")
    #expect(left.filter { $0.isNumber }.isEmpty, "\(name): \(left)")
  }

  @Test("a tile has its figure, its interval, and whether the SLO is met")
  func tiles() throws {
    let record = RunFixture.live { record in
      record.slo = [
        .atMost(50_000, 9_800, name: "responseP99", unit: "µs"),
        .atLeast(0.6, 0.474, name: "freshness", unit: "share"),
        .atMost(0.01, 0.002, name: "undelivered", unit: "share"),
      ]
    }.record
    let tiles = FirstScreen(record, RunFixture.live().timeline).html.markup
      .split(separator: "<li class=\"tile").map(String.init)
    func tile(_ id: String) throws -> String {
      try #require(tiles.first { $0.contains("id=\"tile-\(id)\"") })
    }
    #expect(Self.plain(try tile("response")).contains("SLO ≤ 50 ms met"))
    #expect(try tile("response").hasPrefix(" met"))
    #expect(try tile("fresh").hasPrefix(" failed"))
    #expect(Self.plain(try tile("fresh")).contains("SLO ≥ 60.0 % failed"))
    #expect(Self.plain(try tile("undelivered")).contains("0.2 %"))
    let answered = try #require(record.wake.answered)
    #expect(
      Self.plain(try tile("answered")).contains(
        "\(Figure.percent(answered.low)) – \(Figure.percent(answered.high))"))
    #expect(try tile("throughput").contains("<svg class=\"spark\""))
    #expect(try !tile("throughput").contains("SLO"))
  }

  @Test("with an ensemble a tile and a line of output have its interval, and 'answered' its share")
  func ensemble() throws {
    var values: [Int: EnsembleFigures.Values] = [:]
    for set in 0..<20 {
      let rise = Double(set) / 50
      values[set] = ["answered": 0.2 + rise, "fresh": 0.3 + rise]
    }
    let record = RunFixture.live { record in
      record.wake.allSilent = Self.allSilent
      record.ensemble = EnsembleFigures(sets: 32, phones: 300, values)
    }.record
    let html = FirstScreen(record).html.markup
    let tile = try #require(
      html.split(separator: "<li class=\"tile").first { $0.contains("id=\"tile-answered\"") })
    #expect(Self.plain(String(tile)).contains("20.1 – 57.9 by the model"))
    let headlines = Headlines(record, Facts(record))
    let answered = try #require(headlines.all.first { $0.id == "answered" })
    #expect(headlines.text(answered, record).contains("answered (20.1 – 57.9)"))
    #expect(headlines.text(answered, record).hasSuffix("of all silent phones"))
    let located = try #require(headlines.all.first { $0.id == "located" })
    #expect(located.interval == nil, "a figure without an interval has none")
    let sure = Self.plain(reportHTML(RunFiles(record: record), .none))
    #expect(sure.contains("90.0 % intervals over the model’s parameters, from 20 sets"))
  }

  private static let allSilent = RunRecord.Wake.AllSilent(
    occasions: 9_000, unreachable: 5_000, answered: Ratio(value: 0.2, low: 0.19, high: 0.21),
    caused: nil)

  @Test("'answered' is never without its share of all silent phones", arguments: [true, false])
  func ofSilent(isKnown: Bool) throws {
    let record = RunFixture.live { $0.wake.allSilent = isKnown ? Self.allSilent : nil }.record
    let headlines = Headlines(record, Facts(record))
    let answered = try #require(headlines.all.first { $0.id == "answered" })
    let text = headlines.text(answered, record)
    #expect(
      isKnown
        ? text.contains(" % of all silent phones")
        : text.contains("share of all silent phones not known"))
    var snapshot = Snapshot(source: .load, name: "city", detail: "")
    snapshot.pushes = Snapshot.PushFunnel()
    snapshot.pushes?.requested = 10
    if isKnown { snapshot.pushes?.unreachable = 30 }
    let live = try #require(LiveHeadlines(snapshot).all.first { $0.id == "answered" })
    #expect(live.note?.text.hasSuffix("of all silent phones") == true)
  }

  @Test("the parts of the generated fixes add up to all of them")
  func parts() throws {
    let record = RunFixture.live { record in
      record.ledger.fixes.generated = 1_021
      record.ledger.fixes.acknowledged = 600
      record.ledger.fixes.filtered = 300
      record.ledger.fixes.outbox = 100
      record.ledger.fixes.evictedBy = [.reinstall: 1]
      record.ledger.fixes.refusedBy = ["INVALID_ARGUMENT": 8]
      record.ledger.fixes.inFlight = 12
    }.record
    let headlines = Headlines(record, Facts(record))
    let text = headlines.text(try #require(headlines.all.first { $0.id == "lost" }), record)
    #expect(text.contains("of 1,021 generated: 600 acknowledged"), "\(text)")
    #expect(text.contains("100 in outboxes, 1 evicted, 8 refused, 12 in flight"), "\(text)")
    var usual = record
    usual.ledger.fixes.evictedBy = [:]
    let lost = try #require(Headlines(usual, Facts(usual)).all.first { $0.id == "lost" })
    #expect(lost.note?.text.contains("evicted") == false)
  }

  @Test("an invalid run says which limit, and shows no percentile that the generator decides")
  func invalid() throws {
    let files = RunFixture.verdicts[1].1
    let text = Self.text(files.record)
    #expect(text.contains("The generator, not the collector, was the limit"))
    #expect(text.contains("It used 95 % of 2 cores."))
    #expect(text.contains("p99 generator-bound"))
  }

  @Test(
    "the response of a late generator is not judged: by lag at its p99, or by an invalid run",
    arguments: [true, false])
  func notJudged(isLate: Bool) throws {
    let record = RunFixture.live { record in
      if isLate {
        record.latency.response.generatorBound = ["p99"]
      } else {
        record.verdict = .invalid
      }
      record.reasons = ["The generator was late."]
    }.record
    let tile = try #require(
      FirstScreen(record).html.markup.split(separator: "<li class=\"tile")
        .first { $0.contains("id=\"tile-response\"") })
    #expect(tile.hasPrefix(" open\"") && Self.plain(String(tile)).contains("50 ms not judged"))
    #expect(summaryMarkdown(record).contains("| not judged |"))
    let headlines = Headlines(record, Facts(record))
    let response = try #require(headlines.all.first { $0.id == "response" })
    #expect(headlines.text(response, record).contains("(SLO ≤ 50 ms not judged)"))
    // What the generator does not decide is judged all the same.
    let fresh = try #require(headlines.all.first { $0.id == "fresh" })
    #expect(headlines.text(fresh, record).contains("met)"))
  }

  @Test("the sentence that answers the scenario's question comes before the reasons")
  func order() throws {
    let files = try #require(RunFixture.verdicts.first { $0.0 == "invalid" }).1
    let html = FirstScreen(files.record).html.markup
    let answer = try #require(html.range(of: "<p class=\"answer\">"))
    let verdict = try #require(html.range(of: "class=\"verdict"))
    #expect(answer.lowerBound < verdict.lowerBound)
    let storm = try #require(RunFixture.verdicts.first { $0.0 == "storm" }).1
    #expect(Self.text(storm.record).contains("7.3 × the normal rate"))
  }

  @Test("sentences name the causes of stale time, the encoding, and what the target was")
  func sentences() throws {
    let pass = Self.text(RunFixture.live().record)
    #expect(
      FirstScreen(RunFixture.live().record).html.markup.contains("The target was Flotilla’s"),
      "what ran is told on the first screen itself")
    #expect(
      pass.contains(
        "5,000 phones at 60 × speed produce the request rate of 300,000 phones, with the "
          + "connections and memory of 5,000."))
    #expect(pass.contains("over loopback without TLS"))
    #expect(!pass.contains("Encoding of batches"), "an older record has no encoding")
    #expect(
      Self.text(RunFixture.live { $0.scenario.encoding = "rows-gzip" }.record)
        .contains("Encoding of batches: rows, gzip, as most backends use; 59.6 bytes"))
    let learned = RunFixture.live {
      $0.scenario.encoding = "columns"
      $0.scenario.dictionary = 77
    }.record
    #expect(Self.text(learned).contains("columns, zstd with a dictionary"))
    let secured = RunFixture.live { ($0[.handshakesFull], $0[.handshakesResumed]) = (3, 7) }.record
    #expect(Self.text(secured).contains("over loopback with TLS;"))
    #expect(pass.contains("66.3 % without Always permission, 20.6 % silent by policy"))
    #expect(!pass.contains("server failure"), "a cause without time is not named")
    #expect(pass.contains("by simulating each push twice"))
    let simulation = Self.text(RunFixture.simulation().record)
    #expect(simulation.contains("no sockets") && !simulation.contains("loopback"))
  }

  // MARK: Reading the record again

  private static func value(_ key: String, in object: Any) -> Any? {
    var at: Any? = object
    for step in key.split(separator: ".") {
      if let list = at as? [Any] {
        at = Int(step).flatMap { list.indices.contains($0) ? list[$0] : nil }
      } else {
        at = (at as? [String: Any])?[String(step)]
      }
    }
    return at
  }

  private static func text(_ value: Any, _ one: Citation, _ root: Any) throws -> String {
    if one.form == "text" { return try #require(value as? String) }
    if one.form == "sum" {
      let members = try #require(value as? [String: Double])
      return Figure.quantity(members.values.reduce(0, +))
    }
    let number = try #require(value as? Double)
    switch one.form {
    case "count", "quantity": return Figure.quantity(number)
    case "percent": return Figure.percent(number)
    case "points": return Figure.percent(number).replacing(" %", with: "")
    case "time": return Figure.time(number)
    case "seconds": return "\(Figure.quantity(number.rounded())) s"
    case "word": return number == 0 ? "no" : Figure.quantity(number)
    case "minutes": return "\(Figure.plain(number / 60)) min"
    case "bytes": return Figure.bytes(Int(number))
    case "times-speed":
      let speed = try #require(Self.value("scenario.speed", in: root) as? Double)
      return Figure.quantity(number * speed)
    case "share-of-ended":
      let parent = one.key.split(separator: ".").dropLast().joined(separator: ".")
      let all = try #require(Self.value(parent, in: root) as? [String: Double])
      return Figure.percent(number / (all.values.reduce(0, +) - (all["pending"] ?? 0)))
    case "share-of-all":
      let parent = one.key.split(separator: ".").dropLast().joined(separator: ".")
      let all = try #require(Self.value(parent, in: root) as? [String: Double])
      return Figure.percent(number / all.values.reduce(0, +))
    default:
      Issue.record("\(one.key): nobody knows the form \(one.form)")
      return ""
    }
  }

  /// Without markup.
  static func plain(_ html: String) -> String {
    html.replacing(/<[^>]*>/, with: "").replacing("&#39;", with: "'")
      .replacing("&quot;", with: "\"").replacing("&lt;", with: "<").replacing("&gt;", with: ">")
      .replacing("&amp;", with: "&")
  }
}
