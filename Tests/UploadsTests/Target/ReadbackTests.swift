import Core
import Figures
import Foundation
import TestSupport
import Testing
import Transport
@testable import Uploads
@testable import Targets

@Suite("Read-back of a phone", .quick)
struct ReadbackTests {
  /// 2026-11-21T12:52:19Z.
  private static let second: Int64 = 1_795_265_539

  private func readback(_ unit: String = "iso", _ more: String = "") throws -> Readback {
    let text = """
      name: test
      description: A test's.
      client: { name: Acme, version: "1", source: "made up" }
      protocol: http
      url: http://127.0.0.1:1
      upload: { path: /, message: { lat: $latitude } }
      answer:
        - { when: { status: 2xx }, is: stored }
      readback:
        method: GET
        path: /
        rows: /points
        time: /at
        timeUnit: \(unit)
        latitude: /lat
        longitude: /lon
        \(more)

      """
    return try #require(try TargetReader.read(text: text, from: "test.yaml").readback)
  }

  private func rows(
    _ points: [String], _ readback: Readback, _ more: String = ""
  ) throws -> ReadbackRows {
    let text = "{\"points\":[\(points.joined(separator: ","))]\(more)}"
    return try ReadbackRows(Array(text.utf8), readback)
  }

  /// Fixes a minute and some metres apart.
  private func fixes(_ count: Int) -> [Fix] {
    (0..<count).map {
      Fix(
        coordinate: Coordinate(latitudeE6: 52_520_000 + Int32($0) * 300, longitudeE6: 13_405_000),
        time: FixTime(centiseconds: (Self.second + Int64($0) * 60) * 100), accuracyMeters: 5,
        speedDecimetersPerSecond: 0, courseDegrees: 0)
    }
  }

  private func point(_ fix: Fix, at time: String? = nil, mirrored: Bool = false) -> String {
    let text = time ?? "\"\(fix.time.centiseconds / 100)\""
    let place = (fix.coordinate.latitude, fix.coordinate.longitude)
    let (latitude, longitude) = mirrored ? (place.1, place.0) : place
    return #"{"at":\#(text),"lat":\#(latitude),"lon":\#(longitude)}"#
  }

  @Test(
    "a time is read in every common form",
    arguments: [
      "2026-11-21T12:52:19Z", "2026-11-21 12:52:19+00", "2026-11-21 12:52:19.250+00",
      "2026-11-21t12:52:19z", "2026-11-21T12:52:19", "2026-11-21 12:52:19",
      "2026-11-21T13:52:19+0100", "2026-11-21 12:52:19 UTC", "2026-11-21T12:52:19.123456789Z",
      "2026-11-21T18:22:19,5+05:30", "20261121T125219Z", "2026-11-21T06:52:19-06",
    ])
  func forms(time: String) throws {
    let fix = fixes(1)[0]
    let found = try rows([point(fix, at: "\"\(time)\"")], try readback())
      .compare([fix], shift: .zero)
    #expect(found.confirmed == 1 && found.unreadable == nil, "\(found)")
  }

