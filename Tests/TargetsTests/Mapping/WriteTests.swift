internal import Core
internal import Foundation
internal import Scenarios
internal import TestSupport
internal import Testing
@testable internal import Targets

/// How values become bytes.
@Suite("Values and messages", .quick)
struct WriteTests {
  private func program(_ message: String, identity: String = "{}") throws -> UploadProgram {
    let target = try readTarget(
      """
      name: test
      protocol: http
      url: http://127.0.0.1:1
      identity: \(identity)
      upload:
        path: /
        message: \(message)
      answer: [{ is: stored }]
      """)
    guard case .message(let program) = TargetPrograms(masked: target).upload.body else {
      throw ScenarioError([Diagnostic(origin: .whole("test"), text: "no message")])
    }
    return program
  }

  private func json(
    _ message: String, identity: String = "{}", _ context: UploadContext = context([fix()])
  ) throws -> String {
    let program = try program(message, identity: identity)
    return text { program.write(json: context, into: &$0) }
  }

  @Test("every value in every unit")
  func values() throws {
    let all = try json(
      """
      { a: [$latitude, $latitude.e5, $latitude.e6, $latitude.e7],
        b: [$speed, $speed.kmh, $speed.knots], c: [$time, $time.s, $time.ms, $time.us, $time.iso.s],
        d: [$phone, $epoch, $sequence, $count, $index, $batch], e: [$battery, $battery.share],
        f: [$charging, $motion, $policy, $os, $course, $accuracy], g: [$now, $now.timestamp] }
      """)
    #expect(
      all == #"{"a":[52.520008,5252001,52520008,525200080],"b":[1.4,5.04,2.721382],"#
        + #""c":["2026-03-02T07:30:00.000Z",1772436600,1772436600000,1772436600000000,"#
        + #""2026-03-02T07:30:00Z"],"d":[17,1,1,1,0,"17-1-1"],"e":[83,0.83],"#
        + #""f":[false,"driving","hybrid","ios17",271,12],"#
        + #""g":["2026-03-02T07:31:00.000Z","2026-03-02T07:31:00.000Z"]}"#)
  }

  @Test("base64 is of a text, or of JSON, as Foundation writes it")
  func base64() throws {
    let read = try json("{ a: { $base64: \"x{phone}\" }, b: { $base64: $altitude }, c: 1 }")
    #expect(read == #"{"a":"eDE3","b":"","c":1}"#)
    #expect(try json("{ \\$base64: 1, \\$hmac: 2 }") == #"{"$base64":1,"$hmac":2}"#)
    let fixes = (0..<3).map { fix(latitude: 52_000_000 + $0) }
    let each = try json("[{ each: fix, is: { $base64: { lat: $latitude } } }]", context(fixes))
    let texts = [#"{"lat":52}"#, #"{"lat":52.000001}"#, #"{"lat":52.000002}"#].map {
      #""\#(Data($0.utf8).base64EncodedString())""#
    }
    #expect(each == "[[\(texts.joined(separator: ","))]]")
    for length in 0..<200 {
      let bytes = (0..<length).map { UInt8(truncatingIfNeeded: $0 &* 37 &+ length) }
      var out: [UInt8] = [1, 2] + bytes
      out.encodeBase64(from: 2)
      #expect(text { $0 = Array(out.dropFirst(2)) } == Data(bytes).base64EncodedString())
    }
  }

  @Test("a registration says which service issued the phone's push token")
  func pushTokens() throws {
    let message = """
      { token: $pushToken, service: $pushService,
        os: { is: $pushService, words: { apns: iOS, fcm: Android }, default: none } }
      """
    #expect(try json(message) == #"{"token":null,"service":null,"os":"none"}"#)
    var registered = context([])
    (registered.device.pushToken, registered.device.pushService) = ("a:b", "fcm")
    #expect(
      try json(message, registered) == #"{"token":"a:b","service":"fcm","os":"Android"}"#)
  }

  @Test("a constant in quotes is a text, one without is parsed")
  func quoted() throws {
    let written = try json(
      """
      { a: 1, b: "1", c: 'true', d: true, e: { is: "2" }, f: { is: 2 },
        g: { is: "3", as: number }, h: "{phone}" }
      """)
    #expect(
      written == #"{"a":1,"b":"1","c":"true","d":true,"e":"2","f":2,"g":3,"h":"17"}"#)
  }

