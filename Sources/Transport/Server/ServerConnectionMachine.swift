internal import SimulationCore
internal import Wire

/// How long a server bears a connection, and how it ends; the same for every carrier.
///
///     serving ──server drains, idle──▶ going away ──last call answered, all sent──▶ closed
///        │   └──client goes away──────────▲                                          ▲
///        └── no first call, frame or reader too slow, too many pings, a breach ──────┘
///
/// Pure: it reads no clock and holds no socket. `ServerConnection` performs the returned action.
/// The limits are the server's and come with each question: a copy in each of ten thousand
/// connections would be the largest part of this.
struct ServerConnectionMachine {
  enum Action: Equatable {
    case none
    /// Close at once: an unauthenticated client gets no answer.
    case close(ServerLimit)
    /// Drop what the reader does not take, and close with RST.
    case reset(ServerLimit)
    /// Say why in a GOAWAY, and close.
    case sayAndClose(StatusCode, ServerLimit)
    /// End as for a breach of the protocol.
    case breach(ServerLimit)
    /// Say GOAWAY, end what waits or streams, and let the calls that are open finish.
    case drain(ServerLimit?)
    /// Close as soon as all that is written has gone.
    case closeWhenSent
    /// Take no calls in until what is queued has gone.
    case pauseReading
  }

  /// What the connection's owner sees of it when it looks.
  struct View {
    var openCalls: Int
    /// Bytes of answers that the client has not taken.
    var bytesUnread: Int
    /// Whether it has taken any since the last look.
    var hasWritten: Bool
  }

  private enum State { case serving, goingAway }

  private var state = State.serving
  private var hasCalled = false
  private var pingsThisSecond: Int32 = 0
  /// Keep-alives that came too soon after another, with no work between.
  private var pingStrikes: Int32 = 0
  /// When the last keep-alive came; nil: there has been work since.
  private var lastKeepAlive: WallInstant?
  /// When it was accepted, or the last whole call came.
  private var lastActive: WallInstant
  /// Since when a part of a frame is held; nil: none is.
  private var bufferedSince: WallInstant?
  /// Since when a reader takes nothing of what waits for it; nil: it does, or nothing waits.
  private var unreadSince: WallInstant?

  init(acceptedAt now: WallInstant) { lastActive = now }

  /// Whether no new call is taken.
  var isGoingAway: Bool { state == .goingAway }

  /// A call has come whole, or was shed: who is asked to come again may stay.
  mutating func called(at now: WallInstant) {
    hasCalled = true
    lastActive = now
  }

  /// After a read, `bytes` of a frame are held that is not whole.
  ///
  /// - Parameter isTooMuch: with them, more is held over all connections than the server bears.
  mutating func buffered(_ bytes: Int, at now: WallInstant, isTooMuch: Bool) -> Action {
    bufferedSince = bytes == 0 ? nil : bufferedSince ?? now
    return isTooMuch && bytes > 0 ? .sayAndClose(.resourceExhausted, .inFlightBytesMax) : .none
  }

  mutating func frameIsWhole() { bufferedSince = nil }

  mutating func pinged(_ limits: ServerLimits) -> Action {
    pingsThisSecond += 1
    return Int(pingsThisSecond) <= limits.pingsPerSecondMax ? .none : .breach(.pingsPerSecondMax)
  }

  /// A part of a call, or credit for one, has gone or come: a PING that follows measures the link,
  /// as the clients of grpc-go and grpc-netty do at every answer, and is no keep-alive.
  mutating func worked() {
    pingStrikes = 0
    lastKeepAlive = nil
  }

  /// gRPC's rule against keep-alives that come too often (gRFC A8, as grpc-core has it): each PING
  /// within the shortest time after another, with no work between, is a strike; the third ends the
  /// connection.
  mutating func keptAlive(at now: WallInstant, _ limits: ServerLimits) -> Action {
    let isTooSoon = lastKeepAlive.map { now - $0 < limits.keepaliveTimeMin } ?? false
    lastKeepAlive = now
    pingStrikes = isTooSoon ? pingStrikes + 1 : 0
    return pingStrikes <= Self.pingStrikesMax
      ? .none : .sayAndClose(.resourceExhausted, .pingsPerSecondMax)
  }

  private static var pingStrikesMax: Int32 { 2 }

  /// An answer was written. Streams were asked before; answers that nobody reads end here.
  func answered(bytesUnread: Int, bytesQueued: Int, _ limits: ServerLimits) -> Action {
    if bytesUnread > 2 * limits.writeQueueBytesMax { return .reset(.writeQueueBytesMax) }
    return bytesQueued > limits.bytesUnreadMax ? .pauseReading : .none
  }

  /// Whether a call whose message began to come at `instant` has been waited for long enough.
  func isOverdue(
    openedAt instant: WallInstant, at now: WallInstant, _ limits: ServerLimits
  ) -> Bool {
    now - instant > limits.messageTime
  }

  /// A second has passed: what takes too long?
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
    // A client that went away by itself, and stays, is owed nothing more.
    return isGoingAway ? .close(.idleTime) : drain(for: .idleTime)
  }

  /// The server takes no more calls.
  ///
  /// - Parameter limit: the one that asks for it; nil: the server stops.
  mutating func drain(for limit: ServerLimit? = nil) -> Action {
    switch state {
    case .serving:
      state = .goingAway
      return .drain(limit)
    case .goingAway: return .none
    }
  }

  /// The client opens no more calls.
  mutating func clientGoesAway(openCalls: Int) -> Action {
    state = .goingAway
    return callEnded(openCalls: openCalls)
  }

  /// A call has ended, or what was written has gone.
  func callEnded(openCalls: Int) -> Action {
    state == .goingAway && openCalls == 0 ? .closeWhenSent : .none
  }
}

extension ServerLimits {
  /// Who leaves so many bytes of answers unread gets no more calls in: 256 KiB by default, a
  /// thousand acks.
  var bytesUnreadMax: Int { writeQueueBytesMax / 32 }
}
