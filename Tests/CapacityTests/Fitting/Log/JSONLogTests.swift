internal import Core
internal import Foundation
internal import TestSupport
internal import Testing
@testable internal import Capacity

/// Logs as OwnTracks, Overland and Google write them.
@Suite("JSON logs", .quick)
struct JSONLogTests {
  static let ownTracks = """
    2024-05-01T08:00:03Z\t*                 \t{"_type":"location","tid":"ab","acc":12,"batt":81,\
    "lat":50.1,"lon":8.1,"tst":1714550400,"created_at":1714550401,"inregions":["home"]}
    2024-05-01T08:00:09Z\tlwt               \t{"_type":"lwt","tst":1714550405}
    2024-05-01T08:01:02Z\t*                 \t{"_type":"location","topic":"owntracks/a/x",\
    "tid":"ab","acc":-1,"lat":50.2,"lon":8.2,"tst":1714550460}
    2024-05-01T08:01:02Z\tevent             \t{"_type":"transition","acc":9,"lat":50.2,"lon":8.2,\
    "tst":1714550461,"event":"enter"}

    """
  static let overland = """
    {
      "current": {"a": [1, {"b": 2}]},
      "locations": [
        {
          "type": "Feature", "geometry": {"type": "Point", "coordinates": [8.1, 50.1]},
          "properties": {
            "timestamp": "2024-05-01T08:00:00Z", "horizontal_accuracy": 5, "battery_level": 0.8,
            "device_id": "ph\\u00f6ne \\"1\\"", "motion": ["walking"], "battery_state": "charging"
          }
        },
        {
          "type": "Feature", "geometry": {"type": "Point", "coordinates": [8.2, 50.2, 7]},
          "properties": {"timestamp": "2024-05-01T08:01:00Z", "device_id": ""}
        },
        {
          "type": "Feature", "geometry": {"type": "Point", "coordinates": [8.2, 50.2]},
          "properties": {"timestamp": "2024-05-01T08:01:00Z", "action": "visit"}
        }
      ],
      "trip": null
    }
    """
  static let records = """
    {"locations": [{
      "latitudeE7": 501000000, "longitudeE7": 4213967296, "accuracy": 20,
      "activity": [{"activity": [{"type": "STILL", "confidence": 99}],
        "timestamp": "2024-05-01T07:59:00Z"}],
      "deviceTag": 7, "timestamp": "2024-05-01T08:00:00Z",
      "serverTimestamp": "2024-05-01T08:00:05Z"
    }, {"latitudeE7": 502000000, "longitudeE7": 82000000, "timestampMs": "1714550460000",
      "deviceTag": 7}]}
    """
  static let timeline = """
    {"semanticSegments": [
      {"startTime": "2024-05-01T10:00:00.000+02:00", "endTime": "2024-05-01T12:00:00.000+02:00",
       "timelinePath": [{"point": "50.1°, 8.1°", "time": "2024-05-01T10:00:00.000+02:00"},
         {"point": "50.2°, -8.2°", "time": "2024-05-01T10:01:00.000+02:00"}]},
      {"startTime": "2024-05-01T10:00:00.000+02:00",
       "visit": {"topCandidate": {"placeLocation": {"latLng": "50.1°, 8.1°"}}}}
    ]RAW}
    """
  static let signals = """
    , "rawSignals": [
      {"position": {"LatLng": "50.3°, 8.3°", "accuracyMeters": 13, "altitudeMeters": 9.5,
        "timestamp": "2024-05-01T10:00:00.000+02:00", "speedMetersPerSecond": 0.0}},
      {"activityRecord": {"timestamp": "2024-05-01T10:00:00.000+02:00"}},
      {"wifiScan": {"deliveryTime": "2024-05-01T10:00:00.000+02:00"}}]
    """
  static let history = """
    [{"endTime": "2024-05-01T09:00:00.000Z", "startTime": "2024-05-01T08:00:00.000Z",
      "timelinePath": [{"point": "geo:50.1,8.1", "durationMinutesOffsetFromStartTime": "0"},
        {"point": "geo:50.2,-8.2;u=5", "durationMinutesOffsetFromStartTime": "1"}]},
     {"startTime": "2024-05-01T09:00:00.000Z", "visit": {"topCandidate":
      {"placeLocation": "geo:50.1,8.1"}}}]
    """
  private static let start: Int64 = 1_714_550_400_000_000
  private static let minute: Int64 = 60_000_000

  private func log(_ text: String, columns: String? = nil) throws -> PhoneLog {
    let whole = try LogReader.log(text, columns: columns)
    for chunk in [1, 3, 61] {
      #expect(try LogReader.log(text, columns: columns, chunk: chunk).rows == whole.rows)
    }
    let times = [Self.start, Self.start + Self.minute]
    #expect(whole.rows.map(\.time) == Array(times.prefix(whole.rows.count)))
    return whole
  }

