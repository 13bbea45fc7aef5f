import Foundation
import LiveSupport
import TestSupport
import Testing

@Suite("An endpoint for pushes", .live, .timeLimit(.minutes(10)))
struct PushEndpointTests {
  private func key(_ folder: TemporaryFolder, _ name: String) async throws -> String {
    try await PushEndpoint.key(folder, name)
  }

  private func send(
    _ endpoint: PushEndpoint, key: String, _ more: [String] = []
  ) async throws -> String {
    let script = Program.root.appendingPathComponent("Tests/LiveTests/Python/push_sender.py")
    let ended = try await RunningProcess(
      PythonScript.python,
      [
        script.path, endpoint.url, endpoint.folder["ca.pem"].path,
        endpoint.folder["tokens.csv"].path, key,
      ] + more
    ).end()
    #expect(ended.code == 0, "\(ended.errorOutput)")
    return ended.text
  }

  @Test(
    "aioapns pushes a fleet with its key: counts match, gone phones are named",
    .needs(.aioapns), .needs(.openssl))
  func aioapns() async throws {
    let folder = try TemporaryFolder()
    let good = try await key(folder, "AuthKey_good.p8")
    let other = try await key(folder, "AuthKey_other.p8")
    let endpoint = try await PushEndpoint(
      [
        "--auth", "TEAM000001:KEY0000001:\(good)", "--phones", "400", "--gone", "10%",
        "--withhold", "20%",
      ], in: folder)
    let text = try await send(endpoint, key: good, ["--rounds", "2"])
    let unknown = try await send(endpoint, key: other)
    #expect(unknown == "400 403 InvalidProviderToken\n")
    let report = try await endpoint.report()
    let gone = try #require(report.refused["Unregistered"])
    #expect(text == "\(report.accepted) 200\n\(gone) 410 Unregistered\n")
    #expect(report.accepted + gone == 800 && (40...120).contains(gone))
    #expect((80...230).contains(report.withheld))
    #expect(report.requests == 1_200 && report.refused["InvalidProviderToken"] == 400)
    #expect(endpoint.process.text.contains("pushes to tokens that had been answered 410"))
    #expect(!endpoint.process.text.contains("not checked"))
  }

  @Test(
    "an HTTP/2 sender gets the responses of the provider", .needs(.aioapns))
  func strange() async throws {
    let endpoint = try await PushEndpoint(["--sandbox", "--phones", "400", "--per-phone", "0"])
    let script = Program.root.appendingPathComponent("Tests/LiveTests/Python/push_strange.py")
    let ended = try await RunningProcess(
      PythonScript.python,
      [
        script.path, endpoint.url, endpoint.folder["ca.pem"].path,
        endpoint.folder["tokens.csv"].path, "\(endpoint.process.pid)",
      ]
    ).end()
    #expect(ended.code == 0, "\(ended.text)\(ended.errorOutput)")
    let report = try await endpoint.report(ending: nil)
    #expect(report.refused["PayloadTooLarge"] == 2 && report.connections == 2)
    #expect(endpoint.process.text.contains("signatures not checked"))
    #expect(endpoint.process.text.contains("streams beyond the limit"))
  }

