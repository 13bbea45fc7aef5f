package import SimulationCore
package import Wire

/// What is known of a call when its first frame has come, before its message.
package struct CallOpening: Sendable {
  package let method: CollectorMethod
  package let at: WallInstant
  /// How long it has waited to be read, at most.
  package let queueingDelay: WallDuration
  /// The connection's calls of late, this one included; each fades within tenths of a second.
  package let connectionRate: Double
}

/// Serves calls; every method is called on the loop's thread.
///
/// A handler sees calls, which answer themselves, and never the server or the connection that
/// carries them.
package protocol RPCHandler: AnyObject {
  /// Returns why a call is not taken, although nothing is wrong with it; nil: it is taken. Asked
  /// before the message has come, so that a call that is shed costs next to nothing.
  func refusal(of opening: CallOpening) -> CallStatus?
  /// Takes a whole request, to be answered once with `reply`, `fail` or `finish`, at once or later.
  ///
  /// - Parameter message: valid until this returns.
  func received(_ call: ServerCall, message: UnsafeRawBufferPointer)
  /// Hears that the client gave the call up, or that its connection broke; an answer goes nowhere.
  func cancelled(_ call: ServerCall)
}

extension RPCHandler {
  package func refusal(of opening: CallOpening) -> CallStatus? { nil }
}

/// What a server bears; each limit has a counter of the same name in `ServerCounters`.
package struct ServerLimits: Equatable, Sendable {
  /// Descriptors are the scarce thing: most systems allow 20,000 and more; the store and the logs
  /// want some too.
  package var connectionsMax = 16_384
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
  /// radio links retransmit and strangers not stay.
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
  /// PINGs a connection may send in a second before it is told to go away.
  package var pingsPerSecondMax = 10
  /// Number of the dictionary that zstd payloads may name; 0: none.
  package var dictionary: UInt32 = 0
  /// How long a client that was shed for bytes in flight shall wait: a few group commits.
  package var pushbackMilliseconds: Int32 = 250

  package init() {}
}

/// What a server has seen, for its snapshot. Counts since it was made, gauges where it says so.
package struct ServerCounters: Equatable, Sendable {
  package var accepted: UInt64 = 0
  /// Gauge.
  package var connections = 0
  /// Gauge.
  package var streams = 0
  /// Gauge: bytes of requests that are not answered yet.
  package var inFlightBytes = 0
  package var calls: UInt64 = 0
  package var bytesRead: UInt64 = 0
  package var bytesWritten: UInt64 = 0
  /// Answers by status code.
  package var statuses = [UInt64](repeating: 0, count: StatusCode.allCases.count)
  /// Calls by method, `unknownMethod` last; counted when their headers have come.
  package var started = [UInt64](repeating: 0, count: Self.methods)
  /// Calls that have ended, by method and status code: `handledIndex`. One that the client gave up
  /// or lost its connection for counts as CANCELLED.
  package var handled = [UInt64](
    repeating: 0, count: Self.methods * StatusCode.allCases.count)
  package var cancelled: UInt64 = 0
  /// Calls without the token that this server asks for.
  package var unauthenticated: UInt64 = 0
  /// Connections ended for a breach of the protocol.
  package var protocolErrors: UInt64 = 0
  package var connectionsMaxHits: UInt64 = 0
  package var streamsMaxHits: UInt64 = 0
  package var frameBodyBytesMaxHits: UInt64 = 0
  /// Bytes or entries.
  package var metadataBytesMaxHits: UInt64 = 0
  package var messageBytesMaxHits: UInt64 = 0
  package var inFlightBytesMaxHits: UInt64 = 0
  package var writeQueueBytesMaxHits: UInt64 = 0
  package var windowBytesHits: UInt64 = 0
  package var firstCallTimeHits: UInt64 = 0
  package var messageTimeHits: UInt64 = 0
  package var answerTimeHits: UInt64 = 0
  package var idleTimeHits: UInt64 = 0
  package var pingsPerSecondMaxHits: UInt64 = 0

  package init() {}

  /// Every limit by its name, and how often it was met.
  package var limitHits: [(name: String, count: UInt64)] {
    [
      ("connectionsMax", connectionsMaxHits),
      ("streamsMax", streamsMaxHits),
      ("messageBytesMax", messageBytesMaxHits),
      ("inFlightBytesMax", inFlightBytesMaxHits),
      ("writeQueueBytesMax", writeQueueBytesMaxHits),
      ("windowBytes", windowBytesHits),
      ("firstCallTime", firstCallTimeHits),
      ("frameBodyBytesMax", frameBodyBytesMaxHits),
      ("metadataBytesMax", metadataBytesMaxHits),
      ("messageTime", messageTimeHits),
      ("answerTime", answerTimeHits),
      ("idleTime", idleTimeHits),
      ("pingsPerSecondMax", pingsPerSecondMaxHits),
    ]
  }

  /// The known ones, and one place for all others.
  package static let methods = CollectorMethod.allCases.count + 1

  /// - Parameter method: nil for one that is not known.
  package static func index(of method: CollectorMethod?) -> Int {
    method.map { Int($0.rawValue) } ?? methods - 1
  }

  package static func handledIndex(_ method: CollectorMethod?, _ code: StatusCode) -> Int {
    index(of: method) * StatusCode.allCases.count + Int(code.rawValue)
  }

  mutating func countEnd(of method: CollectorMethod?, _ code: StatusCode) {
    handled[Self.handledIndex(method, code)] += 1
  }
}
