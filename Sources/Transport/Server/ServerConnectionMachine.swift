internal import Core
internal import Wire

/// How long a server keeps a connection, and how it ends, for every carrier.
///
///     serving ──server drains, idle──▶ going away ──last call answered, all sent──▶ closed
///        │   └──client goes away──────────▲                                          ▲
///        └── no first call, frame or reader too slow, too many pings, a breach ──────┘
///
/// Pure: it reads no clock and holds no socket. `ServerConnection` performs the returned action.
/// Limits are arguments: a copy in each of ten thousand connections would be most of this.
struct ServerConnectionMachine {
  enum Action: Equatable {
    case none
    /// Close at once: an unauthenticated client gets no answer.
    case close(ServerLimit)
    /// Drop unread output, and close with RST.
    case reset(ServerLimit)
    /// Send a GOAWAY with the reason, and close.
    case sayAndClose(StatusCode, ServerLimit)
    case breach(ServerLimit)
    /// Send GOAWAY, end what waits or streams, and let open calls finish.
    case drain(ServerLimit?)
    case closeWhenSent
    case pauseReading
  }

  struct View {
    var openCalls: Int
    var bytesUnread: Int
    /// Whether the client has read any since the last sweep.
    var hasWritten: Bool
  }

  private enum State { case serving, goingAway }

  private var state = State.serving
  private var hasCalled = false
  private var pingsThisSecond: Int32 = 0
  /// The number of early keep-alives without work in between.
  private var pingStrikes: Int32 = 0
  /// nil if there has been work since.
  private var lastKeepAlive: WallInstant?
  /// When it was accepted, or the last complete call arrived.
  private var lastActive: WallInstant
  /// When the incomplete frame held began; nil if there is none.
  private var bufferedSince: WallInstant?
  /// When the reader stopped reading its output; nil if it reads, or there is none.
  private var unreadSince: WallInstant?

  init(acceptedAt now: WallInstant) { lastActive = now }

  var isGoingAway: Bool { state == .goingAway }

  /// Records a complete or shed call: a client told to retry may stay.
  mutating func called(at now: WallInstant) {
    hasCalled = true
    lastActive = now
  }

  /// Records buffered bytes of an incomplete frame; `isTooMuch` if the server's limit is exceeded.
  mutating func buffered(_ bytes: Int, at now: WallInstant, isTooMuch: Bool) -> Action {
    bufferedSince = bytes == 0 ? nil : bufferedSince ?? now
    return isTooMuch && bytes > 0 ? .sayAndClose(.resourceExhausted, .inFlightBytesMax) : .none
  }

  mutating func frameIsWhole() { bufferedSince = nil }

  mutating func pinged(_ limits: ServerLimits) -> Action {
    pingsThisSecond += 1
    return Int(pingsThisSecond) <= limits.pingsPerSecondMax ? .none : .breach(.pingsPerSecondMax)
  }

  /// Records part of a call, or credit for one: a PING that follows measures the link, as grpc-go
  /// and grpc-netty do at every answer, and is not a keep-alive.
  mutating func worked() {
    pingStrikes = 0
    lastKeepAlive = nil
  }

  /// gRPC's rule against frequent keep-alives (gRFC A8, as in grpc-core): each PING within the
  /// minimum interval after another, without work in between, is a strike; the third ends the
  /// connection.
  mutating func keptAlive(at now: WallInstant, _ limits: ServerLimits) -> Action {
    let isTooSoon = lastKeepAlive.map { now - $0 < limits.keepaliveTimeMin } ?? false
    lastKeepAlive = now
    pingStrikes = isTooSoon ? pingStrikes + 1 : 0
    return pingStrikes <= Self.pingStrikesMax
      ? .none : .sayAndClose(.resourceExhausted, .pingsPerSecondMax)
  }

  private static var pingStrikesMax: Int32 { 2 }

  /// Called after an answer, to end unread ones; streams are checked before.
  func answered(bytesUnread: Int, bytesQueued: Int, _ limits: ServerLimits) -> Action {
    if bytesUnread > 2 * limits.writeQueueBytesMax { return .reset(.writeQueueBytesMax) }
    return bytesQueued > limits.bytesUnreadMax ? .pauseReading : .none
  }

  /// Returns whether a message that began at `instant` has taken too long.
  func isOverdue(
    openedAt instant: WallInstant, at now: WallInstant, _ limits: ServerLimits
  ) -> Bool {
    now - instant > limits.messageTime
  }

  /// Checks the timeouts, once a second.
  mutating func secondPassed(
    at now: WallInstant, _ view: View, _ limits: ServerLimits
  ) -> Action {
    pingsThisSecond = 0
    let takesNothing = view.bytesUnread > 0 && !view.hasWritten
    unreadSince = takesNothing ? unreadSince ?? now : nil
    if !hasCalled, now - lastActive > limits.firstCallTime { return .close(.firstCallTime) }
    if let bufferedSince, now - bufferedSince > limits.messageTime {
      return .sayAndClose(.deadlineExceeded, .messageTime)
    }
    if let unreadSince, now - unreadSince > limits.answerTime { return .reset(.answerTime) }
    guard view.openCalls == 0, now - lastActive > limits.idleTime else { return .none }
    // A client that sent GOAWAY itself and stays connected is closed.
    return isGoingAway ? .close(.idleTime) : drain(for: .idleTime)
  }

  /// - Parameter limit: the limit that requires it; nil if the server stops.
  mutating func drain(for limit: ServerLimit? = nil) -> Action {
    switch state {
    case .serving:
      state = .goingAway
      return .drain(limit)
    case .goingAway: return .none
    }
  }

  mutating func clientGoesAway(openCalls: Int) -> Action {
    state = .goingAway
    return callEnded(openCalls: openCalls)
  }

  /// Called when a call has ended, or all output is sent.
  func callEnded(openCalls: Int) -> Action {
    state == .goingAway && openCalls == 0 ? .closeWhenSent : .none
  }
}

extension ServerLimits {
  /// Unread answers beyond which no more calls are accepted: 256 KiB by default, a thousand acks.
  var bytesUnreadMax: Int { writeQueueBytesMax / 32 }
}
