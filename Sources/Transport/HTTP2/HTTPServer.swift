internal import CNghttp2
package import SimulationCore
internal import Wire

/// Serves whole requests; every method is called on the loop's thread.
package protocol HTTPHandler: AnyObject {
  /// Hears of a new connection.
  func opened(_ client: HTTPPeer)
  /// Takes a whole request, to be answered once, at once or later.
  func received(_ request: ServedRequest)
  /// Hears that nobody waits for the answer of an open request any more.
  func cancelled(_ request: ServedRequest)
  /// Hears that a connection has gone, and its open requests with it.
  func ended(_ client: HTTPPeer)
}

/// A connection of an HTTP server as its handler sees it.
package final class HTTPPeer {
  /// Is the place of the connection among those that are open; the next one may have it again.
  package let number: Int
  /// Counts the streams that were refused because the connection had as many as it may.
  package internal(set) var refusedStreams = 0
  /// Let go of when the connection ends, which every one does.
  var connection: HTTPServerConnection?
  /// The same where it speaks HTTP/1.1.
  var plain: HTTP1ServerConnection?

  init(number: Int) { self.number = number }

  /// Is true of a client that speaks HTTP/1.1.
  package var isHTTP1: Bool { plain != nil }

  /// Lets the client have so many requests open at once, from the next that it hears of us.
  package func allow(streams: Int) { connection?.allow(streams: streams) }

  /// Sends the client away with a text, and answers what it has under way.
  package func goAway(_ text: String) {
    connection?.goAway(text)
    plain?.goAway(text)
  }
}

/// A connection as its server keeps it.
protocol ServedConnection: AnyObject {
  var link: Link { get }
  var peer: HTTPPeer { get }
  var lastActive: WallInstant { get }
  func goAway(_ text: String)
  func end(_ end: LinkError, reset: Bool)
}

/// What an HTTP server bears.
package struct HTTPLimits: Equatable, Sendable {
  /// Requests that a connection may have open before the handler lets it have more.
  package var streamsAtFirst = 100
  /// Of a request's body; what is longer comes to the handler marked, without it.
  package var bodyBytesMax = 65_536
  /// Of the fields of a request, each counted with 32 bytes more; beyond it the answer is 431.
  package var fieldBytesMax = 16_384
  /// What a connection may send before it has credit again, in bytes.
  package var windowBytes = 1 << 20
  /// Is true where clients may speak HTTP/1.1 as well.
  package var takesHTTP1 = false
  /// Connections at once; a further one is closed.
  package var connectionsMax = 10_000
  /// A connection on which nothing is asked for so long is sent away.
  package var idleTime = WallDuration.seconds(3_600)

  /// Makes limits that a sender of pushes does not reach.
  package init() {}
}

extension EventLoop {
  /// Is what the handshakes of the loop's connections came to; only for the loop's thread.
  package var handshakes: TLSCounters { security.counters }
}

