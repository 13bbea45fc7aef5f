import Foundation
import LiveSupport
import TestSupport
import Testing

/// A fleet, and one phone, against mosquitto.
@Suite(
  "MQTT targets with mosquitto", .live, .timeLimit(.minutes(10)), .needs(.mosquitto),
  .needs(.mosquittoClients))
struct TargetMQTTTests {
  private func load(
    _ broker: Broker, _ folder: TemporaryFolder, phones: Int, seconds: Int
  ) throws -> RunningProcess {
    try Program.start([
      "load", "city", "--target", "owntracks-mqtt", "--target-url",
      "mqtt://127.0.0.1:\(broker.port)", "--phones", "\(phones)", "--duration", "\(seconds)s",
      "--set", "warmStart=10min", "--set", "start=2026-03-02T08:00", "--set", "faults=[]",
      "--set", "slo={}", "--set", "fleet.cohorts[0].policy=radar-continuous",
      "--set", "fleet.cohorts[1].policy=radar-continuous", "--ui", "plain",
      "--out", folder["run"].path,
    ])
  }

  /// The run ended normally.
  ///
  /// - Parameter codes: includes 99 if the broker may not, or does not, store enough.
  private func checkEnd(_ ended: Ended, _ codes: [Int32] = [0, 98]) {
    #expect(codes.contains(ended.code), "\(ended.text)\(ended.errorOutput)")
  }

  @Test("a broker is killed and restarted: the accounts balance")
  func killed() async throws {
    let broker = try Broker()
    let subscriber = try broker.subscribe(to: "owntracks/+/phone")
    let folder = try TemporaryFolder()
    let process = try load(broker, folder, phones: 1000, seconds: 300)
    _ = try subscriber.messages(20)
    broker.kill()
    try await process.says("owntracks-mqtt: upload got no answer: ")
    try broker.start()
    // The fleet is back: the log restarts with the broker.
    try broker.says("Received PUBLISH from user")
    process.signal(SIGINT)
    try await process.end().expectInterrupted()
    let record = try RunFiles(folder: folder["run"]).record
    try record.expectTargetBalance()
    #expect(try record.count("target.fixes.stored") > 20)
    // Whether a fix is unanswered at the end depends on when the broker is back.
    let answers = try record.rows("target.answers")
    #expect(answers.contains { ["failed", "unknown"].contains($0["meaning"] as? String) })
  }

  @Test("a broker that never acknowledges gives balanced accounts and one line", .needs(.python))
  func neverAcknowledges() async throws {
    let folder = try TemporaryFolder()
    let python = Program.root.appendingPathComponent("Tests/LiveTests/Python")
    let broker = try RunningProcess(
      try #require(Program.tool("python3")),
      [python.appendingPathComponent("mute_broker.py").path])
    try await broker.says("its port") { $0.contains(#/^\d+\n/#) }
    let shipped = Program.root.appendingPathComponent("scenarios/targets/owntracks-mqtt.yaml")
    let text = try String(contentsOf: shipped, encoding: .utf8)
      .replacing("longest: 64s,", with: "longest: 64s, deadline: 1s,")
    try Data(text.utf8).write(to: folder["owntracks-mqtt.yaml"])
    let ended = try await Program.run([
      "load", "city", "--target", folder["owntracks-mqtt.yaml"].path, "--target-url",
      "mqtt://127.0.0.1:\(broker.text.prefix { $0 != "\n" })", "--phones", "300",
      "--duration", "3s", "--set", "warmStart=10min", "--set", "start=2026-03-02T08:00",
      "--set", "faults=[]", "--set", "slo={}", "--set",
      "fleet.cohorts[0].policy=radar-continuous", "--ui", "plain", "--out", folder["run"].path,
    ])
    checkEnd(ended, [98, 99])
    let record = try RunFiles(folder: folder["run"]).record
    try record.expectTargetBalance()
    #expect(try record.count("target.fixes.stored") == 0)
    #expect(try record.count("target.fixes.unknown") > 5)
    let lines = ended.text.split(separator: "\n").filter { $0.contains("got no answer: ") }
    #expect(lines.count == 1, "\(ended.text)")
  }

  @Test("bench mqtt connects its clients, and mosquitto acknowledges their publishes")
  func bench() async throws {
    let ended = try await Program.run(
      [
        "bench", "mqtt", "--clients", "100", "--rate", "200", "--seconds", "1", "--rounds", "1",
        "--json",
      ], of: Program.lab)
    #expect(ended.code == 0, "\(ended.text)\(ended.errorOutput)")
    let rows = try JSONSerialization.jsonObject(with: ended.output) as? [[String: Any]]
    let row = try #require(rows?.first { $0["bench"] as? String == "mqtt" })
    func median(_ figure: String) -> Double {
      (row[figure] as? [String: Double])?["median"] ?? -1
    }
    #expect(median("connectedClients") == 100 && median("failed") == 0)
    #expect(median("publishesPerSecond") > 50 && median("residentMegabytes") > 1)
  }
}
