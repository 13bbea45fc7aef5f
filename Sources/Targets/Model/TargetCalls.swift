package import Core
package import Scenarios

package struct RequestForm: Sendable {
  package enum Method: String, CaseIterable, Sendable {
    case get = "GET"
    case post = "POST"
    case put = "PUT"
    case patch = "PATCH"
  }
  package enum Encoding: String, CaseIterable, Sendable { case identity, gzip, zstd }

  /// The path of a gRPC method, such as `/acme.v1.Ingest/Upload`.
  package var call = ""
  package var method = Method.post
  /// The path of an HTTP request, which begins with `/`.
  package var path = ValueText.empty
  /// The headers of an HTTP request, or the metadata of a gRPC call.
  package var headers: [TableEntry<HeaderValue>] = []
  /// The credentials of the header `Authorization: Basic`; nil for no such header.
  package var basic: BasicCredentials?
  /// The topic of an MQTT message.
  package var topic = ValueText.empty
  /// The quality of service of an MQTT message, 0 to 2.
  package var qos = 1
  package var isRetained = false
  package var query: MappingNode?
  /// The body as JSON or protobuf, or the gRPC message; nil for none.
  package var message: MappingNode?
  /// The protobuf type of `message` over HTTP and MQTT; nil for JSON.
  package var proto: TypeName?
  /// The protobuf type of an answer over HTTP; nil for JSON.
  package var answerProto: TypeName?
  /// The body as `application/x-www-form-urlencoded`; nil for none.
  package var form: MappingNode?
  package var text: ValueText?
  package var encoding = Encoding.identity

  /// The full name of a protobuf message, such as `acme.v1.Batch`.
  package struct TypeName: Sendable {
    package let name: String
    package let origin: Origin
  }

  package struct BasicCredentials: Sendable {
    package var user = ValueText.empty
    package var password = ValueText.empty
  }

  /// Whether the message contains every fix of the request, not only the newest.
  package var writesEachFix: Bool { message?.hasEach ?? false }
}

/// The value of a header, or of a gRPC call's metadata.
package enum HeaderValue: Sendable {
  case text(ValueText)
  /// The base64 of the text (RFC 4648, section 4).
  case base64(ValueText)
  case signature(SignatureRule)

  var texts: [ValueText] {
    switch self {
    case .text(let text), .base64(let text): [text]
    case .signature(let rule): [rule.key, rule.before, rule.prefix]
    }
  }
}

/// A header with the HMAC (RFC 2104) of the body as it is sent.
package struct SignatureRule: Sendable {
  package enum Hash: String, CaseIterable, Sendable { case sha256, sha1, sha384, sha512 }
  package enum Notation: String, CaseIterable, Sendable { case hex, base64 }

  package var key = ValueText.empty
  package var hash = Hash.sha256
  package var notation = Notation.hex
  /// The text before the body in the signed bytes.
  package var before = ValueText.empty
  /// The text before the signature in the header.
  package var prefix = ValueText.empty
}

package enum FixesPerRequest: Equatable, Sendable {
  /// At most this many fixes; a longer batch becomes several requests, in order.
  case upTo(Int)
  /// Only the newest fix of a batch; the app drops all older fixes.
  case newest

  static func standard(for request: RequestForm) -> Self {
    .upTo(request.writesEachFix ? 100 : 1)
  }

  package func requests(for fixes: Int) -> Int {
    switch self {
    case .upTo(let most): (fixes + most - 1) / max(1, most)
    case .newest: min(1, fixes)
    }
  }
}

package struct Upload: Sendable {
  @Boxed package var request = RequestForm()
  package var fixes = FixesPerRequest.upTo(100)
  /// The upload while a backlog waits; nil to send the usual upload.
  package var backlog: BacklogUpload?

  package init() {}
}

