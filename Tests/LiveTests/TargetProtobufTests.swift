import Foundation
import LiveSupport
import TestSupport
import Testing

/// Protobuf bodies over HTTP and MQTT against Google's library, `protoc` and mosquitto.
@Suite(
  "Protobuf bodies", .live, .timeLimit(.minutes(10)), .needs(.pythonPackages), .needs(.protoc),
  .needs(.zstd))
struct TargetProtobufTests {
  private static let schemas = Program.root.appendingPathComponent("scenarios/targets").path

  /// A server whose bodies are messages of `grpc-example.proto`.
  private final class Server {
    let folder: TemporaryFolder
    let process: RunningProcess
    let url: String

    init(_ arguments: [String] = []) async throws {
      folder = try TemporaryFolder()
      _ = try await Program.runTool(
        "protoc",
        ["--include_imports", "-I\(schemas)", "-o\(folder["set.pb"].path)", "grpc-example.proto"])
      let script = Program.root.appendingPathComponent("Tests/LiveTests/Python/protobuf_server.py")
      process = try RunningProcess(
        PythonScript.python,
        [script.path, folder["set.pb"].path, folder["set.pb"].deletingLastPathComponent().path]
          + arguments)
      try await process.says("its address") { $0.contains(#/listening on .*:\d+\n/#) }
      url = "http://\(process.text.dropFirst("listening on ".count).prefix { $0 != "\n" })"
    }

    deinit { process.signal(SIGKILL) }

    /// What the server read, an upload each.
    func uploads() throws -> [[String: Any]] {
      try process.text.split(separator: "\n").dropFirst().map { line in
        try #require(try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
      }
    }

    /// The shipped target with other lines, in a file.
    func target(_ changes: [(String, String)]) throws -> String {
      let shipped = URL(fileURLWithPath: schemas).appendingPathComponent("protobuf-example.yaml")
      var text = try String(contentsOf: shipped, encoding: .utf8)
        .replacing("proto: grpc-example.proto", with: "descriptorSet: set.pb")
      for (line, other) in changes {
        try #require(text.contains(line), "\(line)")
        text = text.replacing(line, with: other)
      }
      try Data(text.utf8).write(to: folder["protobuf-example.yaml"])
      return folder["protobuf-example.yaml"].path
    }
  }

  @Test(
    "target try uploads, reads the answer's fields, and reads back",
    arguments: [
      "gzip", "zstd", "identity",
    ])
  func trial(encoding: String) async throws {
    let server = try await Server()
    let target = try server.target([("encoding: gzip", "encoding: \(encoding)")])
    let ended = try await Program.run(
      ["target", "try", target, "--target-url", server.url, "--phone", "17"])
    #expect(ended.code == 0, "\(ended.text)\(ended.errorOutput)")
    for line in [
      "  200 met rule 1 of 4: stored", "  answered /verdict TAKEN", "  2 rows, 0 unreadable",
      "verdict    stored and read back",
    ] {
      #expect(ended.text.contains(line), "\(line): \(ended.text)")
    }
    let uploads = try server.uploads()
    #expect(uploads.count == 1)
    let upload = try #require(uploads.first)
    #expect(upload["type"] as? String == "application/x-protobuf")
    #expect(upload["accept"] as? String == "application/x-protobuf")
    #expect(upload["encoding"] as? String == encoding)
    // In exactly the bytes that Google's library writes, signed as they were sent.
    #expect(upload["same"] as? Bool == true && upload["signed"] as? Bool == true)
    let decoded = try await Program.runTool(
      "protoc",
      ["-I\(Self.schemas)", "--decode", "harbor.telemetry.v2.Parcel", "grpc-example.proto"],
      input: server.folder["body-1"])
    #expect(decoded.text.contains("parcel_no: 1\n"), "\(decoded.text)")
    #expect(decoded.text.matches(of: #/lat_e7: 525200000\n/#).count == 1)
    #expect(decoded.text.matches(of: #/lon_e7: 134050000\n/#).count == 2)
    #expect(decoded.text.contains("key: \"policy\"\n  value: \"trial\"\n"))
  }

  @Test("a wrong signature, a lost fix and an answer that is no message are found")
  func faults() async throws {
    for (arguments, change, sentence) in [
      ([], ("key: $secret", "key: $id"), "401 met rule 4 of 4: refused (status 401)"),
      (["--answers", "loses"], ("fixes: 50", "fixes: 50"), "1 of 2 fixes are missing"),
      (
        ["--answers", "garbage"], ("fixes: 50", "fixes: 50"),
        "which is no message of the type answerProto"
      ),
    ] {
      let server = try await Server(arguments)
      let target = try server.target([change])
      let ended = try await Program.run(["target", "try", target, "--target-url", server.url])
      #expect(ended.code == 99 && ended.text.contains(sentence), "\(ended.text)")
      #expect(!ended.text.contains("\u{1B}"))
    }
  }

  @Test("a list has a message a fix, each after its length")
  func list() async throws {
    let server = try await Server()
    let path = server.folder["points.yaml"]
    try Data(
      """
      name: points
      protocol: http
      url: \(server.url)
      identity: { id: "a{phone:07}", secret: "secret-{phone}" }
      schema: { proto: \(Self.schemas)/grpc-example.proto }
      upload:
        path: "/v2/devices/{id}/points"
        headers:
          X-Signature: { $hmac: { key: $secret, prefix: "sha256=" } }
          X-Other: { $base64: "{id}" }
          Content-Type: application/vnd.acme+protobuf
        proto: harbor.telemetry.v2.Point
        answerProto: harbor.telemetry.v2.Receipt
        message:
          each: fix
          at: $time
          where: { lat_e7: $latitude.e7, lon_e7: $longitude.e7 }
      answer:
        - { when: { field: { kept: $count } }, is: stored }

      """.utf8
    ).write(to: path)
    let ended = try await Program.run(["target", "try", path.path, "--phone", "17"])
    #expect(ended.code == 0 && ended.text.contains("answered /kept 2"), "\(ended.text)")
    let upload = try #require(try server.uploads().first)
    #expect(upload["same"] as? Bool == true && upload["signed"] as? Bool == true)
    #expect((upload["messages"] as? [Any])?.count == 2)
    #expect(upload["type"] as? String == "application/vnd.acme+protobuf")
    #expect(upload["signature"] as? String == Data("a0000017".utf8).base64EncodedString())
  }

  @Test("JSON bodies are packed with zstd, and hold base64 of JSON")
  func json() async throws {
    let server = try await Server()
    let path = server.folder["json.yaml"]
    try Data(
      """
      name: json
      protocol: http
      url: \(server.url)
      identity: { id: "a{phone:07}", secret: "secret-{phone}" }
      upload:
        path: "/v2/devices/{id}/json"
        headers: { X-Signature: { $hmac: { key: $secret, prefix: "sha256=" } } }
        encoding: zstd
        message:
          messages: { each: fix, data: { $base64: { lat: $latitude, lon: $longitude, id: $id } } }
      answer:
        - { when: { status: 200 }, is: stored }

      """.utf8
    ).write(to: path)
    let ended = try await Program.run(["target", "try", path.path, "--phone", "17"])
    #expect(ended.code == 0, "\(ended.text)")
    let upload = try #require(try server.uploads().first)
    #expect(upload["encoding"] as? String == "zstd" && upload["signed"] as? Bool == true)
    let read = try #require((upload["messages"] as? [[String: Any]])?.first)
    let data = (read["messages"] as? [[String: String]] ?? []).compactMap { entry in
      entry["data"].flatMap { Data(base64Encoded: $0) }.map { String(decoding: $0, as: UTF8.self) }
    }
    #expect(
      data == [
        #"{"lat":52.52,"lon":13.405,"id":"a0000017"}"#,
        #"{"lat":52.5203,"lon":13.405,"id":"a0000017"}"#,
      ])
  }

