package import Scenarios
package import SimulationCore

/// One request: where it goes and what is in it. The carrier decides which keys are read.
package struct RequestForm: Sendable {
  /// The methods of HTTP.
  package enum Method: String, CaseIterable, Sendable {
    case get = "GET"
    case post = "POST"
    case put = "PUT"
    case patch = "PATCH"
  }
  /// What the body is packed with.
  package enum Encoding: String, CaseIterable, Sendable { case identity, gzip }

  /// Is the full name of a method of gRPC, such as `/acme.v1.Ingest/Upload`.
  package var call = ""
  /// Is the method of HTTP.
  package var method = Method.post
  /// Is the path of HTTP, which begins with `/`.
  package var path = ValueText.empty
  /// Holds the headers of HTTP, or the metadata of gRPC.
  package var headers: [TableEntry<ValueText>] = []
  /// Are user and password of `Authorization: Basic`; nil: the header is not sent.
  package var basic: BasicCredentials?
  /// Is the topic of MQTT.
  package var topic = ValueText.empty
  /// Is the quality of service of MQTT, 0 to 2.
  package var qos = 1
  /// Is true if the broker keeps the message for later subscribers.
  package var isRetained = false
  /// Holds the parameters behind the path; nil: there are none.
  package var query: MappingNode?
  /// Is a body as JSON, or the message of gRPC; nil: the body is another.
  package var message: MappingNode?
  /// Is a body as `application/x-www-form-urlencoded`; nil: the body is another.
  package var form: MappingNode?
  /// Is a body as text; nil: the body is another.
  package var text: ValueText?
  /// Says what the body is packed with.
  package var encoding = Encoding.identity

  /// User and password of HTTP's basic authentication.
  package struct BasicCredentials: Sendable {
    /// Is the name of the user.
    package var user = ValueText.empty
    /// Is the user's password.
    package var password = ValueText.empty
  }

  /// Makes a request of which nothing is written.
  package init() {}

  /// Whether every fix of a request is written; false: only the newest of them is.
  package var writesEachFix: Bool { message?.hasEach ?? false }
}

/// How many fixes a request has.
package enum FixesPerRequest: Equatable, Sendable {
  /// At most as many; a longer batch becomes several requests, in order.
  case upTo(Int)
  /// The newest of a batch alone; the others are dropped by the app.
  case newest

  /// How many a request has whose file does not say.
  static func standard(for request: RequestForm) -> Self {
    .upTo(request.writesEachFix ? 100 : 1)
  }

  /// Counts the requests that a batch becomes.
  package func requests(for fixes: Int) -> Int {
    switch self {
    case .upTo(let most): (fixes + most - 1) / max(1, most)
    case .newest: min(1, fixes)
    }
  }
}

/// What a phone sends.
package struct Upload: Sendable {
  /// Is the request.
  @Boxed package var request = RequestForm()
  /// Says how many fixes a request has.
  package var fixes = FixesPerRequest.upTo(100)
  /// Is what is sent in its place while a backlog waits; nil: the same.
  package var backlog: BacklogUpload?

  /// Makes an upload of which nothing is written.
  package init() {}
}

extension Target {
  /// Whether the server acknowledges what is sent; false over MQTT with QoS 0.
  package var isAcknowledged: Bool {
    let all = [upload.request] + (upload.backlog.map { [$0.request] } ?? [])
    return carrier != .mqtt || all.allSatisfy { $0.qos > 0 }
  }
}

extension Upload {
  /// Says what it is in a few words, such as `POST of JSON with up to 20 positions, gzip`.
  package func summary(over carrier: Target.Carrier) -> String {
    let bodies = [
      (request.message != nil, "JSON"), (request.form != nil, "a form"),
      (request.text != nil, "text"),
    ]
    let body = bodies.first(where: \.0)?.1 ?? "a query"
    let what =
      switch carrier {
      case .http: "\(request.method.rawValue) of \(body)"
      case .grpc: "call with a message of your own schema"
      case .mqtt: "PUBLISH of \(body), QoS \(request.qos)"
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
      case .gzip: ", packed with gzip"
      }
    return "\(what) \(count)\(packed)"
  }
}

