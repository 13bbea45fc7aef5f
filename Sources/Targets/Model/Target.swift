package import Core
package import Scenarios

/// A user's backend: the address, the format of uploads, the meaning of answers, and what the app
/// does after each answer. Read from one file of `scenarios/targets/*.yaml`.
package struct Target: Sendable {
  package enum Carrier: String, CaseIterable, Sendable, BitwiseCopyable {
    case http, grpc, mqtt, websocket
  }

  /// The name for `--target`, which is the file's name.
  package var name = ""
  package var description = ""
  package var client = FollowedClient()
  package var carrier = Carrier.http
  /// The address, such as `https://ingest.example.com`; its path precedes HTTP requests' paths.
  package var url = ""
  /// Whether the user declares the right to load a host that is neither loopback nor private.
  package var owner = false
  /// The maximum rate of requests of all phones together; nil for no limit.
  package var rateLimit: Rate?
  package var identity = Identity()
  package var connections = ConnectionRule()
  package var tls = TLSRule()
  package var mqtt = BrokerRule()
  package var websocket = SocketRule()
  /// The types of protobuf messages; nil for none.
  package var schema: SchemaSource?
  /// The request before a phone's first upload; nil for none.
  package var register: Registration?
  package var upload = Upload()
  /// The request of an event; nil if the server takes no events.
  package var events: EventUpload?
  /// The rules for the answers to uploads; the first rule that matches counts.
  package var answer: [AnswerRule] = []
  package var retry = RetryRule()
  package var readback: Readback?
  /// The read of a phone's newest position by a viewer; nil for none. Only over HTTP, with JSON.
  package var view: Readback?
  package var push: PushEndpoint?
  /// The address of the server's metrics; empty for none.
  package var metrics = ""
  /// The scenario time before the run whose uploads are sent before the run begins; 0 for none.
  package var prime = SimDuration.zero
  /// The rate of requests of all phones together while the uploads of `prime` are sent.
  package var primeRate = Rate(perSecond: 100)
  /// The folder of the target's file; relative paths in the file start here.
  package internal(set) var folder = "."
  package internal(set) var path = ""
}

package struct FollowedClient: Equatable, Sendable {
  package var name = ""
  package var version = ""
  package var source = ""
}

package struct Identity: Sendable {
  /// The target's names; a value refers to a name as `$name`.
  package var names: [TableEntry<IdentitySource>] = []
  package var certificate: CertificateSource?
}

package enum IdentitySource: Sendable {
  /// A text made of the phone's number, such as `a{phone:07}`.
  case pattern(ValueText)
  /// A column of a CSV file with a row for each phone, in order.
  case column(file: String, title: String, isSecret: Bool)
  case secret(SecretSource)
}

/// Where a secret is stored. A secret is never in a target's file or in any output.
package enum SecretSource: Hashable, Sendable {
  case file(String)
  case environment(String)
}

package struct CertificateSource: Equatable, Sendable {
  /// The path of the CA's certificate, in PEM.
  package var ca = ""
  /// The path of the CA's key, in PEM.
  package var key = ""
  /// The common name of a phone's certificate.
  package var name = ValueText.empty
}

package struct ConnectionRule: Equatable, Sendable {
  package var per = ConnectionMode.perPhone
  /// The maximum number of concurrent requests on an HTTP/2 connection.
  package var streams = 100
  package var keepalive = WallDuration.seconds(60)
}

/// TLS settings, used for an address that begins with `https`, `grpcs`, `mqtts` or `wss`.
package struct TLSRule: Equatable, Sendable {
  package enum Protocols: String, CaseIterable, Sendable {
    case any, http1 = "http/1.1", http2 = "h2"
  }
  package enum Version: String, CaseIterable, Sendable {
    case tls12 = "1.2"
    case tls13 = "1.3"
  }

  /// The path of the CA for the server's certificate; empty for the system's CAs.
  package var ca = ""
  /// Whether the server's certificate is verified; false accepts any certificate.
  package var verify = true
  package var alpn = Protocols.any
  /// The share of handshakes that resume an earlier session if possible.
  package var resume = 1.0
  package var minimum = Version.tls12
}

package struct BrokerRule: Sendable {
  package enum Level: String, CaseIterable, Sendable {
    case v311 = "3.1.1"
    case v5 = "5"
  }

  package var level = Level.v311
  /// The client id of a phone.
  package var client = ValueText.empty
  package var user = ValueText.empty
  package var password = ValueText.empty
  /// The time without a packet after which the client sends a ping.
  package var keepalive = WallDuration.seconds(60)
  /// Whether the broker forgets the client when it disconnects.
  package var isClean = true
  package var will: Will?

  package struct Will: Sendable {
    package var topic = ValueText.empty
    /// The message as JSON; nil for an empty message.
    package var message: MappingNode?
    /// The quality of service, 0 to 2.
    package var qos = 1
    /// Whether the broker retains the message for later subscribers.
    package var isRetained = false
  }
}

/// How a phone opens its WebSocket, and which message of the server answers an upload.
package struct SocketRule: Sendable {
  package enum Matching: Equatable, Sendable {
    /// The next message.
    case next
    /// No message: an upload is sent, and not acknowledged.
    case none
    /// The message with the same value in this field as the upload.
    case field(FieldPath)
  }

  /// The request for the upgrade: its path, query, headers and credentials.
  @Boxed package var request = RequestForm()
  /// The subprotocols that the client offers, separated by commas; empty for none, or `mqtt`.
  package var subprotocol = ""
  /// The time without a message after which the client sends a ping; 0 for no pings.
  package var keepalive = WallDuration.zero
  package var match = Matching.next
  /// The messages before the first upload, such as a login.
  package var open: [Step] = []

  package struct Step: Sendable {
    /// The request whose message the client sends; without a message the client only waits.
    @Boxed package var request = RequestForm()
    /// The fields that the server's next message must have; empty to wait for no message.
    package var expect: [FieldCondition] = []

    package init() {}
  }

  package init() {}
}

/// The source of the protobuf types: a .proto file, a descriptor set or reflection.
package struct SchemaSource: Equatable, Sendable {
  /// The path of a .proto file, for `protoc`; empty for none.
  package var proto = ""
  package var imports: [String] = []
  /// The path of a descriptor set; empty for none.
  package var descriptorSet = ""
  package var reflection = false
}

extension ValueText {
  package static let empty = ValueText(parts: [])
}
