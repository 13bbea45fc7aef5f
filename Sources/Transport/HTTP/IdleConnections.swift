internal import CCurl
internal import SimulationCore

/// A kept connection on which something came between two requests: its end for the most part.
struct IdleConnection: BitwiseCopyable {
  let descriptor: Int32
  /// Names the socket for as long as it is open.
  let identity: UInt64
  /// Names its holder: the phone's number, or the place in the pool.
  let place: UInt32
  /// How often something had come before.
  let notices: Int
}

/// Closes kept connections that the server has closed while nobody used them, as an app's system
/// does at once. libcurl would keep them until their phone's next request: where a server closes
/// after 30 s, a million phones would hold a descriptor each for their hour of rest.
///
/// libcurl has no call for it, but looks through the connections of a share whenever a request
/// asks for one, at most once a second (`prune_dead_connections`, 7.41 to 8.x). So a request that
/// is never given a socket asks, a second after the notice.
///
/// Belongs to the loop's thread, and to a client that leads its handle.
final class IdleConnections {
  let easy = EasyHandle()
  private var due = DueHeap<IdleConnection>()
  /// The one whose share is being looked through.
  private(set) var current: IdleConnection?

  /// After libcurl's second.
  private static let wait = WallDuration.milliseconds(1_050)
  /// Bytes that are not an end are looked at less and less often, at last every minute.
  private static let doublingsMax = 6

  init() {
    flotilla_curl_prepare_sweep(easy.raw) { _, _, _ in -1 }
  }

  /// When the next one is due; nil: none waits.
  var next: WallInstant? { due.next }

  func note(_ connection: IdleConnection, now: WallInstant) {
    let doublings = Int64(min(connection.notices, Self.doublingsMax))
    due.push(connection, at: now + .microseconds(Self.wait.microseconds << doublings))
  }

  /// Takes the next one that is due; nil: there is none.
  func pop(at now: WallInstant) -> IdleConnection? { due.pop(at: now) }

  /// Has the connections of a holder looked through by the handle's next request.
  func begin(_ connection: IdleConnection, of holder: HTTPHolder) {
    current = connection
    easy.set(CURLOPT_SHARE, pointer: holder.share.raw)
  }

  /// Its request has ended, and libcurl has nothing to do with the handle any more.
  ///
  /// - Returns: whose connections were looked through.
  func end() -> IdleConnection? {
    easy.set(CURLOPT_SHARE, pointer: nil)
    return exchange(&current, with: nil)
  }
}