extension Target {
  /// Whether the server acknowledges every upload, as a broker does with QoS 1 or 2 only, and a
  /// WebSocket unless `match: none`.
  package var isAcknowledged: Bool {
    let all = [upload.request] + (upload.backlog.map { [$0.request] } ?? [])
    return switch carrier {
    case .http, .grpc: true
    case .mqtt: all.allSatisfy { $0.qos > 0 }
    case .websocket: websocket.match != .none
    }
  }

  /// Whether phones have WebSockets: for their messages, or for MQTT.
  package var usesSocket: Bool {
    switch carrier {
    case .http, .grpc: false
    case .mqtt: TargetAddress(url)?.isSocket == true
    case .websocket: true
    }
  }

  /// The subprotocols that a phone's WebSocket offers; empty for none.
  package var subprotocol: String {
    carrier == .mqtt && websocket.subprotocol.isEmpty ? "mqtt" : websocket.subprotocol
  }

  /// The address of the WebSocket that sends positions to viewers; nil if viewers send reads or
  /// subscribe over MQTT.
  package var viewSocket: TargetAddress? {
    guard let view, carrier != .mqtt || !view.url.isEmpty,
      let address = TargetAddress(view.url.isEmpty ? url : view.url)
    else { return nil }
    return address.isSocket ? address : nil
  }

  /// Whether the server sends positions to viewers, who send no reads.
  package var isWatched: Bool { view != nil && (carrier == .mqtt || viewSocket != nil) }

  /// Whether viewers subscribe to one topic for all phones.
  package var hasOneViewTopic: Bool {
    isWatched && viewSocket == nil && view?.request.topic.constant != nil
  }

  /// The topic of a viewer who sees every phone, with `+` for each level that has a value.
  package var viewTopicOfAll: String {
    let parts = view?.request.topic.parts ?? []
    let levels = parts.map { if case .text(let text) = $0 { text } else { "\0" } }.joined()
      .split(separator: "/", omittingEmptySubsequences: false)
    return levels.map { $0.contains("\0") ? "+" : String($0) }.joined(separator: "/")
  }

  /// All requests, without those of a read-back from a database.
  package var requests: [RequestForm] {
    [
      upload.request, upload.backlog?.request, register?.request, events?.request,
      readback.flatMap { $0.postgres.isEmpty ? $0.request : nil }, view?.request,
      events?.readback?.request,
    ].compactMap(\.self)
  }

  /// Whether messages have protobuf types, which `schema` defines.
  package var needsSchema: Bool {
    carrier == .grpc || requests.contains { $0.proto != nil || $0.answerProto != nil }
  }
}

extension Upload {
  /// Returns a summary such as `POST of JSON with up to 20 positions, packed with gzip`.
  package func summary(over carrier: Target.Carrier) -> String {
    let bodies = [
      (request.proto != nil, "protobuf"), (request.message != nil, "JSON"),
      (request.form != nil, "a form"),
      (request.text != nil, "text"),
    ]
    let body = bodies.first(where: \.0)?.1 ?? "a query"
    let what =
      switch carrier {
      case .http: "\(request.method.rawValue) of \(body)"
      case .grpc: "call with a message of your own schema"
      case .mqtt: "PUBLISH of \(body), QoS \(request.qos)"
      case .websocket: "message of \(body)"
      }
    let count =
      switch fixes {
      case .upTo(1): "with one position"
      case .upTo(let most): "with up to \(most) positions"
      case .newest: "with the newest position of a batch"
      }
    let packed =
      switch request.encoding {
      case .identity: ""
      case .gzip, .zstd: ", packed with \(request.encoding.rawValue)"
      }
    return "\(what) \(count)\(packed)"
  }
}

/// The upload while many fixes wait on the phone.
package struct BacklogUpload: Sendable {
  /// The number of fixes on the phone above which this upload replaces the usual one.
  package var over = 1
  @Boxed package var request = RequestForm()
  package var fixes = FixesPerRequest.upTo(100)
}

