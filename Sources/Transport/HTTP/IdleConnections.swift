internal import CCurl
internal import Core

struct IdleConnection: BitwiseCopyable {
  let descriptor: Int32
  /// The socket's identity, which a later socket with the same descriptor number does not share.
  let identity: UInt64
  /// The holder's key: the phone's number, or the index in the pool.
  let place: UInt32
  let notices: Int
}

/// Closes idle connections that the server has closed, on the loop's thread. libcurl would keep the
/// descriptors of a million phones. libcurl prunes a share's connections when a request needs a
/// connection, at most once a second (`prune_dead_connections`, 7.41 to 8.x). A second after the
/// notice this object therefore begins a request that never gets a socket.
final class IdleConnections {
  let easy = EasyHandle()
  private var due = DueHeap<IdleConnection>()
  private(set) var current: IdleConnection?

  /// The first wait between notice and pruning, longer than libcurl's minimum of a second.
  private static let wait = WallDuration.milliseconds(1_050)
  private static let doublingsMax = 6

  init() {
    flotilla_curl_prepare_sweep(easy.raw) { _, _, _ in -1 }
  }

  var next: WallInstant? { due.next }

  func note(_ connection: IdleConnection, now: WallInstant) {
    let doublings = Int64(min(connection.notices, Self.doublingsMax))
    due.push(connection, at: now + .microseconds(Self.wait.microseconds << doublings))
  }

  func pop(at now: WallInstant) -> IdleConnection? { due.pop(at: now) }

  func begin(_ connection: IdleConnection, of holder: HTTPHolder) {
    current = connection
    easy.set(CURLOPT_SHARE, pointer: holder.share.raw)
  }

  /// Ends the request once libcurl is done with the handle, and returns the checked connection.
  func end() -> IdleConnection? {
    easy.set(CURLOPT_SHARE, pointer: nil)
    return exchange(&current, with: nil)
  }
}
