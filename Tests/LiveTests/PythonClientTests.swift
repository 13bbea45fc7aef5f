import Foundation
import LiveSupport
import TestSupport
import Testing

@Suite("A client written from PROTOCOL.md alone", .live, .timeLimit(.minutes(10)))
struct PythonClientTests {
  @Test(
    "registers, uploads, receives pushes, and gets the documented status for each error",
    .needs(.pythonPackages), .needs(.protoc), .needs(.openssl), arguments: [false, true])
  func conformance(isSecured: Bool) async throws {
    let authority = try await Authority()
    try await authority.sign("collector")
    let ended = try await PythonScript.run(
      "conformance.py", isSecured ? ["--ca", authority.path("ca.pem")] : [],
      serving: isSecured ? authority.serving("collector") : [])
    let failed = ended.text.split(separator: "\n").filter { $0.hasPrefix("FAIL") }
    #expect(ended.code == 0, "\(failed.joined(separator: "\n"))\n\(ended.errorOutput)")
    #expect(ended.text.contains("cases, 0 failed"), "\(ended.text.suffix(500))")
  }
}

@Suite("grpcio as a client", .live, .timeLimit(.minutes(10)))
struct GRPCClientTests {
  @Test(
    "calls every kind of method on the collector's port, and h2load calls many",
    .needs(.grpcio), .needs(.protoc), .needs(.h2load), .needs(.openssl), arguments: [false, true])
  func calls(isSecured: Bool) async throws {
    let authority = try await Authority()
    try await authority.sign("collector")
    let ended = try await PythonScript.run(
      "grpc_client.py", isSecured ? ["--ca", authority.path("ca.pem")] : [],
      serving: isSecured ? authority.serving("collector") : [])
    let failed = ended.text.split(separator: "\n").filter { $0.hasPrefix("FAIL") }
    #expect(ended.code == 0, "\(failed.joined(separator: "\n"))\n\(ended.errorOutput)")
    #expect(ended.text.contains("cases, 0 failed"), "\(ended.text.suffix(2_000))")
  }

  @Test(
    "is accepted only with a certificate signed by the collector's CA",
    .needs(.grpcio), .needs(.protoc), .needs(.openssl))
  func certificates() async throws {
    let (authority, other) = (try await Authority(), try await Authority())
    try await authority.sign("collector")
    try await authority.sign("phone")
    let collector = try await OwnCollector(
      ["--store", "none", "--client-ca", authority.path("ca.pem")]
        + authority.serving("collector"))
    let script = Program.root.appendingPathComponent("Tests/LiveTests/Python/grpc_trust.py")
    let ended = try await RunningProcess(
      PythonScript.python,
      [script.path, collector.address]
        + ["ca.pem", "phone.pem", "phone.key"].map(authority.path) + [other.path("ca.pem")]
    ).end()
    #expect(ended.code == 0, "\(ended.text)\(ended.errorOutput)")
    #expect(ended.text.contains("6 cases, 0 failed"))
    #expect(try collector.metric("flotilla_tls_handshake_failures_total") >= 3)
  }
}
