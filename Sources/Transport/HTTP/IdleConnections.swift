internal import CCurl
internal import SimulationCore

/// A kept connection on which something came between two requests: its end for the most part.
struct IdleConnection {
  let descriptor: Int32
  /// Names the socket for as long as it is open.
  let identity: UInt64
  let holder: HTTPHolder
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
  private var queue: [(due: WallInstant, connection: IdleConnection)] = []
  private var head = 0
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
  var next: WallInstant? { head < queue.count ? queue[head].due : nil }

  func note(_ connection: IdleConnection, now: WallInstant) {
    let doublings = min(connection.notices, Self.doublingsMax)
    let due = now + .microseconds(Self.wait.microseconds << Int64(doublings))
    // Nearly always the last.
    var place = queue.count
    while place > head, queue[place - 1].due > due { place -= 1 }
    queue.insert((due, connection), at: place)
  }

  /// Begins with the next one that is due and nobody has used since; false: there is none.
  func begin(now: WallInstant, isIdle: (IdleConnection) -> Bool) -> Bool {
    while head < queue.count, queue[head].due <= now {
      let connection = queue[head].connection
      head += 1
      if head > 1_024, head * 2 > queue.count {
        queue.removeFirst(head)
        head = 0
      }
      guard connection.holder.isIdle, isIdle(connection) else { continue }
      current = connection
      easy.set(CURLOPT_SHARE, pointer: connection.holder.share.raw)
      return true
    }
    if head == queue.count {
      queue.removeAll(keepingCapacity: true)
      head = 0
    }
    return false
  }

  /// Its request has ended, and libcurl has nothing to do with the handle any more.
  ///
  /// - Returns: whose connections were looked through.
  func end() -> IdleConnection? {
    easy.set(CURLOPT_SHARE, pointer: nil)
    return exchange(&current, with: nil)
  }

  /// Forgets whatever waits.
  func removeAll() {
    queue = []
    head = 0
  }
}
