package import Wire

/// What a server has seen, for its snapshot. Counts since it was made, gauges where it says so.
package struct ServerCounters: Equatable, Sendable {
  /// Counts the connections accepted, those refused for `connectionsMax` included.
  package var accepted: UInt64 = 0
  /// Gauge.
  package var connections = 0
  /// Gauge.
  package var streams = 0
  /// Gauge: bytes of requests that are not answered yet.
  package var inFlightBytes = 0
  /// Counts the calls that began, whatever became of them.
  package var calls: UInt64 = 0
  /// Counts the bytes read from all connections.
  package var bytesRead: UInt64 = 0
  /// Counts the bytes that all connections handed to the system.
  package var bytesWritten: UInt64 = 0
  /// Answers by status code.
  package var statuses = [UInt64](repeating: 0, count: StatusCode.allCases.count)
  /// Calls by method, `unknownMethod` last; counted when their headers have come.
  package var started = [UInt64](repeating: 0, count: Self.methods)
  /// Calls that have ended, by method and status code: `handledIndex`. One that the client gave up
  /// or lost its connection for counts as CANCELLED.
  package var handled = [UInt64](
    repeating: 0, count: Self.methods * StatusCode.allCases.count)
  /// Counts the calls that the client gave up or lost its connection for.
  package var cancelled: UInt64 = 0
  /// Calls without the token that this server asks for.
  package var unauthenticated: UInt64 = 0
  /// Connections ended for a breach of the protocol.
  package var protocolErrors: UInt64 = 0
  /// Counts the connections refused because as many were open as the limit allows.
  package var connectionsMaxHits: UInt64 = 0
  /// Counts the connections refused because the process may have no more files open.
  package var descriptorsHits: UInt64 = 0
  /// Counts the calls refused because their connection had as many open as the limit allows.
  package var streamsMaxHits: UInt64 = 0
  /// Counts the connections ended for a frame that was too long.
  package var frameBodyBytesMaxHits: UInt64 = 0
  /// Bytes or entries.
  package var metadataBytesMaxHits: UInt64 = 0
  /// Counts the calls refused for a message that was too long.
  package var messageBytesMaxHits: UInt64 = 0
  /// Counts the calls and connections refused because the bytes in flight were at their limit.
  package var inFlightBytesMaxHits: UInt64 = 0
  /// Counts the calls refused, streams ended and connections reset because answers waited for a
  /// slow reader.
  package var writeQueueBytesMaxHits: UInt64 = 0
  /// Counts the connections ended because the client overdrew its flow-control window.
  package var windowBytesHits: UInt64 = 0
  /// Counts the connections closed because no whole call came in time.
  package var firstCallTimeHits: UInt64 = 0
  /// Counts the calls failed and connections ended because a message or frame did not come whole in
  /// time.
  package var messageTimeHits: UInt64 = 0
  /// Counts the connections reset because their reader took no byte of an answer in time.
  package var answerTimeHits: UInt64 = 0
  /// Counts the connections ended because no call came for `idleTime`.
  package var idleTimeHits: UInt64 = 0
  /// Counts the connections ended for PINGs that came too often.
  package var pingsPerSecondMaxHits: UInt64 = 0

  /// Makes counters at zero.
  package init() {}

  /// Every limit by its name, and how often it was met.
  package var limitHits: [(name: String, count: UInt64)] {
    [
      ("connectionsMax", connectionsMaxHits),
      ("descriptors", descriptorsHits),
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

  mutating func hit(_ limit: ServerLimit) {
    switch limit {
    case .connectionsMax: connectionsMaxHits += 1
    case .descriptors: descriptorsHits += 1
    case .streamsMax: streamsMaxHits += 1
    case .messageBytesMax: messageBytesMaxHits += 1
    case .inFlightBytesMax: inFlightBytesMaxHits += 1
    case .writeQueueBytesMax: writeQueueBytesMaxHits += 1
    case .windowBytes: windowBytesHits += 1
    case .firstCallTime: firstCallTimeHits += 1
    case .frameBodyBytesMax: frameBodyBytesMaxHits += 1
    case .metadataBytesMax: metadataBytesMaxHits += 1
    case .messageTime: messageTimeHits += 1
    case .answerTime: answerTimeHits += 1
    case .idleTime: idleTimeHits += 1
    case .pingsPerSecondMax: pingsPerSecondMaxHits += 1
    }
  }

  /// The known ones, and one place for all others.
  package static let methods = CollectorMethod.allCases.count + 1

  /// - Parameter method: nil for one that is not known.
  package static func index(of method: CollectorMethod?) -> Int {
    method.map { Int($0.rawValue) } ?? methods - 1
  }

  /// Returns the place in `handled` of a method and a status; `nil` stands for every unknown
  /// method.
  package static func handledIndex(_ method: CollectorMethod?, _ code: StatusCode) -> Int {
    index(of: method) * StatusCode.allCases.count + Int(code.rawValue)
  }

  mutating func countEnd(of method: CollectorMethod?, _ code: StatusCode) {
    handled[Self.handledIndex(method, code)] += 1
  }
}