/// A server of HTTP/2: over TLS by ALPN, in the clear with prior knowledge; and of HTTP/1.1 where
/// its limits say so, by a connection's first bytes.
///
/// `@unchecked Sendable`: all state is touched on the loop's thread only (asserted); `listen` and
/// `drain` go there by themselves.
package final class HTTPServer: ListeningOwner, @unchecked Sendable {
  /// Counts what has come since the server was made; `connections` is a gauge.
  package struct Counters: Equatable, Sendable {
    package var accepted: UInt64 = 0
    package var connections = 0
    package var requests: UInt64 = 0
    /// Connections that ended because the client broke HTTP/2.
    package var broken: UInt64 = 0
    package var bytesRead: UInt64 = 0
    package var bytesWritten: UInt64 = 0
  }

  /// Is the loop on whose thread everything of this server happens.
  package let loop: EventLoop
  /// Holds the limits, fixed when the server was made.
  package let limits: HTTPLimits
  /// Holds what the server has counted; only for the loop's thread.
  package private(set) var counters = Counters()
  private let listening: ListeningHalf
  unowned let handler: any HTTPHandler
  private var connections: [(any ServedConnection)?] = []
  private var freeNumbers: [Int] = []
  /// Connections on which nothing has come.
  private var undecided: [ObjectIdentifier: HTTPFirstBytes] = [:]
  private var idle: [ServedRequest] = []
  private var timer: LoopTimer?
  /// Who was sent away and has every answer, in the order in which they are closed.
  private var lingering: [(connection: any ServedConnection, until: WallInstant)] = []
  private var lingerTimer: LoopTimer?
  private var isDraining = false
  private var whenDrained: (() -> Void)?

  /// What is kept for the next requests: 4,096 of some kilobytes.
  private static let idleMax = 4_096
  private static let sweepEvery = WallDuration.seconds(10)
  /// Who may choose what to speak says something within so long.
  private static let silenceMax = WallDuration.seconds(30)
  /// Who has every answer and was sent away may take so long to read them: as nginx waits
  /// (`lingering_timeout`) for a client whose machine is busy.
  private static let lingerMax = WallDuration.seconds(5)

  /// - Parameters:
  ///   - tls: what secures its connections, with `h2` among its protocols; nil: in the clear.
  ///   - handler: not retained; must outlive the server.
  package init(
    loop: EventLoop, limits: HTTPLimits = .init(), tls: TLSServer? = nil,
    handler: any HTTPHandler
  ) {
    self.loop = loop
    self.limits = limits
    listening = ListeningHalf(on: loop, tls)
    self.handler = handler
  }

  /// Listens and returns the port, which the system chooses for 0.
  package func listen(on endpoint: Endpoint) throws(TransportError) -> UInt16 {
    try listening.listen(on: endpoint, for: self)
  }

  var mayShakeHands: Bool {
    counters.connections + loop.security.counters.underWay < limits.connectionsMax
  }

  func listens() { startSweeping() }

  func accept(_ stream: any ByteStream) {
    loop.assertOnLoop()
    guard !isDraining, counters.connections < limits.connectionsMax else {
      return stream.close(reset: true)
    }
    counters.accepted += 1
    counters.connections += 1
    let link = Link(stream, on: loop, isConnected: true)
    guard limits.takesHTTP1, link.applicationProtocol != .h2 else {
      return serve(HTTPServerConnection(on: link, of: self, number: newNumber()))
    }
    let undecided = HTTPFirstBytes(on: link, of: self)
    self.undecided[ObjectIdentifier(undecided)] = undecided
    link.start(for: undecided)
  }

  /// A client has gone before it said what it speaks.
  func ended(_ undecided: HTTPFirstBytes) {
    self.undecided[ObjectIdentifier(undecided)] = nil
    counters.connections -= 1
    finishDrainIfEmpty()
  }

  private func newNumber() -> Int {
    let number = freeNumbers.popLast() ?? connections.count
    if number == connections.count { connections.append(nil) }
    return number
  }

  private func serve(_ connection: any ServedConnection) {
    connections[connection.peer.number] = connection
    handler.opened(connection.peer)
  }

  /// The first bytes of a connection have said what it speaks.
  func begin(_ undecided: HTTPFirstBytes, isHTTP2: Bool, _ bytes: [UInt8]) {
    self.undecided[ObjectIdentifier(undecided)] = nil
    let link = undecided.link
    if isHTTP2 {
      let connection = HTTPServerConnection(on: link, of: self, number: newNumber())
      serve(connection)
      bytes.withUnsafeBytes { connection.linkReceived($0) }
    } else {
      let connection = HTTP1ServerConnection(on: link, of: self, number: newNumber())
      serve(connection)
      link.start(for: connection)
      bytes.withUnsafeBytes { connection.linkReceived($0) }
    }
  }

  func received(_ request: ServedRequest, isTooMuch: Bool) {
    counters.requests += 1
    guard isTooMuch else { return handler.received(request) }
    request.answer(431, HTTPFields())
  }

  func ended(_ connection: any ServedConnection, _ end: LinkError) {
    loop.assertOnLoop()
    if case .protocolError = end { counters.broken += 1 }
    counters.connections -= 1
    counters.bytesRead += UInt64(connection.link.bytesRead)
    counters.bytesWritten += UInt64(connection.link.bytesWritten)
    let number = connection.peer.number
    connections[number] = nil
    freeNumbers.append(number)
    handler.ended(connection.peer)
    finishDrainIfEmpty()
  }

  // MARK: requests that are used again

  func takeRequest() -> ServedRequest { idle.popLast() ?? ServedRequest() }

  func give(_ request: inout ServedRequest) {
    guard idle.count < Self.idleMax, isKnownUniquelyReferenced(&request) else { return }
    request.reset()
    idle.append(request)
  }

  // MARK: time

  private func startSweeping() {
    let timer = LoopTimer(on: loop) { [unowned self] in sweep() }
    self.timer = timer
    timer.arm(at: loop.now + Self.sweepEvery)
  }

  private func sweep() {
    let now = loop.now
    for connection in connections {
      guard let connection, now - connection.lastActive > limits.idleTime else { continue }
      connection.goAway(#"{"reason":"IdleTimeout"}"#)
    }
    for silent in undecided.values where now - silent.since > Self.silenceMax {
      silent.link.end(.closedHere)
    }
    timer?.arm(at: now + Self.sweepEvery)
  }

  /// Ends a connection that its client does not end within five seconds.
  func linger(_ connection: any ServedConnection) {
    let until = loop.now + Self.lingerMax
    lingering.append((connection, until))
    guard lingering.count == 1 else { return }
    lingerTimer = lingerTimer ?? LoopTimer(on: loop) { [unowned self] in endLingering() }
    lingerTimer?.arm(at: until)
  }

  private func endLingering() {
    let now = loop.now
    let due = lingering.prefix { $0.until <= now }
    lingering.removeFirst(due.count)
    for (connection, _) in due { connection.end(.closedHere, reset: false) }
    if let next = lingering.first { lingerTimer?.arm(at: next.until) }
  }

  // MARK: the end

  /// Stops to listen, sends every client away with `text` and answers what they have under way.
  /// `done` comes on the loop's thread, when the last connection has closed or `limit` has passed.
  package func drain(
    saying text: String, within limit: WallDuration, _ done: @escaping @Sendable () -> Void
  ) {
    loop.post { [self] in
      guard !isDraining else { return }
      isDraining = true
      listening.close()
      whenDrained = done
      for connection in connections { connection?.goAway(text) }
      for silent in undecided.values { silent.link.end(.closedHere) }
      timer = LoopTimer(on: loop) { [unowned self] in
        for connection in connections { connection?.end(.closedHere, reset: false) }
        finishDrainIfEmpty()
      }
      timer?.arm(at: loop.now + limit)
      finishDrainIfEmpty()
    }
  }

  private func finishDrainIfEmpty() {
    guard isDraining, counters.connections == 0, let done = whenDrained else { return }
    whenDrained = nil
    timer?.disarm()
    done()
  }
}