package struct Registration: Sendable {
  package enum Occasion: String, CaseIterable, Sendable {
    /// The app registers once per installation.
    case phone
    case launch
  }

  package var once = Occasion.phone
  /// Registrations per second of all phones together; nil for the target's rate limit.
  package var rate: Rate?
  @Boxed package var request = RequestForm()
  package var keep: [TableEntry<FieldPath>] = []
  /// The rules for the answer; empty for the rules of uploads.
  package var answer: [AnswerRule] = []
}

/// The request of an event, which has one event.
package struct EventUpload: Sendable {
  /// The kinds of events that the app sends to this server.
  package var kinds = EventUse.Kinds.all
  @Boxed package var request = RequestForm()
  /// Whether the app keeps an event whose request failed, and repeats it.
  package var isKept = true
  /// The rules for the answer; empty for the rules of uploads.
  package var answer: [AnswerRule] = []
  /// The request for the events that the server has of a phone; nil for none.
  package var readback: Readback?
}

package struct Readback: Sendable {
  package enum TimeUnit: String, CaseIterable, Sendable {
    case seconds = "s"
    case milliseconds = "ms"
    case microseconds = "us"
    case iso
  }

  package enum TimeOf: String, CaseIterable, Sendable {
    /// The time of the fix.
    case fix
    /// The time of receipt; fixes are then compared by coordinates alone.
    case arrival
  }

  /// The request for a phone's rows. `$from` and `$to` are the time range of the phone's fixes.
  /// `$offset`, `$page` and `$cursor` identify the page.
  @Boxed package var request = RequestForm()
  /// The SQL statement for a phone's rows; empty to send `request` instead.
  package var postgres = ValueText.empty
  package var database: SecretSource?
  /// The path of the list of rows in the answer.
  package var rows = FieldPath.root
  /// The part of an answer that holds the next page's address; nil for none.
  package var next: NextLink?
  /// The field that becomes `$cursor` of the next request; nil for none.
  package var cursor: FieldPath?
  /// The size limit of an answer over HTTP.
  package var largestAnswer = ByteCount(bytes: 4 << 20)
  /// The path of `$uuid` in a row, for events; nil to compare times.
  package var id: FieldPath?
  package var time = FieldPath.root
  package var timeUnit = TimeUnit.iso
  package var timeOf = TimeOf.fix
  package var latitude = ScaledField()
  package var longitude = ScaledField()
  /// Whether an object in place of the list is one row, as in an answer about one phone.
  package var takesOneRow = false
  /// The path of the phone's id in a row, for viewers.
  package var device: FieldPath?
  /// For a viewer's WebSocket only: its address (empty for the target's), and the messages after the
  /// upgrade.
  package var url = ""
  package var open: [SocketRule.Step] = []

  package init() {}
}

package enum NextLink: Equatable, Sendable {
  /// The address is in the header `Link`, with `rel="next"` (RFC 8288).
  case header
  case field(FieldPath)
}

package struct ScaledField: Equatable, Sendable {
  package var path = FieldPath.root
  /// The divisor that converts the field's number to degrees.
  package var divisor = 1.0
}

package struct PushEndpoint: Equatable, Sendable {
  package enum Provider: String, CaseIterable, Sendable {
    case apple = "apns"
    case google = "fcm"
    case webhook
  }

  package var listen = Endpoint(host: "127.0.0.1", port: 2_197)
  package var provider = Provider.apple
  /// The app's topic; empty for any topic.
  package var topic = ""
  /// The paths of the keys that may sign a push.
  package var keys: [String] = []
  package var isWrittenClear = false
  /// The share of accepted pushes that is withheld at random, for comparison.
  package var withhold = 0.0

  /// Whether pushes arrive without TLS, as they always do for a webhook, whose URL names no CA.
  package var isInTheClear: Bool { isWrittenClear || provider == .webhook }
  /// The address for pushes, in which TOKEN and PROJECT stand for a token and a project.
  var url: String {
    let path =
      switch provider {
      case .apple: "/3/device/TOKEN"
      case .google: "/v1/projects/PROJECT/messages:send"
      case .webhook: "/push"
      }
    return "\(isInTheClear ? "http" : "https")://\(listen)\(path)"
  }
}
