internal import Core

/// A phone's connection to a server, which `Dials` opens.
protocol DialledConnection: SecuredConnection {
  associatedtype Message: DialledMessage
  associatedtype Answer: Sendable
  associatedtype Words: DialWords

  /// The place among all connections.
  var place: Int { get set }
  /// The number of the connect.
  var attempt: UInt64 { get set }
  var machine: DialMachine { get }
  /// What the connection waits for, or nil if it does not wait.
  var waitsFor: DialWait? { get }
  func begin()
  func send(_ message: Message, as number: UInt64, asked: WallInstant)
  /// Ends a request that has reached its time limit.
  func expire(_ number: UInt64)
  func fail(_ error: DialError<Words>)
  func leave()
}

extension DialledConnection {
  var waitsFor: DialWait? { machine.waitsFor }
}

/// Clients with a connection per phone, which their owner may open and close.
package protocol DialledClients: ExchangeClient where Failure == DialError<Words> {
  associatedtype Words: DialWords

  /// The receiver of the result of `connect`: the error, or nil if the connection is open.
  var onConnected: ((UInt32, Failure?) -> Void)? { get set }
  /// The receiver of the end of an open connection that the server or the network ended.
  var onLost: ((UInt32, Failure) -> Void)? { get set }
  /// Opens a phone's connection, which the phone does not have yet.
  func connect(_ phone: UInt32)
  func disconnect(_ phone: UInt32)
}

protocol DialledMessage {
  /// What makes the message impossible to send.
  var fault: String? { get }
}

protocol DialSettings {
  var server: Endpoint { get }
  /// The endpoint to connect to instead of the server, such as a proxy. nil means the server.
  var via: Endpoint? { get }
  var security: ServerTrust? { get }
  /// The time limit from name resolution until the connection is open.
  var connectTimeout: WallDuration { get }
  /// The time limit from a request to its answer.
  var timeout: WallDuration { get }
  /// The limit of concurrent connects.
  var connectingMax: Int { get }
}

/// The connections of phones to one server, on a loop's thread: opens a limited number at a time,
/// ends requests and connects at their time limits, and counts.
///
/// The object must be closed before its release.
final class Dials<Connection: DialledConnection>: EndOfTurn {
  typealias Failure = DialError<Connection.Words>
  typealias End = Exchange<Connection.Answer, Failure>

  let loop: EventLoop
  let name: HostName
  let trust: ConnectionTrust?
  /// The receiver of the result of `connect`: the error, or nil if the connection is open.
  var onConnected: ((UInt32, Failure?) -> Void)?
  /// The receiver of the end of an open connection that the server or the network ended.
  var onLost: ((UInt32, Failure) -> Void)?
  private let make: (UInt32) -> Connection
  private let onEnd: (UInt64, End) -> Void
  private let connectTimeout: WallDuration
  private let timeout: WallDuration
  private let connectingMax: Int
  private var byPhone: [UInt32: Connection] = [:]
  private(set) var all: [Connection] = []
  private var queue = WaitingLine<Connection>()
  private var connecting = 0
  /// The time limits of requests, all of equal length, in the order of their starts.
  private var dues = WaitingLine<(phone: UInt32, number: UInt64, at: WallInstant)>()
  private var connectDues = WaitingLine<(phone: UInt32, number: UInt64, at: WallInstant)>()
  private var timer: LoopTimer!
  private var tally = Sheet()
  private var ends: [(number: UInt64, end: End)] = []
  private var isAtEndOfTurn = false
  private var isClosed = false
  private var asked: Set<UInt32> = []

  init(
    on loop: EventLoop, _ settings: some DialSettings, make: @escaping (UInt32) -> Connection,
    onEnd: @escaping (UInt64, End) -> Void
  ) throws(TLSSetupError) {
    loop.assertOnLoop()
    self.loop = loop
    self.make = make
    self.onEnd = onEnd
    connectTimeout = settings.connectTimeout
    timeout = settings.timeout
    connectingMax = settings.connectingMax
    name = HostName((settings.via ?? settings.server).host, on: loop)
    if let security = settings.security {
      trust = try ConnectionTrust(security, host: settings.server.host)
    } else {
      trust = nil
    }
    timer = LoopTimer(on: loop) { [unowned self] in expire() }
  }

