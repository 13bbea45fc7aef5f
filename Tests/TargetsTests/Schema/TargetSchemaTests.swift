internal import Core
internal import Foundation
internal import Scenarios
internal import TestSupport
internal import Testing
@testable internal import Targets

/// Keys of a target's file, and messages about others.
@Suite("Keys of a target", .quick)
struct TargetSchemaTests {
  @Test("the smallest target is read, with its defaults")
  func smallest() throws {
    let target = try readTarget(smallestTarget)
    #expect(!target.owner && target.rateLimit == nil)
    #expect(target.upload.fixes == .upTo(1) && target.connections.per == .perPhone)
    #expect(target.retry == RetryRule() && target.register == nil && target.readback == nil)
  }

  @Test("a request that writes one fix has one: more are refused, and the default is one")
  func fixes() throws {
    let more = smallestTarget.replacing("path: /,", with: "path: /, fixes: 100,")
    #expect(
      diagnostics(in: more).first?.contains(
        "upload.fixes is 100, but a request without 'each: fix' has one fix; write fixes: 1, "
          + "fixes: newest, or 'each: fix' in its message.") == true)
    for one in ["1", "newest"] {
      let text = smallestTarget.replacing("path: /,", with: "path: /, fixes: \(one),")
      #expect(diagnostics(in: text).isEmpty)
    }
    let each = "message: { p: { each: fix, lat: $latitude } }"
    func upload(_ keys: String) -> String {
      """
      name: test
      protocol: http
      url: http://127.0.0.1:1
      upload: { path: /, \(keys) }
      answer: [{ when: { status: 2xx }, is: stored }]
      """
    }
    let plain = try readTarget(upload("text: '{latitude}', backlog: { over: 1, \(each) }"))
    #expect(plain.upload.fixes == .upTo(1) && plain.upload.backlog?.fixes == .upTo(100))
    #expect(try readTarget(upload(each)).upload.fixes == .upTo(100))
    let wrong = upload("\(each), fixes: 20, backlog: { over: 9, text: '{latitude}' }")
    #expect(
      diagnostics(in: wrong).first?.contains(
        "upload.backlog.fixes is 20, but a request without 'each: fix' has one fix; write "
          + "fixes: 1, fixes: newest.") == true)
  }

  @Test("a view is one read over HTTP, without paging and protobuf")
  func view() throws {
    let view = "view: { method: GET, path: /p, time: /t, latitude: /a, longitude: /o"
    #expect(try readTarget("\(smallestTarget)\n\(view) }\n").view?.request.method == .get)
    let paged = diagnostics(in: "\(smallestTarget)\n\(view), next: link }\n")
    #expect(paged.first?.contains("a view reads one answer of HTTP") == true, "\(paged)")
    let typed = diagnostics(in: "\(smallestTarget)\n\(view), answerProto: a.B }\n")
    #expect(typed.contains { $0.contains("a view's answer is JSON") }, "\(typed)")
  }

  @Test("a read-back of events is over HTTP with JSON, and names an event by id or time")
  func eventReadback() throws {
    func target(_ readback: String, _ more: String = "") -> String {
      "\(smallestTarget)\nevents: { path: /e, message: { id: $uuid }\(more), readback: \(readback) }\n"
    }
    let found = try readTarget(target("{ method: GET, path: /e, query: { from: $from }, id: /id }"))
    #expect(found.events?.readback?.id == FieldPath(keys: ["id"]))
    let none = diagnostics(in: target("{ method: GET, path: /e, rows: /r }"))
    #expect(none.first?.contains("needs the path of an event's id or time in a row") == true)
    let typed = diagnostics(in: target("{ path: /e, answerProto: a.B, id: /id }"))
    #expect(typed.contains { $0.contains("only for http with JSON") }, "\(typed)")
    let paged = diagnostics(in: target("{ path: /e, next: link, cursor: /c, id: /id }"))
    #expect(paged.contains { $0.contains("keep one of them") }, "\(paged)")
  }

  private static func socket(_ keys: String, url: String = "ws://127.0.0.1:1") -> String {
    """
    name: test
    client: { name: a, version: "1", source: b }
    protocol: websocket
    url: \(url)
    \(keys)
    """
  }

  private static let message = "upload: { message: { id: $number, lat: $latitude } }"
  private static let stored = "answer: [ { is: stored } ]"

  @Test("a WebSocket has an opening, and the message that answers an upload")
  func webSocket() throws {
    let opening = """
      websocket:
        path: "/in/{phone}"
        headers: { X-Key: a }
        subprotocol: a.v1
        keepalive: 30s
        match: /id
        open: [ { send: { a: $phone }, expect: { /b: c } }, { expect: { /d: "*" } } ]
      """
    let target = try readTarget(Self.socket("\(opening)\n\(Self.message)\n\(Self.stored)"))
    #expect(target.websocket.match == .field(FieldPath(keys: ["id"])))
    #expect(target.websocket.open.map(\.expect.count) == [1, 1] && target.isAcknowledged)
    #expect(target.websocket.keepalive == .seconds(30) && target.viewSocket == nil)
    let plain = try readTarget(Self.socket("\(Self.message)\n\(Self.stored)"))
    #expect(plain.websocket.match == .next && plain.websocket.open.isEmpty)
    let silent = try readTarget(
      Self.socket("websocket: { match: none }\n\(Self.message)\n\(Self.stored)"))
    #expect(!silent.isAcknowledged)
  }

  @Test(
    "what a WebSocket does not have is a mistake",
    arguments: [
      ("upload: { message: { a: $latitude }, path: /a }", "upload.path is for http"),
      ("upload: { message: { a: $latitude }, headers: { a: b } }", "upload.headers is for http"),
      ("upload: { message: { a: $latitude }, encoding: gzip }", "upload.encoding is for http"),
      ("websocket: { open: [ {} ] }\n\(message)", "the step does nothing"),
      ("websocket: { path: a }\n\(message)", "websocket.path does not start with '/'"),
      ("websocket: { match: /id }\nupload: { text: '{latitude}' }", "names a field of JSON"),
      ("view: { next: /a, time: /t, latitude: /a, longitude: /o }\n\(message)", "no paging"),
      ("websocket: { open: [ { send: { a: $nobody } } ] }\n\(message)", "unknown value 'nobody'"),
    ])
  func noWebSocket(keys: String, words: String) {
    let found = diagnostics(in: Self.socket("\(keys)\n\(Self.stored)"))
    #expect(found.contains { $0.contains(words) }, "\(found)")
  }

  @Test("a WebSocket's message has no status")
  func noStatus() {
    let status = "answer: [ { when: { status: 200 }, is: stored } ]"
    let found = diagnostics(in: Self.socket("\(Self.message)\n\(status)"))
    #expect(found.first?.contains("has no status and no headers") == true, "\(found)")
    let http = diagnostics(in: "\(smallestTarget)\nwebsocket: { match: none }\n")
    #expect(http.first?.contains("only for protocol: websocket") == true, "\(http)")
  }

  @Test("MQTT over WebSocket has the request for the upgrade, but no steps and no matching")
  func mqttOverWebSocket() throws {
    func mqtt(_ keys: String) -> String {
      Self.socket("upload: { topic: a, text: b }\n\(keys)\n\(Self.stored)")
        .replacing("protocol: websocket", with: "protocol: mqtt")
    }
    let target = try readTarget(mqtt("websocket: { path: /mqtt, headers: { X-Key: a } }"))
    #expect(target.usesSocket && target.subprotocol == "mqtt" && target.viewSocket == nil)
    for keys in ["match: none", "keepalive: 30s", "open: [ { send: { a: b } } ]"] {
      let found = diagnostics(in: mqtt("websocket: { \(keys) }"))
      #expect(found.first?.contains("not for mqtt") == true, "\(found)")
    }
    let plain = mqtt("websocket: { path: /mqtt }").replacing("url: ws://", with: "url: mqtt://")
    let refused = diagnostics(in: plain)
    #expect(refused.contains { $0.contains("with url: ws://HOST:PORT") }, "\(refused)")
  }

  @Test("viewers of an HTTP server may have a WebSocket at another address")
  func viewSocket() throws {
    let view = "view: { url: 'ws://127.0.0.1:9/api', path: /socket, rows: /p, device: /d, "
    let rest = "time: /t, latitude: /a, longitude: /o }"
    let target = try readTarget("\(smallestTarget)\n\(view)\(rest)\n")
    #expect(target.viewSocket?.port == 9 && target.view?.device == FieldPath(keys: ["d"]))
    let plain = diagnostics(
      in:
        "\(smallestTarget)\nview: { method: GET, path: /p, open: [ { send: { a: 1 } } ], \(rest)\n")
    #expect(plain.first?.contains("are for a WebSocket") == true, "\(plain)")
  }

  @Test("a viewer over MQTT has a topic, whose values become wildcards for a viewer who sees all")
  func viewTopic() throws {
    let mqtt = """
      name: test
      protocol: mqtt
      url: mqtt://127.0.0.1:1
      identity: { user: "u{phone}" }
      upload: { topic: "t/{user}/phone", fixes: 1, message: { lat: $latitude } }
      \(Self.stored)
      view: { time: /t, latitude: /a, longitude: /o,
      """
    func topicOfAll(_ topic: String) throws -> String {
      let target = try readTarget("\(mqtt) topic: \(topic) }\n")
      #expect(target.isWatched && target.viewSocket == nil)
      #expect(target.hasOneViewTopic == !topic.contains("user"))
      return target.viewTopicOfAll
    }
    #expect(try topicOfAll("'t/{user}/phone'") == "t/+/phone")
    #expect(try topicOfAll("'/p-{user}-{phone}//x'") == "/+//x")
    #expect(try topicOfAll("$user") == "+" && topicOfAll("'t/+/#'") == "t/+/#")
    for (keys, words) in [
      ("rows: /p }", "view.topic is missing"), ("topic: a, text: b }", "only subscribes"),
      ("topic: a, path: /b }", "only subscribes"), ("topic: a, next: /b }", "only subscribes"),
      ("topic: a, open: [ { send: { a: 1 } } ] }", "are for a WebSocket"),
    ] {
      let found = diagnostics(in: "\(mqtt) \(keys)\n")
      #expect(found.contains { $0.contains(words) }, "\(keys): \(found)")
    }
  }

  @Test("every mistake is reported at once, with its place and a suggestion")
  func mistakes() {
    let text = """
      name: test
      protocol: htp
      url: http://127.0.0.1:1
      conections: { per: phone }
      identity: { phone: x, id: "{latitude}" }
      upload: { path: /, message: { lat: $latitde, lon: $longitude.e8, a: "{b" } }
      answer:
        - { when: { status: 6xx }, is: storred }

      """
    let found = diagnostics(in: text)
    #expect(found.count == 8)
    #expect(found.allSatisfy { $0.hasPrefix("test.yaml:") })
    #expect(found[0].contains("test.yaml:2:11: protocol: 'htp' is unknown; write one of http,"))
    #expect(found[0].hasSuffix("Did you mean 'http'?"))
    #expect(found[1].hasPrefix("test.yaml:4:1: unknown key 'conections'; known are name,"))
    #expect(found[1].hasSuffix("Did you mean 'connections'?"))
    #expect(found[2].contains("5:13: identity: 'phone' is a built-in value; rename it."))
    #expect(found[3].contains("5:27: 'latitude' cannot identify a phone"))
    #expect(found[4].contains("'longitude' has no unit 'e8'; it has e5, e6, e7;"))
    #expect(found[5].contains("upload.message.a: '{b' has a '{' without its '}'"))
    #expect(found[6].contains("answer[0].when.status: '6xx' is not a status"))
    #expect(found[7].contains("Did you mean 'stored'?"))
  }

  @Test("an undefined name is a mistake at its place")
  func names() {
    let text = smallestTarget.replacing(
      "$latitude", with: "$latitde, \"x\": \"{idd}\", y: $webhook"
    ).replacing(
      "upload:",
      with: """
        identity: { id: "a{phone}" }
        register: { path: /r, text: "{id}", keep: { webhook: /id, speed: /s } }
        upload:
        """)
    let found = diagnostics(in: text)
    #expect(found.count == 3)
    #expect(found[0].contains("test.yaml:5:59: 'speed' is already a name"))
    #expect(
      found[1].contains(
        "test.yaml:6:36: unknown value 'latitde'; values of the target: id, webhook, speed;")
    )
    #expect(found[1].hasSuffix("Did you mean 'latitude'?"))
    #expect(found[2].contains("test.yaml:6:51: unknown value 'idd'"))
  }

  @Test("a misspelled key hides no undefined name, unless names may come from there")
  func namesBesideSlips() {
    let text = smallestTarget.replacing("$latitude", with: "$latitde")
    let found = diagnostics(in: text.replacing("upload:", with: "strange: 3\nupload:"))
    #expect(found.count == 2)
    #expect(found[0].contains("unknown key 'strange'"))
    #expect(found[1].contains("latitde"))
    #expect(diagnostics(in: text).count == 1, "and what was said is said once")
    let slips = [
      "identiy: { idd: x }", "regster: { path: /r, keep: { idd: /s } }",
      "identity: { phone: x, idd: y }", "register: { pth: /r, keep: { idd: /s } }",
    ]
    for slip in slips {
      let found = diagnostics(
        in: smallestTarget.replacing("$latitude", with: "$idd")
          .replacing("upload:", with: "\(slip)\nupload:"))
      #expect(!found.isEmpty && !found.contains { $0.contains("unknown value") }, "\(found)")
    }
  }

  @Test(
    "incompatible keys are mistakes",
    arguments: [
      ("url: http://127.0.0.1:1", "url: ftp://h", "'ftp://h' is not an address of http"),
      ("url: http://127.0.0.1:1", "url: http://u:secret@h:1", "must not contain a user"),
      (
        "url: http://127.0.0.1:1", "url: https://ingest.example.com\nowner: yes",
        "neither loopback nor private; add a rateLimit"
      ),
      ("path: /", "path: x", "upload.path is missing, or does not start with '/'"),
      ("path: /,", "path: /, topic: t,", "upload.topic is for mqtt, but the protocol is http"),
      ("path: /,", "path: /, text: t,", "upload has several bodies; keep one"),
      (", message: { lat: $latitude }", "", "upload has no body; write message"),
      (
        "message: { lat: $latitude }", "form: { a: [1] }",
        "'a' is a map or a list, which a form cannot hold"
      ),
      ("status: 2xx", "status: OK", "'OK' is a gRPC status, but the protocol is http"),
      ("is: stored", "is: stored, after: 5s", "'after' has no effect with 'is: stored'"),
      ("is: stored", "is: stored, reason: x", "'reason' needs is: refused or is: partly"),
      (
        "$latitude", "{ each: fix, b: { each: fix, c: 1 } }",
        "'each' is inside another 'each'; write it once"
      ),
      ("$latitude", "{ each: fixes, b: 1 }", "write each: fix"),
      ("$latitude", "{ is: $latitude, omits: x }", "unknown key 'omits'"),
      ("path: /,", "path: /, fixes: newst,", "Did you mean 'newest'?"),
      (
        "protocol: http", "protocol: grpc", "upload.path is for http, but the protocol is grpc"
      ),
      ("answer:", "retry: { on: interval }\nanswer:", "needs 'every'; write every: 30s"),
      ("answer:", "schema: { reflection: yes }\nanswer:", "'schema' has no effect, since no"),
      (
        "path: /,", "path: /, proto: acme.v1.Batch,",
        "the type needs a schema; write schema: { proto: FILE }"
      ),
      ("path: /,", "path: /, proto: acme..Batch,", "'acme..Batch' is not the name of a message"),
      (
        "path: /, message: { lat: $latitude }", "path: /, form: { a: 1 }, proto: acme.v1.Batch",
        "upload.proto needs the fields of 'acme.v1.Batch'; write message: { FIELD: VALUE, … } instead"
      ),
      (
        "upload: { path: /,", "schema: { reflection: yes }\nupload: { path: /, proto: a.B,",
        "reflection is only for grpc; write proto: FILE"
      ),
      (
        "protocol: http\nurl: http://127.0.0.1:1\nupload: { path: /,",
        "protocol: mqtt\nurl: mqtt://127.0.0.1:1\nupload: { topic: t, answerProto: a.B,",
        "upload.answerProto is for http, but the protocol is mqtt"
      ),
      (
        "protocol: http\nurl: http://127.0.0.1:1\nupload: { path: /,",
        "protocol: mqtt\nurl: mqtt://127.0.0.1:1\nupload: { topic: t, encoding: gzip,",
        "upload.encoding is for http, but the protocol is mqtt"
      ),
      (
        "protocol: http\nurl: http://127.0.0.1:1\nupload: { path: /,",
        "protocol: grpc\nurl: grpc://127.0.0.1:1\nupload: { call: /a.B/C, proto: a.B,",
        "upload.proto is for http, mqtt and websocket; the type of a gRPC message is its call's"
      ),
      (
        "protocol: http\nurl: http://127.0.0.1:1\nupload: { path: /,",
        "protocol: grpc\nurl: grpc://127.0.0.1:1\nupload: { call: /a.B/C, "
          + "metadata: { x: { $hmac: { key: $uuid } } },",
        "$hmac signs the body of http, but the protocol is grpc"
      ),
      (
        "path: /, message: { lat: $latitude }", "path: /, multipart: { a: 1 }",
        "'multipart' in upload: multipart bodies are not supported; write message: for JSON"
      ),
      (
        "path: /, message: { lat: $latitude }", "path: /, msgpack: { a: 1 }",
        "'msgpack' in upload: MessagePack is not supported; write message: for JSON"
      ),
      (
        "path: /,", "path: /, headers: { content-type: multipart/form-data },",
        "multipart bodies are not supported; upload writes message: as JSON"
      ),
      (
        "path: /,", "path: /, headers: { Content-Type: application/x-msgpack },",
        "MessagePack is not supported; upload writes message: as JSON"
      ),
      (
        "message: { lat: $latitude } }\nanswer:\n  - { when: { status: 2xx",
        "message: { lat: 1 }, answerProto: a.B }\nanswer:\n  - { when: { status: 2xx, body: json",
        "'body: json' never matches a protobuf answer"
      ),
      (
        "message: { lat: $latitude }", "message: { a: { $hmac: { key: $uuid } } }",
        "'$hmac' signs the whole body; write it as a header"
      ),
      (
        "message: { lat: $latitude }", "message: { a: { $base64: x, b: 1 } }",
        "'$base64' has other keys beside it"
      ),
      (
        "message: { lat: $latitude }", "message: { $base64: [{ a: { $base64: x } }] }",
        "'$base64' is around another '$base64'"
      ),
      (
        "message: { lat: $latitude }", "form: { a: { $base64: x } }",
        "'a' is a map or a list, which a form cannot hold"
      ),
      ("is: stored", "is: partly", "'is: partly' and 'taken' need each other"),
      ("is: stored", "is: stored, taken: /n", "'is: partly' and 'taken' need each other"),
      ("status: 2xx", "field: { /n: $cuont }", "'$cuont' is unknown here; write $count"),
      (
        "status: 2xx", "field: { /n: \"{count}\" }",
        "6:24: answer[0].when.field: '{count}' is not a value here"
      ),
      ("status: 2xx", "field: { /n: \"{idd} of 5\" }", "write $count alone, the fixes of"),
      ("status: 2xx", "field: { /n: \"all $count\" }", "'$count' is not a value here"),
      (
        "status: 2xx", "header: { A: \"{count}\" }",
        "write a constant, with {{count}} for the text {count}."
      ),
      ("status: 2xx", "header: { A: $count }", "with $$count for the text $count."),
      ("is: stored", "is: refused, reason: \"of {batch.x}\"", "write only the words."),
      ("is: stored", "is: partly, taken: \"/{count}\"", "'{count}' is not a value here: a path"),
      ("url: http://127.0.0.1:1", "url: http://127.0.0.1:1/{idd}", "in upload.path."),
      ("answer:", "metrics: \"http://127.0.0.1:1/{phone}\"\nanswer:", "write the address itself."),
      ("$latitude", "$offset", "'offset' is a value only in the readback"),
      (
        "answer:", Self.readback("query: { c: $cursor }"),
        "$cursor needs readback.cursor; write cursor: /path."
      ),
      ("answer:", Self.readback("cursor: /c"), "readback.cursor needs $cursor in the request"),
      (
        "answer:", Self.readback("next: link, query: { o: $offset }"),
        "a readback gets its next page by next, cursor, $offset or $page; keep one of them"
      ),
      (
        "answer:", Self.readback("postgres: SELECT, database: { env: X }, next: /n"),
        "an SQL statement returns all rows at once"
      ),
      ("answer:", Self.readback("largestAnswer: 1B"), "'1B' is out of range"),
      (
        "path: /,", "path: /, headers: { A: \"Bearer $uuid\" },",
        "'$uuid' is a value only on its own"
      ),
    ])
  func rules(old: String, new: String, expected: String) {
    let found = diagnostics(in: smallestTarget.replacing(old, with: new))
    #expect(found.contains { $0.contains(expected) }, "\(found)")
    #expect(!found.contains { $0.contains("secret@") })
  }

  private static func readback(_ keys: String) -> String {
    "readback: { method: GET, path: /r, time: t, latitude: a, longitude: o, \(keys) }\nanswer:"
  }

  @Test(
    "a literal dollar sign, and one of a path, are not values",
    arguments: ["{ A: \"a $$uuid\" }", "{ A: \"/x/$count\" }", "{ A: \"5 $ count\" }"])
  func dollars(headers: String) {
    let text = smallestTarget.replacing("path: /,", with: "path: /, headers: \(headers),")
    #expect(diagnostics(in: text) == [])
  }

  @Test(
    "doubled braces, JSON and other texts are compared with an answer literally",
    arguments: [
      ("{{count}}", "{count}"), ("a {{b.c}} d", "a {b.c} d"), ("$$x", "$x"), ("{}", "{}"),
      (#"{"a":{"b":1}}"#, #"{"a":{"b":1}}"#), ("{5}", "{5}"), ("costs $5", "costs $5"),
    ])
  func constants(written: String, meant: String) throws {
    let text = smallestTarget.replacing(
      "status: 2xx", with: "header: { A: '\(written)' }, field: { /n: '\(written)' }")
    let rules = AnswerRules(try readTarget(text).answer, carrier: .http)
    func isStored(_ value: String) throws -> Bool {
      let body = try JSONEncoder().encode(["n": value])
      return body.withUnsafeBytes {
        rules.judge(status: 200, header: { _ in value }, body: $0).answer.outcome == .stored
      }
    }
    #expect(try isStored(meant))
    #expect(try !isStored("other"))
  }

  @Test("keys named like this file's own are written with a backslash, and shown so")
  func ownKeys() throws {
    let text = smallestTarget.replacing(
      "{ lat: $latitude }", with: "{ \\is: $latitude, \\each: { \\is: 1 }, a: { is: 2 } }")
    let target = try readTarget(text)
    guard case .object(let fields)? = target.upload.request.message?.content else {
      Issue.record("no object")
      return
    }
    #expect(fields.map(\.key) == ["is", "each", "a"])
    guard case .object(let inner) = fields[1].node.content else {
      Issue.record("no object in it")
      return
    }
    #expect(inner.map(\.key) == ["is"])
  }

  @Test("too many fields are a mistake, not a crash")
  func fields() {
    let rules = (0..<13).map { rule in
      let fields = (0..<5).map { "/f\(rule)x\($0): 1" }.joined(separator: ", ")
      return "  - { when: { field: { \(fields) } }, is: stored }\n"
    }
    let found = diagnostics(in: smallestTarget + rules.joined())
    #expect(found == ["test.yaml:19:5: the rules read more than 64 different fields; use fewer."])
  }

  @Test("a backlog's request is the upload's by default")
  func backlog() throws {
    let target = try readTarget(
      smallestTarget.replacing(
        "path: /,", with: "path: /a, headers: { X: y }, backlog: { over: 9, text: z },"))
    let backlog = try #require(target.upload.backlog)
    #expect(backlog.over == 9 && backlog.request.path.written == "/a")
    #expect(backlog.request.headers.map(\.name) == ["X"])
    #expect(backlog.request.message == nil && backlog.request.text?.written == "z")
  }

  @Test("the address of the command line replaces the file's, in mistakes as well")
  func otherAddress() throws {
    let target = try TargetReader.read(
      text: smallestTarget, from: "test.yaml", url: "https://10.0.0.9:8443/in")
    #expect(TargetAddress(target.url) == TargetAddress("https://10.0.0.9:8443/in/"))
    do {
      _ = try TargetReader.read(text: smallestTarget, from: "test.yaml", url: "x://u:pw@h")
      Issue.record("was taken")
    } catch {
      #expect(error.description.hasPrefix("--target-url x://***@h: "))
      #expect(!error.description.contains("pw"))
    }
  }

  @Test("the address for a server's pushes is read, and an invalid one is a mistake")
  func push() throws {
    let written = smallestTarget + "push: { listen: \"[::1]:2197\", as: fcm, clear: yes }\n"
    let push = try #require(try readTarget(written).push)
    #expect(push.provider == .google && push.isInTheClear && push.keys.isEmpty)
    #expect(push.url == "http://[::1]:2197/v1/projects/PROJECT/messages:send")
    for listen in ["127.0.0.1", ":1", "a:b", "u@a:1", "a:1/push", "http://a:1"] {
      let found = diagnostics(in: smallestTarget + "push: { listen: \"\(listen)\" }\n")
      #expect(
        found.count == 1 && found.first?.contains("push.listen: '\(listen)'") == true, "\(found)")
    }
    #expect(diagnostics(in: smallestTarget + "push: { listen: a:1, as: google }\n").count == 1)
  }

  @Test("a file's name and the target's are the same")
  func fileName() {
    #expect(throws: ScenarioError.self) {
      try TargetReader.read(text: smallestTarget, from: "folder/other.yaml")
    }
  }

  @Test(
    "hosts that need no consent",
    arguments: [
      ("http://127.0.0.1", true), ("http://localhost:1", true), ("http://[::1]:9", true),
      ("http://10.1.2.3", true), ("http://172.16.0.1", true), ("http://172.32.0.1", false),
      ("http://192.168.7.1", true), ("http://[fd00::1]", true), ("http://[2001:db8::1]", false),
      ("https://example.com", false), ("http://10.example.com", false), ("http://8.8.8.8", false),
      ("http://169.254.169.254", false), ("http://[fd00:ec2::254]", false),
    ])
  func local(url: String, isLocal: Bool) throws {
    #expect(try #require(TargetAddress(url)).isLocal == isLocal)
  }

  @Test(
    "an address is shown with its port, by default its scheme's",
    arguments: [
      ("http://acme.test/in", "acme.test:80"), ("mqtts://10.1.2.3", "10.1.2.3:8883"),
      ("https://[::1]:9/", "[::1]:9"),
    ])
  func authority(url: String, said: String) throws {
    #expect(try #require(TargetAddress(url)).authority == said)
  }

  @Test("the schema for editors and the reference have the keys that are read")
  func schema() throws {
    let read = try JSONSerialization.jsonObject(with: Data(TargetReader.jsonSchema.utf8))
    let schema = try #require(read as? [String: Any])
    let keys = try #require(schema["properties"] as? [String: Any])
    #expect(Set(keys.keys) == Set(TargetSchema.target.names))
    #expect(schema["required"] as? [String] == ["name", "protocol", "url", "upload", "answer"])
    let paths = TargetReader.keys.map(\.path)
    #expect(paths.contains("upload.backlog.over") && paths.contains("answer[].when.status"))
    #expect(TargetReader.keys.first { $0.path == "retry.longest" }?.standard == "5min")
  }
}
