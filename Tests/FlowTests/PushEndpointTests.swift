import Foundation
import LiveSupport
import TestSupport
import Testing

@Suite("An endpoint for pushes", .timeLimit(.minutes(2)))
struct PushEndpointTests {
  @Test(
    "curl gets responses over HTTP/2 with and without TLS, and over HTTP/1.1 with --http1",
    .needs(.curl))
  func curl() async throws {
    try await expectVersions()
    for isInTheClear in [false, true] {
      let endpoint = try await PushEndpoint([], isInTheClear: isInTheClear)
      let token = try #require(try endpoint.tokens.last)
      let ended = try await Program.runTool(
        "curl",
        (isInTheClear
          ? ["--http2-prior-knowledge"] : ["--http2", "--cacert", endpoint.folder["ca.pem"].path])
          + [
            "-s", "-i", "-m", "60", "-H", "authorization: bearer \(PushEndpoint.token)", "-H",
            "apns-topic: \(PushEndpoint.topic)", "-H", "apns-push-type: background", "-d", "{}",
            "-H", "apns-id: 123e4567-e89b-12d3-a456-4266554400a0",
            "\(endpoint.url)/3/device/\(token)",
          ])
      #expect(ended.text.hasPrefix("HTTP/2 400"), "\(ended.text)\(ended.errorOutput)")
      #expect(ended.text.contains("apns-id: 123e4567-e89b-12d3-a456-4266554400a0"))
      #expect(ended.text.hasSuffix(#"{"reason":"BadPriority"}"#))
      _ = try await endpoint.report(ending: SIGINT)
    }
  }

  @Test("options set the paths of files; an endpoint that cannot listen leaves them")
  func files() async throws {
    try await expectThrough()
    let account = try TemporaryFolder()
    let first = try await PushEndpoint(
      ["--phones", "3", "--fcm-account-out", account["account.json"].path])
    let files = [
      first.folder["ca.pem"], first.folder["tokens.csv"], account["account.json"],
    ]
    let before = try files.map { try Data(contentsOf: $0) }
    let port = try #require(first.url.split(separator: ":").last)
    let second = try await Program.run(
      [
        "push-endpoint", "--listen", "127.0.0.1:\(port)", "--topic", PushEndpoint.topic,
        "--ca-out", files[0].path, "--tokens-out", files[1].path, "--fcm-account-out",
        files[2].path, "--seed", "7",
      ])
    #expect(second.code == 73 && second.errorOutput.contains("another program uses the port"))
    #expect(try files.map { try Data(contentsOf: $0) } == before)
    let attributes = try FileManager.default.attributesOfItem(atPath: files[2].path)
    #expect((attributes[.posixPermissions] as? Int) == 0o600)
    _ = try await first.report()
  }

  /// A linked output file stays a link, and a dash is standard output.
  private func expectThrough() async throws {
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
    "a connection closes after its request limit, also for gateways", .needs(.curl),
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
        version, "--cacert", endpoint.folder["ca.pem"].path, "-s", "-m", "60", "-d", "a=b", "-w",
        "%{http_code} %{num_connects}\n", "-o", "/dev/null",
      ] + (0..<6).flatMap { $0 == 0 ? [] : ["-o", "/dev/null"] }
        + (0..<6).map { _ in "\(endpoint.url)/token" })
    #expect(asked.text == "400 1\n400 0\n400 1\n400 0\n400 1\n400 0\n", "\(asked.errorOutput)")
    #expect(try await endpoint.report().connections == 3)
  }

  private struct Report: Decodable {
    struct Webhook: Decodable {
      var accepted: Int
      var limited: Int
      var refused: Int
    }
    var accepted: Int
    var webhook: Webhook?
  }

  /// A notification as posted by Home Assistant 2024.3 (mobile_app).
  private func notification(_ token: String, _ message: String) -> String {
    """
    {"message": "\(message)", "push_token": "\(token)", "registration_info": \
    {"app_id": "io.robbie.HomeAssistant", "app_version": "2024.3", "webhook_id": "8278", \
    "os_version": "17.4"}}
    """
  }

  @Test(
    "a Home Assistant notification gets the remaining daily limit", .needs(.curl))
  func webhook() async throws {
    let folder = try TemporaryFolder()
    let endpoint = try await PushEndpoint(
      ["--phones", "2", "--webhook", "--webhook-per-day", "2"], in: folder, isInTheClear: true)
    let token = try #require(try endpoint.tokens.last)
    func post(_ body: String) async throws -> (head: String, body: String) {
      let ended = try await Program.runTool(
        "curl",
        [
          "--http1.1", "-s", "-i", "-m", "60", "-A",
          "HomeAssistant/2024.3.3 aiohttp/3.9.3 Python/3.11", "-H",
          "Content-Type: application/json", "-d", body, "\(endpoint.url)/push",
        ])
      let parts = ended.text.split(separator: "\r\n\r\n", maxSplits: 1).map(String.init)
      return (parts.first ?? "", parts.count > 1 ? parts[1] : "")
    }
    let first = try await post(notification(token, "request_location_update"))
    #expect(first.head.hasPrefix("HTTP/1.1 201 Created"), "\(first)")
    #expect(first.head.contains("application/json"))
    #expect(first.body.contains(#""maximum":2"#) && first.body.contains(#""remaining":1"#))
    #expect(first.body.contains(#/"resetsAt":"\d{4}-\d\d-\d\dT00:00:00Z"/#), "\(first.body)")
    #expect(try await post(notification(token, "Hello")).head.hasPrefix("HTTP/1.1 201"))
    let third = try await post(notification(token, "Hello"))
    #expect(third.head.hasPrefix("HTTP/1.1 429") && third.body.contains("RateLimited"), "\(third)")
    #expect(try await post(notification("odd", "Hello")).head.hasPrefix("HTTP/1.1 403"))
    #expect(try await post("[]").head.hasPrefix("HTTP/1.1 400"))
    _ = try await endpoint.report()
    let report = try JSONDecoder().decode(
      Report.self, from: Data(contentsOf: endpoint.folder["report.json"]))
    let webhook = try #require(report.webhook)
    #expect(webhook.accepted == 2 && webhook.limited == 1 && webhook.refused == 2)
    #expect(report.accepted == 2)
  }

  /// A push over HTTP/1.1 is rejected by its version, unless enabled.
  private func expectVersions() async throws {
    for takesHTTP1 in [false, true] {
      let endpoint = try await PushEndpoint(
        ["--phones", "1", takesHTTP1 ? "--http1" : "--webhook"], isInTheClear: true)
      let token = try #require(try endpoint.tokens.last)
      let ended = try await Program.runTool(
        "curl",
        [
          "--http1.1", "-s", "-i", "-m", "60", "-H",
          "authorization: bearer \(PushEndpoint.token)", "-H",
          "apns-topic: \(PushEndpoint.topic)", "-d", #"{"aps":{"alert":"a"}}"#,
          "\(endpoint.url)/3/device/\(token)",
        ])
      let wanted = takesHTTP1 ? "HTTP/1.1 200 OK" : "HTTP/1.1 505"
      #expect(ended.text.hasPrefix(wanted), "\(ended.text)")
      #expect(try await endpoint.report().accepted == (takesHTTP1 ? 1 : 0))
    }
  }
}
