internal import Core

struct WaitingRequest {
  var request: HTTPRequest
  var number: UInt64
  /// nil for a connection of one request.
  var holder: HTTPHolder?
  var asked: WallInstant
}

/// A connection, or TLS sessions, kept for a phone or a place of a pool. With HTTP/1.1 one request
/// is in flight at a time; after an HTTP/2 answer, as many as servers allow by default.
final class HTTPHolder {
  let share: ShareHandle
  /// The phone's number, or the place in the pool.
  let place: UInt32
  /// Whether a request used TLS, whose session the next one resumes.
  var keepsSessions = false
  var connections = 0
  var goneAway = 0
  private var busy = 0
  private var atOnce: Int
  private var waiting = WaitingLine<WaitingRequest>()

  /// The minimum recommended by RFC 9113, 6.5.2.
  private static let streams = 100

  /// - Parameter keepsConnection: false to keep only TLS sessions, for any number of connections.
  init(_ place: UInt32, keepsConnection: Bool) {
    self.place = place
    share = ShareHandle(keepsConnections: keepsConnection)
    atOnce = keepsConnection ? 1 : .max
  }

  /// Begins a request if possible; otherwise queues it.
  func takes(_ request: WaitingRequest) -> Bool {
    guard busy < atOnce else {
      waiting.append(request)
      return false
    }
    busy += 1
    return true
  }

  var isIdle: Bool { busy == 0 && waiting.isEmpty }

  /// Ends a request and returns those that may begin now; `version` is nil without an answer.
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
