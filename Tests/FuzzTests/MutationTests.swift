internal import Core
internal import Foundation
internal import TestSupport
internal import Testing
internal import Wire

/// Mutants of valid files, drawn from a seed: the fuzzers' checks on systems without libFuzzer.
/// `FLOTILLA_FUZZ_SECONDS` makes them run longer, on other seeds.
struct Mutator {
  private static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent()

  static let seconds = ProcessInfo.processInfo.environment["FLOTILLA_FUZZ_SECONDS"]
    .flatMap(Double.init)
  /// As many as a second allows, the same in every run.
  static let countByDefault = 400

  let seeds: [[UInt8]]
  let words: [[UInt8]]
  private var draw: Draw

  init(seeds: [[UInt8]], words: [[UInt8]], number: Int64) {
    self.seeds = seeds
    self.words = words
    draw = Draw(seed: 1, phone: 0, Purpose(rawValue: 900), number)
  }

  mutating func next() -> [UInt8] {
    var bytes = seeds[below(seeds.count)]
    for _ in 0...below(6) {
      let place = below(bytes.count + 1)
      switch below(6) {
      case 0: if place < bytes.count { bytes[place] = UInt8(below(256)) }
      case 1: bytes.removeSubrange(place..<min(bytes.count, place + below(64)))
      case 2: bytes.insert(contentsOf: words[below(words.count)], at: place)
      case 3:
        bytes.insert(contentsOf: bytes[place..<min(bytes.count, place + below(200))], at: place)
      case 4: bytes.removeLast(bytes.count - place)
      default:
        let word = words[below(words.count)]
        bytes.replaceSubrange(place..<min(bytes.count, place + word.count), with: word)
      }
      if bytes.isEmpty { bytes = [0] }
    }
    return bytes
  }

  private mutating func below(_ limit: Int) -> Int { Int(draw.next() % UInt64(max(1, limit))) }

  /// Checks mutants until the count or the time is reached.
  static func run(files: [String], words: [String], _ check: ([UInt8]) -> Void) throws {
    // A mutation of a few thousand bytes hits the tail as often as the head.
    let seeds = try files.map {
      Array(try Data(contentsOf: Self.root.appendingPathComponent($0)).prefix(4_096))
    }
    run(seeds: seeds, words: words.map { Array($0.utf8) }, count: countByDefault, check)
  }

  static func run(
    seeds: [[UInt8]], words: [[UInt8]], count: Int, _ check: ([UInt8]) -> Void
  ) {
    let clock = ContinuousClock()
    let end = seconds.map { clock.now + .seconds($0) }
    var number: Int64 = 0
    while end.map({ clock.now < $0 }) ?? (number < 8) {
      var mutator = Mutator(seeds: seeds, words: words, number: number)
      for _ in 0..<count / 8 { check(mutator.next()) }
      number += 1
    }
  }
}

@Suite("Mutants of valid files", .quick)
struct MutationTests {
  @Test("mutated recordings neither trap nor hang, and the resulting tracks can be simulated")
  func recordings() throws {
    try Mutator.run(
      files: [
        "scenarios/recordings/ride-to-work.gpx", "scenarios/recordings/walk-in-the-park.gpx",
        "scenarios/recordings/waypoints/with-times.gpx",
        "scenarios/recordings/waypoints/with-speeds.gpx",
      ],
      words: [
        "<trkpt lat='1' lon='2'>", "</trkpt>", "<trkseg>", "</trkseg>", "<!--", "-->", "<![CDATA[",
        "]]>", "<!DOCTYPE", "<?", "?>", "9999-01-01T00:00:00Z", "1970-01-01T00:00:00Z", "180",
        "-180", "84.999999", "xmlns='urn:x'", "\u{0}", "/>", "<time>", "</time>", "1e308", "&#0;",
        "<wpt lat='1' lon='2'>", "</wpt>", "<speed>", "</speed>", "-1", "0.1",
      ], RecordingCheck.check)
  }

