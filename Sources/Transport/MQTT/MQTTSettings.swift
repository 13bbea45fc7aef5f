package import Core

package struct MQTTSettings: Sendable, Equatable {
  package enum Version: String, Sendable, CaseIterable {
    case v311 = "3.1.1"
    case v5 = "5"
  }

  package var broker: Endpoint
  /// The endpoint to connect to instead of the broker, such as a proxy. nil means the broker.
  package var via: Endpoint?
  /// The TLS settings, or nil for plaintext.
  package var security: ServerTrust?
  /// The WebSocket subprotocols to offer to a broker that takes MQTT over WebSocket; nil for TCP.
  package var subprotocol: String?
  package var version = Version.v311
  /// Whether a client keeps its connection between publishes, or connects for each publish.
  package var keepsConnections = true
  package var isClean = true
  /// The keep-alive interval. libmosquitto uses at least five seconds, and zero sends no pings.
  package var keepalive = WallDuration.seconds(60)
  /// The time limit from name resolution until the broker has accepted the client.
  package var connectTimeout = WallDuration.seconds(10)
  /// The time limit from a publish request to the last acknowledgement.
  package var timeout = WallDuration.seconds(20)
  /// The limit of a client's publishes in flight, as in libmosquitto. A broker may lower the limit.
  package var windowMax = 20
  /// The limit of concurrent connects, a quarter of a common limit of 20,000 descriptors.
  package var connectingMax = 5_000
  /// The limit of bytes from a broker, with TLS, between two acknowledgements or messages of a
  /// subscription. Unread bytes of the socket may count twice.
  package var receivedBytesMax = 65_536

  package init(broker: Endpoint) { self.broker = broker }
}

extension MQTTSettings: DialSettings {
  var server: Endpoint { broker }
}
