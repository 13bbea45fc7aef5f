import Foundation
import LiveSupport
import TestSupport
import Testing

/// Targets over gRPC whose messages have every kind of field, against a grpcio server with that
/// API: nested, repeated, oneof, enum, map, Timestamp, wrappers, packed and not.
@Suite(
  "gRPC field types with grpcio", .live, .timeLimit(.minutes(10)), .needs(.grpcio),
  .needs(.protoc))
struct TargetFieldTests {
  private static let proto = Program.root.appendingPathComponent(
    "Tests/LiveTests/Python/strange.proto"
  ).path

  private static let message = """
    device_id: $id
    seq: $sequence
    points:
      each: fix
      lat_e7: $latitude.e7
      lon_e7: $longitude.e7
      at: $time
      accuracy: $accuracy
      speed: { is: $speed, omit: unknown }
      latitude: $latitude
      course: { is: $course, omit: unknown }
    tags: { policy: $policy, tool: flotilla }
    by_number: { -1: { accuracy: $accuracy }, 7: { accuracy: 3 } }
    latitudes: { each: fix, is: $latitude.e7 }
    speeds: { each: fix, is: $speed }
    user: "u-{phone}"
    activity: { is: $motion, default: LOST, words: { walking: ON_FOOT, still: STILL } }
    sent_at: $now
    age: $count
    battery: $battery
    note: $os
    altitude: { is: $altitude, omit: unknown }
    charging: $charging
    number: $time.ms
    offset: -12
    share: { is: $battery.share, decimals: 2 }
    words: [one, "{phone}"]
    times: { each: fix, is: $time }
    kinds: [STILL, LOST]
    nested: { depth: -9000000000, inner: { text: deep } }
    far: 1
    """

  /// The file of a target with this source of types and this message, which begins in line 9.
  private func file(
    _ schema: String, _ message: String, in folder: TemporaryFolder
  ) throws -> String {
    let lines = message.split(separator: "\n").map { "    \($0)\n" }.joined()
    let text = """
      name: strange
      protocol: grpc
      url: grpc://127.0.0.1:1
      schema: { \(schema) }
      identity: { id: "a{phone:07}", token: { env: TOKEN } }
      upload:
        call: /strange.v1.Ingest/Upload
        metadata: { authorization: "Bearer {token}" }
        message:
      \(lines)
      answer:
        - { when: { status: OK, field: { /accepted: true, /session/id: s-1 } }, is: stored }

      """
    let path = folder["strange.yaml"]
    try Data(text.utf8).write(to: path)
    return path.path
  }

