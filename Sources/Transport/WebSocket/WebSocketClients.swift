package import Core
internal import COpenSSL

/// Sends messages over WebSockets with libwebsockets on an event loop, one connection per phone. A
/// message opens a connection if its phone has none, and fails if its connection ends before the
/// answer. The target's rules decide on retries.
///
/// The object is used on the loop's thread only, and must be closed before its release.
package final class WebSocketClients: ExchangeClient, EndOfTurn {
  package typealias Answer = WebSocketAnswer
  package typealias Failure = WebSocketError

  private let loop: EventLoop
  let settings: WebSocketSettings
  private let opening: (UInt32) -> WebSocketOpening
  private let onEnd: (UInt64, WebSocketExchange) -> Void
  /// The receiver of the result of `connect`: the error, or nil if the connection is open.
  package var onConnected: ((UInt32, WebSocketError?) -> Void)?
  /// The receiver of the end of an open connection that the server or the network ended.
  package var onLost: ((UInt32, WebSocketError) -> Void)?
  /// The receiver of messages that answer nothing.
  package var onMessage: ((UInt32, [UInt8]) -> Void)?
  let name: HostName
  private let trust: ConnectionTrust?
  private(set) var context: WebSocketContext.Host?
  private var byPhone: [UInt32: WebSocketConnection] = [:]
  /// The connections whose handshake may begin, by the descriptor of their sockets.
  private var byDescriptor: [Int32: WebSocketConnection] = [:]
  private var queue = WaitingLine<WebSocketConnection>()
  private var connecting = 0
  /// The timeouts of messages, all of equal length, in the order of their starts.
  private var dues = WaitingLine<(phone: UInt32, number: UInt64, at: WallInstant)>()
  private var connectDues = WaitingLine<(phone: UInt32, number: UInt64, at: WallInstant)>()
  private var timer: LoopTimer!
  private var tally = Sheet()
  private var ends: [(number: UInt64, end: WebSocketExchange)] = []
  private var isAtEndOfTurn = false
  private var isClosed = false
  private var asked: Set<UInt32> = []

  /// - Parameter opening: returns a phone's opening when the phone's client connects.
  package init(
    on loop: EventLoop, _ settings: WebSocketSettings,
    opening: @escaping (UInt32) -> WebSocketOpening,
    onEnd: @escaping (UInt64, WebSocketExchange) -> Void
  ) throws(TLSSetupError) {
    loop.assertOnLoop()
    self.loop = loop
    self.settings = settings
    self.opening = opening
    self.onEnd = onEnd
    name = HostName((settings.via ?? settings.server).host, on: loop)
    if let security = settings.security {
      trust = try ConnectionTrust(security, host: settings.server.host)
    } else {
      trust = nil
    }
    context = loop.webSockets.host(trust, keepalive: settings.keepalive)
    trust?.find = { [unowned self] ssl in
      let connection = byDescriptor[SSL_get_fd(ssl)]
      connection?.secures()
      return connection
    }
    timer = LoopTimer(on: loop) { [unowned self] in expire() }
  }

  deinit { precondition(isClosed, "WebSocket clients were dropped before they were closed") }

  package var counters: Sheet {
    var counters = tally
    counters[.waiting] = queue.count
    return counters
  }

  var now: WallInstant { loop.now }
  func opening(of phone: UInt32) -> WebSocketOpening { opening(phone) }

  // MARK: Messages

  package func send(_ message: WebSocketMessage, as number: UInt64, of phone: UInt32) {
    loop.assertOnLoop()
    precondition(!isClosed, "a message was sent by closed clients")
    tally[.inFlight] += 1
    dues.append((phone, number, now + settings.timeout))
    let connection = byPhone[phone] ?? make(phone)
    setTimer()
    connection.send(message, as: number, asked: now)
  }

  /// Opens a phone's connection, which the phone does not have yet.
  package func connect(_ phone: UInt32) {
    loop.assertOnLoop()
    precondition(!isClosed && byPhone[phone] == nil, "a client was to connect twice")
    asked.insert(phone)
    _ = make(phone)
  }

  package func disconnect(_ phone: UInt32) { byPhone[phone]?.leave() }

  private func make(_ phone: UInt32) -> WebSocketConnection {
    let connection = WebSocketConnection(phone, of: self)
    byPhone[phone] = connection
    queue.append(connection)
    waitAtEndOfTurn()
    return connection
  }

  func end(_ number: UInt64, _ end: WebSocketExchange) {
    tally[.inFlight] -= 1
    ends.append((number, end))
    waitAtEndOfTurn()
  }

  // MARK: Turns of the loop

  private func waitAtEndOfTurn() {
    guard !isAtEndOfTurn, !isClosed else { return }
    isAtEndOfTurn = true
    loop.atEndOfTurn(self)
  }

  /// The limit of rounds in which results are handled at the end of a turn.
  private static let roundsMax = 64

  func endOfTurn() {
    for _ in 0..<Self.roundsMax where !isClosed {
      beginNext()
      guard !ends.isEmpty else { break }
      for (number, end) in exchange(&ends, with: []) { onEnd(number, end) }
    }
    isAtEndOfTurn = false
    // The timer wakes the loop, which may be about to sleep.
    if !ends.isEmpty { timer.arm(at: loop.now) }
  }

  private func beginNext() {
    while connecting < settings.connectingMax, let next = queue.popFirst() {
      // The connection may have been given up in the meantime.
      guard next.machine.stage == .queued else { continue }
      connecting += 1
      tally[.connects] += 1
      next.attempt = UInt64(tally[.connects])
      connectDues.append((next.phone, next.attempt, now + settings.connectTimeout))
      next.begin()
    }
    setTimer()
  }

  func connect(
    _ connection: WebSocketConnection, to address: String, _ opening: WebSocketOpening
  ) -> Bool {
    guard let context else { return false }
    return loop.webSockets.connect(
      connection, context, to: address, port: (settings.via ?? settings.server).port,
      isSecured: trust != nil, as: settings.authority, path: opening.path,
      subprotocol: settings.subprotocol)
  }

  // MARK: Connection events

  func count(sent bytes: Int) { tally[.bytesSent] += bytes }
  func count(received bytes: Int) { tally[.bytesReceived] += bytes }
  /// Keeps a copy of a session, since OpenSSL spoils the session of a connection that libwebsockets
  /// closes without TLS's own close.
  func keep(_ session: OpaquePointer, of phone: UInt32) {
    guard let copy = SSL_SESSION_dup(session) else { return }
    if trust?.keep(copy, of: phone) != true { SSL_SESSION_free(copy) }
  }

  func noteOpened(_ connection: WebSocketConnection) {
    byDescriptor[connection.descriptor] = connection
    tally[.openConnections] += 1
    tally[.openConnectionsPeak] = max(tally[.openConnectionsPeak], tally[.openConnections])
  }

  func noteSecured(isResumed: Bool) {
    if isResumed { tally[.handshakesResumed] += 1 } else { tally[.handshakesFull] += 1 }
  }

  func noteAccepted(_ connection: WebSocketConnection) {
    tally[.connectionsTaken] += 1
    if asked.remove(connection.phone) != nil { onConnected?(connection.phone, nil) }
    connecting -= 1
    if !queue.isEmpty { waitAtEndOfTurn() }
  }

  func noteEnded(
    _ connection: WebSocketConnection, was: DialMachine.Stage, _ error: WebSocketError
  ) {
    switch was {
    case .queued, .over: break
    case .resolving, .connecting, .securing, .greeting:
      connecting -= 1
      if !queue.isEmpty { waitAtEndOfTurn() }
    case .open: if error != .abandoned { tally[.connectionsLost] += 1 }
    }
    if byDescriptor[connection.descriptor] === connection {
      byDescriptor[connection.descriptor] = nil
    }
    if connection.descriptor >= 0 { tally[.openConnections] -= 1 }
    byPhone[connection.phone] = nil
    // The receivers may connect again.
    if was == .open, error != .abandoned { onLost?(connection.phone, error) }
    if asked.remove(connection.phone) != nil { onConnected?(connection.phone, error) }
  }

  // MARK: Time

  private func setTimer() {
    if let next = [dues.first?.at, connectDues.first?.at].compactMap(\.self).min() {
      timer.arm(at: next)
    }
  }

  private func expire() {
    let now = loop.now
    while let due = dues.first, due.at <= now {
      dues.popFirst()
      byPhone[due.phone]?.expire(due.number)
    }
    while let due = connectDues.first, due.at <= now {
      connectDues.popFirst()
      guard let connection = byPhone[due.phone], connection.attempt == due.number,
        let stage = connection.machine.waitsFor
      else { continue }
      connection.fail(.connectTimedOut(stage))
    }
    if !ends.isEmpty { waitAtEndOfTurn() }
    setTimer()
  }

  // MARK: The end

  /// Abandons waiting and sent messages, and closes every connection. Further calls do nothing.
  package func close() {
    loop.assertOnLoop()
    guard !isClosed else { return }
    isClosed = true
    timer.disarm()
    for connection in byPhone.values.sorted(by: { $0.phone < $1.phone }) { connection.leave() }
    queue = WaitingLine()
    trust?.find = { _ in nil }
    for (number, end) in exchange(&ends, with: []) { onEnd(number, end) }
  }
}
