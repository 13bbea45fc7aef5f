internal import Core
internal import TestSupport
internal import Testing
@testable internal import Targets

/// How an answer is classified.
@Suite("Answer rules", .quick)
struct AnswerRulesTests {
  private func judge(
    _ target: Target, _ status: Int, _ body: String = "", headers: [String: String] = [:]
  ) -> Answer {
    Array(body.utf8).withUnsafeBytes {
      target.uploadAnswers.judge(status: status, header: { headers[$0] }, body: $0).answer
    }
  }

  private func target(answer: String) throws -> Target {
    try readTarget(
      """
      name: test
      protocol: http
      url: http://127.0.0.1:1
      upload: { path: /, text: x }
      answer: \(answer)
      """)
  }

  @Test("OwnTracks loses fixes answered with 4xx, and keeps fixes answered with 5xx")
  func ownTracks() throws {
    let target = try shippedTargets.load("owntracks")
    #expect(judge(target, 200, "[]") == Answer(rule: 0, outcome: .stored))
    #expect(
      judge(target, 404).outcome == .refused(reason: "dropped by the app on 4xx"))
    #expect(judge(target, 503) == Answer(rule: nil, outcome: .failed))
  }

  @Test("Overland believes the body alone, not a 2xx")
  func overland() throws {
    let target = try shippedTargets.load("overland")
    #expect(judge(target, 201, #"{"result": "ok"}"#).outcome == .stored)
    #expect(judge(target, 200, #"{"result": "error"}"#).outcome == .failed)
    #expect(judge(target, 200).outcome == .failed)
    #expect(judge(target, 500, #"{"result":"ok"}"#).outcome == .failed)
  }

  @Test("Home Assistant's empty 200 is a refusal, its {} an acknowledgement")
  func homeAssistant() throws {
    let target = try shippedTargets.load("homeassistant")
    #expect(judge(target, 200, "{}") == Answer(rule: 1, outcome: .stored))
    #expect(judge(target, 200).outcome == .refused(reason: "200 with an empty body"))
    #expect(judge(target, 410).outcome == .refused(reason: "status 410"))
    #expect(judge(target, 401) == Answer(rule: nil, outcome: .failed, isUnauthorized: true))
  }

  @Test("a registration's answer gives the values that the phone keeps")
  func keeps() throws {
    let target = try shippedTargets.load("homeassistant")
    let body = Array(#"{"cloudhook_url":null,"webhook_id":"8278","secret":null}"#.utf8)
    let judged = body.withUnsafeBytes {
      target.registerAnswers.judge(status: 201, header: { _ in nil }, body: $0)
    }
    #expect(judged.answer.outcome == .stored)
    #expect(judged.kept == ["8278"])
  }

  @Test("the first rule that matches counts: statuses, ranges, headers, fields, bodies")
  func order() throws {
    let target = try target(
      answer: """
        [ { when: { status: [200, 300-302], header: { X-State: full } }, is: retry, after: 90s },
          { when: { header: { x-state: "*" } }, is: retry, after: retry-after },
          { when: { field: { /a/1/b: 7, c: true } }, is: duplicate },
          { when: { status: 2xx, body: filled }, is: stored },
          { when: { body: empty }, is: refused, reason: nothing said } ]
        """)
    #expect(
      judge(target, 301, headers: ["x-state": "full"]).outcome == .retry(after: .seconds(90)))
    let busy = ["x-state": "x", "retry-after": "7"]
    #expect(judge(target, 303, headers: busy).outcome == .retry(after: .seconds(7)))
    #expect(judge(target, 303, headers: ["x-state": "x"]).outcome == .retry(after: nil))
    #expect(judge(target, 500, #"{"a":[0,{"b":7.0}],"c":true}"#).outcome == .duplicate)
    #expect(judge(target, 200, #"{"a":[0,{"b":"7"}],"c":1}"#).outcome == .stored)
    #expect(judge(target, 500, "x").outcome == .failed)
    #expect(judge(target, 500).outcome == .refused(reason: "nothing said"))
  }

  @Test(
    "Retry-After is seconds, a fraction of them, or a date relative to the answer's own",
    arguments: [
      ("4.5", .milliseconds(4_500)), ("0", .zero), ("99999999999999999999", .hours(24)),
      ("Thu, 26 Nov 2026 19:40:05 GMT", .seconds(5)),
      ("Thursday, 26-Nov-26 19:40:05 GMT", .seconds(5)), ("Thu Nov 26 19:40:05 2026", .seconds(5)),
      ("Sun, 06 Nov 1994 08:49:37 GMT", nil), ("Thu, 26 Nov 2199 19:40:05 GMT", .hours(24)),
      ("Thu, 31 Feb 2027 19:40:05 GMT", nil), ("Thu, 26 Nov 2026 19:40:05 CET", nil),
      ("-1", nil), ("", nil), (".", nil), ("1e3", nil), ("0x10", nil), ("nan", nil), ("soon", nil),
    ] as [(String, WallDuration?)])
  func waits(text: String, wait: WallDuration?) throws {
    let rules = try target(answer: "[{ when: { status: 429 }, is: retry, after: retry-after }]")
      .uploadAnswers
    let fields = ["retry-after": text, "date": "Thu, 26 Nov 2026 19:40:00 GMT"]
    let body = [UInt8]().withUnsafeBytes { $0 }
    let dated = rules.judge(status: 429, header: { fields[$0] }, body: body, now: 0).answer
    #expect(dated.outcome == .retry(after: wait))
    let now: Int64 = 1_795_722_000_000_000  // 19:40 on that day.
    let undated = rules.judge(
      status: 429, header: { $0 == "retry-after" ? text : nil }, body: body, now: now
    ).answer
    #expect(undated.outcome == .retry(after: wait))
  }

  @Test("an answer longer than the limit is judged by its status and its beginning")
  func long() throws {
    let rules = try target(
      answer: """
        [ { when: { status: 4xx }, is: refused, reason: too old },
          { when: { body: empty }, is: duplicate },
          { when: { field: { /ok: true } }, is: stored } ]
        """
    ).uploadAnswers
    func judge(_ status: Int, _ body: String) -> Answer.Outcome {
      Array(body.utf8).withUnsafeBytes {
        rules.judge(status: status, header: { _ in nil }, body: $0, isCut: true).answer.outcome
      }
    }
    #expect(judge(413, "") == .refused(reason: "too old"))
    #expect(judge(200, #"{"ok":true,"log":["#) == .stored)
    #expect(judge(200, "") == .failed)
  }

  @Test(
    "a count in an answer is compared with the number sent, and a smaller one means partly stored")
  func counts() throws {
    let rules = try target(
      answer: """
        [ { when: { status: 200, field: { /accepted: $count } }, is: stored },
          { when: { status: 2xx, field: { /mark: "$$count" } }, is: duplicate },
          { when: { status: 2xx }, is: partly, taken: /accepted } ]
        """
    ).uploadAnswers
    func judge(_ status: Int, _ body: String) -> Answer {
      Array(body.utf8).withUnsafeBytes {
        rules.judge(status: status, header: { _ in nil }, body: $0, count: 20).answer
      }
    }
    #expect(judge(200, #"{"accepted":20}"#) == Answer(rule: 0, outcome: .stored))
    #expect(judge(200, #"{"accepted":"20"}"#).outcome == .stored)
    #expect(
      judge(200, #"{"accepted":12}"#)
        == Answer(rule: 2, outcome: .partly(taken: 12, reason: "not accepted")))
    #expect(judge(200, #"{"accepted":0}"#).outcome == .partly(taken: 0, reason: "not accepted"))
    #expect(judge(202, #"{"accepted":21}"#).outcome == .stored)
    #expect(judge(200, #"{"mark":"$count"}"#).outcome == .duplicate)
    // An answer without a count decides nothing.
    for body in ["", "{}", #"{"accepted":-1}"#, #"{"accepted":1.5}"#, #"{"accepted":"all"}"#] {
      #expect(judge(200, body).outcome == .failed, "\(body)")
    }
    #expect(judge(200, #"{"accepted":1e300}"#).outcome == .stored)
  }

  @Test("gRPC's statuses are matched by name, and its pushback is in milliseconds")
  func grpc() throws {
    let rules = try shippedTargets.load("grpc-example").uploadAnswers
    func judge(_ status: Int, _ verdict: String?, _ pushback: String? = nil) -> Answer {
      rules.judge(
        status: status, header: { $0 == "grpc-retry-pushback-ms" ? pushback : nil },
        bodyBytes: 9, isJSON: false, fields: rules.paths.map { _ in verdict }
      ).answer
    }
    #expect(rules.paths == [FieldPath(keys: ["verdict"])])
    #expect(judge(0, "TAKEN").outcome == .stored)
    #expect(judge(0, "KNOWN").outcome == .duplicate)
    #expect(judge(0, nil).outcome == .failed)
    #expect(judge(14, nil, "250").outcome == .retry(after: .milliseconds(250)))
    #expect(judge(16, nil).isUnauthorized)
  }
}