  /// A server with that API, its descriptor set and its URL.
  private func server(
    in folder: TemporaryFolder
  ) async throws -> (server: RunningProcess, set: String, url: String) {
    let set = folder["strange.pb"].path
    let parent = Program.root.appendingPathComponent("Tests/LiveTests/Python")
    _ = try await Program.runTool(
      "protoc", ["--include_imports", "-I\(parent.path)", "-o\(set)", "strange.proto"])
    let script = parent.appendingPathComponent("strange_server.py")
    let server = try RunningProcess(
      PythonScript.python, [script.path, set, "--reflection", "--token", "secret-1", "--stay"])
    try await server.says("its port") { $0.contains(#/^\d+\n/#) }
    return (server, set, "grpc://127.0.0.1:\(server.text.prefix { $0 != "\n" })")
  }

  @Test("the server reads the mapped values, with types from a file, a set or reflection")
  func kinds() async throws {
    let folder = try TemporaryFolder()
    let (server, set, url) = try await server(in: folder)
    let sources = ["proto: \(Self.proto)", "descriptorSet: \(set)", "reflection: yes"]
    for source in sources {
      let target = try file(source, Self.message, in: folder)
      let ended = try await RunningProcess(
        Program.url, ["target", "try", target, "--target-url", url, "--phone", "17"],
        environment: ["TOKEN": "secret-1"]
      ).end()
      #expect(ended.code == 0, "\(source): \(ended.text)\(ended.errorOutput)")
      #expect(ended.text.contains("  OK met rule 1 of 1: stored"), "\(ended.text)")
    }
    let lines = server.text.split(separator: "\n").dropFirst()
    #expect(lines.count == sources.count)
    for line in lines {
      let read = try #require(
        try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
      // In exactly the bytes that Google's library writes.
      #expect(read["same"] as? Bool == true)
      try check(try #require(read["message"] as? [String: Any]))
    }
  }

  private func check(_ message: [String: Any]) throws {
    #expect(message["device_id"] as? String == "a0000017")
    let points = try #require(message["points"] as? [[String: Any]])
    #expect(points.count == 2)
    #expect(points.map { $0["lat_e7"] as? Int } == [525_200_000, 525_203_000])
    #expect(points.map { $0["lon_e7"] as? Int } == [134_050_000, 134_050_000])
    #expect(points.map { $0["latitude"] as? Double } == [52.52, 52.5203])
    #expect(points.map { $0["accuracy"] as? Int } == [12, 12])
    #expect(points.map { $0["course"] as? Int } == [0, 0])
    #expect(message["latitudes"] as? [Int] == [525_200_000, 525_203_000])
    #expect(message["speeds"] as? [Double] == [1.4, 1.4])
    #expect(message["times"] as? [String] == points.compactMap { $0["at"] as? String })
    #expect(message["tags"] as? [String: String] == ["policy": "trial", "tool": "flotilla"])
    let numbered = message["by_number"] as? [String: [String: Int]]
    #expect(numbered == ["-1": ["accuracy": 12], "7": ["accuracy": 3]])
    #expect(message["user"] as? String == "u-17" && message["key"] == nil)
    #expect(message["activity"] as? String == "ON_FOOT" && message["altitude"] == nil)
    #expect(message["kinds"] as? [String] == ["STILL", "LOST"])
    #expect((message["sent_at"] as? String)?.hasSuffix("Z") == true)
    #expect(message["age"] as? String == "2s" && message["charging"] == nil)
    #expect(message["battery"] as? Int == 80 && message["note"] as? String == "ios17")
    #expect(message["offset"] as? Int == -12 && message["share"] as? Double == 0.8)
    #expect(message["words"] as? [String] == ["one", "17"])
    let nested = message["nested"] as? [String: Any]
    #expect(nested?["depth"] as? String == "-9000000000" && message["far"] as? String == "1")
    #expect((nested?["inner"] as? [String: String]) == ["text": "deep"])
  }

  @Test("with a wrong .proto, the accounts balance, and one line has the response")
  func wrongTypes() async throws {
    let folder = try TemporaryFolder()
    let (server, _, url) = try await server(in: folder)
    defer { server.signal(SIGKILL) }
    let wrong = """
      syntax = "proto3";
      package strange.v1;
      message Upload { string device_id = 1; string points = 3; }
      message Reply { message Session { string id = 1; } bool accepted = 1; Session session = 3; }
      service Ingest {
        rpc Upload(strange.v1.Upload) returns (Reply);
        rpc Gone(strange.v1.Upload) returns (Reply);
      }

      """
    try Data(wrong.utf8).write(to: folder["wrong.proto"])
    let schema = "proto: \(folder["wrong.proto"].path)"
    // The first byte names an unknown kind of field.
    let target = try file(schema, "device_id: $id\npoints: no", in: folder)
    let text = try String(contentsOfFile: target, encoding: .utf8)
    for (method, status) in [("Upload", "UNKNOWN"), ("Gone", "UNIMPLEMENTED")] {
      try Data(text.replacing("Ingest/Upload", with: "Ingest/\(method)").utf8)
        .write(to: URL(fileURLWithPath: target))
      let ended = try await RunningProcess(
        Program.url,
        [
          "load", "city", "--target", target, "--target-url", url, "--phones", "200",
          "--duration", "2s", "--set", "warmStart=10min", "--set", "start=2026-03-02T08:00",
          "--set", "faults=[]", "--set", "slo={}", "--set",
          "fleet.cohorts[0].policy=radar-continuous", "--ui", "plain", "--out",
          folder[method].path,
        ], environment: ["TOKEN": "secret-1"]
      ).end()
      // Nothing is stored.
      #expect([98, 99].contains(ended.code), "\(ended.text)\(ended.errorOutput)")
      let line = "strange: upload ended with \(status), no rule matches: failed"
      #expect(ended.text.split(separator: "\n").count { $0.contains(line) } == 1, "\(ended.text)")
      let record = try RunFiles(folder: folder[method]).record
      let fixes = "target.fixes"
      let counts = try ["failed", "waiting", "removed"].map { try record.count("\(fixes).\($0)") }
      #expect(try counts.reduce(0, +) == record.count("\(fixes).handed"))
      #expect(counts[0] > 0)
    }
  }
}
