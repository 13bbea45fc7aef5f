/// One message that is published.
package struct MQTTMessage: Sendable, Equatable {
  /// Is where it is published; without wildcards.
  package var topic: String
  /// Is what is published.
  package var body: [UInt8]
  /// Is the quality of service: 0, at most once; 1, at least once; 2, exactly once.
  package var qos: Int
  /// Is true if the broker keeps it for later subscribers.
  package var isRetained: Bool

  /// Makes a message.
  package init(topic: String, body: [UInt8] = [], qos: Int = 1, isRetained: Bool = false) {
    self.topic = topic
    self.body = body
    self.qos = qos
    self.isRetained = isRetained
  }
}

/// Is who a client says that it is when it connects.
package struct MQTTLogin: Sendable, Equatable {
  /// Names the client; empty: the broker names it, which needs a clean session.
  package var client: String
  /// Is the name of the user; nil: none is given.
  package var user: String?
  /// Is the user's password; nil: none is given.
  package var password: String?
  /// Is what the broker publishes when the client is gone without its leave; nil: nothing.
  package var will: MQTTMessage?
  /// Is the certificate that the client shows; nil: none.
  package var identity: HTTPIdentity?
  /// Is true where a new connection may go on from the client's last TLS session.
  package var resumes = false

  /// Makes the login of a client without a user, a will and a certificate.
  package init(client: String) { self.client = client }
}

extension MQTTMessage {
  /// MQTT counts the bytes of a text with 16 bits.
  static let textBytesMax = 65_535
  /// What a packet may hold: 28 bits count it.
  static let packetBytesMax = 268_435_455

  /// Says what is wrong with a message that cannot be sent; nil: nothing.
  package var fault: String? {
    let name = topic.debugDescription
    if topic.isEmpty { return "it has no topic" }
    if topic.utf8.count > Self.textBytesMax {
      return "its topic has \(topic.utf8.count) bytes, and \(Self.textBytesMax) is the most"
    }
    if topic.contains(where: { $0 == "+" || $0 == "#" }) {
      return "the topic \(name) has a wildcard, to which nothing can be published"
    }
    if topic.unicodeScalars.contains(where: Self.isRefused) {
      return "the topic \(name) has a control character in it"
    }
    if !(0...2).contains(qos) { return "its quality of service is \(qos), not 0, 1 or 2" }
    if packetBytes(version: .v5) > Self.packetBytesMax {
      return "it has \(body.count) bytes, and a packet takes \(Self.packetBytesMax) at most"
    }
    return nil
  }

  /// Control characters, and what is none: brokers may close the connection for one (MQTT 5,
  /// 1.5.4), and libmosquitto does not send it.
  private static func isRefused(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    case 0...0x1F, 0x7F...0x9F, 0xFDD0...0xFDEF: true
    case let value: value & 0xFFFE == 0xFFFE
    }
  }

  /// Is the size of its packet, in bytes.
  package func packetBytes(version: MQTTSettings.Version) -> Int {
    // The topic's length; from QoS 1 on a number; in MQTT 5 the length of no properties.
    var rest = 2 + topic.utf8.count + (qos > 0 ? 2 : 0) + body.count
    if version == .v5 { rest += 1 }
    return Self.packetBytes(behindHead: rest)
  }

  /// Adds the kind of a packet, and the length of what follows, seven bits a byte.
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
  /// Is the size of the packet with which the client connects (CONNECT), in bytes.
  ///
  /// - Parameter isClean: whether the broker forgets the client when it leaves.
  package func packetBytes(version: MQTTSettings.Version, isClean: Bool) -> Int {
    // The protocol's name and version, flags, the time to keep alive; then texts with their
    // lengths.
    var rest = 6 + 1 + 1 + 2 + 2 + client.utf8.count
    if version == .v5 {
      // The properties' length; the most that it takes; how long a session is kept; of the will
      // none.
      rest += 1 + 5 + (isClean ? 0 : 5) + (will == nil ? 0 : 1)
    }
    if let will { rest += 4 + will.topic.utf8.count + will.body.count }
    if let user { rest += 2 + user.utf8.count }
    if let password { rest += 2 + password.utf8.count }
    return MQTTMessage.packetBytes(behindHead: rest)
  }

  /// Says what is wrong with a login that cannot be sent; nil: nothing.
  ///
  /// - Parameter isClean: whether the broker forgets the client when it leaves.
  package func fault(isClean: Bool) -> String? {
    if client.isEmpty, !isClean { return "a client whose session is kept needs a name" }
    for (what, text) in [("client's name", client), ("user's name", user ?? "")] {
      if text.utf8.count > MQTTMessage.textBytesMax {
        return
          "the \(what) has \(text.utf8.count) bytes, and \(MQTTMessage.textBytesMax) is the most"
      }
      if text.unicodeScalars.contains(where: { $0.value < 0x20 }) {
        return "the \(what) has a control character in it"
      }
    }
    if let password, user == nil, !password.isEmpty { return "a password needs a user's name" }
    // A C text ends there.
    if password?.utf8.contains(0) == true { return "the password has a zero byte in it" }
    if (password?.utf8.count ?? 0) > MQTTMessage.textBytesMax { return "the password is too long" }
    return will?.fault.map { "its will cannot be sent: \($0)" }
  }
}
