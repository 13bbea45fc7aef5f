import Core
import Foundation
import TestSupport

@testable import Transport

/// Identities of phones.
struct Logins: Sendable {
  let of: @Sendable (UInt32) -> MQTTLogin
  init(_ of: @escaping @Sendable (UInt32) -> MQTTLogin) { self.of = of }
}

extension Broker {
  /// Publishes messages together, each phone by its own client, and returns their ends.
  func publish(
    _ messages: [MQTTMessage], of phones: [UInt32] = [], door: Int = 0,
    login: Logins = Logins { MQTTLogin(client: "phone-\($0)") },
    _ change: (inout MQTTSettings) -> Void = { _ in }
  ) throws -> [MQTTExchange] {
    let caller = try caller(door: door, login: login, change)
    defer { caller.close() }
    return caller.call(messages, of: phones)
  }

  func caller(
    door: Int = 0,
    login: Logins = Logins { MQTTLogin(client: "phone-\($0)") },
    _ change: (inout MQTTSettings) -> Void = { _ in }
  ) throws -> MQTTCaller {
    var settings = MQTTSettings(broker: Endpoint(host: "127.0.0.1", port: ports[door]))
    change(&settings)
    return try MQTTCaller(settings, login: login.of)
  }
}

extension MQTTExchange {
  var failure: MQTTError? {
    if case .failure(let failure) = result { failure } else { nil }
  }

  /// 16: the topic has no subscriber.
  var isAcknowledged: Bool { (try? result.get()).map { [0, 16].contains($0.reason) } ?? false }
}

extension MQTTMessage {
  init(_ topic: String, _ body: String, qos: Int = 1, isRetained: Bool = false) {
    self.init(topic: topic, body: Array(body.utf8), qos: qos, isRetained: isRetained)
  }
}
