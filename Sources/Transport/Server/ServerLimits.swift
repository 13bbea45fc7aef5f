package import Core
internal import Wire

/// The limits of a server. `ServerCounters` counts how often each limit was reached.
package struct ServerLimits: Equatable, Sendable {
  /// The limit of connections, below the 20,000 descriptors that most systems allow.
  package var connectionsMax = 16_384
  /// Whether `connectionsMax` was reduced to the available descriptors.
  package private(set) var isBoundByDescriptors = false
  package var streamsMax = Carrier.streamsMax
  /// The limit of one message, gRPC's default.
  package var messageBytesMax = Carrier.messageBytesMax
  /// The limit of one call's metadata, gRPC's default for the header list.
  package var metadataBytesMax = 8_192
  /// The limit of one call's metadata entries. A token and tracing need three.
  package var metadataEntriesMax = 32
  /// The limit of unanswered request bytes, including incomplete requests, over all connections.
  /// Above the limit a call is shed with RESOURCE_EXHAUSTED before decoding.
  package var inFlightBytesMax = 64 << 20
  package var windowBytes = Carrier.windowBytes
  /// The limit of output that waits for one client, twice the largest message. Above the limit a
  /// stream gets `.full`, and above twice the limit the connection is reset.
  package var writeQueueBytesMax = 8 << 20
  /// The time limit from accept to the first complete call, which a phone sends at once. Within 10
  /// s a slow radio link can retransmit.
  package var firstCallTime = WallDuration.seconds(10)
  /// The time limit from the first byte of a call or frame to the last. At the 20 kbit/s of an old
  /// radio link the largest batch takes 20 s.
  package var messageTime = WallDuration.seconds(30)
  /// The time limit for a client that reads no byte, as long as TCP retries on a broken link.
  package var answerTime = WallDuration.seconds(30)
  /// The time limit without a complete call. Mobile networks drop idle connections after minutes.
  package var idleTime = WallDuration.seconds(300)
  package var pingsPerSecondMax = 10
  /// The minimum time between two keep-alive PINGs of an HTTP/2 client without work in between, as
  /// short as gRPC's clients may use (gRFC A8).
  package var keepaliveTimeMin = WallDuration.seconds(10)
  /// The number of the dictionary that zstd payloads may name, or 0 without a dictionary.
  package var dictionary: UInt32 = 0
  /// The wait in milliseconds for a client that is shed at `inFlightBytesMax`: a few group commits.
  package var pushbackMilliseconds: Int32 = 250

  package init() {}

  /// Limits connections to `descriptors`. Without a free descriptor a server cannot even refuse.
  package mutating func leave(descriptors: Int) {
    guard descriptors < connectionsMax else { return }
    connectionsMax = max(1, descriptors)
    isBoundByDescriptors = true
  }

  var ofConnections: ServerLimit { isBoundByDescriptors ? .descriptors : .connectionsMax }
}

package enum ServerLimit: String, CaseIterable, Sendable {
  case connectionsMax, descriptors, streamsMax, messageBytesMax, inFlightBytesMax
  case writeQueueBytesMax, windowBytes, firstCallTime, frameBodyBytesMax, metadataBytesMax
  case messageTime, answerTime, idleTime, pingsPerSecondMax
}
