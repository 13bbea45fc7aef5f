import Core
import TestSupport
import Testing

@testable import Transport
@testable import TransportSupport

@Suite("Strange servers of MQTT over WebSocket", .quick)
struct StrangeTunnelTests {
  private func publish(
    to server: StrangeServer, _ change: (inout MQTTSettings) -> Void = { _ in }
  ) throws -> (ends: [MQTTExchange], counters: Sheet) {
    var settings = MQTTSettings(broker: Endpoint(host: "127.0.0.1", port: server.port))
    settings.subprotocol = "mqtt"
    (settings.timeout, settings.connectTimeout) = (.minutes(2), .minutes(2))
    change(&settings)
    let caller = try MQTTCaller(settings) {
      var login = MQTTLogin(client: "phone-\($0)")
      login.opening = WebSocketOpening(path: "/mqtt/\($0)")
      login.opening.headers = [("X-Key", "7")]
      return login
    }
    defer { caller.close() }
    return (caller.call((0..<3).map { MQTTMessage("a", "\($0)") }), caller.counters)
  }

  @Test("the upgrade has the login's path, headers and subprotocol; a refusal is named")
  func upgrade() throws {
    let server = StrangeServer(.says("HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\n\r\n"))
    let (ends, counters) = try publish(to: server)
    for end in ends {
      #expect(end.failure?.kind == "client rejected" && !end.isWritten, "\(end.result)")
      #expect("\(end.result)".contains("status 403"), "\(end.result)")
    }
    #expect(counters[.openConnections] == 0 && counters[.inFlight] == 0)
    let request = try #require(server.requests.first)
    #expect(request.hasPrefix("GET /mqtt/0 HTTP/1.1\r\n") && request.contains("X-Key: 7\r\n"))
    #expect(request.contains("Sec-WebSocket-Protocol: mqtt\r\n"), "\(request)")
  }

  @Test("a server that sends nothing, or no MQTT, or closes is one line each")
  func silent() throws {
    let (ends, _) = try publish(to: StrangeServer(.silent)) {
      $0.connectTimeout = .milliseconds(200)
    }
    #expect(ends[0].failure == .connectTimedOut(.acknowledgement), "\(ends[0].result)")
    let text = try publish(to: StrangeServer(.opens(answering: .frame(1, "hello")))).ends[0]
    #expect(text.failure?.kind == "not MQTT", "\(text.result)")
    let closed = try publish(
      to: StrangeServer(.opens(answering: .frame(8, "\u{3}\u{EA}no MQTT here")))
    ).ends[0]
    #expect(closed.failure?.kind == "connection closed", "\(closed.result)")
  }

  @Test("any bytes in any frames end each publish once, and never the process")
  func anyBytes() throws {
    var draw = Draw(seed: 20_261_130, phone: 0, Purpose(rawValue: 990))
    for round in 0..<100 {
      var bytes: [UInt8] = []
      let packets = [[0x20, 2, 0, 0], [0x40, 2, 0, 1], [0x30, 3, 0, 1, 0x61]] as [[UInt8]]
      for _ in 0..<(1 + draw.unit(of: 4)) {
        var packet = packets[draw.unit(of: packets.count)]
        packet[draw.unit(of: packet.count)] = UInt8(draw.unit(of: 256))
        bytes += [0x82, UInt8(packet.count)] + packet
      }
      if round % 3 == 0 { bytes[draw.unit(of: bytes.count)] = UInt8(draw.unit(of: 256)) }
      let version = MQTTSettings.Version.allCases[round % 2]
      let (ends, counters) = try publish(to: StrangeServer(.opens(answering: bytes))) {
        ($0.version, $0.timeout, $0.connectTimeout) = (
          version, .milliseconds(50), .milliseconds(50)
        )
      }
      #expect(ends.count == 3 && counters[.inFlight] == 0, "\(bytes)")
      #expect(counters[.openConnections] == 0 || ends.allSatisfy { $0.failure == nil }, "\(bytes)")
    }
  }
}
