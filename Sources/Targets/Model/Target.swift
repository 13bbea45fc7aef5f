package import Scenarios
package import SimulationCore

/// A backend of the user's own: where uploads go, how they are written, what its answers mean, and
/// what the app does then. One file of `scenarios/targets/*.yaml`.
package struct Target: Sendable {
  /// What carries the messages.
  package enum Carrier: String, CaseIterable, Sendable, BitwiseCopyable {
    case http, grpc, mqtt
  }

  /// Is the name by which `--target` finds it: that of its file.
  package var name = ""
  /// Says in a sentence whose protocol it speaks.
  package var description = ""
  /// Says which client the file follows.
  package var client = FollowedClient()
  /// Says what carries the messages.
  package var carrier = Carrier.http
  /// Is the address without a path, such as `https://ingest.example.com`.
  package var url = ""
  /// Is true if the user may put load on a host that is neither loopback nor private.
  package var owner = false
  /// Is the most requests a second, of all phones together; nil: unlimited.
  package var rateLimit: Rate?
  /// Says what a phone is called there, and how it proves that it is the one.
  package var identity = Identity()
  /// Says how connections are made and kept.
  package var connections = ConnectionRule()
  /// Says what TLS has to be like.
  package var tls = TLSRule()
  /// Says how phones connect to a broker; read where the carrier is MQTT.
  package var mqtt = BrokerRule()
  /// Is where the types of gRPC messages come from; nil: there are none.
  package var schema: SchemaSource?
  /// Is what a phone sends before its first upload; nil: nothing.
  package var register: Registration?
  /// Is what a phone sends.
  package var upload = Upload()
  /// Says what answers mean, the first that matches first.
  package var answer: [AnswerRule] = []
  /// Says what the app does where an upload was not taken.
  package var retry = RetryRule()
  /// Is how what the server holds is read; nil: it cannot be.
  package var readback: Readback?
  /// Is what the server sends its pushes to; nil: it sends none.
  package var push: PushEndpoint?
  /// Is the address of the server's own metrics; empty: there are none.
  package var metrics = ""
  /// Is how much of the time before the run is sent ahead of it.
  package var prime = SimDuration.zero
  /// Is the most requests a second meanwhile, of all phones together.
  package var primeRate = Rate(perSecond: 100)
  /// Is the folder of the file, from which its paths count.
  package internal(set) var folder = "."
  /// Is the path of the file.
  package internal(set) var path = ""

  /// Makes a target of which nothing is written.
  package init() {}
}

/// Says which client a target's file follows, and where that was read.
package struct FollowedClient: Equatable, Sendable {
  /// Is the client's name, such as `OwnTracks iOS`.
  package var name = ""
  /// Is its version or date.
  package var version = ""
  /// Is where it was read.
  package var source = ""
}

/// What a phone is called at a target, and how it proves that it is the one.
package struct Identity: Sendable {
  /// Holds its names; values refer to one as `$name`.
  package var names: [TableEntry<IdentitySource>] = []
  /// Is where its certificate comes from; nil: it has none.
  package var certificate: CertificateSource?
}

/// Where a name of a phone comes from.
package enum IdentitySource: Sendable {
  /// A text made of the phone's number, such as `a{phone:07}`.
  case pattern(ValueText)
  /// A column of a CSV file, in which the phones have the rows in their order.
  case column(file: String, title: String, isSecret: Bool)
  /// The same secret for all phones.
  case secret(SecretSource)
}

/// Where a secret is kept: never in a target's file, and in no output.
package enum SecretSource: Hashable, Sendable {
  case file(String)
  case environment(String)
}

/// A CA that signs a certificate for each phone.
package struct CertificateSource: Equatable, Sendable {
  /// Is the path of the CA's certificate, in PEM.
  package var ca = ""
  /// Is the path of the CA's key, in PEM.
  package var key = ""
  /// Is the common name of a phone's certificate.
  package var name = ValueText.empty
}

/// Says how connections are made and kept.
package struct ConnectionRule: Equatable, Sendable {
  /// Says for how long a connection lives.
  package var per = ConnectionMode.perPhone
  /// Counts the requests that share a connection of HTTP/2 at a time, at most.
  package var streams = 100
  /// Is for how long an idle connection stays open.
  package var keepalive = WallDuration.seconds(60)
}

/// Says what TLS has to be like; read where the address begins with `https`, `grpcs` or `mqtts`.
package struct TLSRule: Equatable, Sendable {
  /// What the client offers to speak above TLS.
  package enum Protocols: String, CaseIterable, Sendable {
    case any, http1 = "http/1.1", http2 = "h2"
  }
  /// The oldest version that is spoken.
  package enum Version: String, CaseIterable, Sendable {
    case tls12 = "1.2"
    case tls13 = "1.3"
  }

  /// Is the path of the CA that the server's certificate is checked against; empty: the system's.
  package var ca = ""
  /// Is false if any certificate of the server is taken.
  package var verify = true
  /// Says what the client offers to speak.
  package var alpn = Protocols.any
  /// Is the share of handshakes that resume an earlier session where they could.
  package var resume = 1.0
  /// Is the oldest version that is spoken.
  package var minimum = Version.tls12
}

/// Says how phones connect to an MQTT broker.
package struct BrokerRule: Sendable {
  /// The versions of MQTT.
  package enum Level: String, CaseIterable, Sendable {
    case v311 = "3.1.1"
    case v5 = "5"
  }

  /// Is the version that is spoken.
  package var level = Level.v311
  /// Names the client, one a phone.
  package var client = ValueText.empty
  /// Is the name of the user; empty: none is given.
  package var user = ValueText.empty
  /// Is the user's password.
  package var password = ValueText.empty
  /// Is after how long without a packet the client says that it lives.
  package var keepalive = WallDuration.seconds(60)
  /// Is true if the broker forgets the client when it leaves.
  package var isClean = true
  /// Is what the broker publishes when the client is gone; nil: nothing.
  package var will: Will?

  /// What a broker publishes when a client is gone.
  package struct Will: Sendable {
    /// Is where it is published.
    package var topic = ValueText.empty
    /// Is the message, as JSON; nil: empty.
    package var message: MappingNode?
    /// Is the quality of service, 0 to 2.
    package var qos = 1
    /// Is true if the broker keeps it for later subscribers.
    package var isRetained = false
  }
}

/// Where the types of gRPC messages come from; exactly one of them is given.
package struct SchemaSource: Equatable, Sendable {
  /// Is the path of a .proto file, for `protoc`; empty: none.
  package var proto = ""
  /// Holds the folders in which it finds what it imports.
  package var imports: [String] = []
  /// Is the path of a descriptor set; empty: none.
  package var descriptorSet = ""
  /// Is true if the server is asked.
  package var reflection = false
}

extension ValueText {
  /// A text without a letter.
  package static let empty = ValueText(parts: [])
}
