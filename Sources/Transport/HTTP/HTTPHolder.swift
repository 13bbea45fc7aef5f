internal import Core

struct WaitingRequest {
  var request: HTTPRequest
  var number: UInt64
  /// The request's holder, or nil for a connection of a single request.
  var holder: HTTPHolder?
  var asked: WallInstant
}

/// A connection, or TLS sessions, kept for a phone or an index of a pool. A kept connection has one
/// request in flight at a time with HTTP/1.1, and up to 100 after an answer over HTTP/2.
final class HTTPHolder {
  let share: ShareHandle
  /// The phone's number, or the index in the pool.
  let place: UInt32
  /// Whether a request used TLS, so that the next request may resume the session.
  var keepsSessions = false
  var connections = 0
  var goneAway = 0
  private var busy = 0
  private var atOnce: Int
  private var waiting = WaitingLine<WaitingRequest>()

  /// The limit of requests in flight over HTTP/2, the minimum that RFC 9113, 6.5.2 recommends.
  private static let streams = 100

  /// - Parameter keepsConnection: false to keep only TLS sessions, for any number of connections.
  init(_ place: UInt32, keepsConnection: Bool) {
    self.place = place
    share = ShareHandle(keepsConnections: keepsConnection)
    atOnce = keepsConnection ? 1 : .max
  }

  /// Returns whether a request may begin, and queues a request that may not.
  func takes(_ request: WaitingRequest) -> Bool {
    guard busy < atOnce else {
      waiting.append(request)
      return false
    }
    busy += 1
    return true
  }

  var isIdle: Bool { busy == 0 && waiting.isEmpty }

  /// Ends a request and returns the requests that may begin. `version` is nil without an answer.
  func released(version: Int?) -> [WaitingRequest] {
    busy -= 1
    if version == 20, atOnce == 1 { atOnce = Self.streams }
    var next: [WaitingRequest] = []
    while busy < atOnce, let request = waiting.popFirst() {
      busy += 1
      next.append(request)
    }
    return next
  }

  func takeAll() -> [WaitingRequest] {
    var all: [WaitingRequest] = []
    while let request = waiting.popFirst() { all.append(request) }
    return all
  }
}
