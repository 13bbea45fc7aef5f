package import Figures
package import SimulationCore

/// Where the time of one request went; the parts sum to the whole exactly.
package struct ExchangeTimes: Sendable, Equatable, BitwiseCopyable {
  /// The wait for a connection: to be allowed one, or for earlier requests on it.
  package var waiting = WallDuration.zero
  /// The time until the name was resolved; zero on a connection that was open, like the next two.
  package var resolving = WallDuration.zero
  /// The time from there until TCP was connected.
  package var connecting = WallDuration.zero
  /// The time from there until TLS was agreed on; zero in the clear.
  package var securing = WallDuration.zero
  /// The time from there until the request was handed to the system; where that stood in one piece
  /// with its head, until libcurl began to write. Over MQTT until the broker took the client.
  package var writing = WallDuration.zero
  /// The time from there to the first byte of the answer.
  package var answering = WallDuration.zero
  /// The time from there to its last byte, or to the failure.
  package var reading = WallDuration.zero

  package init() {}

  /// The sum of the parts.
  package var whole: WallDuration {
    waiting + resolving + connecting + securing + writing + answering + reading
  }
}

/// Parts the time up to an instant: what was not reached lasts until then, and nothing is left for
/// what follows.
struct TimeParts {
  var mark: WallInstant
  let now: WallInstant

  mutating func part(until end: WallInstant?) -> WallDuration {
    let end = min(max(mark, end ?? now), now)
    defer { mark = end }
    return end - mark
  }
}

/// One request's end: its answer, or why there is none, and what it took.
package struct Exchange<Answer: Sendable, Failure: Error>: Sendable {
  /// The answer, or the failure.
  package var result: Result<Answer, Failure>
  /// Where the time went.
  package var times = ExchangeTimes()
  /// Whether an MQTT broker may have got the message, and may have taken it whatever the failure.
  package var isWritten = false
  /// The number of connections that were begun for it: 0 on one that was open, 2 and more where an
  /// HTTP server refused it unread on one.
  package var connections = 0
  /// Whether a new connection went on from an earlier TLS session.
  package var isResumed = false
  /// The bytes that were sent, with the head and without TLS.
  package var bytesSent = 0
  /// The bytes that were received: over HTTP with the head, without TLS and before decompression;
  /// over MQTT since the message before, with TLS.
  package var bytesReceived = 0

  /// Makes an end that took nothing.
  package init(_ result: Result<Answer, Failure>) { self.result = result }
}

/// Why a request has no answer.
package protocol ExchangeError: Error, CustomStringConvertible {
  /// The kind in a few words, for tables.
  var kind: String { get }
}

/// Sends requests in the name of phones over one protocol, and hands the end of each to its owner
/// in a later call. Belongs to its loop's thread.
package protocol ExchangeClient<Request, Answer, Failure>: AnyObject, SendableMetatype {
  associatedtype Request: Sendable
  associatedtype Answer: Sendable
  associatedtype Failure: ExchangeError

  /// What was done so far.
  var counters: Sheet { get }
  /// Sends a request, now or when a connection is free for it.
  ///
  /// - Parameters:
  ///   - number: the name under which its owner receives the end.
  ///   - phone: whose request it is; it decides which connection is taken.
  func send(_ request: Request, as number: UInt64, of phone: UInt32)
  /// Ends what is under way or waits as given up, and closes every connection; more than once is
  /// harmless.
  func close()
}

extension ExchangeClient {
  /// The end of a request.
  package typealias End = Exchange<Answer, Failure>
}
