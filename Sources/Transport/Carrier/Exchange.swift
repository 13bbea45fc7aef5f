package import Core

/// The parts of one request's time. Their sum is exactly the whole time.
package struct ExchangeTimes: Sendable, Equatable, BitwiseCopyable {
  /// The wait for a connection: for permission to open one, or for earlier requests on it.
  package var waiting = WallDuration.zero
  /// The time of name resolution. On an open connection this and the next two parts are zero.
  package var resolving = WallDuration.zero
  /// The time from the end of `resolving` until TCP was connected.
  package var connecting = WallDuration.zero
  /// The time from the end of `connecting` until the TLS handshake ended; zero for plaintext.
  package var securing = WallDuration.zero
  /// The time from the end of `securing` until the request was handed to the system. Ends when
  /// libcurl begins to write a request sent in one piece with its header; over MQTT, when the
  /// broker has accepted the client.
  package var writing = WallDuration.zero
  /// The time from the end of `writing` to the first byte of the answer.
  package var answering = WallDuration.zero
  /// The time from the first byte of the answer to the last, or to the failure.
  package var reading = WallDuration.zero

  package init() {}

  package var whole: WallDuration {
    waiting + resolving + connecting + securing + writing + answering + reading
  }
}

/// Splits the time up to now: an unfinished part lasts until now, later parts are zero.
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
  /// The number of new connections: 0 on an open one, 2 or more if a server refused the request.
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

/// Sends requests of phones over one protocol, and reports the end of each request to the owner in
/// a later call. Only for the loop's thread.
package protocol ExchangeClient<Request, Answer, Failure>: AnyObject, SendableMetatype {
  associatedtype Request: Sendable
  associatedtype Answer: Sendable
  associatedtype Failure: ExchangeError

  var counters: Sheet { get }
  /// Sends a request, now or when a connection is free for it.
  ///
  /// - Parameters:
  ///   - number: identifies the request when its end is reported.
  ///   - phone: determines the connection.
  func send(_ request: Request, as number: UInt64, of phone: UInt32)
  /// Ends all requests as abandoned, and closes every connection; idempotent.
  func close()
}

extension ExchangeClient {
  package typealias End = Exchange<Answer, Failure>
}
