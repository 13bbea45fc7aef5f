import Core
import Figures
import Foundation
import Scenarios
import TestSupport
import Testing
import Transport

@testable import Run
@testable import Uploads
@testable import Targets
@testable import RunSupport

@Suite("A trial of a target over HTTP", .quick)
struct TargetTrialTests {
  private static let text = """
    name: acme
    description: A test's.
    client: { name: Acme, version: "1", source: "made up" }
    protocol: http
    url: http://127.0.0.1:8080/base
    identity: { id: "a{phone:03}" }
    register:
      path: /devices
      message: { id: $id }
      keep: { session: /session }
      answer:
        - { when: { status: 201 }, is: stored }
    upload:
      path: "/fixes/{session}"
      fixes: 50
      message: { points: { each: fix, at: $time.s, lat: $latitude, lon: $longitude } }
    answer:
      - { when: { status: 200, field: { /ok: true } }, is: stored }
      - { when: { status: 400 }, is: refused }
    readback:
      method: GET
      path: /fixes
      query: { id: $id, from: $from.s, to: $to.s }
      rows: /points
      time: /at
      timeUnit: s
      latitude: /lat
      longitude: /lon
    """

  private static let now: Int64 = 1_795_265_539_400_000

  /// Answers by method and the end of the path; other requests are not answered.
  private func trial(
    _ answers: [String: (status: Int, body: String)], of text: String = text,
    secret: String = TargetNames.mask, columns: [String] = []
  ) throws -> (trial: TargetTrial, requests: [HTTPRequest]) {
    let target = try TargetReader.read(text: text, from: "acme.yaml")
    let sent = Sent()
    let programs = TargetPrograms(
      target, TargetNames(target.identity.names, kept: target.keptNames, secret: { _ in secret }))
    var trial = TargetTrial(
      target,
      .http(target, try TargetHTTP(target), programs) { request in
        sent.requests.append(request)
        let key = answers.keys.first { request.url.hasSuffix($0) }
        guard let answer = key.flatMap({ answers[$0] }) else {
          return HTTPExchange(.failure(.refused(reason: "nobody listens")))
        }
        return HTTPExchange(
          .success(HTTPAnswer(status: answer.status, body: Array(answer.body.utf8))))
      }, TargetTrial.context(target, phone: 17, columns: columns, now: Self.now), pause: {})
    trial.run()
    return (trial, sent.requests)
  }

  private final class Sent { var requests: [HTTPRequest] = [] }

  private static let points = """
    {"points":[{"at":1795265479,"lat":52.52,"lon":13.405},{"at":1795265539,"lat":52.5203,\
    "lon":13.405}]}
    """

