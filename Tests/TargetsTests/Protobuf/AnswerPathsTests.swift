import Core
import Scenarios
import TestSupport
import Testing
import Wire
@testable import Targets

@Suite("Reading protobuf answers", .quick)
struct AnswerPathsTests {
  private func paths(
    _ paths: [String], _ schema: MessageSchema, of name: String = "strange.v1.Reply"
  ) throws -> AnswerPaths {
    try AnswerPaths(
      paths.map {
        .init(
          FieldPath(keys: $0.split(separator: "/").map(String.init)),
          at: .file("x.yaml", line: 1, column: 2))
      }, of: try #require(schema.message(named: name)), in: schema)
  }

  private let wanted = [
    "accepted", "stored", "session/id", "session/token", "activity", "version", "counts",
    "counts/2", "points/lat_e7", "points/1/at", "points/1/latitude", "sessions/1/id",
  ]

  @Test("values equal those that Google's protobuf wrote", .needs(.protoc), .needs(.pythonPackages))
  func values() throws {
    let reader = try paths(wanted, try Strange.schema())
    let bytes = try Strange.encode(
      [
        """
        {"accepted": true, "stored": -3, "session": {"id": "s-1", "token": "AQI="},
        "activity": "ON_FOOT", "version": "18446744073709551615", "counts": [5, -6, 7],
        "points": [{"latE7": 525}, {"at": "2026-03-02T07:30:00.250Z", "latitude": 52.5}],
        "sessions": [{"id": "a"}, {"id": "b"}, {"id": "c"}]}
        """.replacing("\n", with: " "), "{}", #"{"session": {}, "points": [{}, {}]}"#,
      ], as: "strange.v1.Reply")
    let read = try bytes.map { bytes in try bytes.withUnsafeBytes { try reader.read($0) } }
    #expect(
      read[0] == [
        .flag(true), .whole(-3), .text("s-1"), .bytes([1, 2]), .text("ON_FOOT"), .large(.max),
        .whole(5), .whole(7), .whole(525), .instant(1_772_436_600_250_000), .number(52.5),
        .text("b"),
      ])
    #expect(read[0].map(\.text)[9] == "2026-03-02T07:30:00.250Z")
    // Zero is not written: a field missing from a present message is zero.
    let nothing = AnswerValue.missing
    #expect(
      read[1] == [
        .flag(false), .whole(0), nothing, nothing, .text("ACTIVITY_UNKNOWN"), nothing, nothing,
        nothing, nothing, nothing, nothing, nothing,
      ])
    #expect(read[2][2...3] == [.text(""), .bytes([])])
    #expect(read[2][8] == .whole(0) && read[2][9] == nothing && read[2][10] == .number(0))
  }

  @Test("numbers of a repeated field are found packed or one by one", .needs(.protoc))
  func packed() throws {
    let reader = try paths(["counts/0", "counts/1", "counts/3"], try Strange.schema())
    for bytes: [UInt8] in [
      [0x3A, 3, 2, 4, 6], [0x38, 2, 0x38, 4, 0x38, 6], [0x3A, 1, 2, 0x38, 4],
    ] {
      let read = try bytes.withUnsafeBytes { try reader.read($0) }
      #expect(read == [.whole(1), .whole(2), .missing])
    }
  }

  @Test(
    "rows are read one by one, with the paths within them", .needs(.protoc), .needs(.pythonPackages)
  )
  func rows() throws {
    let schema = try Strange.schema()
    let reply = try #require(schema.message(named: "strange.v1.Reply"))
    let origin = Origin.whole("x.yaml")
    let rows = try AnswerRows(
      .init(FieldPath(keys: ["points"]), at: origin),
      columns: [
        .init(FieldPath(keys: ["at"]), at: origin), .init(FieldPath(keys: ["lat_e7"]), at: origin),
      ],
      of: reply, in: schema)
    let bytes = try #require(
      try Strange.encode(
        [#"{"points": [{"at": "1970-01-01T00:00:01Z", "latE7": -5}, {"latE7": 6}]}"#],
        as: "strange.v1.Reply"
      ).first)
    var found: [[AnswerValue]] = []
    try bytes.withUnsafeBytes { try rows.forEach($0) { found.append($0) } }
    #expect(found == [[.instant(1_000_000), .whole(-5)], [.missing, .whole(6)]])
    #expect(throws: ScenarioError.self) {
      try AnswerRows(
        .init(FieldPath(keys: ["session"]), at: origin), columns: [], of: reply, in: schema)
    }
  }

  @Test("an invalid path is reported where it ends", .needs(.protoc))
  func nowhere() throws {
    let schema = try Strange.schema()
    for (path, text) in [
      ("acepted", "'strange.v1.Reply' has no field 'acepted'; it has accepted, stored"),
      (
        "session",
        "'/session' is the message 'strange.v1.Reply.Session'; add one of id, token."
      ),
      ("stored/x", "'stored' is a int32, which has no fields such as 'x'."),
      (
        "session/ide",
        "'strange.v1.Reply.Session' has no field 'ide'; it has id, token. Did you mean 'id'?"
      ),
      ("", "'/' names no field."),
    ] {
      let error = #expect(throws: ScenarioError.self) { try paths([path], schema) }
      let found = error?.diagnostics.map(\.description) ?? []
      #expect(found.count == 1 && found[0].hasPrefix("x.yaml:1:2: \(text)"), "\(found)")
    }
  }

  @Test(
    "any bytes in an answer are read, skipped or refused, and never trap", .needs(.protoc))
  func hostile() throws {
    let reader = try paths(wanted, try Strange.schema())
    var draw = Draw(seed: 4, phone: 0, Purpose(rawValue: 903), 0)
    let good: [UInt8] = [
      0x08, 1, 0x10, 3, 0x1A, 4, 0x0A, 2, 0x61, 0x62, 0x22, 2, 0x08, 9, 0x3A, 2, 2, 4, 0x42, 3,
      0x0A, 1, 0x63, 0xFB, 0x06, 0x08, 1, 0xFC, 0x06, 0x21, 1, 2, 3, 4, 5, 6, 7, 8,
    ]
    #expect(try good.withUnsafeBytes { try reader.read($0) }[2] == .text("ab"))
    for _ in 0..<50_000 {
      var bytes = Array(good.prefix(Int(draw.next() % 40)))
      for _ in 0..<3 where !bytes.isEmpty {
        bytes[Int(draw.next() % UInt64(bytes.count))] = UInt8(truncatingIfNeeded: draw.next())
      }
      bytes.withUnsafeBytes { _ = try? reader.read($0) }
    }
    let long = [0x10] + [UInt8](repeating: 0xFF, count: 10) + [1]
    #expect(throws: ProtobufError.self) { try long.withUnsafeBytes { try reader.read($0) } }
  }
}
