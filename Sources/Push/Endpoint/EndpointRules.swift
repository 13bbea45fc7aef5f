package struct EndpointRules: Sendable {
  /// The allowed topics, with that of the phones' app first; empty to allow any topic.
  package var topics: [String]
  package var keys: ProviderKeys
  /// Whether the endpoint acts as Apple's sandbox, which answers with a second push id.
  package var isSandbox = false
  /// The push service of each phone.
  package var kinds = ProviderKinds()
  /// The Firebase project of the app, to which the tokens of Android phones belong.
  package var project = ""
  /// The maximum of pushes to one phone within a second before 429; 0 for no limit. For Android
  /// phones FCM's own limits count instead, unless this is 0.
  package var perPhoneAndSecond = 10
  /// The stream limit until a connection's first accepted push.
  package var streamsAtFirst = 1
  /// The stream limit after a connection's first accepted push.
  package var streams = 1_000
  /// The number of requests before a connection is closed with GOAWAY; 0 for no limit.
  package var requestsPerConnection = 0
  /// The random share of requests answered 503, 0 ... 1.
  package var busy = 0.0
  /// The Retry-After value with 429 and 503, in seconds.
  package var retryAfter: Int64 = 5
  /// The random share of pushes accepted but never delivered, 0 ... 1.
  package var withhold = 0.0
  /// The Firebase Cloud Messaging account; nil if none.
  package var messaging: MessagingAccount?
  /// The daily limit of Home Assistant notifications per phone; nil to accept none.
  package var webhookPerDay: Int?
  /// Whether the provider also answers over HTTP/1.1, unlike Apple's.
  package var takesHTTP1 = false
  /// The seed of draws and tokens.
  package var seed: UInt64 = 42

  var ownTopic: String { topics.first ?? "org.example.app" }

  package init(topics: [String], keys: ProviderKeys) {
    self.topics = topics
    self.keys = keys
  }
}