  @Test("mutated compressed recordings neither trap nor hang")
  func compressedRecordings() throws {
    // A track of two points, compressed with `gzip -9`.
    let packed = """
      H4sIAAAAAAACA4WPQQvCMAyF/0rJfU3aOZHRdcddPXgQb0PmHG5r2Yrtz7crCIKCEPIgefl4UXWYRvbslnUwcwWC\
      E9Ra9TZ8zgSw6JrXCu7O2RLRe8+dsaZf2tsQ+NVM2BzPKFCAVm55pLZ2fVLr2Ni6CgrJC2BjQuZ8tzmHqdOS5D6j\
      PCN5okNJFOuiMK2ibOdfFBL/OeIXB9+xMIXE+Kd+AduuQXACAQAA
      """
    let member = [UInt8](try #require(Data(base64Encoded: packed)))
    let header: [UInt8] = [0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 2, 3]
    Mutator.run(
      seeds: [member, member + member, Array(member.prefix(100))],
      words: [header, [0, 0, 0xFF, 0xFF], Array(member.suffix(8)), [0], Array("<trkpt".utf8)],
      count: 4_000, RecordingCheck.check)
  }

  @Test("mutated scenarios read back from their own text, or are explained")
  func scenarios() throws {
    try Mutator.run(
      files: ["scenarios/city.yaml", "scenarios/policies/hybrid.yaml"],
      words: [
        "none", "[", "]", "{", "}", ": ", "- ", "\n  ", "fleet", "cohorts", "policies", "base: x",
        "99999999999999999999", "-1", "1e9", "0", "30%", "&a", "*a", "!!str ", "|\n", "\"", "'",
        "\u{FEFF}", "\u{2028}", "--set seed=1\n", "gpx: /dev/null", "2026-02-30T00:00", "+14:00",
      ], ScenarioCheck.check)
  }

  @Test("mutated logs are read the same with any chunk size, with their rows in order")
  func logs() {
    let rows = "17,1772434800,52.5,13.4,1772434803,12\n18,2026-03-02T07:01:00Z,52,13,,-1\n"
    let seeds = (UInt8(0)..<4).map { kind -> [UInt8] in
      let header = kind & 1 == 0 ? "phone,time,latitude,longitude,received,accuracy\n" : ""
      return [kind | 0x58] + Array((header + rows + rows).utf8)
    }
    Mutator.run(
      seeds: seeds,
      words: [
        ",", ";", "\t", "\"", "\"\"", "\n", "\r\n", "\r", "time", "phone,time", "-1", "1e308",
        "1e-400", "9223372036854775807", "99999999999999999999", "2199-12-31T23:59:60Z",
        "1970-01-01", "0", "\u{0}", "\u{FEFF}", "52,5", "180", "-90.0000001", "nan", ".",
        "1772434860",
      ].map { Array($0.utf8) }, count: 4_000, PhoneLogCheck.check)
  }

  @Test("mutated JSON logs are read the same with any chunk size, with their rows in order")
  func jsonLogs() {
    let fix = #"{"_type":"location","tid":"a","lat":52.5,"lon":13.4,"acc":9,"tst":1772434800}"#
    let feature = """
      {"type":"Feature","geometry":{"type":"Point","coordinates":[13.4,52.5]},"properties":\
      {"timestamp":"2026-03-02T07:00:00Z","device_id":"\\u00e4"}}
      """
    let path = #"{"point":"geo:52.5,13.4","durationMinutesOffsetFromStartTime":"7"}"#
    let position = #"{"LatLng":"52.5°, 13.4°","timestamp":"2026-03-02T07:00:00Z"}"#
    let seeds = [
      "2026-03-02T07:00:03Z\t*  \t\(fix)\n2026-03-02T07:01:03Z\t*  \t\(fix)\n",
      "{\"locations\":[\(feature),\(feature)]}\n{\"features\":[\(feature)]}",
      "[{\"startTime\":\"2026-03-02T07:00:00Z\",\"timelinePath\":[\(path),\(path)]}]",
      "{\"semanticSegments\":[],\"rawSignals\":[{\"position\":\(position)}]}",
      #"{"locations":[{"latitudeE7":525000000,"longitudeE7":134000000,"timestampMs":"1"}]}"#,
    ]
    Mutator.run(
      seeds: seeds.flatMap { seed in [0x58, 0x5C].map { [$0] + Array(seed.utf8) } },
      words: [
        "{", "}", "[", "]", "\"", "\\", "\\u", "\\ud83d", ":", ",", "\n", "\r", "null", "NaN",
        "true",
        "\"locations\":[", "\"tst\":", "-1", "1e308", "1e999", "9223372036854775807", "\u{0}", "{}",
        "\u{1E}", "geo:", "°", "\u{FEFF}", "\"coordinates\":[1,2]", "{\"a\":{\"a\":",
      ].map { Array($0.utf8) }, count: 4_000, PhoneLogCheck.check)
  }

  @Test("mutated connection bytes do not trap, and are read the same with any read size")
  func connections() {
    Mutator.run(
      seeds: WireSeeds.connections, words: WireSeeds.connectionWords, count: 4_000,
      ConnectionCheck().callAsFunction)
  }

  @Test("found by make fuzz: a rollout whose share is NaN is refused, and crashes nothing")
  func nanInList() throws {
    let begin = SimInstant(microseconds: 1_772_433_000_000_000)
    var request = OpenRunRequest(
      runID: "nan", hashKey: 1, seed: 1,
      clock: RunClock(
        scenarioStart: begin, measureStart: begin, measureEnd: begin + .hours(1), speed: 1,
        startsIn: .zero),
      phones: 1,
      push: PushTerms(),
      cohorts: [CohortTerms(name: "all", settings: TrackerSettings(version: 1))])
    request.rollouts = [
      RolloutTerms(at: begin, cohort: nil, share: .nan, settings: TrackerSettings(version: 2))
    ]
    let message = try MessageCodec(capacity: 4_096).encode(request)
    ConnectionCheck()([0x06] + WireSeeds.connection(.openRun, true, message))
  }

  @Test("parallel checks give the same results as sequential ones")
  func sideBySide() throws {
    let uploads = try WireSeeds.uploads()
    DispatchQueue.concurrentPerform(iterations: 8) { _ in
      let (connection, upload) = (ConnectionCheck(), UploadCheck())
      for bytes in WireSeeds.connections { connection(bytes) }
      for bytes in uploads { upload(bytes) }
    }
  }

  @Test("mutated uploads are refused with a reason, or sent and read again as the same fixes")
  func uploads() throws {
    Mutator.run(
      seeds: try WireSeeds.uploads(), words: WireSeeds.uploadWords, count: 4_000,
      UploadCheck().callAsFunction)
  }
}

/// Valid connections and uploads; the fuzzers begin with recorded ones.
private enum WireSeeds {
  /// Each method with a message, to a server and to a client.
  static var connections: [[UInt8]] {
    CollectorMethod.allCases.flatMap { method in
      [0x00, 0x06, 0x7F, 0x80, 0x90].map { first in [first] + connection(method, first < 0x80) }
    }
  }

