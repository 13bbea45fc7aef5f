import Foundation
import LiveSupport
import TestSupport
import Testing

/// A fleet, and one phone, against mosquitto.
@Suite(
  "MQTT targets with mosquitto", .timeLimit(.minutes(2)), .needs(.mosquitto),
  .needs(.mosquittoClients))
struct TargetMQTTTests {
  @Test("target try publishes once, for mosquitto_sub, or prints an error; show has the command")
  func trial() async throws {
    try await expectRefused()
    let broker = try Broker()
    let subscriber = try broker.subscribe()
    let url = "mqtt://127.0.0.1:\(broker.port)"
    let ended = try await Program.run(
      ["target", "try", "owntracks-mqtt", "--target-url", url, "--phone", "17"])
    #expect(ended.code == 0, "\(ended.text)\(ended.errorOutput)")
    #expect(ended.text.contains("upload     PUBLISH owntracks/user000017/phone, QoS 1"))
    #expect(ended.text.contains("0 met rule 1 of 2: stored"))
    #expect(ended.text.contains("acknowledged by the broker, not verified"))
    #expect(!ended.text.contains("password-17"))
    let message = try subscriber.messages(1)[0]
    #expect(message.topic == "owntracks/user000017/phone" && message.qos == 1)
    let body = try JSONSerialization.jsonObject(with: Data(message.body.utf8)) as? [String: Any]
    #expect(body?["_type"] as? String == "location" && body?["tid"] as? String == "17")
    try broker.says("as user000017phone (p2, c0, k60, u'user000017')")
    // The printed command does the same.
    let shown = try await Program.run(
      [
        "target", "show", "owntracks-mqtt", "--target-url", url, "--phone", "18", "--fixes", "1",
      ])
    let command = try #require(
      shown.text.split(separator: "\n").first { $0.hasPrefix("mosquitto_pub") })
    try await Shell.run(String(command))
    #expect(try subscriber.messages(2).last?.topic == "owntracks/user000018/phone")
  }

  /// A closed port and a missing password give one line each.
  private func expectRefused() async throws {
    let port = try FreePort.next()
    let nobody = try await Program.run(
      ["target", "try", "owntracks-mqtt", "--target-url", "mqtt://127.0.0.1:\(port)"])
    #expect(nobody.code == 69 && nobody.text.contains("no connection: Connection refused"))
    let broker = try Broker(
      [Broker.Door(["allow_anonymous false", "password_file @/passwords"])],
      passwords: [("user000000", "password-1")])
    let url = "mqtt://127.0.0.1:\(broker.port)"
    let wrong = try await Program.run(["target", "try", "owntracks-mqtt", "--target-url", url])
    #expect(wrong.code == 69 && wrong.text.contains("rejects the client: "))
    let load = try await Program.run(
      ["load", "city", "--phones", "10", "--target", "owntracks-mqtt", "--target-url", url])
    #expect(load.code == 69 && load.errorOutput.contains("rejects the client: "))
  }

  @Test("a fleet publishes to mosquitto, and a subscriber gets all acknowledged batches")
  func fleet() async throws {
    let broker = try Broker()
    let subscriber = try broker.subscribe(to: "owntracks/+/phone")
    let folder = try TemporaryFolder()
    let ended = try await Program.run([
      "load", "city", "--target", "owntracks-mqtt", "--target-url",
      "mqtt://127.0.0.1:\(broker.port)", "--phones", "800", "--duration", "2s",
      "--set", "warmStart=10min", "--set", "start=2026-03-02T08:00", "--set", "faults=[]",
      "--set", "slo={}", "--set", "fleet.cohorts[0].policy=radar-continuous",
      "--set", "fleet.cohorts[1].policy=radar-continuous", "--ui", "plain",
      "--out", folder["run"].path,
    ])
    ended.expectRun()
    #expect(ended.text.contains("not verified"))
    let record = try RunFiles(folder: folder["run"]).record
    try record.expectTargetBalance()
    let stored = try record.count("target.fixes.stored")
    #expect(stored > 20)
    let messages = try subscriber.messages(stored)
    #expect(messages.count == stored && messages.allSatisfy { $0.qos == 1 })
    #expect(Set(messages.map(\.topic)).count > 10)
  }
}
