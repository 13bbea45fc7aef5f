package import Core

/// The parts of one request's time; they sum to the whole exactly.
package struct ExchangeTimes: Sendable, Equatable, BitwiseCopyable {
  /// The wait for a connection: for permission to open one, or for earlier requests on it.
  package var waiting = WallDuration.zero
  /// The time of name resolution; zero on an open connection, like the next two.
  package var resolving = WallDuration.zero
  /// The time from there until TCP was connected.
  package var connecting = WallDuration.zero
  /// The time from there until the TLS handshake ended; zero for plaintext.
  package var securing = WallDuration.zero
  /// The time from there until the request was handed to the system; for a request sent in one
  /// piece with its header, until libcurl began to write. Over MQTT, until the broker accepted the
  /// client.
  package var writing = WallDuration.zero
  /// The time from there to the first byte of the answer.
  package var answering = WallDuration.zero
  /// The time from there to its last byte, or to the failure.
  package var reading = WallDuration.zero

  package init() {}

  package var whole: WallDuration {
    waiting + resolving + connecting + securing + writing + answering + reading
  }
}

/// Splits the time up to an instant: an unfinished part lasts until then, later parts are zero.
struct TimeParts {
  var mark: WallInstant
  let now: WallInstant

  mutating func part(until end: WallInstant?) -> WallDuration {
    let end = min(max(mark, end ?? now), now)
    defer { mark = end }
    return end - mark
  }
}

package struct Exchange<Answer: Sendable, Failure: Error>: Sendable {
  package var result: Result<Answer, Failure>
  package var times = ExchangeTimes()
  /// Whether an MQTT broker may have accepted the message, regardless of the failure.
  package var isWritten = false
  /// The connections started for it: 0 on an open one, 2 or more if a server refused it unread.
  package var connections = 0
  package var isResumed = false
  /// The bytes sent, including the header and excluding TLS.
  package var bytesSent = 0
  /// The bytes received: over HTTP including the header, without TLS and before decompression; over
  /// MQTT since the previous message, with TLS.
  package var bytesReceived = 0

  package init(_ result: Result<Answer, Failure>) { self.result = result }
}

package protocol ExchangeError: Error, CustomStringConvertible {
  var kind: String { get }
}

/// Sends requests of phones over one protocol, and passes the end of each to its owner in a later
/// call. Belongs to its loop's thread.
package protocol ExchangeClient<Request, Answer, Failure>: AnyObject, SendableMetatype {
  associatedtype Request: Sendable
  associatedtype Answer: Sendable
  associatedtype Failure: ExchangeError

  var counters: Sheet { get }
  /// Sends a request, now or when a connection is free for it.
  ///
  /// - Parameters:
  ///   - number: the number under which its owner receives the end.
  ///   - phone: determines the connection.
  func send(_ request: Request, as number: UInt64, of phone: UInt32)
  /// Ends all requests as abandoned, and closes every connection; idempotent.
  func close()
}

extension ExchangeClient {
  package typealias End = Exchange<Answer, Failure>
}
