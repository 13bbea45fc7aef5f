import Foundation
import LiveSupport
import TestSupport
import Testing

/// Backends that take phones with a certificate of their own alone, which a CA in the target's file
/// signs.
@Suite("One certificate per phone", .live, .timeLimit(.minutes(10)), .needs(.openssl))
struct TargetCertificateTests {
  /// The server's CA, and the phones' CA.
  private struct Authorities {
    let server: Authority
    let phones: Authority

    init() async throws {
      server = try await Authority()
      phones = try await Authority()
      try await server.sign("server")
    }

    /// The lines that a target needs.
    func lines(_ identity: String) -> String {
      """
      tls: { ca: \(server.path("ca.pem")) }
      identity:
        \(identity)
        certificate:
          ca: \(phones.path("ca.pem"))
          key: \(phones.path("ca.key"))
          name: "phone-{phone}"
      """
    }
  }

  /// Tries a target as phone 17, with and without the certificates of its file.
  private func expectNeeded(_ text: String, _ target: URL, url: String) async throws {
    try Data(text.utf8).write(to: target)
    let words = ["target", "try", target.path, "--target-url", url, "--phone", "17"]
    let ended = try await Program.run(words)
    #expect(ended.code == 0, "\(ended.text)\(ended.errorOutput)")
    var bare = text
    let start = try #require(bare.range(of: "  certificate:"))
    let end = try #require(bare.range(of: "name: \"phone-{phone}\"\n"))
    bare.removeSubrange(start.lowerBound..<end.upperBound)
    try Data(bare.utf8).write(to: target)
    let refused = try await Program.run(words)
    #expect(refused.code == 69, "\(refused.text)\(refused.errorOutput)")
  }

  private func script(_ name: String, _ arguments: [String]) async throws -> (
    server: RunningProcess, address: String
  ) {
    let path = Program.root.appendingPathComponent("Tests/LiveTests/Python/\(name)").path
    let server = try RunningProcess(PythonScript.python, [path] + arguments)
    try await server.says("its address") { $0.contains(#/listening on .*:\d+\n/#) }
    return (server, String(server.text.dropFirst("listening on ".count).dropLast()))
  }

  @Test("over HTTP, the server reads the phone's name from it")
  func overHTTP() async throws {
    let authorities = try await Authorities()
    let (server, address) = try await script(
      "certificate_server.py",
      [
        authorities.server.path("server.pem"), authorities.server.path("server.key"),
        authorities.phones.path("ca.pem"),
      ])
    let text = """
      name: acme
      description: A test's.
      client: { name: Acme, version: "1", source: "made up" }
      protocol: http
      url: https://127.0.0.1
      \(authorities.lines(#"id: "a{phone}""#))
      upload: { path: /fixes, message: { id: $id } }
      answer:
        - { when: { status: 200, field: { /name: phone-17 } }, is: stored }

      """
    try await expectNeeded(
      text, authorities.server.folder["acme.yaml"], url: "https://\(address)")
    server.signal(SIGTERM)
  }

  @Test("over MQTT, it determines the user", .needs(.mosquitto))
  func overMQTT() async throws {
    let authorities = try await Authorities()
    let broker = try Broker([
      .secured(
        certificate: authorities.server.path("server.pem"),
        key: authorities.server.path("server.key"), clients: authorities.phones.path("ca.pem"))
    ])
    let text = """
      name: acme
      description: A test's.
      client: { name: Acme, version: "1", source: "made up" }
      protocol: mqtt
      url: mqtts://127.0.0.1
      \(authorities.lines(#"id: "a{phone}""#))
      mqtt: { client: "client-{phone}" }
      upload: { topic: "fixes/{id}", qos: 1, message: { id: $id } }
      answer:
        - { when: { status: 0 }, is: stored }

      """
    try await expectNeeded(
      text, authorities.server.folder["acme.yaml"], url: "mqtts://127.0.0.1:\(broker.port)")
    try broker.says("client-17") { $0.contains("as client-17 ") && $0.contains("u'phone-17'") }
  }

  @Test("over gRPC, reflection also uses it", .needs(.grpcio), .needs(.protoc))
  func overGRPC() async throws {
    let authorities = try await Authorities()
    let folder = authorities.server.folder
    let schemas = Program.root.appendingPathComponent("scenarios/targets")
    _ = try await Program.runTool(
      "protoc",
      [
        "--include_imports", "-I\(schemas.path)", "-o\(folder["set.pb"].path)",
        "grpc-example.proto",
      ])
    let (server, address) = try await script(
      "beacon_server.py",
      [
        folder["set.pb"].path, "--reflection", "--cert", authorities.server.path("server.pem"),
        "--key", authorities.server.path("server.key"), "--client-ca",
        authorities.phones.path("ca.pem"),
      ])
    let shipped = try String(
      contentsOf: schemas.appendingPathComponent("grpc-example.yaml"), encoding: .utf8)
    let identity = #"identity: { id: "a{phone:07}", token: "token-{phone}" }"#
    let schema = "schema: { proto: grpc-example.proto }"
    try #require(shipped.contains(identity) && shipped.contains(schema))
    let lines = authorities.lines("id: \"a{phone:07}\"\n  token: \"token-{phone}\"")
    let text = shipped.replacing(identity, with: lines)
    try Data(text.replacing(schema, with: "schema: { reflection: yes }").utf8)
      .write(to: folder["grpc-example.yaml"])
    let url = ["--target-url", "grpcs://\(address)"]
    let asked = try await Program.run(["target", "try", folder["grpc-example.yaml"].path] + url)
    #expect(asked.code == 0, "\(asked.text)\(asked.errorOutput)")
    let local = "schema: { proto: \(schemas.path)/grpc-example.proto }"
    try await expectNeeded(
      text.replacing(schema, with: local), folder["grpc-example.yaml"], url: url[1])
    server.signal(SIGTERM)
  }
}
