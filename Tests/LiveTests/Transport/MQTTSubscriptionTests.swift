import Core
import Foundation
import LiveSupport
import Synchronization
import TestSupport
import Testing

@testable import Transport
@testable import TransportSupport

@Suite(
  "MQTT subscriptions with mosquitto", .live, .timeLimit(.minutes(10)), .needs(.mosquitto),
  .needs(.mosquittoClients))
struct MQTTSubscriptionTests {
  /// A client that subscribes, on its own loop.
  ///
  /// `@unchecked Sendable`: only the loop's thread uses the client, and the rest is synchronized.
  private final class Viewer: @unchecked Sendable {
    private let loop = EventLoop(name: "test")
    private var clients: MQTTClients?
    private let seen = Mutex<[MQTTMessage]>([])
    private let losses = Mutex<[MQTTError]>([])

    init(_ port: UInt16, _ topics: [String], qos: Int, version: MQTTSettings.Version) throws {
      var settings = MQTTSettings(broker: Endpoint(host: "127.0.0.1", port: port))
      (settings.version, settings.receivedBytesMax) = (version, 8 << 20)
      loop.start()
      let connected = Awaited<MQTTError?>(1)
      loop.sync { [self, settings] in
        let made = try? MQTTClients(
          on: loop, settings,
          login: { _ in
            var login = MQTTLogin(client: "viewer")
            (login.topics, login.topicsQoS) = (topics, qos)
            return login
          }, onEnd: { _, _ in })
        made?.onConnected = { connected.set($1, at: 0) }
        made?.onMessage = { [unowned self] _, message in seen.withLock { $0.append(message) } }
        made?.onLost = { [unowned self] _, error in losses.withLock { $0.append(error) } }
        made?.connect(0)
        clients = made
      }
      #expect(connected.wait()[0] == nil)
    }

    deinit {
      loop.sync { [self] in clients?.close() }
      loop.stopAndWait()
    }

    var lost: [MQTTError] { losses.withLock { $0 } }

    /// Waits until that many messages have come, and returns all.
    func messages(_ count: Int) async throws -> [MQTTMessage] {
      try await eventually("\(count) messages have come") { seen.withLock { $0.count } >= count }
      return seen.withLock { $0 }
    }
  }

  @Test(
    "a client gets what mosquitto_sub gets: each publish of its topics once, at every QoS",
    arguments: MQTTSettings.Version.allCases)
  func publishes(version: MQTTSettings.Version) async throws {
    let broker = try Broker()
    let kept = MQTTMessage("fleet/9/kept", "kept", isRetained: true)
    #expect(try broker.publish([kept])[0].isAcknowledged)
    let oracle = try broker.subscribe(to: "fleet/+/+")
    let all = try Viewer(broker.port, ["fleet/+/+"], qos: 2, version: version)
    var sent: [MQTTMessage] = []
    for number in 0..<60 {
      sent.append(MQTTMessage("fleet/\(number % 5)/phone", "\(number) é", qos: number % 3))
    }
    let others = (0..<10).map { MQTTMessage("fleet/\($0)/phone/event", "event") }
    let ends = try broker.publish(sent + others, of: (0..<70).map { UInt32($0 % 7) })
    #expect(ends.allSatisfy { $0.isAcknowledged })
    let seen = try await all.messages(61)
    let expected = try oracle.messages(61)
    #expect(
      seen.map { "\($0.topic) \($0.qos) \($0.isRetained) \($0.body)" }.sorted()
        == expected.map { "\($0.topic) \($0.qos) \($0.isRetained) \(Array($0.body.utf8))" }.sorted()
    )
    #expect(seen.count == 61 && all.lost.isEmpty)
  }

  @Test("a subscription has its topics only, any bytes, and notices the end of the broker")
  func bytes() async throws {
    let broker = try Broker()
    let viewer = try Viewer(broker.port, ["a/1", "a/2"], qos: 1, version: .v311)
    let bodies: [[UInt8]] = [
      [], [0, 1, 0], Array(0...255), [UInt8](repeating: 0x5B, count: 200_000),
    ]
    let sent = ["a/1", "a/2", "a/3"].flatMap { topic in
      bodies.map { MQTTMessage(topic: topic, body: $0) }
    }
    #expect(try broker.publish(sent).allSatisfy { $0.isAcknowledged })
    let seen = try await viewer.messages(8)
    #expect(seen.map(\.topic) == ["a/1", "a/1", "a/1", "a/1", "a/2", "a/2", "a/2", "a/2"])
    #expect(seen.map(\.body) == bodies + bodies)
    broker.kill()
    try await eventually("the end is noticed") { !viewer.lost.isEmpty }
    #expect(viewer.lost.map(\.kind) == ["connection closed"])
  }
}