  @Test("an unknown value is null, its default, or left out")
  func unknown() throws {
    let unknown = context([fix(speed: -1, course: -1)])
    let message = """
      { a: $speed, b: { is: $speed, default: -1 }, c: { is: $course, omit: unknown },
        d: { is: $altitude, omit: zero }, e: [{ is: $trigger, omit: unknown }],
        f: { is: "{trigger}!", omit: unknown }, g: "{trigger}!", h: { is: "$speed", as: text } }
      """
    #expect(
      try json(message, unknown) == #"{"a":null,"b":-1,"e":[],"g":"!","h":null}"#)
    let zero = context([fix(speed: 0, course: 0)])
    #expect(
      try json("{ a: { is: $speed, omit: zero }, b: { is: $course, omit: unknown } }", zero)
        == #"{"b":0}"#)
  }

  @Test("types can be changed, decimals and widths set, words translated, braces doubled")
  func forms() throws {
    #expect(
      try json(
        """
        { a: { is: $phone, as: text }, b: "{phone:07}", c: { is: $speed, decimals: 0 },
          d: { is: $charging, as: number }, e: { is: 007, as: text }, f: 1.50, g: "true", h: yes,
          i: "{speed.kmh:.1} km/h", j: { is: $motion, words: { driving: "in {car}" } },
          k: "{{{id}}}", l: $$id, m: null, n: 007 }
        """, identity: "{ id: 'a\"{phone}' }")
        == #"{"a":"17","b":"0000017","c":1,"d":0,"e":"007","f":1.50,"g":"true","h":"yes","#
        + #""i":"5.0 km/h","j":"in {car}","k":"{a\"17}","l":"$id","m":null,"n":"007"}"#)
  }

  @Test("each repeats for every fix; outside of it the newest is used")
  func each() throws {
    let two = context([fix(), fix(second: 9, speed: -1)])
    #expect(
      try json(
        "{ n: $count, l: { each: fix, i: $index, t: $time.s, s: { is: $speed, omit: unknown } }, "
          + "x: { each: fix, is: $time.s }, t: $time.s }", two)
        == #"{"n":2,"l":[{"i":0,"t":1772436600,"s":1.4},{"i":1,"t":1772436609}],"#
        + #""x":[1772436600,1772436609],"t":1772436609}"#)
    #expect(try json("{ each: fix, i: $index }", context([])) == "[]")
    var part = two
    part.firstFix = 50
    #expect(try json("{ each: fix, is: $index }", part) == "[50,51]")
  }

