import Foundation
import LiveSupport
import TestSupport
import Testing

@Suite("Push gateways", .live, .timeLimit(.minutes(10)))
struct PushGatewayTests {
  private struct Report: Decodable {
    struct Messages: Decodable {
      var accepted: Int
      var validated: Int
      var tokens: Int
      var refused: [String: Int]
    }
    var accepted: Int
    var fcm: Messages?
  }

  private func report(_ endpoint: PushEndpoint) async throws -> Report {
    _ = try await endpoint.report()
    return try JSONDecoder().decode(
      Report.self, from: Data(contentsOf: endpoint.folder["report.json"]))
  }

  @Test(
    "firebase-admin pushes a fleet with a service account, over HTTP/1.1 and HTTP/2",
    .needs(.firebaseAdmin))
  func firebase() async throws {
    let folder = try TemporaryFolder()
    let account = folder["account.json"].path
    let endpoint = try await PushEndpoint(
      ["--phones", "100", "--gone", "10%", "--per-phone", "0", "--fcm-account-out", account],
      in: folder)
    let script = Program.root.appendingPathComponent("Tests/LiveTests/Python/fcm_sender.py")
    let ended = try await RunningProcess(
      PythonScript.python,
      [script.path, endpoint.url, account, folder["tokens.csv"].path],
      environment: [
        "REQUESTS_CA_BUNDLE": folder["ca.pem"].path, "SSL_CERT_FILE": folder["ca.pem"].path,
      ]
    ).end()
    #expect(ended.code == 0, "\(ended.text)\(ended.errorOutput)")
    let report = try await report(endpoint)
    let fcm = try #require(report.fcm)
    let gone = try #require(fcm.refused["UNREGISTERED"]) / 2
    #expect((2...30).contains(gone))
    #expect(
      ended.text == """
        one by one \(gone) UnregisteredError NOT_FOUND Unregistered
        one by one \(100 - gone) sent
        at once \(100 - gone) \(gone)
        validated sent
        odd token InvalidArgumentError INVALID_ARGUMENT
        urgent InvalidArgumentError INVALID_ARGUMENT BadPriority
        too large InvalidArgumentError INVALID_ARGUMENT PayloadTooLarge
        alert sent
        data sent
        topic InvalidArgumentError INVALID_ARGUMENT
        project PermissionDeniedError PERMISSION_DENIED

        """, "\(ended.errorOutput)")
    #expect(fcm.accepted == 2 * (100 - gone) + 2 && fcm.accepted == report.accepted)
    #expect(fcm.validated == 1 && fcm.refused["INVALID_ARGUMENT"] == 4 && fcm.tokens >= 2)
    #expect(endpoint.process.text.contains("FCM      "))
  }

  @Test(
    "firebase-admin pushes both systems through one project, and learns of wrong Android blocks",
    .needs(.firebaseAdmin))
  func android() async throws {
    let folder = try TemporaryFolder()
    let account = folder["account.json"].path
    let endpoint = try await PushEndpoint(
      ["--phones", "10", "--android", "50%", "--fcm-account-out", account], in: folder)
    let script = Program.root.appendingPathComponent("Tests/LiveTests/Python/fcm_sender.py")
    let ended = try await RunningProcess(
      PythonScript.python,
      [script.path, endpoint.url, account, folder["tokens.csv"].path, "android"],
      environment: [
        "REQUESTS_CA_BUNDLE": folder["ca.pem"].path, "SSL_CERT_FILE": folder["ca.pem"].path,
      ]
    ).end()
    #expect(
      ended.text == """
        at once 10 0
        android sent
        normal sent
        lifetime InvalidArgumentError INVALID_ARGUMENT
        package InvalidArgumentError INVALID_ARGUMENT
        priority InvalidArgumentError INVALID_ARGUMENT

        """, "\(ended.errorOutput)")
    #expect(try endpoint.tokens.filter { $0.contains(":") }.count == 5)
    let fcm = try #require(try await report(endpoint).fcm)
    #expect(fcm.accepted == 12 && fcm.refused == ["INVALID_ARGUMENT": 3])
  }

  /// Sends from a server, once it has its phones' tokens. Returns its output.
  private func send(
    as provider: String, to url: String, tokens: String, _ run: URL
  ) async throws -> String {
    let scripts = Program.root.appendingPathComponent("Tests/LiveTests/Python")
    let authority = run.appendingPathComponent("push-ca.pem").path
    let arguments =
      provider == "fcm"
      ? [
        scripts.appendingPathComponent("fcm_sender.py").path, url,
        run.appendingPathComponent("push-account.json").path, tokens, "once",
      ] : [scripts.appendingPathComponent("webhook_sender.py").path, url, tokens]
    let ended = try await RunningProcess(
      PythonScript.python, arguments,
      environment: ["REQUESTS_CA_BUNDLE": authority, "SSL_CERT_FILE": authority]
    ).end()
    #expect(ended.code == 0, "\(ended.errorOutput)")
    return ended.text
  }

  @Test(
    "a target file starts the gateway of its server",
    .needs(.firebaseAdmin), .needs(.curl),
    arguments: [
      ("fcm", "https", "at once COUNT 0\n"), ("webhook", "http", "COUNT 201\nleft 499\n"),
    ])
  func target(provider: String, scheme: String, says: String) async throws {
    let folder = try TemporaryFolder()
    let script = Program.root.appendingPathComponent("Tests/LiveTests/Python/receiver.py")
    let server = try RunningProcess(
      try #require(Program.tool("python3")), [script.path, "--stay"])
    try await server.says("its address") { $0.contains(#/listening on .*:\d+\n/#) }
    let backend = "http://\(server.text.dropFirst("listening on ".count).dropLast())"
    let text = PushEndpointTests.pushingTarget.replacing(
      "as: apns, keys: [AuthKey.p8]",
      with: "as: \(provider)")
    try Data(text.utf8).write(to: folder["acme.yaml"])
    let load = try Program.start(
      [
        "load", "city", "--target", folder["acme.yaml"].path, "--target-url", backend,
        "--phones", "500", "--duration", "5min", "--out", folder["run"].path, "--ui", "plain",
        "--set", "warmStart=10min", "--set", "start=2026-03-02T08:00", "--set", "faults=[]",
        "--set", "slo={}", "--set", Trial.patient[0], "--set", "phases.ramp=1s", "--set",
        "fleet.cohorts[0].policy=radar-continuous",
      ])
    try await load.says("its endpoint") { $0.contains(#/push endpoint on https?:.*:\d+/#) }
    let url = String(try #require(load.text.firstMatch(of: #/push endpoint on (.*:\d+)/#)).1)
    #expect(url.hasPrefix("\(scheme)://"))
    try await load.says(" measure ")
    let count = try await PushEndpointTests.registered(at: backend, to: folder["registered.csv"])
    let said = try await send(
      as: provider, to: url, tokens: folder["registered.csv"].path, folder["run"])
    #expect(said == says.replacing("COUNT", with: "\(count)"), "\(said)")
    load.signal(SIGINT)
    let ended = try await load.end()
    ended.expectInterrupted()
    let record = try RunFiles(folder: folder["run"]).record
    #expect(try record.count("sender.accepted") == count)
    #expect(try record.count("sender.withheld") > 0)
    if provider == "webhook" { try checkTypes(folder["run"], of: count) }
  }

  private struct Types: Decodable {
    struct Wake: Decodable {
      struct Group: Decodable {
        var name: String
        var requested: Int
        var outcomes: [String: Int]
      }
      var requested: Int
      var types: [Group]
    }
    var wake: Wake
  }

  /// Every third push was an alert: each type has its own row, here and in the report.
  private func checkTypes(_ run: URL, of count: Int) throws {
    let wake = try JSONDecoder().decode(
      Types.self, from: Data(contentsOf: run.appendingPathComponent("run.json"))
    ).wake
    #expect(wake.types.map(\.name) == ["background", "alert"])
    #expect(wake.types.reduce(0) { $0 + $1.requested } == wake.requested)
    let alerts = try #require(wake.types.last)
    #expect(alerts.requested <= (count + 2) / 3 && alerts.requested > 0)
    #expect(alerts.outcomes.values.reduce(0, +) == alerts.requested)
    let report = try String(contentsOf: run.appendingPathComponent("report.html"), encoding: .utf8)
    let isThere = report.contains("Outcomes by push type")
    #expect(isThere)
  }
}
