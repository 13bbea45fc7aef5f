import Core
import Foundation
import LiveSupport
import TestSupport
import Testing

@testable import Transport
@testable import TransportSupport

@Suite(
  "MQTT over WebSocket with mosquitto", .live, .timeLimit(.minutes(10)), .needs(.mosquitto),
  .needs(.mosquittoClients))
struct MQTTOverWebSocketTests {
  private static let withWill = Logins { phone in
    var login = MQTTLogin(client: "phone-\(phone)")
    login.will = MQTTMessage("will", "gone")
    return login
  }

  private static func change(_ settings: inout MQTTSettings) { settings.subprotocol = "mqtt" }

  @Test(
    "publishes arrive unchanged at every QoS, each phone keeps its connection, and no will is sent",
    arguments: MQTTSettings.Version.allCases)
  func everyQuality(version: MQTTSettings.Version) throws {
    let broker = try Broker([.open, .webSocket])
    let subscriber = try broker.subscribe()
    let caller = try broker.caller(door: 1, login: Self.withWill) {
      Self.change(&$0)
      $0.version = version
    }
    let long = String(repeating: "0123456789", count: 30_000)
    for round in 0..<3 {
      let ends = caller.call(
        (0..<30).map { MQTTMessage("a/\($0)", $0 == 0 ? long : "\(round) \u{e9}", qos: $0 % 3) },
        of: (0..<30).map { $0 % 10 })
      for end in ends {
        #expect(end.isAcknowledged && end.isWritten, "\(end.result)")
        #expect(end.connections == (round == 0 ? 1 : 0) && end.times.whole > .zero)
      }
    }
    let counters = caller.counters
    #expect(counters[.connects] == 10 && counters[.openConnections] == 10)
    #expect(counters[.inFlight] == 0 && counters[.bytesSent] > 900_000)
    caller.close()
    let messages = try subscriber.messages(90)
    #expect(messages.count == 90 && !messages.contains { $0.topic == "will" })
    #expect(messages.count { $0.body == long } == 3)
    #expect(Dictionary(grouping: messages, by: \.qos).mapValues(\.count) == [0: 30, 1: 30, 2: 30])
    try broker.says("10 clients have left") { log in
      (0..<10).allSatisfy { log.contains("Received DISCONNECT from phone-\($0)\n") }
    }
  }

  @Test("one connection per upload: each publish connects and disconnects, without a will")
  func perUpload() throws {
    let broker = try Broker([.open, .webSocket])
    let subscriber = try broker.subscribe()
    let caller = try broker.caller(door: 1, login: Self.withWill) {
      Self.change(&$0)
      $0.keepsConnections = false
    }
    defer { caller.close() }
    for number in 0..<9 {
      let end = caller.call([MQTTMessage("a", "\(number)", qos: number % 3)])[0]
      #expect(end.isAcknowledged && end.connections == 1, "\(end.result)")
    }
    #expect(caller.counters[.connects] == 9 && caller.counters[.openConnections] == 0)
    let messages = try subscriber.messages(9)
    #expect(messages.count == 9 && !messages.contains { $0.topic == "will" })
  }

  @Test("over TLS only a broker with a trusted CA gets the publish, and sessions are resumed")
  func trust() throws {
    let certificates = try Certificates()
    let phone = try Certificates { $0.name = "jane" }
    var secured = Broker.Door.secured(
      certificate: certificates.files.certificate, key: certificates.files.key,
      clients: phone.authority)
    secured = Broker.Door(secured.lines + ["protocol websockets"])
    let broker = try Broker([.open, secured])
    let subscriber = try broker.subscribe()
    func publish(_ authority: String, _ identity: HTTPIdentity?) throws -> [MQTTExchange] {
      let login = Logins {
        var login = MQTTLogin(client: "phone-\($0)")
        (login.identity, login.resumes) = (identity, true)
        return login
      }
      var trust = ServerTrust()
      trust.authorities = authority
      let caller = try broker.caller(door: 1, login: login) { [trust] in
        Self.change(&$0)
        ($0.security, $0.keepsConnections) = (trust, false)
      }
      defer { caller.close() }
      return (0..<2).map { caller.call(MQTTMessage("a", "trusted \($0)")) }
    }
    let identity = HTTPIdentity(
      certificate: Array(try Data(contentsOf: URL(fileURLWithPath: phone.files.certificate))),
      key: Array(try Data(contentsOf: URL(fileURLWithPath: phone.files.key))))
    let known = try publish(certificates.authority, identity)
    #expect(known.allSatisfy { $0.isAcknowledged && $0.times.securing > .zero }, "\(known)")
    #expect(known.map(\.isResumed) == [false, true])
    try broker.says("u'jane'")
    let other = try Certificates()
    let unknown = try publish(other.authority, identity)[0]
    #expect(
      unknown.failure == .insecure(reason: "\(TLSError.unknownAuthority)"), "\(unknown.result)")
    let nobody = try publish(certificates.authority, nil)[0]
    #expect(nobody.failure != nil, "\(nobody.result)")
    let received = try subscriber.messages(2).map(\.body)
    #expect(received == ["trusted 0", "trusted 1"])
  }

  @Test("a broker is killed: each publish ends once, and phones connect again")
  func killed() async throws {
    let broker = try Broker([.open, .webSocket])
    let caller = try broker.caller(door: 1) { Self.change(&$0) }
    defer { caller.close() }
    let first = caller.call((0..<200).map { MQTTMessage("a", "\($0)") }, of: (0..<200).map { $0 })
    #expect(first.allSatisfy { $0.isAcknowledged })
    broker.kill()
    try await eventually("all connections are lost") {
      caller.counters[.connectionsLost] == 200 && caller.counters[.openConnections] == 0
    }
    let refused = caller.call(MQTTMessage("a", "b"))
    #expect(refused.failure?.kind == "connection refused", "\(refused.result)")
    try broker.start()
    let again = caller.call((0..<200).map { MQTTMessage("a", "\($0)") }, of: (0..<200).map { $0 })
    #expect(again.allSatisfy { $0.isAcknowledged && $0.connections == 1 })
  }
}
