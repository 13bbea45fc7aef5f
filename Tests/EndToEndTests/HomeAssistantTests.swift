import Foundation
import TestSupport
import Testing

/// Where Home Assistant is installed.
private enum HomeAssistant {
  static let python: URL? = ProcessInfo.processInfo.environment["FLOTILLA_HOMEASSISTANT"].map {
    URL(fileURLWithPath: $0).appendingPathComponent("bin/python")
  }
}

/// A fleet against Home Assistant's own receivers, whose history is read back fix by fix.
///
/// Its installation is 680 MB of 98 packages and takes minutes, so that `FLOTILLA_HOMEASSISTANT`
/// names an environment of Python in which it lies: `pip install -r home_assistant.txt`.
@Suite(
  "Targets against Home Assistant", .timeLimit(.minutes(10)),
  .needsData(
    HomeAssistant.python != nil,
    "FLOTILLA_HOMEASSISTANT names no environment with Home Assistant 2024.3.3"))
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
      try #require(HomeAssistant.python),
      [Self.scripts.appendingPathComponent("home_assistant.py").path, folder["home"].path])
    defer { server.signal(SIGKILL) }
    try await server.says("its address") { $0.contains(#/listening on .*\n/#) }
    let words = server.text.split(whereSeparator: \.isWhitespace)
    let url = "http://\(try #require(words.dropFirst(2).first))"
    let token = String(try #require(words.last))
    for receiver in Self.receivers {
      let target = try file(receiver, in: folder)
      let run = folder[receiver.target]
      let ended = try await Seats.hold {
        try await RunningProcess(
          Program.url,
          [
            "load", "city", "--target", target, "--target-url", url, "--phones", "60",
            "--duration", "3s", "--set", "warmStart=10min", "--set", "start=2026-03-02T08:00",
            "--set", "faults=[]", "--set", "slo={}",
            "--set", "fleet.cohorts[0].policy=radar-continuous", "--ui", "plain",
            "--out", run.path,
          ], environment: ["HASS_TOKEN": token]
        ).end()
      }
      // On a machine that is busy with other tests its rates may be invalid.
      #expect([0, 98].contains(ended.code), "\(target): \(ended.text)\(ended.errorOutput)")
      let record = try RunFiles(folder: run).record
      let stored = try record.count("target.fixes.stored")
      #expect(stored > 5, "\(target): \(ended.text)")
      #expect(try record.count("target.readback.confirmed") == stored, "\(target)")
      #expect(try record.count("target.readback.missing") == 0, "\(target)")
      #expect(try record.count("target.readback.unread") == 0, "\(target)")
    }
  }
}
