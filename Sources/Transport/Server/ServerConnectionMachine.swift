internal import Core
internal import Wire

/// Decides how long a server keeps a connection, and how the connection ends, for every carrier.
///
///     serving ──server drains, idle──▶ going away ──last call answered, all sent──▶ closed
///        │   └──client goes away──────────▲                                          ▲
///        └── no first call, frame or reader too slow, too many pings, a breach ──────┘
///
/// The machine is pure: it reads no clock and has no socket. `ServerConnection` performs the
/// action. Limits are arguments, since copies would take more memory than the rest of the machine.
struct ServerConnectionMachine {
  enum Action: Equatable {
    case none
    /// Close at once, without an answer.
    case close(ServerLimit)
    /// Drop unread output, and close with RST.
    case reset(ServerLimit)
    /// Send a GOAWAY with the reason, and close.
    case sayAndClose(StatusCode, ServerLimit)
    case breach(ServerLimit)
    /// Send GOAWAY, end incomplete calls and streams, and let other open calls finish.
    case drain(ServerLimit?)
    case closeWhenSent
    case pauseReading
  }

  struct View {
    var openCalls: Int
    var bytesUnread: Int
    /// Whether output has left since the last sweep, so that the client still reads.
    var hasWritten: Bool
  }

  private enum State { case serving, goingAway }

  private var state = State.serving
  private var hasCalled = false
  private var pingsThisSecond: Int32 = 0
  /// The number of consecutive keep-alives that came too soon and without work in between.
  private var pingStrikes: Int32 = 0
  /// The instant of the last keep-alive, or nil if there has been work since.
  private var lastKeepAlive: WallInstant?
  /// The instant of the last complete or shed call, or of the accept before the first call.
  private var lastActive: WallInstant
  /// The instant at which the buffered incomplete frame began, or nil without such a frame.
  private var bufferedSince: WallInstant?
  /// The instant at which the client stopped reading, or nil while it reads or no output waits.
  private var unreadSince: WallInstant?

  init(acceptedAt now: WallInstant) { lastActive = now }

  var isGoingAway: Bool { state == .goingAway }

  /// Records a complete or shed call. A client that is told to retry may stay connected.
  mutating func called(at now: WallInstant) {
    hasCalled = true
    lastActive = now
  }

  /// Records the buffered bytes of an incomplete frame, or 0 without an incomplete frame.
  /// - Parameter isTooMuch: whether all connections together exceed `inFlightBytesMax`.
  mutating func buffered(_ bytes: Int, at now: WallInstant, isTooMuch: Bool) -> Action {
    bufferedSince = bytes == 0 ? nil : bufferedSince ?? now
    return isTooMuch && bytes > 0 ? .sayAndClose(.resourceExhausted, .inFlightBytesMax) : .none
  }

  mutating func frameIsWhole() { bufferedSince = nil }

  mutating func pinged(_ limits: ServerLimits) -> Action {
    pingsThisSecond += 1
    return Int(pingsThisSecond) <= limits.pingsPerSecondMax ? .none : .breach(.pingsPerSecondMax)
  }

  /// Records a part of a call or credit for a call. The next PING is then no strike, since grpc-go
  /// and grpc-netty send a PING at every answer to measure the link.
  mutating func worked() {
    pingStrikes = 0
    lastKeepAlive = nil
  }

  /// Applies grpc-core's rule against frequent keep-alives (gRFC A8). A PING too soon after the
  /// last PING, without work in between, is a strike. The third strike ends the connection.
  mutating func keptAlive(at now: WallInstant, _ limits: ServerLimits) -> Action {
    let isTooSoon = lastKeepAlive.map { now - $0 < limits.keepaliveTimeMin } ?? false
    lastKeepAlive = now
    pingStrikes = isTooSoon ? pingStrikes + 1 : 0
    return pingStrikes <= Self.pingStrikesMax
      ? .none : .sayAndClose(.resourceExhausted, .pingsPerSecondMax)
  }

  private static var pingStrikesMax: Int32 { 2 }

  /// Returns the action after an answer: none, a pause of reading, or a reset.
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
    // The connection is closed if the client sent GOAWAY but stays connected.
    return isGoingAway ? .close(.idleTime) : drain(for: .idleTime)
  }

  /// - Parameter limit: the limit that the client has reached, or nil if the server stops.
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

  /// Returns the action after a call has ended or all output is sent.
  func callEnded(openCalls: Int) -> Action {
    state == .goingAway && openCalls == 0 ? .closeWhenSent : .none
  }
}

extension ServerLimits {
  /// The bytes of unsent answers above which reading pauses: 256 KiB by default, a thousand acks.
  var bytesUnreadMax: Int { writeQueueBytesMax / 32 }
}
