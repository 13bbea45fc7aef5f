import Foundation
import LiveSupport
import TestSupport
import Testing

@Suite(
  "Viewers over MQTT", .live, .timeLimit(.minutes(10)), .needs(.mosquitto),
  .needs(.mosquittoClients))
struct TargetSubscriptionTests {
  private static func start(
    _ broker: Broker, url: String? = nil, sees: String, in folder: TemporaryFolder,
    seconds: Int = 10
  ) throws -> RunningProcess {
    try Program.start(
      [
        "load", "city", "--target", "owntracks-mqtt", "--target-url",
        url ?? "mqtt://127.0.0.1:\(broker.port)", "--phones", "300", "--duration", "\(seconds)s",
        "--set", "warmStart=10min", "--set", "start=2026-03-02T08:00", "--set", "faults=[]",
        "--set", "slo={}", "--set", "fleet.cohorts[0].policy=radar-continuous",
        "--set", "fleet.cohorts[1].policy=radar-continuous", "--ui", "plain",
        "--out", folder["run"].path,
      ] + watched(sees: sees))
  }

  /// Owners who look at the app all the time.
  private static func watched(sees: String) -> [String] {
    [
      "viewers={share: 10%, sees: \(sees), every: 1s}", "fleet.phone.sessionsPerDay=1000",
      "fleet.phone.daysUnopened=0%", "fleet.phone.sessionLength=1h", "fleet.phone.unopened=0%",
    ].flatMap { ["--set", $0] }
  }

  /// What the broker's log says of viewers: the messages that it sent to them, and those that it had
  /// to send by their subscriptions and the publishes of phones.
  private struct Log {
    var sent = 0
    var owed = 0

    init(_ text: String) {
      var topics: [Substring: Set<Substring>] = [:]
      var subscriber: Substring?
      for line in text.split(separator: "\n") {
        let line = line.drop { $0 != ":" }.dropFirst(2)
        let words = line.split(separator: " ")
        // A subscription's topics stand on lines of their own, such as "\ta/+/b (QoS 1)".
        if let name = subscriber, line.hasPrefix("\t"), let topic = words.first {
          topics[name, default: []].insert(topic.drop { $0 == "\t" })
          continue
        }
        subscriber = line.hasPrefix("Received SUBSCRIBE from ") ? words.last : nil
        if line.hasPrefix("Received DISCONNECT from "), let name = words.last { topics[name] = nil }
        if line.hasPrefix("Sending PUBLISH to ") { sent += words[3].hasSuffix("-view") ? 1 : 0 }
        if line.hasPrefix("Received PUBLISH from "),
          let topic = words.first(where: { $0.hasPrefix("'") })
        {
          let name = topic.split(separator: "'")[0]
          let isEvent = name.hasSuffix("/event")
          owed += topics.values.count {
            $0.contains(name) || !isEvent && $0.contains("owntracks/+/+")
          }
        }
      }
    }
  }