  @Test("a time without seconds is read")
  func minutes() throws {
    let found = try rows([#"{"at":"2026-11-21T12:52Z","lat":1,"lon":2}"#], try readback())
    #expect(found.rows.map(\.milliseconds) == [1_795_265_520_000])
  }

  @Test(
    "an unreadable row is no lost fix, and one of them is shown with its error",
    arguments: [
      ("s", "\"soon\"", "/at is no time by timeUnit: s"), ("iso", "1795265539", "/at is no time"),
      ("s", "null", "/at is not there"), ("ms", "1795265539", "/at is no time by timeUnit: ms"),
      ("s", "1e300", "/at is no time"), ("s", "-1e300", "/at is no time"),
      ("us", "\"nan\"", "/at is no time"), ("s", "1795265539000", "/at is no time"),
      ("iso", "\"0001-01-01T00:00:00Z\"", "/at is no time"), ("s", "[[]]", "/at is no time"),
    ])
  func unreadable(unit: String, time: String, fault: String) throws {
    let all = fixes(3)
    let readback = try readback(unit)
    let points = all.map { point($0, at: time) }
    let found = try rows(points, readback).compare(all, shift: .zero)
    #expect(found.missing == 0 && found.confirmed == 0)
    #expect(found.unreadable?.rows == 3 && found.unreadable?.fixes == 3)
    #expect(found.unreadable?.example.contains(fault) == true, "\(found)")
    // Unreadable rows represent that many fixes, and no more.
    let fewer = try rows([points[0]], readback).compare(all, shift: .zero)
    #expect(fewer.missing == 2 && fewer.unreadable?.fixes == 1)
  }

  @Test("invalid coordinates are unreadable, and a confirmed fix needs no other row")
  func places() throws {
    let all = fixes(1)
    let readback = try readback("s")
    for place in ["\"lat\":525200000,\"lon\":1", "\"lat\":\"x\",\"lon\":1", "\"lon\":1"] {
      let found = try rows(["{\"at\":\(Self.second),\(place)}"], readback)
      #expect(found.rows.isEmpty && found.example?.contains("/lat is n") == true, "\(found)")
    }
    let found = try rows(["7", point(all[0])], readback).compare(all, shift: .zero)
    #expect(found.confirmed == 1 && found.missing == 0 && found.unreadable?.fixes == 0)
  }

  @Test("a server's text in a row is shown without control characters")
  func escaped() throws {
    let found = try rows(["{\"at\":\"\\u001b[2J\\u202e\\u009b\"}"], try readback())
    let example = try #require(found.example)
    #expect(!example.unicodeScalars.contains { ["\u{1b}", "\u{202e}", "\u{9b}"].contains($0) })
    #expect(example.contains("[2J") && example.count < 400)
  }

  @Test("swapped latitude and longitude are distinguished from missing fixes")
  func mirrored() throws {
    let all = fixes(3)
    let points = all.prefix(2).map { point($0, mirrored: true) }
    let found = try rows(points, try readback("s")).compare(all, shift: .zero)
    #expect(found.missing == 3 && found.displaced?.mirrored == 2)
    let sentence = try #require(found.displaced?.sentence)
    #expect(sentence.contains("2 with latitude and longitude swapped"), "\(sentence)")
    #expect(
      sentence.contains(
        "sent 2026-11-21T12:52:19.000Z at 52.52, 13.405, held 2026-11-21T12:52:19.000Z at 13.405, "
          + "52.52"), "\(sentence)")
  }

  @Test("a different place is reported with its distance from the original")
  func elsewhere() throws {
    let all = fixes(2)
    let points = zip(all, [0.001, 0.002]).map { fix, north in
      let latitude = fix.coordinate.latitude + north
      return #"{"at":\#(fix.time.centiseconds / 100),"lat":\#(latitude),"lon":13.405}"#
    }
    let found = try rows(points, try readback("s")).compare(all, shift: .zero)
    #expect(found.missing == 2 && found.displaced?.elsewhere == 2)
    #expect(found.displaced?.metersMin == 111 && found.displaced?.metersMax == 222)
    let sentence = try #require(found.displaced?.sentence)
    #expect(sentence.contains("2 with the right time, 111 to 222 m off"), "\(sentence)")
  }

  @Test("a local time without its zone verifies nothing, and one with a wrong zone is another time")
  func zones() throws {
    let all = fixes(3)
    func found(_ zone: String) throws -> TargetFigures.Readback {
      let times = ["13:52:19", "13:53:19", "13:54:19"]
      let points = zip(all, times).map { point($0, at: "\"2026-11-21T\($1)\(zone)\"") }
      return try rows(points, try readback()).compare(all, shift: .zero)
    }
    let zoneless = try found("")
    #expect(zoneless.missing == 0 && zoneless.unreadable?.fixes == 3 && zoneless.displaced == nil)
    #expect(zoneless.unreadable?.example.contains("the times have no zone") == true)
    let wrong = try found("Z")
    #expect(wrong.missing == 3 && wrong.displaced?.otherTime == 3 && wrong.unreadable == nil)
    // A row of another run, at the same place, explains nothing.
    let one = try rows([point(all[0], at: "\"2026-11-21T11:00:19Z\"")], try readback())
      .compare(all, shift: .zero)
    #expect(one.missing == 3 && one.displaced == nil)
  }

  @Test("after a partly stored request that many fixes must be stored, whichever")
  func partly() throws {
    let all = fixes(5)
    let request = PartlyStored(fixes: all, taken: 3)
    func found(_ held: [Fix]) throws -> TargetFigures.Readback {
      try rows(held.map { point($0) }, try readback("s"))
        .compare([], partly: [request], shift: .zero)
    }
    let whole = try found([all[0], all[2], all[4]])
    #expect(whole.confirmed == 3 && whole.missing == 0)
    let less = try found([all[4]])
    #expect(less.confirmed == 1 && less.missing == 2)
    let more = try found(all)
    #expect(more.confirmed == 3 && more.missing == 0)
  }

  // MARK: Pages

  private func next(
    _ page: ReadbackPage, _ rows: ReadbackRows, _ readback: Readback, before: ReadbackRows? = nil
  ) throws -> ReadbackPage? {
    try page.next(after: rows, before: before, readback)
  }

  @Test("pages are followed by a cursor until an answer has none")
  func cursor() throws {
    let readback = try readback(
      "s", "query: { from: $cursor }\n  cursor: /next")
    let row = point(fixes(1)[0])
    for (more, cursor) in [
      (#","next":"abc""#, "abc"), (#","next":7"#, "7"), (#","next":null"#, nil), ("", nil),
      (#","next":"""#, nil),
    ] {
      let page = try next(.first, try rows([row], readback, more), readback)
      #expect(page?.cursor == cursor && page?.address == nil)
      #expect(page == nil || page?.number == 2 && page?.offset == 1)
    }
    let second = ReadbackPage(number: 2, offset: 1, cursor: "abc", address: nil)
    #expect(throws: ReadbackError(description: "a page that links to itself as the next")) {
      try next(second, try rows([row], readback, #","next":"abc""#), readback)
    }
  }

  @Test("pages go on by the address of the next one, in the body or the header Link")
  func links() throws {
    let field = try readback("s", "next: /links/next")
    let found = try rows([], field, #","links":{"next":"/t?page=2"}"#)
    #expect(try next(.first, found, field)?.address == "/t?page=2")
    let header = try readback("s", "next: link")
    for (line, address) in [
      (#"Link: </t?p=2>; rel="next", </t?p=9>; rel="last""#, "/t?p=2"),
      (#"link: <https://h/t?a=1,2>; title="x"; rel=next"#, "https://h/t?a=1,2"),
      (#"Link: </t?p=1>; rel="prev""#, nil), ("Link: <", nil), ("Link: ><;rel=next", nil),
    ] {
      let answer = HTTPAnswer(
        status: 200, head: Array("\(line)\n".utf8), body: Array(#"{"points":[]}"#.utf8))
      #expect(try next(.first, ReadbackRows(answer, header), header)?.address == address, "\(line)")
    }
  }

  @Test("pages by offset or number go on until one is empty; the same one twice is a fault")
  func counted() throws {
    let readback = try readback("s", "query: { skip: $offset }")
    let points = fixes(3).map { point($0) }
    let first = try rows(Array(points.prefix(2)), readback)
    let second = try #require(try next(.first, first, readback))
    #expect(second.offset == 2 && second.number == 2)
    let last = try rows([points[2]], readback)
    let third = try #require(try next(second, last, readback, before: first))
    #expect(third.offset == 3)
    #expect(try next(third, try rows([], readback), readback, before: last) == nil)
    #expect(throws: ReadbackError.self) { try next(second, first, readback, before: first) }
    let most = ReadbackPage(number: 1_000, offset: 9, cursor: nil, address: nil)
    #expect(throws: ReadbackError.self) { try next(most, first, readback) }
    // Where nothing in the request says which page is meant, there is one.
    #expect(try next(.first, first, try self.readback("s")) == nil)
  }

  @Test("a next page is asked of the target itself, whatever host its address names")
  func addresses() {
    for (next, path) in [
      ("http://internal:8080/v1/t?page=2", "/v1/t?page=2"), ("//other/t?p=2", "/t?p=2"),
      ("/t?p=2", "/t?p=2"), ("?p=2", "/v1/track?p=2"), ("more", "/v1/more"),
      ("https://h", "/"), ("https://h?p=2", "/?p=2"), ("/t?u=http://x/y", "/t?u=http://x/y"),
      ("@evil.example/t", "/v1/@evil.example/t"),
    ] {
      #expect(TargetHTTP.path(next, from: "/v1/track?id=1") == path)
    }
  }

  @Test("an answer without rows says why, in a few words")
  func faults() throws {
    let readback = try readback()
    func fault(_ status: Int, _ body: String) -> String? {
      do {
        _ = try ReadbackRows(HTTPAnswer(status: status, body: Array(body.utf8)), readback)
        return nil
      } catch { return "\(error)" }
    }
    #expect(fault(404, "") == "404")
    #expect(fault(200, "<html>") == "an answer that is not JSON")
    #expect(fault(200, #"{"points":{}}"#) == "no list at /points")
    #expect(fault(200, String(repeating: "[", count: 100_000)) == "an answer that is not JSON")
    #expect(fault(200, #"{"points":[]}"#) == nil)
  }

  private func events(
    _ rows: [String], _ events: [StoredEvent], id: String? = nil
  ) throws -> TargetFigures.Readback {
    var readback = try readback("ms")
    readback.id = id.map { FieldPath(keys: [$0]) }
    let text = "{\"points\":[\(rows.joined(separator: ","))]}"
    return try ReadbackRows(Array(text.utf8), readback, ofEvents: true).compare(events)
  }

  @Test("an event is found once, by its id in any case, or by either of its times")
  func eventsFound() throws {
    let second = Self.second * 1_000
    let all = [
      StoredEvent(id: "00ab", times: [second, second - 60_000]),
      StoredEvent(id: "00cd", times: [second + 300_000]),
    ]
    let byTime = try events(
      [#"{"at":\#(second - 59_100)}"#, #"{"at":\#(second + 300_000)}"#], all)
    #expect(byTime.confirmed == 2 && byTime.missing == 0 && byTime.twice == 0)
    let byID = try events([#"{"key":"00AB"}"#, #"{"key":"00ab"}"#, #"{"key":7}"#], all, id: "key")
    #expect(byID.confirmed == 1 && byID.missing == 1 && byID.twice == 1)
    let sameTime = try events(
      [#"{"at":\#(second)}"#], [all[0], StoredEvent(id: "x", times: [second])])
    #expect(sameTime.confirmed == 1 && sameTime.missing == 1)
  }

  @Test("a row without an id or a time may be the missing event, and is shown")
  func eventsUnreadable() throws {
    let all = [StoredEvent(id: "00ab", times: [Self.second * 1_000])]
    let found = try events([#"{"at":"soon\u001b"}"#, "7"], all)
    #expect(found.confirmed == 0 && found.missing == 0)
    #expect(found.unreadable?.rows == 2 && found.unreadable?.fixes == 1)
    let example = try #require(found.unreadable?.example)
    #expect(example.contains("/at is no id or time of an event") && !example.contains("\u{1b}"))
    #expect(try events([], all).missing == 1)
  }
}
