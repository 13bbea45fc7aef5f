import TestSupport
import Testing

@testable import Transport
@testable import TransportSupport

@Suite("MQTT messages", .quick)
struct MQTTMessageTests {
  @Test("a client's first packet has the size that the protocol specifies")
  func connectSize() {
    var login = MQTTLogin(client: "jane")
    #expect(login.packetBytes(version: .v311, isClean: true) == 2 + 10 + 2 + 4)
    #expect(login.packetBytes(version: .v5, isClean: true) == 2 + 10 + 1 + 5 + 2 + 4)
    #expect(login.packetBytes(version: .v5, isClean: false) == 2 + 10 + 1 + 10 + 2 + 4)
    (login.user, login.password) = ("j", "secret")
    login.will = MQTTMessage("a/b", "{}")
    #expect(login.packetBytes(version: .v311, isClean: true) == 18 + 3 + 8 + 5 + 4)
  }

  @Test("a packet has the size that the protocol specifies")
  func sizes() {
    // MQTT 3.1.1, 3.3: header, length, topic with its own, number from QoS 1 on, body.
    #expect(MQTTMessage(topic: "a/b", body: [1, 2], qos: 0).packetBytes(version: .v311) == 9)
    #expect(MQTTMessage(topic: "a/b", body: [1, 2], qos: 1).packetBytes(version: .v311) == 11)
    #expect(MQTTMessage(topic: "a/b", body: [1, 2], qos: 2).packetBytes(version: .v5) == 12)
    let long = MQTTMessage(topic: "t", body: [UInt8](repeating: 0, count: 123))
    #expect(long.packetBytes(version: .v311) == 1 + 2 + 128)
    var short = long
    short.body.removeLast()
    #expect(short.packetBytes(version: .v311) == 1 + 1 + 127)
  }

  @Test(
    "a message that cannot be published is reported in one line",
    arguments: [
      ("", "topic"), ("a/+", "wildcard"), ("#", "wildcard"), ("a\u{0}b", "control"),
      ("a\u{FFFE}", "control"),
    ])
  func faults(topic: String, mark: String) throws {
    let fault = try #require(MQTTMessage(topic: topic).fault)
    #expect(fault.contains(mark) && !fault.contains("\n"), "\(fault)")
  }

  @Test("a topic may have the protocol's maximum length")
  func long() {
    #expect(MQTTMessage(topic: String(repeating: "a", count: 65_535)).fault == nil)
    let fault = MQTTMessage(topic: String(repeating: "a", count: 65_536)).fault
    #expect(fault == "its topic has 65536 bytes; the maximum is 65535")
  }

  @Test("a valid message is accepted, and a quality of service of 3 is refused")
  func qualities() {
    #expect(MQTTMessage(topic: "owntracks/jane/phone", qos: 2).fault == nil)
    #expect(MQTTMessage(topic: "a", qos: 3).fault != nil)
  }

  @Test("an incomplete login is refused before it is sent")
  func logins() {
    #expect(MQTTLogin(client: "").fault(isClean: true) == nil)
    #expect(MQTTLogin(client: "").fault(isClean: false)?.contains("client ID") == true)
    var login = MQTTLogin(client: "jane")
    login.password = "secret"
    #expect(login.fault(isClean: true)?.contains("user") == true)
    login.user = "jane"
    #expect(login.fault(isClean: true) == nil)
    login.will = MQTTMessage(topic: "#")
    #expect(login.fault(isClean: true)?.contains("will") == true)
    login.will = nil
    login.password = "a\u{0}b"
    #expect(login.fault(isClean: true)?.contains("zero") == true)
    #expect(login.fault(isClean: true)?.contains("a\u{0}b") == false)
  }
}