/// Reading named fields of an arbitrary answer.
@Suite("Fields of JSON", .quick)
struct JSONFieldsTests {
  private func fields(
    _ text: String, _ paths: [[String]], stopsEarly: Bool = false
  ) -> JSONFields {
    Array(text.utf8).withUnsafeBytes {
      JSONFields($0, paths: paths.map { FieldPath(keys: $0) }, stopsEarly: stopsEarly)
    }
  }

  @Test("values are found by keys and indices, with their escapes read")
  func finds() {
    let text =
      #" { "a" : [ 1, {"b": "x\"\u00fc\ud83d\udeb2"} , [] ], "c":null,"a b":{"":-1.5e3} } "#
    let read = fields(
      text, [["a", "1", "b"], ["c"], ["a b", ""], ["a"], ["a", "2"], ["d"], [], ["a", "7"]])
    #expect(read.values == ["x\"ü🚲", "null", "-1.5e3", "[", "[", nil, "{", nil])
    #expect(read.isJSON)
    let marked = fields("\u{FEFF}{\"a\":1}", [["a"]])
    #expect(marked.values == ["1"] && marked.isJSON)
  }

  @Test(
    "invalid JSON is reported",
    arguments: [
      "", "{", "{]", "[1,]", "{\"a\"}", "{\"a\":}", "01", "nul", "\"a", "\"\\q\"", "1 2", "[1}",
      "\"\\u12\"", "{\"a\":1,}", "-", "{1:2}", "\u{1}", "<html>",
    ])
  func refuses(text: String) {
    #expect(!fields(text, [["a"]]).isJSON)
  }