/// What is sent while more fixes wait than are usual.
package struct BacklogUpload: Sendable {
  /// Is sent when more fixes than this wait on the phone.
  package var over = 1
  /// Is the request.
  @Boxed package var request = RequestForm()
  /// Says how many fixes a request has.
  package var fixes = FixesPerRequest.upTo(100)

  /// Makes a backlog of which nothing is written.
  package init() {}
}

/// What a phone sends before its first upload.
package struct Registration: Sendable {
  /// How often a phone registers.
  package enum Occasion: String, CaseIterable, Sendable {
    /// Once, and again when the app is installed anew.
    case phone
    /// Whenever the app is launched.
    case launch
  }

  /// Says how often a phone registers.
  package var once = Occasion.phone
  /// Is the most registrations a second, of all phones together; nil: as the target's rate.
  package var rate: Rate?
  /// Is the request.
  @Boxed package var request = RequestForm()
  /// Holds the values of the answer that the phone keeps, with their paths in it.
  package var keep: [TableEntry<FieldPath>] = []
  /// Says what the answers mean; empty: as those to uploads.
  package var answer: [AnswerRule] = []

  /// Makes a registration of which nothing is written.
  package init() {}
}

/// How what the server holds is read, to be compared with what it acknowledged.
package struct Readback: Sendable {
  /// The way in which the server writes a time.
  package enum TimeUnit: String, CaseIterable, Sendable {
    case seconds = "s"
    case milliseconds = "ms"
    case microseconds = "us"
    case iso
  }

  /// What the time of a row is.
  package enum TimeOf: String, CaseIterable, Sendable {
    /// The fix's own.
    case fix
    /// The instant at which the server took it; fixes are compared by their place alone.
    case arrival
  }

  /// The request; `$from` and `$to` are the instants between which the phone's fixes lie, and
  /// `$offset`, `$page` and `$cursor` say which page is asked for.
  @Boxed package var request = RequestForm()
  /// Is a statement of SQL that gives the rows of a phone; empty: the request is made.
  package var postgres = ValueText.empty
  /// Is the address of the database.
  package var database: SecretSource?
  /// Is the list of rows in the answer.
  package var rows = FieldPath.root
  /// The place of the next page's address in an answer; nil: it has none.
  package var next: NextLink?
  /// The field of an answer that is `$cursor` in the next request; nil: it has none.
  package var cursor: FieldPath?
  /// The greatest number of bytes that an answer over HTTP may have.
  package var largestAnswer = ByteCount(bytes: 4 << 20)
  /// Is a fix's time in a row, or the column of it.
  package var time = FieldPath.root
  /// Says how the time is written.
  package var timeUnit = TimeUnit.iso
  /// Says what the time is.
  package var timeOf = TimeOf.fix
  /// Is a fix's latitude in a row, or the column of it.
  package var latitude = ScaledField()
  /// Is a fix's longitude in a row, or the column of it.
  package var longitude = ScaledField()

  /// Makes a read-back of which nothing is written.
  package init() {}
}

/// Where an answer has the address of the next page.
package enum NextLink: Equatable, Sendable {
  /// In the header `Link`, with `rel="next"` (RFC 8288).
  case header
  case field(FieldPath)
}

/// A number in an answer, and what it is divided by: `lat_e7/1e7`.
package struct ScaledField: Equatable, Sendable {
  /// Is the number's path.
  package var path = FieldPath.root
  /// Is what the number is divided by to be degrees.
  package var divisor = 1.0
}

/// What a server sends its pushes to: an endpoint of ours.
package struct PushEndpoint: Equatable, Sendable {
  /// Whose push service it speaks as.
  package enum Provider: String, CaseIterable, Sendable {
    case apple = "apns"
    case google = "fcm"
    case webhook
  }

  /// Is where it listens, as HOST:PORT.
  package var listen = ""
  /// Says whose push service it speaks as.
  package var provider = Provider.apple
  /// Is the app's topic; empty: any.
  package var topic = ""
  /// Holds the paths of the keys that may sign a push.
  package var keys: [String] = []
  /// Is true where the file says that it is reached without TLS.
  package var isWrittenClear = false
  /// Is the share of accepted pushes that is withheld, to measure what the others do.
  package var withhold = 0.0

  /// Is true where it is reached without TLS: a `push_url` names no CA.
  package var isInTheClear: Bool { isWrittenClear || provider == .webhook }
  /// Is the address of a push; what stands in it for a phone or a project is in capitals.
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
