internal import SimulationCore

/// A request that has not begun.
struct WaitingRequest {
  var request: HTTPRequest
  /// The name under which its owner sent it.
  var number: UInt64
  /// Whose connection it takes; nil: one of its own.
  var holder: HTTPHolder?
  var asked: WallInstant
}

/// Keeps a connection, or TLS sessions, for a phone or for one place of a pool.
///
/// With HTTP/1.1 one request goes at a time and the others wait; once an answer came over HTTP/2,
/// as many as servers allow at once by default.
final class HTTPHolder {
  let share: ShareHandle
  /// The phone's number, or the place in the pool.
  let place: UInt32
  /// Some request went over TLS, whose session the next one goes on from.
  var keepsSessions = false
  /// How many connections were begun for it, of which the last one is in use.
  var connections = 0
  /// The last of them whose server has said that it takes no more requests on it (GOAWAY).
  var goneAway = 0
  private var busy = 0
  private var atOnce: Int
  private var waiting = WaitingLine<WaitingRequest>()

  /// What RFC 9113, 6.5.2, recommends to allow at least.
  private static let streams = 100

  /// - Parameter keepsConnection: false to keep TLS sessions alone, for connections without number.
  init(_ place: UInt32, keepsConnection: Bool) {
    self.place = place
    share = ShareHandle(keepsConnections: keepsConnection)
    atOnce = keepsConnection ? 1 : .max
  }

  /// Whether a request may begin now; if not it waits.
  func takes(_ request: WaitingRequest) -> Bool {
    guard busy < atOnce else {
      waiting.append(request)
      return false
    }
    busy += 1
    return true
  }

  /// None of its requests is under way, or waits.
  var isIdle: Bool { busy == 0 && waiting.isEmpty }

  /// A request has ended.
  ///
  /// - Parameter version: of the answer; nil: there was none.
  /// - Returns: the requests that may begin now.
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

  /// Takes back every request that waits.
  func takeAll() -> [WaitingRequest] {
    var all: [WaitingRequest] = []
    while let request = waiting.popFirst() { all.append(request) }
    return all
  }
}