  deinit { precondition(isClosed, "clients were dropped before they were closed") }

  var counters: Sheet {
    var counters = tally
    counters[.waiting] = queue.count
    return counters
  }

  // MARK: Requests

  func send(_ message: Connection.Message, as number: UInt64, of phone: UInt32) {
    loop.assertOnLoop()
    precondition(!isClosed, "a message was sent by closed clients")
    tally[.inFlight] += 1
    if let fault = message.fault {
      return end(number, End(.failure(.malformed(reason: fault))))
    }
    let now = loop.now
    let connection = byPhone[phone] ?? open(phone)
    dues.append((phone, number, now + timeout))
    setTimer()
    connection.send(message, as: number, asked: now)
  }

  /// Opens a phone's connection, which the phone does not have yet.
  @discardableResult
  func connect(_ phone: UInt32) -> Connection {
    loop.assertOnLoop()
    precondition(!isClosed && byPhone[phone] == nil, "a client was to connect twice")
    asked.insert(phone)
    return open(phone)
  }

  subscript(_ phone: UInt32) -> Connection? { byPhone[phone] }

  func disconnect(_ phone: UInt32) { byPhone[phone]?.leave() }

  private func open(_ phone: UInt32) -> Connection {
    let connection = make(phone)
    byPhone[phone] = connection
    connection.place = all.count
    all.append(connection)
    queue.append(connection)
    waitAtEndOfTurn()
    return connection
  }

  func end(_ number: UInt64, _ end: End) {
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
  private static var roundsMax: Int { 64 }

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
    while connecting < connectingMax, let next = queue.popFirst() {
      // The connection may have been given up in the meantime.
      guard next.machine.stage == .queued else { continue }
      connecting += 1
      tally[.connects] += 1
      next.attempt = UInt64(tally[.connects])
      connectDues.append((next.phone, next.attempt, loop.now + connectTimeout))
      next.begin()
    }
    setTimer()
  }

  // MARK: Connection events

  func count(sent bytes: Int) { tally[.bytesSent] += bytes }
  func count(received bytes: Int) { tally[.bytesReceived] += bytes }

  func noteOpened() {
    tally[.openConnections] += 1
    tally[.openConnectionsPeak] = max(tally[.openConnectionsPeak], tally[.openConnections])
  }

  func noteSecured(isResumed: Bool) {
    if isResumed { tally[.handshakesResumed] += 1 } else { tally[.handshakesFull] += 1 }
  }

  func noteAccepted(_ connection: Connection) {
    tally[.connectionsTaken] += 1
    noteConnectEnded()
    if !asked.isEmpty, asked.remove(connection.phone) != nil {
      onConnected?(connection.phone, nil)
    }
  }

  private func noteConnectEnded() {
    connecting -= 1
    if !queue.isEmpty { waitAtEndOfTurn() }
  }

  /// - Parameter wasOpened: whether `noteOpened` was called for the connection.
  func noteEnded(
    _ connection: Connection, was: DialMachine.Stage, wasOpened: Bool, _ error: Failure
  ) {
    let isLost = was == .open && error != .abandoned
    switch was {
    case .queued, .over: break
    case .resolving, .connecting, .securing, .greeting: noteConnectEnded()
    case .open: if isLost { tally[.connectionsLost] += 1 }
    }
    if wasOpened { tally[.openConnections] -= 1 }
    let phone = connection.phone
    byPhone[phone] = nil
    let last = all.removeLast()
    if last !== connection {
      all[connection.place] = last
      last.place = connection.place
    }
    // The receivers may connect again.
    if isLost { onLost?(phone, error) }
    if !asked.isEmpty, asked.remove(phone) != nil { onConnected?(phone, error) }
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
        let stage = connection.waitsFor
      else { continue }
      connection.fail(.connectTimedOut(stage))
    }
    if !ends.isEmpty { waitAtEndOfTurn() }
    setTimer()
  }

  // MARK: The end

  /// Abandons waiting and sent messages, and closes every connection. Further calls do nothing.
  func close() {
    loop.assertOnLoop()
    guard !isClosed else { return }
    isClosed = true
    timer.disarm()
    for connection in all { connection.leave() }
    queue = WaitingLine()
    for (number, end) in exchange(&ends, with: []) { onEnd(number, end) }
  }
}
