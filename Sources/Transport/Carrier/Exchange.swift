package import Core

/// The parts of one request's time. The sum of the parts is exactly the whole time.
package struct ExchangeTimes: Sendable, Equatable, BitwiseCopyable {
  /// The wait for permission to open a connection, or for earlier requests on the connection.
  package var waiting = WallDuration.zero
  /// The time of name resolution, zero on an open connection, like `connecting` and `securing`.
  package var resolving = WallDuration.zero
  /// The time from the end of `resolving` until TCP was connected.
  package var connecting = WallDuration.zero
  /// The time from the end of `connecting` until the TLS handshake ended, or zero for plaintext.
  package var securing = WallDuration.zero
  /// The time from the end of `securing` until the system had the request. If libcurl sends body
  /// and header in one piece, the time ends when libcurl begins to write. Over MQTT the time ends
  /// when the broker has accepted the client.
  package var writing = WallDuration.zero
  /// The time from the end of `writing` to the first byte of the answer.
  package var answering = WallDuration.zero
  /// The time from the first byte of the answer to the last byte, or to the failure.
  package var reading = WallDuration.zero

  package init() {}

  package var whole: WallDuration {
    waiting + resolving + connecting + securing + writing + answering + reading
  }
}

/// Splits the time from `mark` to `now` into parts. An unfinished part lasts until `now`.
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
  /// The number of new connections: 0 on an open connection, 2 or more if the request was resent.
  package var connections = 0
  package var isResumed = false
  /// The bytes sent, including the header and excluding TLS.
  package var bytesSent = 0
  /// The bytes received. Over HTTP the count includes the header, but not TLS, before
  /// decompression. Over MQTT the count starts after the previous message and includes TLS.
  package var bytesReceived = 0

  package init(_ result: Result<Answer, Failure>) { self.result = result }
}

package protocol ExchangeError: Error, CustomStringConvertible {
  var kind: String { get }
}

/// Sends requests of phones over one protocol, and reports the end of each request to the owner in
/// a later call. Requests are sent on the loop's thread only.
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
  /// Ends all requests as abandoned and closes every connection. Further calls have no effect.
  func close()
}

extension ExchangeClient {
  package typealias End = Exchange<Answer, Failure>
}
