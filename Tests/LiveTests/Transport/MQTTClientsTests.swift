import Core
import Foundation
import TestSupport
import Testing

@testable import Transport
@testable import TransportSupport

@Suite(
  "MQTT with mosquitto", .live, .timeLimit(.minutes(10)), .needs(.mosquitto),
  .needs(.mosquittoClients))
struct MQTTClientsTests {
  @Test(
    "publishes arrive unchanged at every QoS, and are retained if requested",
    arguments: MQTTSettings.Version.allCases)
  func everyQuality(version: MQTTSettings.Version) throws {
    let broker = try Broker()
    let subscriber = try broker.subscribe()
    let bodies = ["at most once", "at least once", "exactly once"]
    let messages = bodies.enumerated().map { MQTTMessage("a/b \u{e9}", $1, qos: $0) }
    let kept = MQTTMessage("kept", "last", isRetained: true)
    let ends = try broker.publish(messages + [kept]) { $0.version = version }
    for end in ends {
      #expect(end.isAcknowledged && end.isWritten, "\(end.result)")
      #expect(end.times.whole > .zero && end.connections == 1)
    }
    // An exactly-once message arrives when the broker knows that it came.
    let received = try subscriber.messages(4).map { "\($0.qos) \($0.topic) \($0.body)" }
    let sent = bodies.enumerated().map { "\($0) a/b \u{e9} \($1)" } + ["1 kept last"]
    #expect(received.sorted() == sent.sorted())
    let late = try broker.subscribe(to: "kept").messages(1)
    #expect(
      late
        == [Subscriber.Message(topic: "kept", qos: 1, isRetained: true, body: "last")])
  }

  @Test("each phone is a client with a persistent connection")
  func kept() throws {
    let broker = try Broker()
    let subscriber = try broker.subscribe()
    let caller = try broker.caller()
    for round in 0..<3 {
      let ends = caller.call(
        (0..<20).map { MQTTMessage("phone/\($0)", "\(round)") }, of: (0..<20).map { $0 })
      #expect(ends.allSatisfy { $0.isAcknowledged && $0.connections == (round == 0 ? 1 : 0) })
    }
    let counters = caller.counters
    #expect(
      counters[.connects] == 20 && counters[.connectionsTaken] == 20
        && counters[.openConnections] == 20)
    #expect(
      counters[.inFlight] == 0 && counters[.connectionsLost] == 0 && counters[.bytesReceived] > 0)
    caller.close()
    let received = try Set(subscriber.messages(60))
    #expect(received.count == 60)
    try broker.says("20 clients have left") { log in
      (0..<20).allSatisfy { log.contains("Received DISCONNECT from phone-\($0)\n") }
    }
  }

  @Test("one connection per upload: each publish connects and disconnects, without a will")
  func perUpload() throws {
    let broker = try Broker()
    let subscriber = try broker.subscribe()
    let login = Logins { phone in
      var login = MQTTLogin(client: "phone-\(phone)")
      login.will = MQTTMessage("will", "gone")
      return login
    }
    let caller = try broker.caller(login: login) { $0.keepsConnections = false }
    defer { caller.close() }
    for round in 0..<3 {
      for qos in 0...2 {
        let end = caller.call([MQTTMessage("a", "\(round)-\(qos)", qos: qos)])[0]
        #expect(end.isAcknowledged && end.connections == 1, "\(end.result)")
      }
    }
    #expect(caller.counters[.connects] == 9 && caller.counters[.openConnections] == 0)
    let messages = try subscriber.messages(9)
    #expect(messages.count == 9 && !messages.contains { $0.topic == "will" })
  }

  @Test("the will of a client that does not disconnect is published")
  func will() throws {
    let broker = try Broker()
    let subscriber = try broker.subscribe(to: "will")
    let silent = try broker.caller(
      login: Logins { _ in
        var login = MQTTLogin(client: "jane")
        login.will = MQTTMessage("will", #"{"_type":"lwt"}"#, qos: 2, isRetained: true)
        return login
      })
    #expect(silent.call([MQTTMessage("a", "b")])[0].isAcknowledged)
    // Another client of the same name takes its place.
    let other = try broker.publish(
      [MQTTMessage("a", "b")], login: Logins { _ in MQTTLogin(client: "jane") })
    #expect(other[0].isAcknowledged)
    let received = try subscriber.messages(1)
    #expect(received[0].body == #"{"_type":"lwt"}"#)
    silent.close()
  }

  @Test("a session persists unless clean", arguments: MQTTSettings.Version.allCases)
  func sessions(version: MQTTSettings.Version) throws {
    let broker = try Broker()
    func connect(isClean: Bool) throws {
      let end = try broker.publish([MQTTMessage("a", "b")]) {
        ($0.version, $0.isClean) = (version, isClean)
      }[0]
      #expect(end.isAcknowledged)
    }
    try connect(isClean: false)
    try connect(isClean: false)
    let protocolName = version == .v5 ? "p5" : "p2"
    try broker.says("it twice") { log in
      log.components(separatedBy: "(\(protocolName), c0").count == 3
    }
    // 1: the broker knew the client.
    try broker.says("Sending CONNACK to phone-0 (1, 0)")
    try connect(isClean: true)
    try broker.says("(\(protocolName), c1")
  }

  @Test(
    "a wrong password is one clear line, and nothing is published",
    arguments: MQTTSettings.Version.allCases)
  func passwords(version: MQTTSettings.Version) throws {
    let broker = try Broker(
      [Broker.Door(["allow_anonymous false", "password_file @/passwords"])],
      passwords: [("jane", "right")])
    let login = Logins { phone in
      var login = MQTTLogin(client: "phone-\(phone)")
      login.user = "jane"
      login.password = phone == 0 ? "right" : "wrong"
      return login
    }
    let messages = [MQTTMessage("a", "b"), MQTTMessage("a", "c")]
    let ends = try broker.publish(messages, of: [0, 1], login: login) { $0.version = version }
    #expect(ends[0].isAcknowledged, "\(ends[0].result)")
    #expect(ends[1].failure?.kind == "client rejected" && !ends[1].isWritten)
    let code = version == .v5 ? 135 : 5
    let text = "\(ends[1].failure.map(\.description) ?? "")"
    #expect(
      text.lowercased().contains("not authori") && text.hasSuffix("(code \(code))"), "\(text)")
  }

  @Test("a window limits the publishes in flight; the rest follows in order")
  func window() throws {
    let broker = try Broker()
    let subscriber = try broker.subscribe()
    let messages = (0..<500).map { MQTTMessage("a", "\($0)", qos: $0 % 3) }
    let ends = try broker.publish(messages) { $0.windowMax = 3 }
    #expect(ends.count == 500 && ends.allSatisfy { $0.isAcknowledged })
    #expect(ends[499].times.waiting > .zero)
    let received = try subscriber.messages(500).map(\.body)
    #expect(Set(received).count == 500)
    // Within one quality of service, a client's messages keep their order (MQTT 3.1.1, 4.6).
    for qos in 0...2 {
      let own = received.compactMap { Int($0) }.filter { $0 % 3 == qos }
      #expect(own == own.sorted())
    }
  }

  @Test("the number of connecting clients is limited; the rest waits")
  func turns() throws {
    let broker = try Broker()
    let ends = try broker.publish(
      (0..<100).map { MQTTMessage("a", "\($0)") }, of: (0..<100).map { $0 }
    ) { $0.connectingMax = 3 }
    #expect(ends.allSatisfy { $0.isAcknowledged })
    #expect(ends.contains { $0.times.waiting > .zero })
  }

  /// A broker that is killed takes with it what it acknowledged and has not given its subscribers
  /// yet: that is in its memory, and a subscriber is given twenty at a time. So what it
  /// acknowledged stands in its log alone, where each line is older than the packet.
  @Test("a broker is killed: each publish ends once, and only real acks count")
  func killed() throws {
    let broker = try Broker()
    let caller = try broker.caller { $0.timeout = .seconds(120) }
    defer { caller.close() }
    let phones = (0..<20).map { UInt32($0) }
    func round(_ name: String, of owners: [UInt32]) -> [MQTTExchange] {
      caller.call(owners.indices.map { MQTTMessage("a", "\(name)-\($0)") }, of: owners)
    }
    #expect(round("first", of: phones).allSatisfy { $0.isAcknowledged })
    // More than a window each, so that some are in flight and some wait when it dies.
    let owners = (0..<60_000).map { UInt32($0 % 20) }
    killOnce(broker, hasWritten: 100_000)
    let ends = round("second", of: owners)
    #expect(ends.count == owners.count)
    let said = acknowledgements(in: broker.log)
    for phone in phones {
      let own = zip(owners, ends).filter { $0.0 == phone }.map(\.1)
      let count = own.count { $0.isAcknowledged }
      #expect((1..<own.count).contains(count), "phone \(phone)")
      // The first round's is among them.
      #expect(count < said["phone-\(phone)", default: 0], "phone \(phone)")
    }
    let kinds = Set(ends.compactMap { $0.failure?.kind })
    #expect(kinds.isSubset(of: ["connection closed", "connection refused"]), "\(kinds)")
    for end in ends where end.failure?.kind == "connection refused" { #expect(!end.isWritten) }
    #expect(caller.counters[.inFlight] == 0)
    broker.kill()
    try broker.start()
    let third = round("third", of: phones)
    #expect(third.allSatisfy { $0.isAcknowledged && $0.connections == 1 })
  }

  /// Kills it when its log has grown by that many bytes.
  private func killOnce(_ broker: Broker, hasWritten bytes: Int) {
    let (log, pid) = (broker.folder.appendingPathComponent("log").path, broker.pid)
    @Sendable func size() -> Int {
      let attributes = try? FileManager.default.attributesOfItem(atPath: log)
      return attributes?[.size] as? Int ?? 0
    }
    let start = size()
    Thread.detachNewThread {
      while size() < start + bytes { usleep(500) }
      kill(pid, SIGKILL)
    }
  }

  /// Counts the broker's acknowledgements, by client.
  private func acknowledgements(in log: String) -> [String: Int] {
    var counts: [String: Int] = [:]
    for line in log.split(separator: "\n") {
      guard let start = line.firstRange(of: "Sending PUBACK to ") else { continue }
      counts[String(line[start.upperBound...].prefix { $0 != " " }), default: 0] += 1
    }
    return counts
  }
}
