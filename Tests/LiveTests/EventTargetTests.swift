import Foundation
import LiveSupport
import TestSupport
import Testing

/// Events beside fixes, at a broker.
@Suite(
  "Events at mosquitto", .live, .timeLimit(.minutes(10)), .needs(.mosquitto),
  .needs(.mosquittoClients))
struct EventTargetTests {
  @Test("every acknowledged event of a region reaches a subscriber, and no fix is counted as one")
  func mosquitto() async throws {
    let broker = try Broker()
    let subscriber = try broker.subscribe(to: "owntracks/+/+/event")
    let folder = try TemporaryFolder()
    let load = try Program.start([
      "load", "city", "--target", "owntracks-mqtt", "--target-url",
      "mqtt://127.0.0.1:\(broker.port)", "--phones", "1500", "--duration", "5min",
      "--set", "warmStart=2h", "--set", "start=2026-03-02T08:00", "--set", "faults=[]",
      "--set", "slo={}", "--set", "fleet.cohorts[0].policy=places-events",
      "--set", "fleet.cohorts[1].policy=places-events", "--ui", "plain",
      "--out", folder["run"].path,
    ])
    _ = try subscriber.messages(8)
    load.signal(SIGINT)
    let ended = try await load.end()
    ended.expectInterrupted()
    #expect(
      ended.text.contains(
        "events   visits, boot, permission not sent: owntracks-mqtt takes regions"))
    let record = try RunFiles(folder: folder["run"]).record
    let acknowledged = try record.count("ledger.events.acknowledged")
    let others = try record.count("events.unanswered") + record.count("events.failed")
    let messages = subscriber.messages
    #expect(acknowledged >= 8, "\(ended.text)")
    #expect(
      (acknowledged...acknowledged + others).contains(messages.count),
      "\(messages.count) of \(acknowledged): \(ended.text)")
    for message in messages {
      #expect(message.qos == 1 && !message.isRetained)
      let body = try #require(
        try JSONSerialization.jsonObject(with: Data(message.body.utf8)) as? [String: Any])
      #expect(body["_type"] as? String == "transition")
      #expect(["enter", "leave"].contains(body["event"] as? String))
      #expect((body["desc"] as? String)?.isEmpty == false)
    }
    #expect(
      try record.count("ledger.events.generated")
        == ["evicted", "refused", "outbox", "inFlight", "acknowledged"].reduce(0) {
          try $0 + record.count("ledger.events.\($1)")
        })
    try record.expectTargetBalance()
    #expect(try record.count("events.latency.count") > 0)
  }
}

/// Events that a server lists.
@Suite("Read-back of events", .live, .timeLimit(.minutes(10)), .needs(.python))
struct EventReadbackTests {
  /// - Parameter rows: how a row names its event: the path of its id, or of its time.
  private func load(
    _ server: RunningProcess, rows: String, in folder: TemporaryFolder
  ) async throws -> Ended {
    let webhook = Program.root.appendingPathComponent("scenarios/targets/event-webhook.yaml")
    let readback = """
      keep: yes
        readback:
          method: GET
          path: /events
          query: { device: $id, page: $page }
          rows: /events
          \(rows)
      answer:
      """
    let text = try String(contentsOf: webhook, encoding: .utf8)
      .replacing("answer:\n", with: "  \(readback)\n", maxReplacements: 1)
    try Data(text.utf8).write(to: folder["event-webhook.yaml"])
    try await server.says("its port") { $0.contains(#/^\d+\n/#) }
    return try await Program.run([
      "load", "city", "--target", folder["event-webhook.yaml"].path, "--target-url",
      "http://127.0.0.1:\(server.text.prefix { $0 != "\n" })", "--phones", "8000",
      "--duration", "12s", "--set", "warmStart=1h",
      "--set", "start=2026-03-02T08:00", "--set", "faults=[]", "--set", "slo={}",
      "--set", "fleet.cohorts[0].policy=places-events",
      "--set", "fleet.cohorts[1].policy=places-events", "--ui", "plain",
      "--out", folder["run"].path,
    ])
  }

  private func server(_ arguments: [String] = []) throws -> RunningProcess {
    let script = Program.root.appendingPathComponent("Tests/LiveTests/Python/event_server.py")
    return try RunningProcess(
      try #require(Program.tool("python3")), [script.path] + arguments)
  }

  @Test(
    "every acknowledged event is found, by id or time",
    arguments: ["id: /id", "time: /noticed", "time: /happened"])
  func found(rows: String) async throws {
    let folder = try TemporaryFolder()
    let server = try server()
    defer { server.signal(SIGKILL) }
    let ended = try await load(server, rows: rows, in: folder)
    let record = try RunFiles(folder: folder["run"]).record
    let acknowledged = try record.count("ledger.events.acknowledged")
    let confirmed = try record.count("target.eventReadback.confirmed")
    let unreadable = try? record.count("target.eventReadback.unreadable.rows")
    #expect(acknowledged >= 8, "\(ended.text)")
    // A motion or a permission has no true instant.
    #expect(confirmed + (unreadable ?? 0) >= acknowledged, "\(ended.text)\(ended.errorOutput)")
    #expect(rows == "time: /happened" || unreadable == nil)
    #expect(try record.count("ledger.events.lost") == 0)
    #expect(ended.text.contains("found on read-back"))
  }

  @Test("events that a server forgets are lost, and those that it keeps twice are counted")
  func lost() async throws {
    let folder = try TemporaryFolder()
    let server = try server(["--lose"])
    defer { server.signal(SIGKILL) }
    let ended = try await load(server, rows: "id: /id", in: folder)
    let record = try RunFiles(folder: folder["run"]).record
    let acknowledged = try record.count("ledger.events.acknowledged")
    let lost = try record.count("ledger.events.lost")
    #expect(ended.code == 97, "\(ended.text)\(ended.errorOutput)")
    #expect(lost > acknowledged / 6 && lost < acknowledged / 2)
    let confirmed = try record.count("target.eventReadback.confirmed")
    let twice = try record.count("target.eventReadback.twice")
    #expect(confirmed + lost >= acknowledged && twice > confirmed / 6)
    #expect(ended.text.contains("events that event-webhook answered as stored are missing"))
  }
}
