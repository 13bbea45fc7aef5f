package import SimulationCore
internal import Wire

/// What a server bears; `ServerCounters` counts how often each limit was met.
package struct ServerLimits: Equatable, Sendable {
  /// Descriptors are the scarce thing: most systems allow 20,000 and more; the store and the logs
  /// want some too.
  package var connectionsMax = 16_384
  /// Whether `connectionsMax` is what the process's descriptors leave.
  package private(set) var isBoundByDescriptors = false
  /// Calls open on one connection.
  package var streamsMax = Carrier.streamsMax
  /// gRPC's default.
  package var messageBytesMax = Carrier.messageBytesMax
  /// Of one call: gRPC's default for what it calls the header list.
  package var metadataBytesMax = 8_192
  /// Of one call: a token and what tracing adds are three.
  package var metadataEntriesMax = 32
  /// Bytes of requests that are not answered yet, the parts of those that have not come whole
  /// included, over all connections: a bound on memory, for a quarter of a million batches; beyond
  /// it a call is shed with RESOURCE_EXHAUSTED before anything is decoded.
  package var inFlightBytesMax = 64 << 20
  /// DATA bytes that one connection may have under way.
  package var windowBytes = Carrier.windowBytes
  /// Answers that wait for a reader: twice the largest message. A slower reader loses its
  /// connection, a stream hears `.full`.
  package var writeQueueBytesMax = 8 << 20
  /// From accept to the first whole call: a phone sends it with its first packet; 10 s lets slow
  /// radio links retransmit and does not let unauthenticated clients stay.
  package var firstCallTime = WallDuration.seconds(10)
  /// From the first byte of a call, or of a frame that is kept in part, to the last: the largest
  /// batch takes 20 s at the 20 kbit/s of an old radio link. A sender that is slower, or stopped,
  /// holds memory for nothing.
  package var messageTime = WallDuration.seconds(30)
  /// How long answers may wait for a reader that takes not one byte: as long as TCP itself retries
  /// on a link that is gone for a while.
  package var answerTime = WallDuration.seconds(30)
  /// Without a whole call: mobile networks drop the mapping of an idle connection after some
  /// minutes.
  package var idleTime = WallDuration.seconds(300)
  /// PINGs that a connection of Flotilla's own frames may send in a second.
  package var pingsPerSecondMax = 10
  /// Between two keep-alive PINGs of an HTTP/2 client with no part of a call between: the shortest
  /// that gRPC's clients may be set to (gRFC A8).
  package var keepaliveTimeMin = WallDuration.seconds(10)
  /// Number of the dictionary that zstd payloads may name; 0: none.
  package var dictionary: UInt32 = 0
  /// How long a client that was shed for bytes in flight shall wait: a few group commits.
  package var pushbackMilliseconds: Int32 = 250

  /// Makes the default limits.
  package init() {}

  /// Takes no more connections than there are descriptors for: a server that has none left cannot
  /// even refuse, and its clients see resets.
  package mutating func leave(descriptors: Int) {
    guard descriptors < connectionsMax else { return }
    connectionsMax = max(1, descriptors)
    isBoundByDescriptors = true
  }

  /// The limit that a connection too many meets.
  var ofConnections: ServerLimit { isBoundByDescriptors ? .descriptors : .connectionsMax }
}

/// The limits by the names that snapshots, metrics and clients see.
package enum ServerLimit: String, CaseIterable, Sendable {
  case connectionsMax, descriptors, streamsMax, messageBytesMax, inFlightBytesMax
  case writeQueueBytesMax, windowBytes, firstCallTime, frameBodyBytesMax, metadataBytesMax
  case messageTime, answerTime, idleTime, pingsPerSecondMax
}