  static func connection(
    _ method: CollectorMethod, _ isServer: Bool,
    _ message: [UInt8] = [8, 1, 16, 2, 24, 3, 34, 2, 8, 1]
  ) -> [UInt8] {
    var buffer = ByteBuffer()
    if isServer { FrameEncoder.preface(into: &buffer) }
    FrameEncoder.settings(CarrierSettings(), into: &buffer)
    FrameEncoder.headers(
      stream: 1, path: method.path, timeoutMilliseconds: 900,
      metadata: [("authorization", Array("Bearer x".utf8))], into: &buffer)
    message.withUnsafeBytes {
      FrameEncoder.message(stream: 1, $0, endOfStream: true, into: &buffer)
    }
    FrameEncoder.ping(42, isAnswer: false, into: &buffer)
    FrameEncoder.status(
      stream: 1, CallStatus(.resourceExhausted, "full", pushbackMilliseconds: 250), into: &buffer)
    FrameEncoder.window(1_000, into: &buffer)
    FrameEncoder.goAway(lastStream: 1, .unavailable, "bye", into: &buffer)
    return buffer.copyBytes()
  }

  static let connectionWords: [[UInt8]] = [
    Array("FLOTLA/1".utf8), [0xFF, 0xFF, 0xFF, 0xFF], [0, 0, 0, 0, 3, 0, 0, 0, 0, 1], [0, 1, 0, 0],
    [0, 0, 0, 6, 4, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0],
    [0, 0, 0, 5, 0, 1, 0, 0, 0, 1, 0, 0, 0, 0, 0],
  ]

