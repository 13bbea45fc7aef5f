import Core
import Foundation
import TestSupport
import Testing

@testable import Transport
@testable import TransportSupport

@Suite("Faulty MQTT brokers", .quick)
struct BadBrokerTests {
  private func publish(
    to broker: BadBroker, count: Int = 1, _ change: (inout MQTTSettings) -> Void = { _ in }
  ) throws -> (ends: [MQTTExchange], counters: Sheet) {
    try publish(to: Endpoint(host: "127.0.0.1", port: broker.port), count: count, change)
  }

  private func publish(
    to broker: Endpoint, count: Int = 1, _ change: (inout MQTTSettings) -> Void = { _ in }
  ) throws -> (ends: [MQTTExchange], counters: Sheet) {
    var settings = MQTTSettings(broker: broker)
    // For tests without a time limit of their own, next to tests that compute on every core.
    settings.connectTimeout = .minutes(2)
    change(&settings)
    let caller = try MQTTCaller(settings) { MQTTLogin(client: "phone-\($0)") }
    defer { caller.close() }
    let ends = caller.call((0..<count).map { MQTTMessage("a", "\($0)") })
    return (ends, caller.counters)
  }

  @Test("a broker that accepts the connection and sends no CONNACK ends in the time for it")
  func silent() throws {
    let broker = BadBroker(.silent)
    let (ends, counters) = try publish(to: broker, count: 3) {
      $0.connectTimeout = .milliseconds(200)
    }
    for end in ends {
      #expect(end.failure == .connectTimedOut(.acknowledgement), "\(end.result)")
      #expect(!end.isWritten && end.times.whole >= .milliseconds(199))
      #expect(end.times.writing >= .milliseconds(100) && end.times.whole < .seconds(30))
    }
    #expect(counters[.openConnections] == 0 && counters[.inFlight] == 0)
    let secured = try publish(to: broker) {
      ($0.connectTimeout, $0.security) = (.milliseconds(200), ServerTrust())
    }
    #expect(secured.ends[0].failure == .connectTimedOut(.tls), "\(secured.ends[0].result)")
  }