  @Test("the shown command sends the same body")
  func shown() async throws {
    for encoding in ["gzip", "zstd", "identity"] {
      let server = try await Server()
      let target = try server.target([("encoding: gzip", "encoding: \(encoding)")])
      let checked = try await Program.run(["target", "check", target])
      #expect(checked.code == 0, "\(checked.errorOutput)")
      let shown = try await Program.run(
        ["target", "show", target, "--target-url", server.url, "--phone", "18"])
      #expect(shown.text.contains("X-Signature: ***\n"), "\(shown.text)")
      let command = try #require(shown.text.split(separator: "\n").first { $0.contains("curl ") })
      try await Shell.run(String(command))
      let upload = try #require(try server.uploads().first)
      #expect(upload["same"] as? Bool == true && upload["encoding"] as? String == encoding)
      let read = (upload["messages"] as? [[String: Any]])?.first
      #expect((read?["points"] as? [Any])?.count == 3)
    }
  }

  @Test("a fleet's fixes are stored and read back, and demand predicts without a server")
  func fleet() async throws {
    let server = try await Server()
    let target = try server.target([])
    let settings = [
      "--phones", "600", "--duration", "3s", "--set", "warmStart=10min", "--set",
      "start=2026-03-02T08:00", "--set", "faults=[]", "--set",
      "fleet.cohorts[0].policy=radar-continuous",
    ]
    let ended = try await Program.run(
      ["load", "city", "--target", target, "--target-url", server.url, "--set", "slo={}"] + settings
        + ["--ui", "plain", "--out", server.folder["run"].path])
    ended.expectRun()
    let record = try RunFiles(folder: server.folder["run"]).record
    try record.expectTargetBalance()
    let stored = try record.count("target.fixes.stored")
    #expect(stored > 20, "\(ended.text)")
    #expect(try record.count("target.readback.confirmed") == stored)
    #expect(try server.uploads().allSatisfy { $0["signed"] as? Bool == true })
    let demand = try await Program.run(
      ["demand", "city", "--phones", "600", "--duration", "1h", "--target", target])
    #expect(demand.code == 0, "\(demand.text)\(demand.errorOutput)")
  }