  @Test("the uuid is of version 4, one for each fix, and the same when the request is repeated")
  func uuids() throws {
    let message = "{ u: $uuid, l: { each: fix, is: $uuid } }"
    let first = try json(message, context([fix(), fix()]))
    #expect(first == (try json(message, context([fix(), fix()]))))
    let found = first.matches(
      of: #/[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}/#)
    #expect(Set(found.map { String($0.0) }).count == 3)
    // The same fix in a separate request has the same one.
    var second = context([fix()])
    second.firstFix = 1
    #expect(try json(message, second).contains(found[2].0))
  }

  @Test("a repeated request has the same trace, and a new parent")
  func traces() throws {
    func trace(_ change: (inout UploadContext) -> Void) throws -> [Substring] {
      var upload = context([fix()])
      change(&upload)
      let text = try json("{ t: $traceparent }", upload).dropFirst(6).dropLast(2)
      #expect(text.wholeMatch(of: #/00-[0-9a-f]{32}-[0-9a-f]{16}-01/#) != nil, "\(text)")
      return text.split(separator: "-")
    }
    let first = try trace { _ in }
    let again = try trace { $0.now += 5_000_000 }
    #expect(first[1] == again[1] && first[2] != again[2])
    #expect(try trace { $0.sequence += 1 }[1] != first[1])
  }

  @Test("wall-clock time is simulated time and one constant shift")
  func shift() throws {
    var later = context([fix()])
    later.shift = .hours(24)
    #expect(try json("{ t: $time.s, n: $now.s }", later) == #"{"t":1772523000,"n":1772436660}"#)
  }

  @Test("any message is JSON that Foundation reads back as the same values")
  func readsBack() throws {
    let program = try program(
      "{ each: fix, lat: $latitude, lon: $longitude, s: $speed, c: $course, a: $accuracy, "
        + "t: $time.us, \"k\\\"y\\n\": \"x {id}\" }", identity: "{ id: \"\\\\ \\\" \\u0007 ü 🚲\" }")
    var draw = Draw(seed: 1, phone: 0, Purpose(rawValue: 0))
    let fixes = (0..<500).map { _ in
      Fix(
        coordinate: Coordinate(
          latitudeE6: Int32.random(in: -90_000_000...90_000_000, using: &draw),
          longitudeE6: Int32.random(in: -180_000_000...180_000_000, using: &draw)),
        time: FixTime(centiseconds: Int64.random(in: 0..<400_000_000_000, using: &draw)),
        accuracyMeters: UInt16.random(in: 0...UInt16.max, using: &draw),
        speedDecimetersPerSecond: Int16.random(in: -1...Int16.max, using: &draw),
        courseDegrees: Int16.random(in: -1..<360, using: &draw))
    }
    var out: [UInt8] = []
    program.write(json: context(fixes), into: &out)
    let read = try JSONSerialization.jsonObject(with: Data(out))
    let rows = try #require(read as? [[String: Any]])
    #expect(rows.count == fixes.count)
    for (row, fix) in zip(rows, fixes) {
      #expect((row["lat"] as? NSNumber)?.doubleValue == fix.coordinate.latitude)
      #expect((row["lon"] as? NSNumber)?.doubleValue == fix.coordinate.longitude)
      #expect((row["a"] as? NSNumber)?.intValue == Int(fix.accuracyMeters))
      #expect((row["t"] as? NSNumber)?.int64Value == fix.time.centiseconds * 10_000)
      let speed = fix.speedDecimetersPerSecond
      #expect((row["s"] as? NSNumber)?.doubleValue == (speed < 0 ? nil : Double(speed) / 10))
      #expect(row["k\"y\n"] as? String == "x \\ \" \u{7} ü 🚲")
    }
  }

  @Test("a form and a query are percent-encoded for their readers")
  func encodes() throws {
    let target = try readTarget(
      """
      name: test
      protocol: http
      url: http://127.0.0.1:1/base/
      identity: { id: "ä b/{phone}" }
      upload:
        path: "/p/{id}/q"
        query: { a: $id, "b c": $time.iso.s }
        form: { a: $id, t: $time.iso.s }
      answer: [{ is: stored }]
      """)
    let upload = TargetPrograms(masked: target).upload
    #expect(
      text { upload.write(path: context([fix()]), into: &$0) }
        == "/base/p/%C3%A4%20b%2F17/q?a=%C3%A4%20b%2F17&b%20c=2026-03-02T07%3A30%3A00Z")
    #expect(
      text { upload.write(body: context([fix()]), into: &$0) }
        == "a=%C3%A4+b%2F17&t=2026-03-02T07%3A30%3A00Z")
  }

  @Test("instants are those of the calendar, before 1970 and in leap years")
  func instants() {
    func iso(_ seconds: Int64) -> String {
      text { $0.append(iso: seconds * 1_000_000, milliseconds: false) }
    }
    #expect(iso(0) == "1970-01-01T00:00:00Z")
    #expect(iso(-1) == "1969-12-31T23:59:59Z")
    #expect(iso(951_782_400) == "2000-02-29T00:00:00Z")
    #expect(iso(4_107_542_399) == "2100-02-28T23:59:59Z")
  }

  @Test("numbers are exact, rounded halves away from zero")
  func numbers() {
    func number(_ units: Int64, _ decimals: UInt8, to wanted: UInt8? = nil) -> String {
      text { $0.append(number: FixedPoint(units, decimals: decimals), decimals: wanted) }
    }
    #expect(number(-1, 6) == "-0.000001")
    #expect(number(-52_500_000, 6) == "-52.5")
    #expect(number(100, 2) == "1")
    #expect(number(25, 1, to: 0) == "3")
    #expect(number(-25, 1, to: 0) == "-3")
    #expect(number(2_994, 3, to: 2) == "2.99")
    #expect(number(5, 0, to: 2) == "5.00")
    #expect(text { $0.append(decimal: .min) } == "-9223372036854775808")
    #expect(text { $0.append(digits: .max, width: 1) } == "18446744073709551615")
  }
}