  static func uploads() throws -> [[UInt8]] {
    let (packed, columns) = (BatchEncoder(), BatchEncoder(.columns(level: 1)))
    return try [1, 2, 60].flatMap { count in
      let fixes = (0..<Int32(count)).map { i in
        Fix(
          coordinate: Coordinate(latitudeE6: 48_137_000 + i * 13, longitudeE6: 11_575_000 - i),
          time: FixTime(centiseconds: 179_000_000_000 + Int64(i) * 100), accuracyMeters: 10,
          speedDecimetersPerSecond: -1, courseDegrees: 90)
      }
      let id = BatchID(phone: PhoneID(rawValue: 7), epoch: 1, sequence: 3)
      let message = try packed.encode(id, fixes, settingsVersion: 2)
      let other = try columns.encode(id, fixes, settingsVersion: 2)
      let columnsPayload = try BatchDecoder().payload(of: other)
      let packedPayload = try BatchDecoder().payload(of: message)
      var seeds: [(kind: UInt8, bytes: [UInt8])] = [
        (0, message), (1, message), (0, other), (1, other), (2, columnsPayload),
        (3, columnsPayload), (4, packedPayload),
      ]
      for (kind, compression) in [(UInt8(5), RowCompression.none), (6, .gzip), (7, .zstd)] {
        let message = try BatchEncoder(.rows(compression)).encode(id, fixes)
        seeds += [(1, message), (kind, try BatchDecoder().payload(of: message))]
      }
      if let dictionary = UploadCheck.dictionary {
        let learned = try BatchEncoder(.columns(with: dictionary)).encode(id, fixes)
        seeds += [(1, learned), (3, try BatchDecoder().payload(of: learned))]
      }
      return seeds.map { seed in [seed.kind, 0, UInt8(count)] + seed.bytes }
    }
  }

  static let uploadWords: [[UInt8]] = [
    [0x28, 0xB5, 0x2F, 0xFD], [0x50, 0x2A, 0x4D, 0x18], [0x28, 0], [0x28, 1], [0x20, 0x80, 0x20],
    [0xFF, 0xFF, 0xFF, 0xFF, 0x0F], [0x0A, 1, 2], [0x12, 1, 2], [0x3A, 0], [0x80, 0x80, 0x80],
  ]
}

extension BatchDecoder {
  fileprivate func payload(of message: [UInt8]) throws -> [UInt8] {
    try message.withUnsafeBytes { Array(try envelope($0).payload) }
  }
}

extension MutationTests {
  @Test("mutated gRPC connections leak nothing, at a server and at a client")
  func http2() {
    /// An HTTP/2 frame.
    func frame(_ kind: UInt8, _ flags: UInt8, _ stream: UInt8, _ body: [UInt8]) -> [UInt8] {
      [0, UInt8(body.count >> 8), UInt8(body.count & 255), kind, flags, 0, 0, 0, stream] + body
    }
    func fields(_ pairs: [(String, String)]) -> [UInt8] {
      var bytes: [UInt8] = []
      for (name, value) in pairs {
        bytes += [0, UInt8(name.utf8.count)] + Array(name.utf8)
        bytes += [UInt8(value.utf8.count)] + Array(value.utf8)
      }
      return bytes
    }
    func request(_ stream: UInt8, _ path: String) -> [UInt8] {
      let head = [
        (":method", "POST"), (":scheme", "http"), (":path", path), (":authority", "a"),
        ("te", "trailers"), ("content-type", "application/grpc"), ("grpc-timeout", "5S"),
        ("grpc-accept-encoding", "identity,gzip,zstd"),
      ]
      return frame(1, 4, stream, fields(head)) + frame(0, 1, stream, [0, 0, 0, 0, 2, 10, 0])
    }
    let settings = frame(4, 0, 0, [])
    let client =
      Array("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".utf8) + settings
      + request(1, "/flotilla.v1.Collector/Upload") + request(3, "/flotilla.v1.Collector/Pushes")
      + request(5, "/grpc.health.v1.Health/Watch")
      + request(7, "/grpc.reflection.v1.ServerReflection/ServerReflectionInfo")
      + frame(3, 0, 3, [0, 0, 0, 8]) + frame(6, 0, 0, [1, 2, 3, 4, 5, 6, 7, 8])
    let head = fields([("content-type", "application/grpc"), ("grpc-encoding", "gzip")])
    let answer = { (stream: UInt8) in
      frame(1, 4, stream, [0x88] + head) + frame(0, 0, stream, [0, 0, 0, 0, 1, 9])
        + frame(1, 5, stream, fields([("grpc-status", "0")]))
    }
    let failure = frame(
      1, 5, 3, [0x88] + fields([("grpc-status", "14"), ("grpc-message", "no %41")]))
    let server =
      settings + frame(4, 1, 0, []) + answer(1) + failure + answer(7)
      + frame(7, 0, 0, [0, 0, 0, 5, 0, 0, 0, 0])
    Mutator.run(
      seeds: [[0x7F] + client, [0x01] + client, [0xFF] + server, [0x81] + server],
      words: [
        frame(9, 4, 1, []), frame(8, 0, 0, [0, 0, 0, 1]), frame(4, 0, 0, [0, 4, 0, 0, 0, 0]),
        frame(3, 0, 1, [0, 0, 0, 7]), frame(0, 1, 1, []), [1], [0], [0xFF, 0xFF, 0xFF],
        frame(0, 0, 7, [0, 0, 0, 0, 200]), [0x80], [0x3F, 0xE1, 0x1F],
      ],
      count: 4_000, HTTP2Check().callAsFunction)
  }