  @Test("unlimited nesting uses no stack, a long value is cut, the rest may stay unread")
  func bounds() {
    let deep = String(repeating: "[", count: 1_000_000)
    #expect(!fields(deep, [["0"]]).isJSON)
    let long = "{\"a\":\"\(String(repeating: "x", count: 100_000))\",\"b\":1}"
    let read = fields(long, [["a"], ["b"]])
    #expect(read.values[0]?.count == JSONFields.valueBytesMax && read.values[1] == "1")
    let early = fields("{\"a\":1,\"b\":", [["a"]], stopsEarly: true)
    #expect(early.values == ["1"] && early.isJSON)
    #expect(fields("{\"a\":1,\"a\":2}", [["a"]]).values == ["1"])
  }

  @Test("no text is read beyond its end")
  func random() {
    var draw = Draw(seed: 3, phone: 0, Purpose(rawValue: 0))
    let letters = Array("{}[]\",:0123456789.eE+-\\utrufalsn \u{1}é".utf8)
    var found = 0
    for _ in 0..<20_000 {
      let count = Int.random(in: 0..<24, using: &draw)
      let bytes = (0..<count).map { _ in letters[Int.random(in: 0..<letters.count, using: &draw)] }
      let read = bytes.withUnsafeBytes {
        JSONFields($0, paths: [FieldPath(keys: ["a"]), FieldPath(keys: ["0", "1"])])
      }
      if read.isJSON { found += 1 }
    }
    #expect(found > 100)
  }
}
