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
