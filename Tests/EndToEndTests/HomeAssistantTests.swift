import Foundation
import TestSupport
import Testing

/// A fleet against Home Assistant's own receivers, whose history is read back fix by fix.
///
/// Its installation is 680 MB of 98 packages and takes minutes: `.ci/home-assistant` makes it once,
/// and `FLOTILLA_HOMEASSISTANT` names it.
@Suite(
  "Targets against Home Assistant", .timeLimit(.minutes(10)),
  .needs(.homeAssistant))
struct HomeAssistantTests {
  private static let scripts = Program.root.appendingPathComponent("Tests/EndToEndTests/Python")

  /// How a shipped target becomes that of a webhook of Home Assistant, and what the phone is called
  /// there.
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

  /// The shipped target starts an endpoint for the server's notifications, of which there are none.
  private static let pushed = ["--push-endpoint", "127.0.0.1:0", "--push-alone"]

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

  @Test("what its receivers answer as stored is in its history, for each of four clients")
  func receivers() async throws {
    let folder = try TemporaryFolder()
    let server = try RunningProcess(
      URL(fileURLWithPath: try #require(Oracle.homeAssistant.path)),
      [Self.scripts.appendingPathComponent("home_assistant.py").path, folder["home"].path])
    defer { server.signal(SIGKILL) }
    try await server.says("its address") { $0.contains(#/listening on .*\n/#) }
    let words = server.text.split(whereSeparator: \.isWhitespace)
    let url = "http://\(try #require(words.dropFirst(2).first))"
    let token = String(try #require(words.last))
    try await withThrowingTaskGroup(of: Void.self) { runs in
      for receiver in Self.receivers {
        runs.addTask { try await load(receiver, at: url, token, in: folder) }
      }
      try await runs.waitForAll()
    }
  }

  /// A run against one receiver, and what its ledger says of the history.
  private func load(
    _ receiver: Receiver, at url: String, _ token: String, in folder: TemporaryFolder
  ) async throws {
    let target = try file(receiver, in: folder)
    let run = folder[receiver.target]
    let ended = try await Seats.hold {
      let load = try RunningProcess(
        Program.url,
        [
          "load", "city", "--target", target, "--target-url", url, "--phones", "60",
          "--duration", "5min", "--set", "phases.ramp=1s", "--set", "phases.drain=10s",
          "--set", "warmStart=10min", "--set", "start=2026-03-02T08:00", "--set", "faults=[]",
          "--set", "slo={}", "--set", "fleet.cohorts[0].policy=radar-continuous", "--ui", "plain",
          "--out", run.path,
        ] + (receiver.entity.isEmpty ? Self.pushed : []), environment: ["HASS_TOKEN": token])
      // However slow its server is beside other tests, it has fixes to read back then.
      try await load.says("that fixes are stored") { $0.contains(#/acked=[1-9]/#) }
      load.signal(SIGINT)
      return try await load.end()
    }
    #expect(ended.code == 130, "\(target): \(ended.text)\(ended.errorOutput)")
    let record = try RunFiles(folder: run).record
    let stored = try record.count("target.fixes.stored")
    #expect(stored > 0, "\(target): \(ended.text)")
    #expect(try record.count("target.readback.confirmed") == stored, "\(target)")
    #expect(try record.count("target.readback.missing") == 0, "\(target)")
    #expect(try record.count("target.readback.unread") == 0, "\(target)")
  }
}
