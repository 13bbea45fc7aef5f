internal import CNghttp2
package import Core

/// Serves complete requests, on the loop's thread.
package protocol HTTPHandler: AnyObject {
  func opened(_ client: HTTPPeer)
  /// Takes a complete request, which the handler answers exactly once, now or later.
  func received(_ request: ServedRequest)
  /// Reports that the client no longer waits for an open request.
  func cancelled(_ request: ServedRequest)
  /// Reports that a connection and its open requests have ended.
  func ended(_ client: HTTPPeer)
}

package final class HTTPPeer {
  /// The connection's index among open connections, reused after its end.
  package let number: Int
  package internal(set) var refusedStreams = 0
  var connection: HTTPServerConnection?
  /// The connection of an HTTP/1.1 client, for which `connection` is nil.
  var plain: HTTP1ServerConnection?

  init(number: Int) { self.number = number }

  package var isHTTP1: Bool { plain != nil }

  /// Sets the limit of open requests, effective with the next frame sent.
  package func allow(streams: Int) { connection?.allow(streams: streams) }

  /// Sends GOAWAY with a text, and still answers open requests.
  package func goAway(_ text: String) {
    connection?.goAway(text)
    plain?.goAway(text)
  }
}

protocol ServedConnection: AnyObject {
  var link: Link { get }
  var peer: HTTPPeer { get }
  var lastActive: WallInstant { get }
  func goAway(_ text: String)
  func end(_ end: LinkError, reset: Bool)
}

package struct HTTPLimits: Equatable, Sendable {
  package var streamsAtFirst = 100
  /// The limit of a body. A request with a longer body is `isTooLong` and has no body.
  package var bodyBytesMax = 65_536
  /// The limit of header fields, above which the answer is 431. HTTP/2 adds 32 bytes per field.
  package var fieldBytesMax = 16_384
  /// The bytes that a client may send on a connection before it needs new credit.
  package var windowBytes = 1 << 20
  package var takesHTTP1 = false
  package var connectionsMax = 10_000
  package var idleTime = WallDuration.seconds(3_600)

  package init() {}
}

extension EventLoop {
  /// The TLS handshakes of the loop's connections, for use on the loop's thread only.
  package var handshakes: TLSCounters { security.counters }
}

/// A server for HTTP/2, over TLS by ALPN or in plaintext by prior knowledge.
/// `HTTPLimits.takesHTTP1` adds HTTP/1.1. `@unchecked Sendable`: all state is touched on the loop's
/// thread only (asserted), to which `listen` and `drain` switch.
package final class HTTPServer: ListeningOwner, @unchecked Sendable {
  /// Totals since the server was created, except for the gauge `connections`.
  package struct Counters: Equatable, Sendable {
    package var accepted: UInt64 = 0
    package var connections = 0
    package var requests: UInt64 = 0
    package var broken: UInt64 = 0
    package var bytesRead: UInt64 = 0
    package var bytesWritten: UInt64 = 0
  }

  package let loop: EventLoop
  package let limits: HTTPLimits
  /// The counters, for use on the loop's thread only.
  package private(set) var counters = Counters()
  private let listening: ListeningHalf
  unowned let handler: any HTTPHandler
  private var connections: [(any ServedConnection)?] = []
  private var freeNumbers: [Int] = []
  private var undecided: [ObjectIdentifier: HTTPFirstBytes] = [:]
  private var idle: [ServedRequest] = []
  private var timer: LoopTimer?
  /// Connections that have sent their last answers, in the order of `until`.
  private var lingering: [(connection: any ServedConnection, until: WallInstant)] = []
  private var lingerTimer: LoopTimer?
  private var isDraining = false
  private var whenDrained: (() -> Void)?

  /// The limit of request objects kept for reuse, each of some kilobytes.
  private static let idleMax = 4_096
  private static let sweepEvery = WallDuration.seconds(10)
  /// The time limit for the first bytes, which select a connection's protocol.
  private static let silenceMax = WallDuration.seconds(30)
  /// The time for a client to read its answers after GOAWAY, like nginx's `lingering_timeout`.
  private static let lingerMax = WallDuration.seconds(5)

  /// - Parameter tls: the server side of TLS with `h2` among its protocols, or nil for plaintext.
  /// - Parameter handler: the handler, which is not retained and must outlive the server.
  package init(
    loop: EventLoop, limits: HTTPLimits = .init(), tls: TLSServer? = nil,
    handler: any HTTPHandler
  ) {
    self.loop = loop
    self.limits = limits
    listening = ListeningHalf(on: loop, tls)
    self.handler = handler
  }

  /// Listens and returns the port. The system chooses the port if the endpoint's port is 0.
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

  // MARK: request reuse

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

  /// Ends the connection if the client does not close it within five seconds.
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

  /// Stops listening, sends every client GOAWAY with `text`, and answers their open requests.
  /// `done` is called on the loop's thread once all connections are closed or `limit` has passed.
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