  @Test("a broker that never acknowledges: the first publish times out, the others go with it")
  func neverAcknowledges() throws {
    let broker = BadBroker(.neverAcknowledges)
    let (ends, counters) = try publish(to: broker, count: 30) { $0.timeout = .milliseconds(200) }
    #expect(ends[0].failure == .timedOut && ends[0].isWritten, "\(ends[0].result)")
    #expect(ends.allSatisfy { $0.failure != nil })
    #expect(
      ends.prefix(20).allSatisfy { $0.isWritten } && !ends.suffix(10).contains { $0.isWritten })
    #expect(
      counters[.openConnections] == 0 && counters[.inFlight] == 0 && counters[.connectionsLost] == 1
    )
  }

  @Test("a broker that closes is one line, before CONNACK and after a publish")
  func closes() throws {
    let early = try publish(to: BadBroker(.closesAtOnce)).ends[0]
    #expect(early.failure?.kind == "connection closed" && !early.isWritten, "\(early.result)")
    let late = try publish(to: BadBroker(.closesAfterPublish)).ends[0]
    #expect(late.failure?.kind == "connection closed" && late.isWritten, "\(late.result)")
  }

  @Test("bytes other than MQTT are reported as such")
  func http() throws {
    let end = try publish(to: BadBroker(.http)).ends[0]
    #expect(end.failure == .violated(reason: "it begins with 'HTTP/1.1 400 Bad'"), "\(end.result)")
    #expect(end.failure?.kind == "not MQTT" && !end.isWritten)
  }

  @Test("bytes other than MQTT are reported as such, whenever the first ones come")
  func httpAtAnyInstant() throws {
    let broker = BadBroker(.http)
    for _ in 0..<2_000 {
      let end = try publish(to: broker) { $0.connectTimeout = .seconds(20) }.ends[0]
      try #require(end.failure?.kind == "not MQTT", "\(end.result)")
    }
  }

  @Test("unsolicited data is cut off, one endless packet or many")
  func floods() throws {
    for conduct in [BadBroker.Conduct.endlessPacket, .floods] {
      let (ends, counters) = try publish(to: BadBroker(conduct))
      #expect(ends[0].failure == .tooLarge(limit: 65_536), "\(conduct): \(ends[0].result)")
      #expect(counters[.openConnections] == 0)
    }
  }

  @Test("a name that does not resolve and a port without a listener are one line each")
  func unreachable() throws {
    let unnamed = try publish(to: Endpoint(host: "no-such-name.invalid", port: 1_883), count: 2)
    for end in unnamed.ends {
      #expect(end.failure == .unresolved(host: "no-such-name.invalid") && !end.isWritten)
    }
    let refused = try publish(to: Endpoint(host: "localhost", port: 1)).ends[0]
    #expect(refused.failure == .refused(reason: "Connection refused"), "\(refused.result)")
    #expect("\(refused.failure.map(\.description) ?? "")" == "no connection: Connection refused")
  }

  @Test("a message that cannot be sent costs no phone its connection")
  func malformed() throws {
    let caller = try MQTTCaller(MQTTSettings(broker: Endpoint(host: "127.0.0.1", port: 1))) {
      MQTTLogin(client: "phone-\($0)")
    }
    defer { caller.close() }
    let end = caller.call([MQTTMessage("a/#", "b")])[0]
    #expect(end.failure?.kind == "malformed message", "\(end.result)")
    #expect(caller.counters[.connects] == 0)
  }

  @Test(
    "a message above the broker's announced limit is refused for that limit, not as malformed",
    arguments: [
      ([0x20, 0x05, 0, 0, 2, 0x24, 0], "QoS"),
      ([0x20, 0x08, 0, 0, 5, 0x27, 0, 0, 0, 4], "maximum packet size"),
    ] as [([UInt8], String)])
  func notTaken(greeting: [UInt8], reason: String) throws {
    let (ends, _) = try publish(to: BadBroker(.says(greeting))) { $0.version = .v5 }
    let error = try #require(ends[0].failure)
    #expect(error.kind == "not allowed by the broker" && !ends[0].isWritten, "\(error)")
    #expect(error.description.contains(reason))
  }

  /// On an MQTT 5 property that it does not know, libmosquitto 2.0.11 logs a line for no client,
  /// asserts that there is one, and would end the program.
  @Test(
    "an unknown property is a protocol violation, in every packet",
    arguments: [
      BadBroker.Conduct.says([0x20, 0x05, 0, 0, 2, 0x7F, 0]),
      .says([0xF0, 0x04, 0, 2, 0x7F, 0]), .says([0xE0, 0x04, 0, 2, 0x7F, 0]),
      .answers([0x40, 0x06, 0, 1, 0, 2, 0x7F, 0]), .answers([0x50, 0x06, 0, 1, 0, 2, 0x7F, 0]),
      .answers([0x62, 0x06, 0, 1, 0, 2, 0x7F, 0]), .answers([0x70, 0x06, 0, 1, 0, 2, 0x7F, 0]),
      .answers([0x30, 0x06, 0, 1, 0x61, 2, 0x7F, 0]), .answers([0x90, 0x05, 0, 1, 2, 0x7F, 0]),
      .answers([0xE0, 0x04, 0, 2, 0x7F, 0]), .answers([0xF0, 0x04, 0, 2, 0x7F, 0]),
    ])
  func unknownProperty(conduct: BadBroker.Conduct) throws {
    let isGreeted = if case .answers = conduct { true } else { false }
    let (ends, counters) = try publish(to: BadBroker(conduct), count: 2) { $0.version = .v5 }
    #expect(ends.map { $0.failure?.kind } == ["not MQTT", "not MQTT"], "\(ends.map(\.result))")
    #expect(ends[0].isWritten == isGreeted)
    #expect(counters[.openConnections] == 0 && counters[.inFlight] == 0)
  }

  /// libmosquitto parses the protocol itself; the invariants here are that each publish ends once,
  /// and that no connection is left, whatever comes.
  @Test("random bytes instead of CONNACK and acknowledgements end each publish once")
  func randomBytes() throws {
    var draw = Draw(seed: 20_261_123, phone: 0, Purpose(rawValue: 990))
    for round in 0..<120 {
      let bytes = Self.packets(&draw)
      let version = MQTTSettings.Version.allCases[round % 2]
      let conduct: BadBroker.Conduct = round % 3 == 0 ? .says(bytes) : .answers(bytes)
      let (ends, counters) = try publish(to: BadBroker(conduct), count: 3) {
        ($0.version, $0.timeout, $0.connectTimeout) = (version, .seconds(5), .seconds(5))
      }
      #expect(ends.count == 3, "\(bytes)")
      // Random bytes may contain an acknowledgement.
      for end in ends { #expect(end.failure.map { "\($0)" }?.contains("\n") != true, "\(bytes)") }
      #expect(counters[.inFlight] == 0 && counters[.openConnections] <= 1, "\(bytes)")
    }
  }

  private static func packets(_ draw: inout Draw) -> [UInt8] {
    let kinds: [UInt8] = [0x20, 0x30, 0x32, 0x40, 0x50, 0x62, 0x70, 0x90, 0xD0, 0xE0, 0xF0]
    var bytes: [UInt8] = []
    for _ in 0..<Int.random(in: 1...4, using: &draw) {
      let length = Int.random(in: 0...12, using: &draw)
      bytes.append(
        Bool.random(using: &draw)
          ? kinds[Int.random(in: 0..<kinds.count, using: &draw)]
          : UInt8.random(in: 0...255, using: &draw))
      bytes.append(
        Bool.random(using: &draw) ? UInt8(length) : UInt8.random(in: 0...255, using: &draw))
      bytes += (0..<length).map { _ in UInt8.random(in: 0...255, using: &draw) }
    }
    return bytes
  }

  // MARK: Subscriptions

  /// Connects a client that subscribes, and returns the error.
  private func subscribe(
    to broker: BadBroker, _ topics: [String] = ["a/b", "c/+"],
    _ change: (inout MQTTSettings) -> Void = { _ in }
  ) throws -> (error: MQTTError?, counters: Sheet) {
    var settings = MQTTSettings(broker: Endpoint(host: "127.0.0.1", port: broker.port))
    (settings.connectTimeout, settings.timeout) = (.minutes(2), .minutes(2))
    change(&settings)
    let caller = try MQTTCaller(settings) {
      var login = MQTTLogin(client: "viewer-\($0)")
      login.topics = topics
      return login
    }
    defer { caller.close() }
    return (caller.connect(), caller.counters)
  }

  @Test("a client is connected once the broker has granted each topic, and a refused one is named")
  func subscriptions() throws {
    let granted = try subscribe(to: BadBroker(.answers([0x90, 4, 0, 1, 1, 0])))
    #expect(granted.error == nil && granted.counters[.connectionsTaken] == 1)
    let refused = try subscribe(to: BadBroker(.answers([0x90, 4, 0, 1, 1, 128]))).error
    #expect(
      "\(try #require(refused))"
        == "the broker rejects the client: it refuses the topic \"c/+\" (code 128)")
    let silent = try subscribe(to: BadBroker(.neverAcknowledges)) {
      $0.connectTimeout = .milliseconds(200)
    }
    #expect(silent.error == .connectTimedOut(.acknowledgement), "\(silent)")
    for topics in [["a/#/b"], ["a\nb"], [String(repeating: "a", count: 70_000)]] {
      let error = try subscribe(to: BadBroker(.neverAcknowledges), topics).error
      #expect(error?.kind == "malformed message", "\(topics): \(String(describing: error))")
    }
  }

  @Test("random bytes instead of a subscription's answer and messages never end the process")
  func randomSubscriptions() throws {
    var draw = Draw(seed: 20_261_124, phone: 0, Purpose(rawValue: 990))
    for round in 0..<120 {
      let version = MQTTSettings.Version.allCases[round % 2]
      let answer: [UInt8] = version == .v5 ? [0x90, 5, 0, 1, 0, 1, 1] : [0x90, 4, 0, 1, 1, 1]
      let bytes = (round % 3 == 0 ? [] : answer) + Self.packets(&draw)
      let (error, counters) = try subscribe(to: BadBroker(.answers(bytes))) {
        ($0.version, $0.connectTimeout) = (version, .seconds(5))
      }
      #expect(error.map { "\($0)" }?.contains("\n") != true, "\(bytes)")
      #expect(counters[.openConnections] <= 1, "\(bytes)")
    }
  }
}
