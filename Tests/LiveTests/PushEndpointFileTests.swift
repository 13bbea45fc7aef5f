import Foundation
import LiveSupport
import TestSupport
import Testing

@Suite("The files of an endpoint for pushes", .timeLimit(.minutes(10)))
struct PushEndpointFileTests {
  private func run(_ arguments: [String]) async throws -> (code: Int32, text: String) {
    let ended = try await Program.start(arguments).end()
    return (ended.code, ended.text + ended.errorOutput)
  }

  @Test("a second endpoint that cannot listen leaves the first one's files as they are")
  func second() async throws {
    let account = try TemporaryFolder()
    let first = try await PushEndpoint(
      ["--phones", "3", "--fcm-account-out", account["account.json"].path])
    let files = [
      first.folder["ca.pem"], first.folder["tokens.csv"], account["account.json"],
    ]
    let before = try files.map { try Data(contentsOf: $0) }
    let port = try #require(first.url.split(separator: ":").last)
    let second = try await run(
      [
        "push-endpoint", "--listen", "127.0.0.1:\(port)", "--topic", PushEndpoint.topic,
        "--ca-out", files[0].path, "--tokens-out", files[1].path, "--fcm-account-out",
        files[2].path, "--seed", "7",
      ])
    #expect(second.code == 73 && second.text.contains("another program uses the port"))
    #expect(try files.map { try Data(contentsOf: $0) } == before)
    let attributes = try FileManager.default.attributesOfItem(atPath: files[2].path)
    #expect((attributes[.posixPermissions] as? Int) == 0o600)
    _ = try await first.report()
  }

  @Test("what an option names stays a link, and a dash is standard output")
  func through() async throws {
    let folder = try TemporaryFolder()
    try FileManager.default.createSymbolicLink(
      at: folder["link"], withDestinationURL: folder["report"])
    let endpoint = try Program.start(
      [
        "push-endpoint", "--listen", "127.0.0.1:0", "--topic", PushEndpoint.topic, "--clear",
        "--phones", "2", "--tokens-out", "-", "--report", folder["link"].path,
      ])
    try await endpoint.says("its address") { $0.contains(#/listening on .*:\d+\n/#) }
    endpoint.signal(SIGTERM)
    let ended = try await endpoint.end()
    #expect(ended.code == 0 && ended.text.hasPrefix("phone,token\n0,"), "\(ended.errorOutput)")
    let target = try FileManager.default.destinationOfSymbolicLink(atPath: folder["link"].path)
    #expect(target.hasSuffix("report"))
    #expect(try Data(contentsOf: folder["report"]).starts(with: Array("{".utf8)))
  }

  @Test(
    "a connection is sent away after so many requests, also of a gateway", .needs(.curl),
    arguments: ["--http2", "--http1.1"])
  func goAway(version: String) async throws {
    let folder = try TemporaryFolder()
    let endpoint = try await PushEndpoint(
      [
        "--phones", "2", "--goaway-after", "2", "--fcm-account-out", folder["account.json"].path,
      ])
    let asked = try await Program.runTool(
      "curl",
      [
        version, "--cacert", endpoint.folder["ca.pem"].path, "-s", "-m", "10", "-d", "a=b", "-w",
        "%{http_code} %{num_connects}\n", "-o", "/dev/null",
      ] + (0..<6).flatMap { $0 == 0 ? [] : ["-o", "/dev/null"] }
        + (0..<6).map { _ in "\(endpoint.url)/token" })
    #expect(asked.text == "400 1\n400 0\n400 1\n400 0\n400 1\n400 0\n", "\(asked.errorOutput)")
    #expect(try await endpoint.report().connections == 3)
  }
}
