import Foundation
import LiveSupport
import TestSupport
import Testing

/// A fleet against Home Assistant's own receivers, whose history is read back fix by fix.
///
/// Its installation is 680 MB of 98 packages and takes minutes: `.ci/home-assistant` makes it once,
/// and `FLOTILLA_HOMEASSISTANT` names it.
@Suite(
  "Home Assistant targets", .live, .timeLimit(.minutes(10)),
  .needs(.homeAssistant))
struct HomeAssistantTests {
  private static let scripts = Program.root.appendingPathComponent("Tests/LiveTests/Python")

  /// Turns a shipped target into one of a Home Assistant webhook, with the phone's name.
  private struct Receiver {
    let target: String
    let entity: String
    var change = ("", "")
  }

  private static let receivers = [
    Receiver(target: "homeassistant", entity: ""),
    Receiver(
      target: "owntracks", entity: "user{phone:06}_phone",
      change: ("path: /pub", "path: /api/webhook/owntracks")),
    Receiver(
      target: "traccar-query", entity: "{phone:06}",
      change: ("  path: /\n", "  path: /api/webhook/traccar\n")),
    Receiver(
      target: "gpslogger", entity: "gps_{phone}",
      change: (#"id: "phone_{phone}""#, #"id: "gps_{phone}""#)),
  ]

  /// The shipped target starts an endpoint for the server's notifications; this one has none.
  private static let pushed = [
    "--set", "pushEndpoint.listen=127.0.0.1:0", "--set", "pushEndpoint.alone=true",
  ]

  /// Owners who look at the app all the time, and at each other's states.
  private static let watched = [
    "viewers={share: 50%, every: 2s}", "fleet.phone.sessionsPerDay=1000",
    "fleet.phone.daysUnopened=0%", "fleet.phone.sessionLength=1h", "fleet.phone.unopened=0%",
  ].flatMap { ["--set", $0] }

  /// The file of a target whose fixes are read back from the history.
  private func file(_ receiver: Receiver, in folder: TemporaryFolder) throws -> String {
    guard !receiver.entity.isEmpty else { return receiver.target }
    let shipped = Program.root.appendingPathComponent("scenarios/targets/\(receiver.target).yaml")
    let text = try String(contentsOf: shipped, encoding: .utf8)
      .replacing(receiver.change.0, with: receiver.change.1)
      .replacing("name: \(receiver.target)", with: "name: ha-\(receiver.target)")
      .replacing("identity: {", with: "identity: { hass: { env: HASS_TOKEN },")
    let readback = """

      readback:
        method: GET
        path: "/api/history/period/{from.iso.s}"
        headers: { Authorization: "Bearer {hass}" }
        query: { filter_entity_id: "device_tracker.\(receiver.entity)", end_time: $to.iso.s }
        rows: /0
        time: /last_updated
        timeOf: arrival
        latitude: /attributes/latitude
        longitude: /attributes/longitude

      """
    let path = folder["ha-\(receiver.target).yaml"]
    try Data((text + readback).utf8).write(to: path)
    return path.path
  }

  /// Starts it; `asking` is when it requests every phone's position.
  private func start(
    in folder: TemporaryFolder, asking: [String] = []
  ) async throws -> (server: RunningProcess, url: String, token: String) {
    let server = try RunningProcess(
      URL(fileURLWithPath: try #require(Oracle.homeAssistant.path)),
      [
        Self.scripts.appendingPathComponent("home_assistant.py").path, folder["home"].path,
        "\(try FreePort.next())",
      ] + asking)
    try await server.says("its address") { $0.contains(#/listening on .*\n/#) }
    let words = server.text.split(whereSeparator: \.isWhitespace)
    return (
      server, "http://\(try #require(words.dropFirst(2).first))", String(try #require(words.last))
    )
  }

  private static let socket = """
    name: ha-websocket
    description: Home Assistant's WebSocket API, a service call per position
    client: { name: Home Assistant, version: "2024.3.3", source: "developers.home-assistant.io/docs/api/websocket" }
    protocol: websocket
    url: ws://127.0.0.1:8123
    identity: { token: { env: HASS_TOKEN } }
    websocket:
      path: /api/websocket
      match: /id
      open:
        - expect: { /type: auth_required }
        - send: { type: auth, access_token: $token }
          expect: { /type: auth_ok }
    upload:
      fixes: newest
      message:
        id: $number
        type: call_service
        domain: device_tracker
        service: see
        service_data:
          dev_id: "ws_{phone}"
          gps: [$latitude, $longitude]
          gps_accuracy: $accuracy
          battery: { is: $battery, omit: unknown }
    answer:
      - { when: { field: { /success: "true" } }, is: stored }
      - { when: { field: { /success: "false" } }, is: refused }
    view:
      path: /api/websocket
      open:
        - expect: { /type: auth_required }
        - send: { type: auth, access_token: $token }
          expect: { /type: auth_ok }
        - send: { id: 1, type: subscribe_events, event_type: state_changed }
          expect: { /success: "true" }
      rows: /event/data/new_state
      device: /entity_id
      time: /last_updated
      latitude: /attributes/latitude
      longitude: /attributes/longitude

    """

  @Test("its WebSocket API takes a login, positions by id, and sends changes to viewers")
  func webSocket() async throws {
    let folder = try TemporaryFolder()
    let (server, url, token) = try await start(in: folder)
    defer { server.signal(SIGKILL) }
    let file = folder["ha-websocket.yaml"]
    try Data(Self.socket.utf8).write(to: file)
    let address = url.replacing("http:", with: "ws:")
    let load = try RunningProcess(
      Program.url,
      [
        "load", "city", "--target", file.path, "--target-url", address, "--phones", "100",
        "--duration", "12s", "--set", "warmStart=10min", "--set", "start=2026-03-02T08:00",
        "--set", "faults=[]", "--set", "slo={}", "--ui", "plain", "--out", folder["run"].path,
        "--set", "fleet.cohorts[0].policy=radar-continuous",
        "--set", "fleet.cohorts[1].policy=radar-continuous",
      ] + Self.watched, environment: ["HASS_TOKEN": token])
    let ended = try await load.end()
    ended.expectRun()
    let record = try RunFiles(folder: folder["run"]).record
    try record.expectTargetBalance()
    let stored = try record.count("target.fixes.stored")
    #expect(stored > 10, "\(ended.text)")
    #expect(try record.count("target.views.failed") == 0, "\(ended.text)")
    #expect(try record.count("target.views.messages") > stored)
    #expect(try record.number("target.views.age.p95") < 5)
    let ask =
      "import json, sys, urllib.request as r; "
      + "q = r.Request(sys.argv[1], headers={'Authorization': 'Bearer ' + sys.argv[2]}); "
      + "states = json.load(r.urlopen(q)); "
      + "own = [s for s in states if s['entity_id'].startswith('device_tracker.ws_')]; "
      + "sys.stdout.write(str(len(own)))"
    let states = try await Program.runTool("python3", ["-c", ask, "\(url)/api/states", token])
    let phones = Int(states.text.trimmingCharacters(in: .whitespacesAndNewlines)) ?? 0
    #expect((1...stored).contains(phones), "\(states.text)")
    let wrong = try RunningProcess(
      Program.url, ["target", "try", file.path, "--target-url", address],
      environment: ["HASS_TOKEN": "wrong"])
    let refused = try await wrong.end()
    #expect(refused.code != 0)
    #expect(refused.text.contains("auth_invalid"), "\(refused.text)")
  }

  @Test("stored fixes are in the history, for each of four clients")
  func receivers() async throws {
    let folder = try TemporaryFolder()
    let (server, url, token) = try await start(in: folder)
    defer { server.signal(SIGKILL) }
    try await withThrowingTaskGroup(of: Void.self) { runs in
      for receiver in Self.receivers {
        runs.addTask { try await load(receiver, at: url, token, in: folder) }
      }
      try await runs.waitForAll()
    }
  }

  /// A run against one receiver, and its ledger's account of the history.
  private func load(
    _ receiver: Receiver, at url: String, _ token: String, in folder: TemporaryFolder
  ) async throws {
    let target = try file(receiver, in: folder)
    let run = folder[receiver.target]
    let load = try RunningProcess(
      Program.url,
      [
        "load", "city", "--target", target, "--target-url", url, "--phones", "60",
        "--duration", "5min", "--set", "phases.ramp=1s", "--set", "phases.drain=10s",
        "--set", "warmStart=10min", "--set", "start=2026-03-02T08:00", "--set", "faults=[]",
        "--set", "slo={}", "--set", Trial.patient[0], "--ui", "plain", "--out", run.path,
        "--set", "fleet.cohorts[0].policy=radar-continuous",
      ] + (receiver.entity.isEmpty ? Self.pushed + Self.watched : []),
      environment: ["HASS_TOKEN": token])
    // Even a slow server has fixes to read back by then.
    try await load.says("that fixes are stored") {
      $0.matches(of: #/acked=(\d+)/#).reduce(0) { $0 + (Int($1.1) ?? 0) } >= 8
    }
    load.signal(SIGINT)
    let ended = try await load.end()
    ended.expectInterrupted()
    let record = try RunFiles(folder: run).record
    let stored = try record.count("target.fixes.stored")
    #expect(stored > 5, "\(target): \(ended.text)")
    #expect(
      try record.count("target.readback.confirmed") == stored, "\(target): \(ended.text)")
    #expect(try record.count("target.readback.missing") == 0, "\(target)")
    #expect(try record.count("target.readback.unread") == 0, "\(target)")
    guard receiver.entity.isEmpty else { return }
    // A phone without a position has no state, which is answered 404.
    let others =
      try record.count("target.views.failed") + record.count("target.views.empty")
    #expect(try record.count("target.views.reads") > others, "\(ended.text)")
  }

  /// Puts 150 phones on it, and returns once most have been asked, and had the ten seconds in which
  /// an upload is an answer.
  ///
  /// Few gates are closed, and a motion-gated phone sends its fix at once, where hybrid waits for
  /// 30 s
  /// of them: of the phones whose push runs the app, most answer in time.
  private func askedFleet(
    at url: String, _ token: String, in folder: TemporaryFolder
  ) async throws -> RunningProcess {
    let port = try FreePort.next()
    let shipped = Program.root.appendingPathComponent("scenarios/targets/homeassistant.yaml")
    let text = try String(contentsOf: shipped, encoding: .utf8)
      .replacing("18199", with: "\(port)").replacing("rate: 20/s", with: "rate: 200/s")
    try Data(text.utf8).write(to: folder["homeassistant.yaml"])
    let settings = [
      // By then most owners have answered the prompt for Always. A reinstalled app would be another
      // device there, whose history the target does not read.
      "warmStart=1d", "fleet.phone.reinstalls.perYear=0", "start=2026-03-02T12:00", "faults=[]",
      "slo={}", Trial.patient[0], "phases.ramp=1s", "phases.drain=1s", "push.within=10s",
      "push.phone.pendingLaunch=0s", "push.phone.nightSlot=0s",
      "fleet.cohorts[0].policy=motion-gated", "fleet.phone.always=100%",
      "fleet.phone.whenInUse=0%", "fleet.phone.provisionalDenied=0%", "fleet.phone.forceQuit=10%",
      "fleet.phone.refreshOff=0%", "fleet.phone.lowPower=0%", "fleet.phone.offline=0%",
    ]
    let load = try RunningProcess(
      Program.url,
      [
        "load", "city", "--target", folder["homeassistant.yaml"].path, "--target-url", url,
        "--phones", "150", "--duration", "10min", "--ui", "plain", "--out", folder["run"].path,
        "--set", "pushEndpoint.alone=true",
      ] + settings.flatMap { ["--set", $0] }, environment: ["HASS_TOKEN": token])
    // One line a second.
    try await load.says("that phones were asked ten seconds ago") {
      $0.matches(of: #/pushes=(\d+)/#).count { Int($0.1).map { $0 >= 100 } ?? false } >= 12
    }
    return load
  }

  @Test("each acknowledged crossing is an event on Home Assistant's bus", .needs(.curl))
  func zones() async throws {
    let folder = try TemporaryFolder()
    let (server, url, token) = try await start(in: folder)
    defer { server.signal(SIGKILL) }
    let bus = try RunningProcess(
      URL(fileURLWithPath: try #require(Oracle.curl.path)),
      [
        "-sSN", "-H", "Authorization: Bearer \(token)",
        "\(url)/api/stream?restrict=ios.zone_entered,ios.zone_exited",
      ])
    defer { bus.signal(SIGKILL) }
    let shipped = Program.root.appendingPathComponent("scenarios/targets/homeassistant.yaml")
    let text = try String(contentsOf: shipped, encoding: .utf8)
      .replacing("rate: 20/s", with: "rate: 200/s")
    try Data(text.utf8).write(to: folder["homeassistant.yaml"])
    let load = try RunningProcess(
      Program.url,
      [
        "load", "city", "--target", folder["homeassistant.yaml"].path, "--target-url", url,
        "--phones", "600", "--duration", "10min", "--ui", "plain", "--out", folder["run"].path,
        "--set", "warmStart=2h", "--set", "start=2026-03-02T08:00", "--set", "faults=[]",
        "--set", "slo={}", "--set", Trial.patient[0], "--set", "phases.ramp=10s",
        "--set", "fleet.phone.reinstalls.perYear=0",
        "--set", "fleet.cohorts[0].policy=places-events",
      ] + Self.pushed, environment: ["HASS_TOKEN": token])
    try await bus.says("crossings") { $0.split(separator: "\n").count { $0.contains("zone") } >= 5 }
    load.signal(SIGINT)
    let ended = try await load.end()
    ended.expectInterrupted()
    let record = try RunFiles(folder: folder["run"]).record
    let acknowledged = try record.count("ledger.events.acknowledged")
    #expect(acknowledged >= 5, "\(ended.text)")
    try await bus.says("every acknowledged crossing") {
      $0.split(separator: "\n").count { $0.contains("ios.zone_") } >= acknowledged
    }
    let lines = bus.text.split(separator: "\n").filter { $0.contains("ios.zone_") }
    let others =
      try record.count("events.unanswered") + record.count("ledger.events.refused")
    #expect(lines.count <= acknowledged + others, "\(ended.text)")
    let answers = try record.rows("target.answers").filter { $0["request"] as? String == "event" }
    #expect(answers.contains { $0["status"] as? String == "200" }, "\(answers)")
  }

  @Test("phones wake for requests of the notify service, and upload positions")
  func notify() async throws {
    let folder = try TemporaryFolder()
    let (server, url, token) = try await start(in: folder, asking: ["seconds: /15"])
    defer { server.signal(SIGKILL) }
    let load = try await askedFleet(at: url, token, in: folder)
    load.signal(SIGINT)
    let ended = try await load.end()
    ended.expectInterrupted()
    let files = RunFiles(folder: folder["run"])
    let record = try files.record
    let requested = try record.count("wake.requested")
    let outcomes = try record.counts("wake.outcomes")
    #expect(try record.count("sender.accepted") >= requested && requested >= 100, "\(ended.text)")
    #expect(outcomes.values.reduce(0, +) == requested, "\(outcomes)")
    #expect(outcomes["caused"] ?? 0 > 0 && outcomes["force-quit"] ?? 0 > 0, "\(outcomes)")
    let stored = try record.count("target.fixes.stored")
    #expect(stored >= outcomes["caused"] ?? 0, "\(ended.text)")
    #expect(try record.count("target.readback.confirmed") == stored)
    #expect(try record.count("target.readback.missing") == 0)
    let report = try String(
      contentsOf: folder["run"].appendingPathComponent("report.html"), encoding: .utf8)
    for text in ["Pushes of your sender left after each gate", "past force quit"] {
      let isThere = report.contains(text)
      #expect(isThere, "\(text)")
    }
  }
}
