package struct MQTTMessage: Sendable, Equatable {
  /// The topic, without wildcards.
  package var topic: String
  package var body: [UInt8]
  /// The quality of service: 0 at most once, 1 at least once, 2 exactly once.
  package var qos: Int
  package var isRetained: Bool

  package init(topic: String, body: [UInt8] = [], qos: Int = 1, isRetained: Bool = false) {
    self.topic = topic
    self.body = body
    self.qos = qos
    self.isRetained = isRetained
  }
}

package struct MQTTLogin: Sendable {
  /// The client identifier, or empty to let the broker choose one, which needs a clean session.
  package var client: String
  package var user: String?
  package var password: String?
  /// The message that the broker publishes if the client vanishes without disconnecting.
  package var will: MQTTMessage?
  package var identity: HTTPIdentity?
  /// The filters of topics to which the client subscribes before it counts as connected.
  package var topics: [String] = []
  package var topicsQoS = 1
  /// Whether a new connection may resume the client's last TLS session.
  package var resumes = false
  /// The request that opens the WebSocket of MQTT over WebSocket.
  package var opening = WebSocketOpening(path: "/mqtt")

  package init(client: String) { self.client = client }
}

extension MQTTMessage: DialledMessage {
  /// The maximum length of a text, which MQTT encodes in 16 bits.
  static let textBytesMax = 65_535
  /// The maximum length of a packet, which MQTT encodes in 28 bits.
  static let packetBytesMax = 268_435_455

  package var fault: String? {
    let name = topic.debugDescription
    if topic.isEmpty { return "it has no topic" }
    if topic.utf8.count > Self.textBytesMax {
      return "its topic has \(topic.utf8.count) bytes; the maximum is \(Self.textBytesMax)"
    }
    if topic.contains(where: { $0 == "+" || $0 == "#" }) {
      return "the topic \(name) has a wildcard; publishing needs a concrete topic"
    }
    if topic.unicodeScalars.contains(where: Self.isRefused) {
      return "the topic \(name) contains a control character"
    }
    if !(0...2).contains(qos) { return "its QoS is \(qos), not 0, 1 or 2" }
    if packetBytes(version: .v5) > Self.packetBytesMax {
      return "it has \(body.count) bytes; the maximum is \(Self.packetBytesMax)"
    }
    return nil
  }

  /// Returns whether a text must not contain `scalar`, a control character or noncharacter. Brokers
  /// may close the connection for the text (MQTT 5, 1.5.4), and libmosquitto refuses the text.
  fileprivate static func isRefused(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    case 0...0x1F, 0x7F...0x9F, 0xFDD0...0xFDEF: true
    case let value: value & 0xFFFE == 0xFFFE
    }
  }

  package func packetBytes(version: MQTTSettings.Version) -> Int {
    // Topic length and packet identifier take two bytes each, MQTT 5's empty properties take one.
    var rest = 2 + topic.utf8.count + (qos > 0 ? 2 : 0) + body.count
    if version == .v5 { rest += 1 }
    return Self.packetBytes(behindHead: rest)
  }

  /// Returns the size of a packet: its type, its length at seven bits per byte, and `rest` bytes.
  fileprivate static func packetBytes(behindHead rest: Int) -> Int {
    var (bytes, left) = (1 + rest, rest)
    repeat {
      bytes += 1
      left /= 128
    } while left > 0
    return bytes
  }
}

extension MQTTLogin {
  /// The size of the CONNECT packet.
  package func packetBytes(version: MQTTSettings.Version, isClean: Bool) -> Int {
    // The sum is protocol name, version, flags, keep-alive interval, and client ID with its length.
    var rest = 6 + 1 + 1 + 2 + 2 + client.utf8.count
    if version == .v5 {
      // MQTT 5 adds properties: their length, packet size, session expiry, and the will's length 0.
      rest += 1 + 5 + (isClean ? 0 : 5) + (will == nil ? 0 : 1)
    }
    if let will { rest += 4 + will.topic.utf8.count + will.body.count }
    if let user { rest += 2 + user.utf8.count }
    if let password { rest += 2 + password.utf8.count }
    return MQTTMessage.packetBytes(behindHead: rest)
  }

  package func fault(isClean: Bool) -> String? {
    if client.isEmpty, !isClean { return "a client with a persistent session needs a client ID" }
    for (what, text) in [("client ID", client), ("user name", user ?? "")] {
      if text.utf8.count > MQTTMessage.textBytesMax {
        return
          "the \(what) has \(text.utf8.count) bytes; the maximum is \(MQTTMessage.textBytesMax)"
      }
      if text.unicodeScalars.contains(where: { $0.value < 0x20 }) {
        return "the \(what) contains a control character"
      }
    }
    for topic in topics
    where topic.utf8.count > MQTTMessage.textBytesMax
      || topic.unicodeScalars.contains(where: MQTTMessage.isRefused)
    {
      return
        "the topic \(topic.prefix(80).debugDescription) is too long, or has a control character"
    }
    if let password, user == nil, !password.isEmpty { return "a password needs a user name" }
    // libmosquitto takes a C string, which ends at a zero byte.
    if password?.utf8.contains(0) == true { return "the password contains a zero byte" }
    if (password?.utf8.count ?? 0) > MQTTMessage.textBytesMax { return "the password is too long" }
    return will?.fault.map { "its will cannot be sent: \($0)" }
  }
}