  private func message(_ text: String, columns: String? = nil) -> String {
    do {
      _ = try LogReader.log(text, columns: columns)
      return ""
    } catch {
      return "\(error)"
    }
  }

  @Test("OwnTracks' records have the time of arrival, and other messages are left out")
  func rec() throws {
    let log = try log(Self.ownTracks)
    #expect(log.phones == ["ab", "owntracks/a/x"])
    #expect(log.rows.map(\.received) == [Self.start + 3_000_000, Self.start + 62_000_000])
    #expect(log.rows[0].accuracy == 12 && log.rows[0].battery == 81 && log.rows[1].accuracy.isNaN)
    #expect(log.rows.map(\.longitude) == [8.1, 8.2])
    #expect(log.notes == ["2 JSON objects without a fix skipped"])
  }

  @Test("OwnTracks' JSON lines have no time of arrival, as `created_at` is the phone's")
  func ownTracksLines() throws {
    let lines = Self.ownTracks.split(separator: "\n").map { $0.split(separator: "\t")[2] }
    let log = try log(lines.joined(separator: "\n"))
    #expect(log.columns == [.phone, .time, .latitude, .longitude, .accuracy, .battery])
    #expect(log.rows.allSatisfy { $0.received == nil })
  }

  @Test("Overland's batches are lists of features; several may follow each other")
  func overlandBatches() throws {
    let log = try log(Self.overland)
    #expect(log.phones == ["phöne \"1\"", "log1.csv"])
    #expect(log.rows[0].accuracy == 5 && log.rows[0].battery == 0.8)
    #expect(log.rows.map(\.latitude) == [50.1, 50.2] && log.rows.map(\.longitude) == [8.1, 8.2])
    #expect(try LogReader.log(Self.overland + "\n" + Self.overland).counts.duplicates == 2)
  }

  @Test("GeoJSON has points; lines have no time for each place, and are left out")
  func geoJSON() throws {
    let features = """
      {"type":"FeatureCollection","features":[
      {"type":"Feature","properties":{"time":1714550400000},
      "geometry":{"type":"Point","coordinates":[-8.1,50.1]}},{"type":"Feature","properties":
      {"time":0},"geometry":{"type":"LineString","coordinates":[[1,2],[3,4]]}}]}
      """
    let log = try log(features)
    #expect(log.rows[0].longitude == -8.1 && log.columns == [.time, .latitude, .longitude])
    #expect(log.notes == ["1 JSON objects without a fix skipped"])
  }

  @Test("Google's records are in ten-millionths of a degree, of which some overflowed")
  func googleRecords() throws {
    let log = try log(Self.records)
    #expect(log.phones == ["7"] && log.rows[0].received == Self.start + 5_000_000)
    #expect(log.rows.map(\.longitude) == [-8.1, 8.2] && log.rows[0].accuracy == 20)
  }

  @Test("of Google's timelines the signals count, and without signals the paths")
  func timelines() throws {
    let raw = try log(Self.timeline.replacingOccurrences(of: "RAW", with: Self.signals))
    #expect(raw.rows.map(\.latitude) == [50.3] && raw.rows[0].accuracy == 13)
    #expect(raw.notes[0] == "2 points of Google's paths skipped, as the file has signals")
    for text in [Self.timeline.replacingOccurrences(of: "RAW", with: ""), Self.history] {
      let paths = try log(text)
      #expect(paths.rows.map(\.longitude) == [8.1, -8.2])
      #expect(paths.notes[0] == "the points are of Google's paths, which are thinned out")
    }
  }

  @Test(
    "objects of lines, of lists and of outer objects are read alike",
    arguments: [
      "{A}\n{B}\n", "[{A},{B}]", "\u{FEFF}[\n {A}\n,\n {B}\n]\n", "\u{1E}{A}\n\u{1E}{B}\n",
      "{\"data\": [ {A} , {B} ], \"n\": 2}", "[{\"points\":[{A}]},{\"points\":[{B}]}]", "{A} {B}",
      "{A}\r\n{B}\r\n",
    ])
  func shapes(_ shape: String) throws {
    let text = shape.replacingOccurrences(
      of: "{A}", with: #"{"location":[8, 50],"lat":50.1,"lon":8.1,"ts":{"timestamp":1714550400}}"#
    ).replacingOccurrences(
      of: "{B}", with: #"{"coords":{"latitude":50.2,"longitude":8.2},"time":"2024-05-01T08:01Z"}"#)
    #expect(try log(text).rows.map(\.latitude) == [50.1, 50.2])
  }

  @Test("keys are named by their last part or by all")
  func keys() throws {
    let text = #"{"who":{"id":"a"},"when":1714550400,"at":{"lat":50,"lon":8},"id":"b"}"#
    #expect(try log(text, columns: "phone=who.id,time=when").phones == ["a"])
    #expect(try log(#"{"t":1714550400,"id":"b"}"#, columns: "phone=id,time=t").phones == ["b"])
    #expect(
      message(text, columns: "time=when,received=got")
        == "log1.csv: received=got: no fix has the key 'got'.")
    #expect(message(text, columns: "phone=1").contains("JSON has no numbered columns; write phone"))
  }