  @Test("messages with mutated values are refused with a reason or served, one after another")
  func values() {
    // For each message, one with only usual values, followed by sweeps.
    let seeds = (UInt8(0)..<13).map { kind in
      [kind] + [UInt8](repeating: 0, count: 60) + [2, 0, 0, 0, 0, 0, 0, 0, 0, 10, 255, 10, 255]
    }
    Mutator.run(
      seeds: seeds + [seeds.flatMap { $0 }],
      words: (UInt8(160)...255).map { [$0] } + [[255, 127], [255, 128], [255, 255], [10, 255]],
      count: 4_000, ValueCheck().callAsFunction)
  }

  @Test("mutated HTTP/1.1 requests are read in one way, and leak nothing at a server")
  func http1() {
    Mutator.run(
      seeds: HTTP1Check.seeds, words: HTTP1Check.words.map { Array($0.utf8) }, count: 4_000,
      HTTP1Check().callAsFunction)
  }

  @Test("mutated pushes are judged in one way, and sender tokens are read or refused")
  func pushes() {
    Mutator.run(
      seeds: PushCheck.seeds, words: PushCheck.words.map { Array($0.utf8) }, count: 4_000,
      PushCheck.check)
  }

  @Test("mutated TLS bytes of either side end the connection, wherever they are inserted")
  func security() {
    func counted(_ bytes: [UInt8]) -> [UInt8] {
      [UInt8(bytes.count >> 8), UInt8(bytes.count & 0xFF)] + bytes
    }
    func record(_ type: UInt8, _ bytes: [UInt8]) -> [UInt8] { [type, 3, 3] + counted(bytes) }
    func part(_ type: UInt8, _ bytes: [UInt8]) -> [UInt8] { [0, type] + counted(bytes) }
    let key = part(51, counted([0, 29] + counted([UInt8](repeating: 9, count: 32))))
    let extensions =
      part(43, [2, 3, 4]) + part(10, counted([0, 29])) + part(13, counted([4, 3, 8, 4])) + key
      + part(16, counted([2] + Array("h2".utf8)))
    let random = [UInt8](repeating: 7, count: 32)
    let hello =
      [3, 3] + random + [32] + random + counted([0x13, 1, 0x13, 2]) + [1, 0] + counted(extensions)
    let answer =
      [3, 3] + random + [32] + random + [0x13, 1, 0] + counted(part(43, [3, 4]) + key)
    let first = record(22, [1, 0] + counted(hello))
    let reply = record(22, [2, 0] + counted(answer))
    let sealed = record(23, [UInt8](repeating: 5, count: 40))
    Mutator.run(
      seeds: [
        [0x7F, 0, 0] + first, [0x41, 0, 0] + first + sealed, [0xFF, 0, 0] + reply + sealed,
        // After a genuine hello, after genuine certificates, and on an open connection.
        [0x7F, 0x14, 0] + sealed, [0x3F, 0x30, 0] + sealed, [0x80, 0x40, 3] + sealed,
        [0xC0, 0x60, 0] + sealed, [0xBF, 0x08, 1, 0xFF],
      ],
      words: [
        record(20, [1]), record(21, [2, 40]), record(21, [1, 0]), record(24, [1, 0x40, 0]),
        record(22, [11, 0, 0, 0]), record(22, [4, 0, 0, 0]), record(22, [24, 0, 0, 1, 1]),
        part(41, [0, 0]), part(0, counted([0] + counted(Array("a".utf8)))), [0], [0xFF, 0xFF], key,
      ],
      count: 800, TLSCheck().callAsFunction)
  }
}
