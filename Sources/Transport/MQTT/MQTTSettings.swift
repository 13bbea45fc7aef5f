package import SimulationCore

/// What clients of MQTT are set up with once: the broker, and how it is spoken to.
package struct MQTTSettings: Sendable, Equatable {
  /// Names the versions of MQTT.
  package enum Version: String, Sendable, CaseIterable {
    case v311 = "3.1.1"
    case v5 = "5"
  }

  /// The broker's host and port.
  package var broker: Endpoint
  /// Takes the connections in the broker's place, such as a proxy; nil: none does.
  package var via: Endpoint?
  /// What TLS has to be like; nil: the broker is spoken to in the clear.
  package var security: ServerTrust?
  /// The version that is spoken.
  package var version = Version.v311
  /// Whether a client keeps its connection between publishes; else it connects for each, and takes
  /// its leave when none is left.
  package var keepsConnections = true
  /// Whether the broker forgets a client when it leaves.
  package var isClean = true
  /// Is after how long without a packet a client says that it lives; zero: never. libmosquitto
  /// takes no less than five seconds.
  package var keepalive = WallDuration.seconds(60)
  /// Bounds the time from the first attempt to connect until the broker has taken the client.
  package var connectTimeout = WallDuration.seconds(10)
  /// Bounds a publish from when it is asked for to its last acknowledgement.
  package var timeout = WallDuration.seconds(20)
  /// Bounds the publishes of one client that are under way; others of it wait. 20 is what
  /// libmosquitto sends at once, unless a broker of MQTT 5 asks for less.
  package var windowMax = 20
  /// Bounds the clients that connect at a time; others wait. A quarter of a common descriptor
  /// limit of 20,000.
  package var connectingMax = 5_000
  /// Bounds what a broker sends a client between two acknowledgements, in bytes, with TLS: nothing
  /// was subscribed to.
  package var receivedBytesMax = 65_536

  /// Makes the default settings for a broker: MQTT 3.1.1 in the clear, a kept connection a client.
  package init(broker: Endpoint) { self.broker = broker }
}
