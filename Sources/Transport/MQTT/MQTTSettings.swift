package import Core

package struct MQTTSettings: Sendable, Equatable {
  package enum Version: String, Sendable, CaseIterable {
    case v311 = "3.1.1"
    case v5 = "5"
  }

  package var broker: Endpoint
  /// The endpoint to connect to instead of the broker, such as a proxy; nil for the broker.
  package var via: Endpoint?
  /// The TLS settings; nil for plaintext.
  package var security: ServerTrust?
  package var version = Version.v311
  /// Whether a client keeps its connection between publishes; otherwise it connects for each.
  package var keepsConnections = true
  package var isClean = true
  /// The keep-alive interval, at least five seconds in libmosquitto; zero sends no pings.
  package var keepalive = WallDuration.seconds(60)
  /// The limit from the first connect attempt until the broker has accepted the client.
  package var connectTimeout = WallDuration.seconds(10)
  /// The limit from the request to the last acknowledgement.
  package var timeout = WallDuration.seconds(20)
  /// The limit of a client's publishes in flight: 20 as in libmosquitto. MQTT 5 may allow fewer.
  package var windowMax = 20
  /// The limit of concurrent connects. A quarter of a common descriptor limit of 20,000.
  package var connectingMax = 5_000
  /// The limit of bytes from a broker, with TLS, between two acknowledgements.
  package var receivedBytesMax = 65_536

  package init(broker: Endpoint) { self.broker = broker }
}
