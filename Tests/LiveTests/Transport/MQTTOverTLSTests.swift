import Core
import Foundation
import TestSupport
import Testing

@testable import Transport
@testable import TransportSupport

@Suite(
  "MQTT over TLS", .live, .timeLimit(.minutes(10)), .needs(.mosquitto), .needs(.mosquittoClients))
struct MQTTOverTLSTests {
  private func secured(_ authority: String?) -> ServerTrust {
    var security = ServerTrust()
    security.authorities = authority
    return security
  }

  private func broker(
    _ certificates: Certificates, clients: String? = nil
  ) throws -> Broker {
    try Broker([
      .open,
      .secured(
        certificate: certificates.files.certificate, key: certificates.files.key, clients: clients),
    ])
  }

  @Test(
    "only a broker with a trusted CA and the right host name gets the publish",
    arguments: MQTTSettings.Version.allCases)
  func trust(version: MQTTSettings.Version) throws {
    let certificates = try Certificates()
    let broker = try broker(certificates)
    let subscriber = try broker.subscribe()
    func publish(
      _ body: String, _ security: ServerTrust, to broker: Broker
    ) throws -> MQTTExchange {
      try broker.publish([MQTTMessage("a", body, qos: 2)], door: 1) {
        ($0.security, $0.version) = (security, version)
      }[0]
    }
    let trusted = try publish("trusted", secured(certificates.authority), to: broker)
    #expect(trusted.isAcknowledged && trusted.times.securing > .zero, "\(trusted.result)")
    let other = try Certificates { $0.hosts = ["other.example"] }
    let untrusted = try publish("untrusted", secured(other.authority), to: broker)
    #expect(
      untrusted.failure == .insecure(reason: "\(TLSError.unknownAuthority)"), "\(untrusted.result)")
    let misnamed = try self.broker(other)
    let refused = try publish("misnamed", secured(other.authority), to: misnamed)
    #expect(refused.failure == .insecure(reason: "\(TLSError.wrongName)"), "\(refused.result)")
    var careless = secured(nil)
    (careless.verifies, careless.needsTLS13) = (false, true)
    let taken = try publish("careless", careless, to: misnamed)
    #expect(taken.isAcknowledged, "\(taken.result)")
    let received = try subscriber.messages(1).map(\.body)
    #expect(received == ["trusted"])
  }

  @Test("a file without a CA is an error before the first request")
  func noAuthority() throws {
    var settings = MQTTSettings(broker: Endpoint(host: "127.0.0.1", port: 1))
    settings.security = secured("/no/such/file.pem")
    #expect(throws: TLSSetupError.self) {
      _ = try MQTTCaller(settings) { MQTTLogin(client: "\($0)") }
    }
  }

  @Test("each phone presents its certificate; one without is rejected in one line")
  func identities() throws {
    let certificates = try Certificates()
    let phones = try ["jane", "john"].map { name in try Certificates { $0.name = name } }
    let authorities = "\(certificates.folder)/clients.pem"
    try phones.map { try String(contentsOfFile: $0.authority, encoding: .utf8) }.joined()
      .write(toFile: authorities, atomically: true, encoding: .utf8)
    let broker = try broker(certificates, clients: authorities)
    let subscriber = try broker.subscribe()
    let identities = try phones.map { phone in
      HTTPIdentity(
        certificate: Array(try Data(contentsOf: URL(fileURLWithPath: phone.files.certificate))),
        key: Array(try Data(contentsOf: URL(fileURLWithPath: phone.files.key))))
    }
    let mixed = HTTPIdentity(certificate: identities[0].certificate, key: identities[1].key)
    let login = Logins { phone in
      var login = MQTTLogin(client: "phone-\(phone)")
      login.identity = phone < 2 ? identities[Int(phone)] : phone == 3 ? mixed : nil
      return login
    }
    let ends = try broker.publish(
      (0..<4).map { MQTTMessage("a", "\($0)") }, of: [0, 1, 2, 3], door: 1, login: login
    ) { $0.security = secured(certificates.authority) }
    #expect(ends[0].isAcknowledged && ends[1].isAcknowledged, "\(ends.map(\.result))")
    let received = Set(try subscriber.messages(2).map(\.body))
    #expect(received == ["0", "1"])
    try broker.says("as phone-0 (p2, c1, k60, u'jane')")
    try broker.says("as phone-1 (p2, c1, k60, u'john')")
    // Depends on whether the broker closes before its response is read.
    let words = [TLSError.noClientCertificate, .closed].map { MQTTError.insecure(reason: "\($0)") }
    #expect(ends[2].failure.map(words.contains) == true, "\(ends[2].result)")
    #expect(ends[3].failure?.kind == "TLS failed" && !ends[3].isWritten, "\(ends[3].result)")
  }

  @Test("a client resumes its session only if allowed")
  func resumption() throws {
    let certificates = try Certificates()
    let broker = try broker(certificates)
    let caller = try broker.caller(
      door: 1,
      login: Logins { phone in
        var login = MQTTLogin(client: "phone-\(phone)")
        login.resumes = phone > 0
        return login
      }
    ) { ($0.security, $0.keepsConnections) = (secured(certificates.authority), false) }
    defer { caller.close() }
    for phone in [UInt32(0), 1] {
      for _ in 0..<2 {
        let end = caller.call([MQTTMessage("a", "b")], of: [phone])[0]
        #expect(end.isAcknowledged, "\(end.result)")
      }
    }
    #expect(caller.counters[.handshakesFull] == 3 && caller.counters[.handshakesResumed] == 1)
  }

  @Test("TLS to a broker without it, and the reverse, give one line each")
  func mixedUp() throws {
    let certificates = try Certificates()
    let broker = try broker(certificates)
    let message = [MQTTMessage("a", "b")]
    let security = secured(certificates.authority)
    let refused = try broker.publish(message, door: 0) { $0.security = security }[0]
    // Depends on whether the broker closes before its response is read.
    #expect(
      ["TLS failed", "connection closed"].contains(refused.failure?.kind), "\(refused.result)")
    let clear = try broker.publish(message, door: 1)[0]
    #expect(clear.failure?.kind == "connection closed", "\(clear.result)")
    #expect("\(clear.failure.map(\.description) ?? "")".contains("may need TLS"))
  }
}