  @Test("an upload stored and read back passes, and each answer names its rule")
  func passes() throws {
    let (trial, requests) = try trial([
      "/base/devices": (201, #"{"session":"s-1"}"#), "/base/fixes/s-1": (200, #"{"ok":true}"#),
      "?id=a017&from=1795265419&to=1795265599": (200, Self.points),
    ])
    #expect(trial.ending == .passed, "\(trial.lines)")
    #expect(trial.lines.first == "target     acme at 127.0.0.1:8080")
    #expect(requests.map(\.method) == ["POST", "POST", "GET"])
    #expect(requests[0].headers == ["Content-Type: application/json"])
    // swift-format-ignore: the programs write text.
    #expect(String(decoding: requests[0].body, as: UTF8.self) == #"{"id":"a017"}"#)
    // swift-format-ignore: the programs write text.
    #expect(String(decoding: requests[1].body, as: UTF8.self) == Self.points)
    #expect(trial.lines.contains("  201 met rule 1 of 1: stored"))
    #expect(trial.lines.contains("  200 met rule 1 of 2: stored"))
    #expect(trial.lines.contains(#"  answered {"ok":true}"#))
    #expect(trial.lines.last == "verdict    stored and read back")
    // What a phone keeps may be its key.
    #expect(!trial.lines.contains { $0.contains("s-1") })
  }

  @Test("secrets in a server's answer are not shown, nor are control characters")
  func echo() throws {
    let text = Self.text.replacing(
      #"identity: { id: "a{phone:03}" }"#,
      with: #"identity: { id: "a{phone:03}", key: { env: NONE } }"#)
    let secret = "s3cret/of+mine"
    let cut = String(repeating: "x", count: 190)
    for (body, shown) in [
      (#"{"ok":true,"you":"\#(secret)"}"#, #"{"ok":true,"you":"***"}"#),
      (#"{"ok":true,"you":"s3cret\/of+mine"}"#, #"{"ok":true,"you":"***"}"#),
      (#"{"ok":true,"s":"kept-session"}"#, #"{"ok":true,"s":"***"}"#),
      (cut + secret, cut + "***"), ("\u{1B}[31mred\u{9B}", #"\u{1b}[31mred\u{9b}"#),
    ] {
      let (trial, _) = try trial(
        [
          "/base/devices": (201, #"{"session":"kept-session"}"#),
          "/base/fixes/kept-session": (200, body),
        ], of: text, secret: secret)
      let line = trial.lines.first { $0.hasPrefix("  answered ") } ?? ""
      #expect(line.hasPrefix("  answered \(shown)"), "\(trial.lines)")
      for secret in [secret, "s3cret", "kept-session"] {
        #expect(!trial.lines.contains { $0.contains(secret) }, "\(trial.lines)")
      }
    }
  }

  @Test("public identities are shown, and the others are masked")
  func shownIdentities() throws {
    let text = Self.text.replacing(
      #"id: "a{phone:03}""#,
      with: "id: { csv: i.csv, column: id, secret: no }, key: { csv: i.csv, column: key }"
    ).replacing("/fixes/{session}", with: "/fixes/{id}/{key}")
    let (trial, requests) = try trial(
      [
        "/base/devices": (201, #"{"session":"s-1"}"#),
        "/open-1/hidden-1": (200, #"{"ok":true}"#),
      ], of: text, columns: ["open-1", "hidden-1"])
    #expect(requests.contains { $0.url.hasSuffix("/base/fixes/open-1/hidden-1") })
    #expect(trial.lines.contains { $0.contains("/base/fixes/open-1/") }, "\(trial.lines)")
    #expect(!trial.lines.contains { $0.contains("hidden-1") })
  }

  @Test("a server that acknowledges all and stores half is detected by the read-back")
  func missing() throws {
    let half = #"{"points":[{"at":1795265539,"lat":52.5203,"lon":13.405}]}"#
    let (trial, requests) = try trial([
      "/base/devices": (201, #"{"session":"s-1"}"#), "/base/fixes/s-1": (200, #"{"ok":true}"#),
      "?id=a017&from=1795265419&to=1795265599": (200, half),
    ])
    #expect(trial.ending == .failed)
    #expect(trial.lines.last == "verdict    acknowledged, but 1 of 2 fixes are missing")
    #expect(requests.count == 12)
  }

  @Test("unreadable rows are not called missing, and one of them is shown")
  func unreadable() throws {
    let (trial, _) = try trial([
      "/base/devices": (201, #"{"session":"s-1"}"#), "/base/fixes/s-1": (200, #"{"ok":true}"#),
      "?id=a017&from=1795265419&to=1795265599": (
        200, Self.points.replacing("1795265", with: "\"2026\",\"x\":")
      ),
    ])
    #expect(trial.ending == .failed)
    #expect(
      trial.lines.last
        == "verdict    acknowledged, not verified: the rows of 2 of 2 fixes cannot be read",
      "\(trial.lines)")
    #expect(trial.lines.contains { $0.contains("/at is no time by timeUnit: s") })
  }

  @Test("a read-back in pages is read to its end")
  func pages() throws {
    let text = Self.text.replacing("to: $to.s", with: "to: $to.s, after: $cursor")
      .replacing("rows: /points", with: "rows: /points\n  cursor: /next")
    let halves = [
      #"{"points":[{"at":1795265479,"lat":52.52,"lon":13.405}],"next":"n-2"}"#,
      #"{"points":[{"at":1795265539,"lat":52.5203,"lon":13.405}]}"#,
    ]
    let (trial, requests) = try trial(
      [
        "/base/devices": (201, #"{"session":"s-1"}"#), "/base/fixes/s-1": (200, #"{"ok":true}"#),
        "&to=1795265599": (200, halves[0]), "&after=n-2": (200, halves[1]),
      ], of: text)
    #expect(trial.lines.last == "verdict    stored and read back", "\(trial.lines)")
    #expect(requests.count == 4)
    #expect(trial.lines.contains { $0.hasPrefix("page 2") && $0.contains("after=") })
    // A page's cursor may be a key.
    #expect(!trial.lines.contains { $0.contains("n-2") })
  }

  @Test("an answer that is refused, or that no rule matches, ends the trial")
  func refused() throws {
    for (status, meaning) in [
      (400, "rule 2 of 2: refused (status 400)"), (500, "none of 2 rules: failed"),
    ] {
      let (trial, requests) = try trial([
        "/base/devices": (201, #"{"session":"s-1"}"#), "/base/fixes/s-1": (status, "no"),
      ])
      #expect(trial.ending == .failed && requests.count == 2)
      #expect(trial.lines.contains("  \(status) met \(meaning)"), "\(trial.lines)")
      #expect(trial.lines.last == "verdict    the upload was not accepted")
    }
  }

  @Test("a registration whose answer lacks what the target keeps ends the trial")
  func unkept() throws {
    let (trial, requests) = try trial(["/base/devices": (201, "{}")])
    #expect(trial.ending == .failed && requests.count == 1)
    #expect(trial.lines.last == "  the answer has no session, which the target keeps")
  }

  @Test("a missing answer is distinguished from a wrong one")
  func unreachable() throws {
    let (trial, requests) = try trial([:])
    #expect(trial.ending == .unreachable && requests.count == 1)
    #expect(trial.lines.last == "  no connection: nobody listens")
  }

  @Test("without a read-back acknowledged fixes are not verified")
  func unverified() throws {
    let end = try #require(Self.text.range(of: "readback:")).lowerBound
    let (trial, requests) = try trial(
      [
        "/base/devices": (201, #"{"session":"s-1"}"#), "/base/fixes/s-1": (200, #"{"ok":true}"#),
      ], of: String(Self.text[..<end]))
    #expect(trial.ending == .passed && requests.count == 2)
    #expect(
      trial.lines.last == "verdict    acknowledged, not verified: the target has no read-back")
  }

  @Test("alpn: h2 is HTTP/2 from the first byte in the clear, and agreed on over TLS")
  func versions() throws {
    for (alpn, plain, secured) in [
      (TLSRule.Protocols.http2, HTTPSettings.Version.http2, HTTPSettings.Version.negotiated),
      (.http1, .http1, .http1), (.any, .http1, .negotiated),
    ] {
      for (scheme, version) in [("http", plain), ("https", secured)] {
        var target = Target()
        (target.name, target.url, target.tls.alpn) = ("acme", "\(scheme)://127.0.0.1", alpn)
        #expect(try TargetHTTP(target).settings.version == version, "\(alpn) over \(scheme)")
      }
    }
  }

  @Test("a public host needs its owner's consent")
  func owner() throws {
    func http(_ url: String, owner: Bool) throws -> TargetHTTP {
      var target = Target()
      (target.name, target.url, target.owner) = ("acme", url, owner)
      return try TargetHTTP(target)
    }
    #expect(throws: TargetError.self) { try http("http://8.8.8.8", owner: false) }
    _ = try http("http://8.8.8.8", owner: true)
    for host in ["127.0.0.1", "10.0.0.7", "192.168.1.2:8080", "[::1]:8080", "localhost"] {
      _ = try http("http://\(host)", owner: false)
    }
  }

  @Test("a run on a target has its speed and its connections, from which its needs are forecast")
  func plan() throws {
    let target = try TargetReader.read(text: Self.text, from: "acme.yaml")
    let setup = try TargetSetup(target, phones: 10, rateLimit: nil) { Self.now }
    var scenario = Scenario.standard(phones: 10)
    scenario.connections = .perUpload
    var plan = RunPlan.test(scenario)
    plan.scenario.put(on: setup)
    #expect(plan.scenario.speed == 1 && plan.scenario.connections == .perPhone)
  }

  @Test("times and places of rows are read in every common form")
  func rows() throws {
    let fix = Fix(
      coordinate: Coordinate(latitudeE6: 52_520_000, longitudeE6: 13_405_000),
      time: FixTime(centiseconds: 179_526_553_900), accuracyMeters: 5,
      speedDecimetersPerSecond: 0, courseDegrees: 0)
    for (unit, time) in [
      ("s", "1795265539"), ("s", "\"1795265539.2\""), ("ms", "1795265539400"),
      ("us", "1795265539000000"), ("iso", "\"2026-11-21T12:52:19Z\""),
      ("iso", "\"2026-11-21T13:52:19.250+01:00\""),
    ] {
      let text = Self.text.replacing("timeUnit: s", with: "timeUnit: \(unit)")
        .replacing("latitude: /lat", with: "latitude: /lat/1e7")
      let target = try TargetReader.read(text: text, from: "acme.yaml")
      let readback = try #require(target.readback)
      let body = #"{"points":[{"at":\#(time),"lat":525200010,"lon":"13.405"},{"at":1}]}"#
      let rows = try ReadbackRows(Array(body.utf8), readback)
      #expect(rows.compare([fix], shift: .zero).confirmed == 1, "\(unit) \(time): \(rows)")
      #expect(rows.unreadable == 1)
    }
    let readback = try #require(try TargetReader.read(text: Self.text, from: "acme.yaml").readback)
    for body in ["no", #"{"points":{}}"#] {
      #expect(throws: ReadbackError.self) { try ReadbackRows(Array(body.utf8), readback) }
    }
  }

  @Test(
    "a row with the time of its arrival is compared by place, and an earlier run's is not counted")
  func arrivals() throws {
    let text = Self.text.replacing("timeUnit: s", with: "timeUnit: s\n  timeOf: arrival")
    let readback = try #require(try TargetReader.read(text: text, from: "acme.yaml").readback)
    func fix(_ latitudeE6: Int32, at seconds: Int64) -> Fix {
      Fix(
        coordinate: Coordinate(latitudeE6: latitudeE6, longitudeE6: 13_405_000),
        time: FixTime(centiseconds: seconds * 100), accuracyMeters: 5,
        speedDecimetersPerSecond: 0, courseDegrees: 0)
    }
    let start: Int64 = 1_795_265_539
    let places = [
      (52.52, start - 500), (52.52, start + 40), (52.53, start + 60), (52.53, start + 61),
    ]
    let body = places.map { #"{"at":\#($1),"lat":\#($0),"lon":13.405}"# }.joined(separator: ",")
    var rows = try ReadbackRows(Array(#"{"points":[\#(body)]}"#.utf8), readback)
    rows.drop(before: start * 1_000)
    #expect(rows.rows.count == 3)
    // Two rests at the first place, one of which is there; the second place was taken twice.
    let stored = [
      fix(52_520_000, at: start), fix(52_520_000, at: start + 5), fix(52_530_000, at: 9),
    ]
    let found = rows.compare(stored, shift: .zero)
    #expect(found.confirmed == 2 && found.missing == 1 && found.twice == 1)
    #expect(found.heldUnknown == 0)
  }
}