  @Test(
    "a viewer gets each publish of the phones that it watches, by the broker's log",
    arguments: [("mqtt", "2"), ("mqtt", "all"), ("ws", "2")])
  func sees(scheme: String, sees: String) async throws {
    let folder = try TemporaryFolder()
    let broker = try Broker([.open, .webSocket])
    let url = "\(scheme)://127.0.0.1:\(broker.ports[scheme == "ws" ? 1 : 0])"
    let ended = try await Self.start(broker, url: url, sees: sees, in: folder).end()
    ended.expectRun()
    let record = try RunFiles(folder: folder["run"]).record
    try record.expectTargetBalance()
    let viewers = try record.count("target.views.viewers")
    #expect(try (10...50).contains(viewers) && record.count("target.views.sessions") > viewers / 2)
    let messages = try record.count("target.views.messages")
    let log = Log(broker.log)
    // The broker also sent the retained messages of subscriptions, and the last publish may have been
    // under way at the end of the run.
    #expect(log.sent - viewers...log.sent ~= messages, "\(log) \(ended.text)")
    #expect(log.owed > 0 && log.sent >= log.owed, "\(log)")
    #expect(try record.count("target.views.failed") == 0, "\(ended.text)")
    #expect(try record.count("target.views.bytes") > messages * 100)
    if sees == "all" { #expect(try record.number("target.views.perUpload") > 10) }
    #expect(ended.text.contains(#/\d messages to \d+ viewers in [0-9,]+ looks at the app/#))
    #expect(try RunFiles(folder: folder["run"]).text("report.html").contains("messages to"))
  }

  @Test("a broker that dies leaves failed connections and an ended run")
  func dies() async throws {
    let folder = try TemporaryFolder()
    let broker = try Broker()
    let load = try Self.start(broker, sees: "all", in: folder)
    try await load.says("acknowledged uploads") { $0.contains(#/acked=[1-9]/#) }
    broker.kill()
    let ended = try await load.end()
    ended.expectRun([98, 99])
    #expect(ended.text.contains("owntracks-mqtt: view got no answer: "), "\(ended.text)")
    let record = try RunFiles(folder: folder["run"]).record
    try record.expectTargetBalance()
    #expect(try record.count("target.views.failed") > 0)
  }

  @Test("payloads of a strange publisher are counted, and end nothing")
  func stranger() async throws {
    let folder = try TemporaryFolder()
    let broker = try Broker()
    let payloads: [(String, [UInt8])] = [
      ("garbage", [0xFF, 0, 0x1B, 0x5B, 0x33, 0x31, 0x6D]),
      ("nested", [UInt8](repeating: 0x5B, count: 100_000)),
      ("scalar", Array("1".utf8)), ("text", Array(#""\u001b[31m""#.utf8)),
      ("rows", Array(#"[{"lat":1e999,"lon":"x","tst":-1}]"#.utf8)),
    ]
    let load = try Self.start(broker, sees: "all", in: folder)
    try broker.says("Sending SUBACK to user")
    for (name, bytes) in payloads {
      let file = folder[name]
      try Data(bytes).write(to: file)
      let sent = try await Program.runTool(
        "mosquitto_pub",
        ["-p", "\(broker.port)", "-t", "owntracks/stranger/\(name)", "-r", "-f", file.path])
      #expect(sent.code == 0, "\(sent.errorOutput)")
    }
    let ended = try await load.end()
    ended.expectRun()
    #expect(!ended.text.contains("\u{1b}"))
    let record = try RunFiles(folder: folder["run"]).record
    // The garbage and the nested list are no JSON; the others are no positions.
    #expect(try record.count("target.views.failed") > 0 && record.count("target.views.empty") > 0)
  }

  @Test("target try subscribes, and demand counts messages, more of them if viewers see all")
  func trial() async throws {
    let broker = try Broker()
    let url = "mqtt://127.0.0.1:\(broker.port)"
    let ended = try await Program.run([
      "target", "try", "owntracks-mqtt", "--target-url", url,
    ])
    #expect(ended.code == 0, "\(ended.text)\(ended.errorOutput)")
    #expect(
      ended.text.contains(
        "view       SUBSCRIBE owntracks/user000000/phone, QoS 1\n  subscribed\n"), "\(ended.text)")
    try broker.says("Received DISCONNECT from user000000phone-view")
    broker.kill()
    let dead = try await Program.run(["target", "try", "owntracks-mqtt", "--target-url", url])
    #expect(dead.code != 0 && !dead.text.contains("subscribed"))
    var rates: [Double] = []
    for sees in ["2", "all"] {
      let demand = try await Program.run(
        [
          "demand", "city", "--target", "owntracks-mqtt", "--phones", "2000", "--duration", "1h",
        ] + Self.watched(sees: sees))
      let rate = demand.text.firstMatch(of: #/([0-9.,]+)\/s \([0-9.,]+\) messages to viewers/#)
      let found = try #require(rate, "\(demand.text)\(demand.errorOutput)")
      rates.append(try #require(Double(found.1.replacing(",", with: ""))))
    }
    #expect(rates[0] > 0 && rates[1] > 50 * rates[0], "\(rates)")
  }
}