  @Test("10,000 pushes over ten connections arrive without loss", .needs(.h2load))
  func none() async throws {
    let endpoint = try await PushEndpoint(
      ["--phones", "1000", "--per-phone", "0", "--streams-at-first", "100"])
    let uris = try endpoint.tokens.map { "\(endpoint.url)/3/device/\($0)" }
    try Data(uris.joined(separator: "\n").utf8).write(to: endpoint.folder["uris"])
    try Data(#"{"aps":{"content-available":1}}"#.utf8).write(to: endpoint.folder["body"])
    let ended = try await Program.runTool(
      "h2load",
      [
        "-i", endpoint.folder["uris"].path, "-n", "10000", "-c", "10", "-m", "100", "-d",
        endpoint.folder["body"].path, "-H", "authorization: bearer \(PushEndpoint.token)", "-H",
        "apns-topic: \(PushEndpoint.topic)", "-H", "apns-push-type: background", "-H",
        "apns-priority: 5",
      ])
    #expect(ended.text.contains("10000 succeeded, 0 failed"), "\(ended.text)\(ended.errorOutput)")
    let report = try await endpoint.report()
    #expect(report.accepted == 10_000 && report.requests == 10_000)
  }

  /// Pushes the phones of a run in its measured time: a push before that is not counted. The sender
  /// is ready by then.
  private func send(
    to url: String, of load: RunningProcess, in folder: TemporaryFolder, key: String
  ) async throws -> Ended {
    let run = folder["run"]
    let sender = try RunningProcess(
      PythonScript.python,
      [
        Program.root.appendingPathComponent("Tests/LiveTests/Python/push_sender.py").path, url,
        run.appendingPathComponent("push-ca.pem").path,
        run.appendingPathComponent("push-tokens.csv").path, key, "--after", folder["begun"].path,
      ])
    try await load.says(" measure ")
    try Data().write(to: folder["begun"])
    return try await sender.end()
  }

  @Test(
    "phones of a run wake for an external sender, and every push has one outcome",
    .needs(.aioapns), .needs(.openssl))
  func live() async throws {
    let folder = try TemporaryFolder()
    let key = try await key(folder, "AuthKey.p8")
    let settings = [
      "warmStart=1h", "phases.ramp=1min", "push.scheduler=none", "push.within=5min",
      "fleet.phone.always=100%", "fleet.phone.whenInUse=0%", "fleet.phone.forceQuit=20%",
      "fleet.phone.refreshOff=0%", "fleet.phone.lowPower=0%", "fleet.phone.offline=0%",
    ]
    let load = try Program.start(
      [
        "load", "city", "--phones", "200", "--speed", "200", "--duration", "80min", "--out",
        folder["run"].path, "--ui", "plain", "--set", "pushEndpoint.listen=127.0.0.1:0", "--set",
        "pushEndpoint.auth=TEAM000001:KEY0000001:\(key)", "--set",
        "pushEndpoint.topic=\(PushEndpoint.topic)", "--set", "pushEndpoint.withhold=20%",
      ] + settings.flatMap { ["--set", $0] })
    try await load.says("its endpoint") { $0.contains(#/push endpoint on https:.*:\d+/#) }
    let url = String(try #require(load.text.firstMatch(of: #/push endpoint on (.*:\d+)/#)).1)
    let sender = try await send(to: url, of: load, in: folder, key: key)
    #expect(sender.text == "200 200\n", "\(sender.text)\(sender.errorOutput)")
    let ended = try await load.end()
    #expect([0, 98, 99].contains(ended.code), "\(ended.errorOutput)")
    let files = RunFiles(folder: folder["run"])
    let withheld = try #require(
      try files.log.firstMatch(of: #/200 accepted, (\d+) of them withheld/#))
    let requested = try files.record.count("wake.requested")
    #expect(requested == 200 - Int(withheld.1)!, "\(withheld.1) withheld")
    let outcomes = try files.record.counts("wake.outcomes")
    #expect(outcomes.values.reduce(0, +) == requested, "\(outcomes)")
    #expect(outcomes["caused"] ?? 0 > 10 && outcomes["force-quit"] ?? 0 > 0, "\(outcomes)")
    let record = try files.record
    #expect(try record.count("sender.requests") == 200)
    #expect(try record.count("sender.answerTime.count") == 200)
    let figures = try JSONDecoder().decode(
      Sender.self, from: Data(contentsOf: folder["run"].appendingPathComponent("run.json")))
    #expect(
      figures.sender.schedulers.map(\.name) == ["your sender", "none", "fixed", "adaptive"])
    #expect(figures.sender.schedulers[1].requested == 0)
    let forceQuit = figures.sender.faults.first { $0.fault == "forceQuitApp" }
    #expect(forceQuit?.count == outcomes["force-quit"])
    #expect(forceQuit?.example.hasPrefix("phone ") == true)
  }

  @Test(
    "in two mpirun processes, pushes reach all phones, and each has one outcome",
    .needs(.aioapns), .needs(.openssl), .needs(.mpirun))
  func ranks() async throws {
    let folder = try TemporaryFolder()
    let key = try await key(folder, "AuthKey.p8")
    let settings = [
      "warmStart=1h", "phases.ramp=1min", "push.scheduler=none", "push.within=5min",
      "fleet.phone.always=100%", "fleet.phone.whenInUse=0%", "fleet.phone.forceQuit=0%",
      "fleet.phone.refreshOff=0%", "fleet.phone.lowPower=0%", "fleet.phone.offline=0%",
    ]
    let load = try await MPIJob(folder: folder).start(
      2,
      [
        "load", "city", "--phones", "400", "--speed", "200", "--duration", "80min", "--out",
        folder["run"].path, "--ui", "plain", "--set", "pushEndpoint.listen=127.0.0.1:0",
        "--set", "pushEndpoint.topic=\(PushEndpoint.topic)", "--set", "pushEndpoint.withhold=20%",
        "--set", "pushEndpoint.alone=true",
      ] + settings.flatMap { ["--set", $0] })
    try await load.says("its endpoint") { $0.contains(#/push endpoint on https:.*:\d+/#) }
    let url = String(try #require(load.text.firstMatch(of: #/push endpoint on (.*:\d+)/#)).1)
    let sender = try await send(to: url, of: load, in: folder, key: key)
    #expect(sender.text == "400 200\n", "\(sender.text)\(sender.errorOutput)")
    let ended = try await load.end()
    #expect([0, 98, 99].contains(ended.code), "\(ended.text)\(ended.errorOutput)")
    let record = try RunFiles(folder: folder["run"]).record
    #expect(try record.count("sender.accepted") == 400)
    let requested = try record.count("wake.requested")
    #expect(try requested + record.count("sender.withheld") == 400, "\(requested)")
    let outcomes = try record.counts("wake.outcomes")
    #expect(outcomes.values.reduce(0, +) == requested && outcomes["caused"] ?? 0 > 10)
  }

  private struct Sender: Decodable {
    struct Figures: Decodable {
      struct Fault: Decodable {
        var fault: String
        var count: Int
        var example: String
      }
      struct Scheduler: Decodable {
        var name: String
        var requested: Int
      }
      var faults: [Fault]
      var schedulers: [Scheduler]
    }
    var sender: Figures
  }

  @Test(
    "a target file starts the endpoint: its server pushes the registered tokens",
    .needs(.aioapns), .needs(.openssl))
  func target() async throws {
    let folder = try TemporaryFolder()
    let key = try await key(folder, "AuthKey.p8")
    let script = Program.root.appendingPathComponent("Tests/LiveTests/Python/receiver.py")
    let server = try RunningProcess(
      try #require(Program.tool("python3")), [script.path, "--stay"])
    try await server.says("its address") { $0.contains(#/listening on .*:\d+\n/#) }
    let backend = "http://\(server.text.dropFirst("listening on ".count).dropLast())"
    try Data(Self.pushingTarget.utf8).write(to: folder["acme.yaml"])
    let load = try Program.start(
      [
        "load", "city", "--target", folder["acme.yaml"].path, "--target-url", backend,
        "--phones", "1000", "--duration", "10min", "--out", folder["run"].path, "--ui", "plain",
        "--set", "pushEndpoint.alone=true",
      ]
        + [
          "warmStart=10min", "start=2026-03-02T08:00", "faults=[]", "slo={}",
          "phases.ramp=1s", "fleet.cohorts[0].policy=radar-continuous",
          "fleet.cohorts[1].policy=radar-continuous",
        ].flatMap { ["--set", $0] })
    try await load.says("its endpoint") { $0.contains(#/push endpoint on https:.*:\d+/#) }
    let url = String(try #require(load.text.firstMatch(of: #/push endpoint on (.*:\d+)/#)).1)
    try await load.says(" measure ")
    let registered = try await Self.registered(at: backend, to: folder["registered.csv"])
    let sender = try await RunningProcess(
      PythonScript.python,
      [
        Program.root.appendingPathComponent("Tests/LiveTests/Python/push_sender.py").path,
        url, folder["run"].appendingPathComponent("push-ca.pem").path,
        folder["registered.csv"].path, key, "--topic", "org.example.any",
      ]
    ).end()
    #expect(sender.text == "\(registered) 200\n", "\(sender.text)\(sender.errorOutput)")
    let printed = load.text.count
    try await load.says("that all pushes have come") { text in
      let counts = text.dropFirst(printed).matches(of: #/pushes=(\d+)\s/#).map(\.1)
      return counts.count > 1 && counts.suffix(2).allSatisfy { $0 == counts.last && $0 != "0" }
    }
    load.signal(SIGINT)
    let ended = try await load.end()
    ended.expectInterrupted()
    let record = try RunFiles(folder: folder["run"]).record
    #expect(try record.count("sender.accepted") == registered)
    let requested = try record.count("wake.requested")
    let withheld = try record.count("sender.withheld")
    #expect(requested + withheld == registered && withheld > 0)
    #expect(try record.counts("wake.outcomes").values.reduce(0, +) == requested)
  }

  /// Waits until a server has forty phones' tokens, and writes them to a file.
  static func registered(at backend: String, to file: URL) async throws -> Int {
    var count = 0
    try await eventually("forty phones have registered", every: .milliseconds(200)) {
      let tokens = try await Program.runTool(
        "curl", ["-s", "-m", "60", "--retry", "3", "\(backend)/tokens"])
      count = tokens.text.split(separator: "\n").count - 1
      try tokens.output.write(to: file)
      return count >= 40
    }
    return count
  }

  static let pushingTarget = """
    name: acme
    description: A test's.
    client: { name: Acme, version: "1", source: "made up" }
    protocol: http
    url: http://127.0.0.1:1
    identity: { id: "a{phone:05}" }
    register:
      once: phone
      path: /devices
      message: { id: $id, push_token: $pushToken }
      keep: { session: /session }
      answer:
        - { when: { status: 201 }, is: stored }
    upload:
      path: /fixes
      headers: { X-Session: "{session}" }
      fixes: 20
      message: { id: $id, points: { each: fix, at: $time.ms, lat: $latitude, lon: $longitude } }
    answer:
      - { when: { status: 200, field: { /ok: true } }, is: stored }
    retry: { on: backoff, first: 1s, factor: 2, longest: 4s, deadline: 20s }
    push: { listen: "127.0.0.1:0", as: apns, keys: [AuthKey.p8], withhold: 30% }
    """
}
