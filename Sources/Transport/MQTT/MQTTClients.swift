package import Core

/// Publishes over MQTT with libmosquitto on an event loop, with one client per phone. The loop
/// reports when a socket is ready, and libmosquitto reads and writes.
///
///     publish ─▶ phone's connection ─▶ libmosquitto ─▶ socket ─▶ loop ─▶ libmosquitto ─▶ owner
///
/// Nothing blocks the loop: names are resolved on libuv's threads. A message opens a connection if
/// its phone has none. A message without acknowledgement at the end of its connection has failed.
/// libmosquitto does not resend the message, since the target's rules decide on retries. A retry is
/// a new message for the broker, even at QoS 2.
///
/// The object is used on the loop's thread only, and must be closed before its release.
package final class MQTTClients: ExchangeClient, EndOfTurn {
  package typealias Answer = MQTTAnswer
  package typealias Failure = MQTTError

  let loop: EventLoop
  let settings: MQTTSettings
  private let login: (UInt32) -> MQTTLogin
  private let onEnd: (UInt64, MQTTExchange) -> Void
  /// The receiver of the result of `connect`: the error, or nil if the broker accepted the client.
  package var onConnected: ((UInt32, MQTTError?) -> Void)?
  let name: HostName
  let trust: ConnectionTrust?
  private var byPhone: [UInt32: MQTTConnection] = [:]
  private var all: [MQTTConnection] = []
  private var queue = WaitingLine<MQTTConnection>()
  private var connecting = 0
  /// The timeouts of publishes, all of equal length, in the order of their starts.
  private var publishDues = WaitingLine<(phone: UInt32, number: UInt64, at: WallInstant)>()
  private var connectDues = WaitingLine<(phone: UInt32, number: UInt64, at: WallInstant)>()
  private var timer: LoopTimer!
  private var sweep: LoopTimer!
  private var swept = 0
  private var tally = Sheet()
  private var ends: [(number: UInt64, end: MQTTExchange)] = []
  private var isAtEndOfTurn = false
  private var isClosed = false
  private var asked: Set<UInt32> = []

  /// - Parameter login: returns a phone's login when the phone's client connects.
  package init(
    on loop: EventLoop, _ settings: MQTTSettings, login: @escaping (UInt32) -> MQTTLogin,
    onEnd: @escaping (UInt64, MQTTExchange) -> Void
  ) throws(TLSSetupError) {
    loop.assertOnLoop()
    self.loop = loop
    self.settings = settings
    self.login = login
    self.onEnd = onEnd
    name = HostName((settings.via ?? settings.broker).host, on: loop)
    if let security = settings.security {
      trust = try ConnectionTrust(security, host: settings.broker.host)
    } else {
      trust = nil
    }
    timer = LoopTimer(on: loop) { [unowned self] in expire() }
    sweep = LoopTimer(on: loop) { [unowned self] in keepAlive() }
  }

  deinit { precondition(isClosed, "MQTT clients were dropped before they were closed") }

  package var counters: Sheet {
    var counters = tally
    counters[.waiting] = queue.count
    return counters
  }

  var now: WallInstant { loop.now }
  func login(of phone: UInt32) -> MQTTLogin { login(phone) }

  // MARK: Publishes

  package func send(_ message: MQTTMessage, as number: UInt64, of phone: UInt32) {
    loop.assertOnLoop()
    precondition(!isClosed, "a message was published by closed clients")
    tally[.inFlight] += 1
    if let fault = message.fault {
      return end(number, MQTTExchange(.failure(.malformed(reason: fault))))
    }
    let now = loop.now
    let connection = byPhone[phone] ?? make(phone)
    publishDues.append((phone, number, now + settings.timeout))
    setTimer()
    connection.publish(message, as: number, asked: now)
  }

  package func connect(_ phone: UInt32) {
    loop.assertOnLoop()
    precondition(!isClosed && byPhone[phone] == nil, "a client was to connect twice")
    asked.insert(phone)
    _ = make(phone)
  }

  private func make(_ phone: UInt32) -> MQTTConnection {
    let connection = MQTTConnection(phone, of: self)
    byPhone[phone] = connection
    connection.place = all.count
    all.append(connection)
    queue.append(connection)
    waitAtEndOfTurn()
    return connection
  }

  func end(_ number: UInt64, _ end: MQTTExchange) {
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

  // MARK: Connection events

  func count(sent bytes: Int) { tally[.bytesSent] += bytes }
  func count(received bytes: Int) { tally[.bytesReceived] += bytes }
  func keep(_ session: OpaquePointer, of phone: UInt32) -> Bool {
    trust?.keep(session, of: phone) ?? false
  }

  func noteOpened() {
    tally[.openConnections] += 1
    tally[.openConnectionsPeak] = max(tally[.openConnectionsPeak], tally[.openConnections])
  }

  func noteSecured(isResumed: Bool) {
    if isResumed { tally[.handshakesResumed] += 1 } else { tally[.handshakesFull] += 1 }
  }

  func noteAccepted(_ connection: MQTTConnection) {
    tally[.connectionsTaken] += 1
    if !asked.isEmpty, asked.remove(connection.phone) != nil {
      onConnected?(connection.phone, nil)
    }
    connecting -= 1
    if !queue.isEmpty { waitAtEndOfTurn() }
    if settings.keepalive > .zero, tally[.connectionsTaken] == 1 || !isSweeping { startSweep() }
  }

  func noteEnded(
    _ connection: MQTTConnection, was: DialMachine.Stage, wasWatched: Bool,
    _ error: MQTTError
  ) {
    switch was {
    case .queued, .over: break
    case .resolving, .connecting, .securing, .greeting:
      connecting -= 1
      if !queue.isEmpty { waitAtEndOfTurn() }
    case .open: if error != .abandoned { tally[.connectionsLost] += 1 }
    }
    if wasWatched { tally[.openConnections] -= 1 }
    if !asked.isEmpty, asked.remove(connection.phone) != nil {
      onConnected?(connection.phone, error)
    }
    byPhone[connection.phone] = nil
    let last = all.removeLast()
    if last !== connection {
      all[connection.place] = last
      last.place = connection.place
    }
  }

  // MARK: Time

  private func setTimer() {
    if let next = [publishDues.first?.at, connectDues.first?.at].compactMap(\.self).min() {
      timer.arm(at: next)
    }
  }

  private func expire() {
    let now = loop.now
    while let due = publishDues.first, due.at <= now {
      publishDues.popFirst()
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

  /// The number of ticks, in all one second, in which each client is checked once.
  private static let sweepParts = 20
  private static let sweepTick = WallDuration.milliseconds(50)
  private var isSweeping = false

  private func startSweep() {
    isSweeping = true
    sweep.arm(at: loop.now + Self.sweepTick)
  }

  private func keepAlive() {
    let count = (all.count + Self.sweepParts - 1) / Self.sweepParts
    for _ in 0..<count {
      // A connection that ends is replaced in `all` by the last connection.
      if swept >= all.count { swept = 0 }
      guard swept < all.count else { break }
      all[swept].keepAlive()
      swept += 1
    }
    isSweeping = !all.isEmpty
    if isSweeping { sweep.arm(at: loop.now + Self.sweepTick) }
  }

  // MARK: The end

  /// Abandons waiting and sent publishes, and disconnects every client. Further calls do nothing.
  package func close() {
    loop.assertOnLoop()
    guard !isClosed else { return }
    isClosed = true
    timer.disarm()
    sweep.disarm()
    for connection in all { connection.leave() }
    queue = WaitingLine()
    for (number, end) in exchange(&ends, with: []) { onEnd(number, end) }
  }
}
