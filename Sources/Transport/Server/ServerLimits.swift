package import Core
internal import Wire

/// A server's limits; `ServerCounters` counts how often each was reached.
package struct ServerLimits: Equatable, Sendable {
  /// Bounded by descriptors, of which most systems allow 20,000 and more; store and logs need some.
  package var connectionsMax = 16_384
  /// Whether `connectionsMax` was reduced to the available descriptors.
  package private(set) var isBoundByDescriptors = false
  package var streamsMax = Carrier.streamsMax
  /// gRPC's default.
  package var messageBytesMax = Carrier.messageBytesMax
  /// Of one call: gRPC's default for the header list.
  package var metadataBytesMax = 8_192
  /// Of one call: a token and tracing add three.
  package var metadataEntriesMax = 32
  /// Bytes of unanswered requests, including incomplete ones, over all connections; above it a call
  /// is shed with RESOURCE_EXHAUSTED before decoding.
  package var inFlightBytesMax = 64 << 20
  package var windowBytes = Carrier.windowBytes
  /// Answers that wait for a reader: twice the largest message. A slower reader loses its
  /// connection; a stream gets `.full`.
  package var writeQueueBytesMax = 8 << 20
  /// From accept to the first complete call, which a phone sends with its first packet; 10 s lets
  /// slow radio links retransmit, and limits unauthenticated clients.
  package var firstCallTime = WallDuration.seconds(10)
  /// From the first byte of a call, or of an incomplete frame, to the last: the largest batch takes
  /// 20 s at the 20 kbit/s of an old radio link.
  package var messageTime = WallDuration.seconds(30)
  /// The maximum time in which a reader reads no byte: as long as TCP retries on a broken link.
  package var answerTime = WallDuration.seconds(30)
  /// Without a complete call: mobile networks drop an idle connection's mapping after some minutes.
  package var idleTime = WallDuration.seconds(300)
  package var pingsPerSecondMax = 10
  /// Between two keep-alive PINGs of an HTTP/2 client without work in between: the minimum that
  /// gRPC's clients may use (gRFC A8).
  package var keepaliveTimeMin = WallDuration.seconds(10)
  /// The number of the dictionary that zstd payloads may name; 0 for none.
  package var dictionary: UInt32 = 0
  /// The wait of a client shed for bytes in flight: a few group commits.
  package var pushbackMilliseconds: Int32 = 250

  package init() {}

  /// Limits connections to the descriptors: a server without any cannot even refuse.
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
