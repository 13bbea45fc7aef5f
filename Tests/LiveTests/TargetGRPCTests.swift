import Foundation
import LiveSupport
import TestSupport
import Testing

/// Targets over gRPC against a grpcio server whose schema is `grpc-example`'s.
@Suite(
  "gRPC targets with grpcio", .live, .timeLimit(.minutes(10)), .needs(.grpcio), .needs(.protoc),
  .needs(.openssl))
struct TargetGRPCTests {
  /// The server, and the paths of its files.
  private final class Beacon {
    let folder: TemporaryFolder
    let server: RunningProcess
    let address: String

    init(_ arguments: [String] = []) async throws {
      folder = try TemporaryFolder()
      let schemas = Program.root.appendingPathComponent("scenarios/targets").path
      _ = try await Program.runTool(
        "protoc",
        ["--include_imports", "-I\(schemas)", "-o\(folder["set.pb"].path)", "grpc-example.proto"])
      let script = Program.root.appendingPathComponent(
        "Tests/LiveTests/Python/beacon_server.py")
      server = try RunningProcess(
        PythonScript.python, [script.path, folder["set.pb"].path] + arguments)
      try await server.says("its address") { $0.contains(#/listening on .*:\d+\n/#) }
      address = String(server.text.dropFirst("listening on ".count).dropLast())
    }

    /// The shipped target with other lines, in a file.
    func target(_ changes: [(String, String)]) throws -> String {
      let shipped = Program.root.appendingPathComponent("scenarios/targets/grpc-example.yaml")
      var text = try String(contentsOf: shipped, encoding: .utf8)
      for (line, other) in changes {
        try #require(text.contains(line))
        text = text.replacing(line, with: other)
      }
      try Data(text.utf8).write(to: folder["grpc-example.yaml"])
      return folder["grpc-example.yaml"].path
    }
  }

  private static let proto = "schema: { proto: grpc-example.proto }"
  private static let reflection = "schema: { reflection: yes }"

  @Test("target try opens a session, uploads and reads back, with a rule per step")
  func trial() async throws {
    let beacon = try await Beacon()
    let ended = try await Program.run([
      "target", "try", "grpc-example", "--target-url", "grpc://\(beacon.address)", "--phone", "17",
    ])
    #expect(ended.code == 0, "\(ended.text)\(ended.errorOutput)")
    for line in [
      "register   CALL /harbor.telemetry.v2.Beacon/OpenSession, ",
      "  OK met rule 1 of 1: stored", "  kept session",
      "upload     CALL /harbor.telemetry.v2.Beacon/Deliver, ", "  OK met rule 1 of 5: stored",
      "  answered /verdict TAKEN", "read-back  CALL /harbor.telemetry.v2.Beacon/Logbook, ",
      "  OK, 2 rows, 0 unreadable", "verdict    stored and read back",
    ] {
      #expect(ended.text.contains(line), "\(line): \(ended.text)")
    }
    #expect(!ended.text.contains("token-17"))
    // A server that loses fixes is detected by its read-back, a busy one by its rule.
    for (answers, sentence) in [
      ("loses", "acknowledged, but 1 of 2 fixes are missing"),
      ("busy", "UNAVAILABLE met rule 4 of 5: try again"),
    ] {
      let other = try await Beacon(["--answers", answers])
      let ended = try await Program.run([
        "target", "try", "grpc-example", "--target-url", "grpc://\(other.address)",
      ])
      #expect(ended.code == 99 && ended.text.contains(sentence), "\(ended.text)")
    }
  }

  @Test("types come from reflection; without it, one line names the option")
  func reflection() async throws {
    for (arguments, code) in [(["--reflection"], Int32(0)), ([], 65)] {
      let beacon = try await Beacon(arguments)
      let target = try beacon.target([(Self.proto, Self.reflection)])
      let url = ["--target-url", "grpc://\(beacon.address)"]
      let ended = try await Program.run(["target", "try", target] + url)
      #expect(ended.code == code, "\(ended.text)\(ended.errorOutput)")
      #expect(
        code == 0
          ? ended.text.contains("stored and read back")
          : ended.errorOutput.contains("the server has no reflection service; give a .proto"),
        "\(ended.text)\(ended.errorOutput)")
    }
  }

  @Test("over TLS, response parts and handshakes are counted, full and resumed")
  func secured() async throws {
    let authority = try await Authority()
    try await authority.sign("beacon")
    let beacon = try await Beacon(
      ["--cert", authority.path("beacon.pem"), "--key", authority.path("beacon.key")])
    let url = ["--target-url", "grpcs://\(beacon.address)"]
    let schemas = Program.root.appendingPathComponent("scenarios/targets").path
    let proto = "schema: { proto: \(schemas)/grpc-example.proto }"
    let untrusted = try await Program.run(
      ["target", "try", try beacon.target([(Self.proto, proto)])] + url)
    #expect(untrusted.code == 69, "\(untrusted.text)")
    let target = try beacon.target([
      (Self.proto, "\(proto)\ntls: { ca: \(authority.path("ca.pem")), resume: 50% }"),
      ("connections: { per: phone }", "connections: { per: upload }"),
    ])
    let tried = try await Program.run(["target", "try", target] + url)
    #expect(tried.code == 0 && tried.text.contains(", TLS "), "\(tried.text)")
    let ended = try await Program.run(
      ["load", "city", "--target", target] + url + [
        "--phones", "300", "--duration", "3s", "--set", "warmStart=10min",
        "--set", "start=2026-03-02T08:00", "--set", "faults=[]", "--set", "slo={}",
        "--set", "fleet.cohorts[0].policy=radar-continuous", "--ui", "plain",
        "--out", beacon.folder["run"].path,
      ])
    ended.expectRun()
    let record = try RunFiles(folder: beacon.folder["run"]).record
    #expect(try record.count("target.fixes.stored") > 10)
    let full = try record.count("traffic.handshakes.full")
    let resumed = try record.count("traffic.handshakes.resumed")
    #expect(full > 0 && resumed > 0, "\(full) \(resumed)")
    #expect(full + resumed <= (try record.count("traffic.connections")))
  }
}