  @Test("errors name line and object, and what is allowed")
  func errors() {
    let fix = #"{"lat":50,"lon":8,"tst":1714550400}"#
    #expect(
      message("\(fix)\n{\"lat\":50,\"lon\":8,\"tst\":\"noon\"}\n")
        .hasPrefix("log1.csv:2: object 2: time: 'noon' is not ISO 8601"))
    #expect(message("\(fix)\n\(fix.dropLast())").contains("log1.csv:2: object 2: the file ends"))
    #expect(message("[\(fix)").contains("object 2: the file ends within the JSON"))
    #expect(message("\(fix)\nhello\n").contains("log1.csv:2: object 2: is no JSON object"))
    #expect(message("{\"a\":tru}").contains("is no JSON: it has an unknown word at its byte 9"))
    #expect(message("{\"a\" 1}").contains("no colon after a key at its byte 6"))
    #expect(message("{\"lat\":50,\"lon\":8}").contains("time is empty"))
    #expect(message("[]").contains("no JSON object with a position and a time; name the keys"))
    let deep = String(repeating: "{\"a\":", count: 70) + "1" + String(repeating: "}", count: 70)
    #expect(message(deep).contains("more than 64 levels"))
    let long = "{\"a\":\"" + String(repeating: "x", count: JSONSplitter.objectBytesMax) + "\"}"
    #expect(message(long).contains("line 1: the JSON object has more than 1048576 bytes"))
  }

  @Test("strings are without escapes, and half a pair of UTF-16 is replaced")
  func strings() throws {
    let node = try JSONNode(Array(#"{"a":"\n\/\"\\é\ud83d\ude00\ud83dx","b":[1,-2e3,null]}"#.utf8))
    let text = try #require(node["a"]?.text)
    #expect(String(decoding: text, as: UTF8.self) == "\n/\"\\é😀\u{FFFD}x")
    guard case .list(let values)? = node["b"] else {
      Issue.record("no list")
      return
    }
    #expect(values.map { $0.text.map { Array($0) } } == [[0x31], Array("-2e3".utf8), nil])
  }

  @Test("mutated JSON is read the same in pieces of any size, or refused")
  func mutants() {
    let seeds = [
      Self.ownTracks, Self.overland, Self.records, Self.history,
      Self.timeline.replacingOccurrences(of: "RAW", with: Self.signals),
    ].map { Array($0.utf8) }
    let words = ["{", "}", "[", "]", "\"", "\\", "\\u", ",", ":", "\n", "null", "-1", "1e999"]
      .map { Array($0.utf8) }
    var draw = Draw(seed: 1, phone: 0, Purpose(rawValue: 900), 3)
    func below(_ limit: Int) -> Int { Int(draw.next() % UInt64(limit)) }
    func read(_ bytes: [UInt8], chunk: Int) -> Result<[LogRow], LogError> {
      Result { () throws(LogError) in
        var reader = LogReader(skipsBadLines: true)
        reader.begin("a.json")
        for start in stride(from: 0, to: bytes.count, by: chunk) {
          try reader.take(Array(bytes[start...].prefix(chunk)))
        }
        try reader.end()
        return try reader.finish().rows
      }
    }
    var counts = (read: 0, refused: 0)
    for _ in 0..<3_000 {
      var bytes = seeds[below(seeds.count)]
      for _ in 0...below(5) {
        guard !bytes.isEmpty else { break }
        let place = below(bytes.count)
        switch below(4) {
        case 0: bytes[place] = UInt8(below(256))
        case 1: bytes.insert(contentsOf: words[below(words.count)], at: place)
        case 2: bytes.removeSubrange(place..<min(bytes.count, place + below(30)))
        default: bytes.replaceSubrange(place...place, with: words[below(words.count)])
        }
      }
      let whole = read(bytes, chunk: max(1, bytes.count))
      #expect(whole == read(bytes, chunk: 1 + below(40)))
      if case .success = whole { counts.read += 1 } else { counts.refused += 1 }
    }
    #expect(counts.read > 300 && counts.refused > 100, "\(counts)")
  }
}
