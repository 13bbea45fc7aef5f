/// What an endpoint for pushes is told when it is made.
package struct EndpointRules: Sendable {
  /// Holds the topics that the team may push to; the phones' app is the first. Empty: any.
  package var topics: [String]
  /// Says whose tokens are good.
  package var keys: ProviderKeys
  /// Is true for the provider's sandbox, which gives each push a further name.
  package var isSandbox = false
  /// Pushes to one phone within a second before the answer is 429; 0: any number.
  package var perPhoneAndSecond = 10
  /// Streams of a connection until its first push was accepted.
  package var streamsAtFirst = 1
  /// Streams of a connection from then on.
  package var streams = 1_000
  /// A connection is sent away after so many requests; 0: never.
  package var requestsPerConnection = 0
  /// The share of requests that is answered 503, by a draw. 0 ... 1.
  package var busy = 0.0
  /// What stands in Retry-After beside 429 and 503, in seconds.
  package var retryAfter: Int64 = 5
  /// The share of pushes that is accepted and never delivered, by a draw. 0 ... 1.
  package var withhold = 0.0
  /// Is the account that sends through Firebase Cloud Messaging; nil: nobody does.
  package var messaging: MessagingAccount?
  /// Notifications that Home Assistant may send to a phone a day; nil: it sends none.
  package var webhookPerDay: Int?
  /// The provider itself answers over HTTP/1.1 as well, which Apple's does not.
  package var takesHTTP1 = false
  /// Is what the draws and the tokens come from.
  package var seed: UInt64 = 42

  /// The topic that gateways name for the phones' app; where any will do, one of examples.
  var ownTopic: String { topics.first ?? "org.example.app" }

  /// Makes the rules of an app's endpoint.
  package init(topics: [String], keys: ProviderKeys) {
    self.topics = topics
    self.keys = keys
  }
}