  @Test(
    "mosquitto delivers a message that protoc reads", .needs(.mosquitto), .needs(.mosquittoClients))
  func mqtt() async throws {
    let broker = try Broker()
    let folder = try TemporaryFolder()
    try Data(
      """
      name: parcels
      protocol: mqtt
      url: mqtt://127.0.0.1:\(broker.port)
      identity: { id: "a{phone:07}" }
      schema: { proto: \(Self.schemas)/grpc-example.proto }
      mqtt: { client: $id }
      upload:
        topic: "parcels/{id}"
        proto: harbor.telemetry.v2.Parcel
        message:
          parcel_no: $sequence
          points: { each: fix, where: { lat_e7: $latitude.e7, lon_e7: $longitude.e7 } }
      answer:
        - { when: { status: [0, 16] }, is: stored }

      """.utf8
    ).write(to: folder["parcels.yaml"])
    let decoding =
      "mosquitto_sub -h 127.0.0.1 -p \(broker.port) -t 'parcels/#' -C 1 -F %x | "
      + "python3 -c 'import sys; sys.stdout.buffer.write(bytes.fromhex(sys.stdin.read()))' | "
      + "protoc -I\(Self.schemas) --decode harbor.telemetry.v2.Parcel grpc-example.proto"
    for (count, arguments) in [(1, ["target", "try"]), (2, ["target", "show"])] {
      let subscriber = try RunningProcess(URL(fileURLWithPath: "/bin/sh"), ["-c", decoding])
      try broker.says("a subscriber") { $0.matches(of: #/Sending SUBACK/#).count == count }
      let ended = try await Program.run(
        arguments + [folder["parcels.yaml"].path, "--phone", "17"])
      #expect(ended.code == 0, "\(ended.text)\(ended.errorOutput)")
      if arguments[1] == "show" {
        let command = try #require(
          ended.text.split(separator: "\n").first { $0.contains("mosquitto_pub") })
        try await Shell.run(String(command))
      }
      let decoded = try await subscriber.end()
      #expect(decoded.text.contains("parcel_no: 1\n"), "\(decoded.text)\(decoded.errorOutput)")
      #expect(decoded.text.contains("lon_e7: 134049540\n"), "\(decoded.text)")
    }
  }
}
