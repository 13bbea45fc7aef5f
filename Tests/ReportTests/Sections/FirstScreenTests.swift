import Core
import Figures
import Foundation
import TestSupport
import Testing
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

  @Test("every number is the value of its key in run.json", arguments: RunFixture.verdicts.indices)
  func numbersAreTraced(run: Int) throws {
    let (name, files) = RunFixture.verdicts[run]
    let object = try JSONSerialization.jsonObject(with: files.record.json())
    let citations = Self.citations(FirstScreen(files.record).html.markup)
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
    let html = FirstScreen(files.record).html.markup
    let left = html.replacing(/<span class="[a-z]+" data-key[^>]*>[^<]*<\/span>/, with: "")
      .replacing(/<[^>]*>/, with: "").replacing(/&#[0-9]+;/, with: "")
      // The name of a percentile, not a measurement.
      .replacing("99 in 100", with: "")
    let digits = left.filter { $0.isNumber }
    #expect(digits.isEmpty, "\(name): \(left)")
  }

  @Test("it has the verdict and its reasons, and the machine's state")
  func sentences() throws {
    let pass = Self.plain(FirstScreen(RunFixture.live().record).html.markup)
    #expect(pass.contains("Pass."))
    #expect(pass.contains("response p99 9.8 ms (at most 50 ms)"))
    #expect(pass.contains("fresh phone-time 47.4 % (at least 40.0 %)"))
    #expect(
      pass.contains(
        "5,000 phones at 60 × make the rate of 300,000, with the connections and memory of 5,000."))
    #expect(pass.contains("over loopback and without TLS"))
    #expect(!pass.contains("wrote their batches"), "a record that does not say how is older")
    let rows = RunFixture.live { $0.scenario.encoding = "rows-gzip" }.record
    #expect(
      Self.plain(FirstScreen(rows).html.markup).contains(
        "Phones wrote their batches as rows through gzip, as most backends have them: 59.6 bytes"))
    let learned = RunFixture.live {
      $0.scenario.encoding = "columns"
      $0.scenario.dictionary = 77
    }.record
    #expect(
      Self.plain(FirstScreen(learned).html.markup).contains(
        "columns through zstd with a dictionary"))
    let secured = RunFixture.live { ($0[.handshakesFull], $0[.handshakesResumed]) = (3, 7) }.record
    #expect(Self.plain(FirstScreen(secured).html.markup).contains("over loopback and with TLS:"))
    #expect(pass.contains("66.3 % without Always permission, 20.6 % silent by policy"))
    #expect(!pass.contains("server failure"), "a cause without time is not named")
    let answered = try #require(RunFixture.wake().answered)
    let bounds = "(\(Figure.percent(answered.low)) to \(Figure.percent(answered.high)))"
    #expect(pass.contains("\(Figure.percent(answered.value)) \(bounds) were answered"))
    #expect(pass.contains("its uplift, by living each push twice."))
    let invalid = Self.plain(FirstScreen(RunFixture.verdicts[1].1.record).html.markup)
    #expect(invalid.contains("Invalid."))
    #expect(invalid.contains("It used 95 % of 2 cores."))
    #expect(!invalid.contains("99 in 100 within"), "a percentile that says nothing is not told")
    let storm = FirstScreen(try #require(RunFixture.verdicts.first { $0.0 == "storm" }).1.record)
      .html.markup
    let answer = try #require(storm.range(of: "<p class=\"answer\">"))
    let verdict = try #require(storm.range(of: "class=\"verdict"))
    #expect(answer.lowerBound < verdict.lowerBound, "the answer stands first")
    #expect(Self.plain(storm).contains("uploads peaked at 7.3 × the normal rate"))
    let simulation = Self.plain(FirstScreen(RunFixture.simulation().record).html.markup)
    #expect(simulation.contains("no socket was opened"))
    #expect(!simulation.contains("loopback"))
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
