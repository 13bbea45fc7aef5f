import Foundation
import LiveSupport
import TestSupport
import Testing

@Suite("Targets over WebSocket", .live, .timeLimit(.minutes(10)), .needs(.websockets))
struct TargetWebSocketTests {
  private static let shipped = Program.root.appendingPathComponent(
    "scenarios/targets/websocket-example.yaml")

  private static func start(
    _ target: String, _ url: String, in folder: TemporaryFolder, _ arguments: [String] = [],
    seconds: Int = 5
  ) throws -> RunningProcess {
    try Program.start(
      [
        "load", "city", "--target", target, "--target-url", url, "--phones", "2000",
        "--duration", "\(seconds)s", "--set", "warmStart=10min", "--set", "start=2026-03-02T08:00",
        "--set", "faults=[]", "--set", "slo={}",
        "--set", "fleet.cohorts[0].policy=radar-continuous",
        "--set", "fleet.cohorts[1].policy=radar-continuous",
        "--ui", "plain", "--out", folder["run"].path,
      ] + arguments)
  }

  /// The shipped target with other lines, in a file.
  private static func file(
    _ changes: [(String, String)], in folder: TemporaryFolder
  ) throws -> String {
    var text = try String(contentsOf: shipped, encoding: .utf8)
    for (line, other) in changes {
      try #require(text.contains(line), "\(line)")
      text = text.replacing(line, with: other)
    }
    try Data(text.utf8).write(to: folder["websocket-example.yaml"])
    return folder["websocket-example.yaml"].path
  }

  private func load(
    _ answers: String, _ changes: [(String, String)] = []
  ) async throws -> (ended: Ended, record: RecordFile) {
    let folder = try TemporaryFolder()
    let server = try await WebSocketServer(["--answers", answers])
    let target = try Self.file(changes, in: folder)
    let ended = try await Self.start(target, "ws://\(server.address)", in: folder).end()
    ended.expectRun([0, 97, 98, 99])
    let record = try RunFiles(folder: folder["run"]).record
    try record.expectTargetBalance()
    return (ended, record)
  }

  @Test("a fleet's fixes are stored and read back, over a connection per phone")
  func stored() async throws {
    for answers in ["ok", "fragments"] {
      let (ended, record) = try await load(answers)
      let stored = try record.count("target.fixes.stored")
      #expect(stored > 20, "\(ended.text)")
      #expect(try record.count("target.readback.confirmed") == stored)
      #expect(try record.count("target.readback.missing") == 0)
    }
  }

  @Test("one connection per upload stores the same")
  func perUpload() async throws {
    let (ended, record) = try await load(
      "ok", [("upload:\n", "connections: { per: upload }\nupload:\n")])
    #expect(try record.count("target.fixes.stored") > 20, "\(ended.text)")
    #expect(try record.count("target.readback.missing") == 0)
  }

  @Test("the read-back finds the fixes that a server acknowledged and lost")
  func loses() async throws {
    let (ended, record) = try await load("loses")
    #expect(try record.count("target.readback.missing") > 0, "\(ended.text)")
  }

  @Test("a server that closes connections gets the fixes again, and a refusal drops them")
  func closes() async throws {
    let (ended, record) = try await load("closes")
    #expect(try record.count("target.fixes.stored") > 20, "\(ended.text)")
    #expect(ended.text.contains("the server closed it with status 1001: restart"), "\(ended.text)")
    let refusing = try await load("refuses")
    #expect(try refusing.record.counts("target.fixes.refusedBy").values.reduce(0, +) > 20)
  }

  @Test("without answers, fixes count as sent")
  func unanswered() async throws {
    let (ended, record) = try await load(
      "silent",
      [
        ("match: /id ", "match: none "),
        ("  - { when: { field: { /ok: \"true\" } }, is: stored }\n", "  - { is: stored }\n"),
        ("  - { when: { field: { /error: \"*\" } }, is: refused }\n", ""),
      ])
    #expect(ended.text.contains("sent, not acknowledged"), "\(ended.text)")
    #expect(try record.count("target.fixes.stored") > 20)
  }

  @Test("target try tells each step, and says where a server differs")
  func trial() async throws {
    let folder = try TemporaryFolder()
    let server = try await WebSocketServer()
    let ended = try await Program.run([
      "target", "try", "websocket-example", "--target-url", "ws://\(server.address)",
    ])
    #expect(ended.code == 0, "\(ended.text)\(ended.errorOutput)")
    for line in [
      "upload     SEND text, ", "  message, met rule 1 of 2: stored",
      #"  answered {"id": 1, "ok": true}"#, "read back  SEND text, ", "  2 rows, 0 unreadable",
      "verdict    stored and read back",
    ] {
      #expect(ended.text.contains(line), "\(line): \(ended.text)")
    }
    let hostile = try Self.file([("type: hello", "type: hi")], in: folder)
    let refused = try await Program.run([
      "target", "try", hostile, "--target-url", "ws://\(server.address)",
    ])
    #expect(refused.code != 0)
    #expect(
      refused.text.contains("the server closed it with status 1008: no hello"), "\(refused.text)")
    let guarded = try await WebSocketServer(["--token", "sesame-4711"])
    let unauthorized = try await Program.run([
      "target", "try", "websocket-example", "--target-url", "ws://\(guarded.address)",
    ])
    #expect(
      unauthorized.text.contains("it answered with status 401 instead of 101"),
      "\(unauthorized.text)")
    let shown = try await Program.run(["target", "show", "websocket-example"])
    for line in [
      "GET ws://127.0.0.1:8765/positions", "SEND {\"type\":\"hello\",\"device\":\"phone-000000\"}",
      "EXPECT /type welcome", "SEND text",
    ] {
      #expect(shown.text.contains(line), "\(line): \(shown.text)")
    }
  }
}
