internal import COpenSSL
internal import Core

/// One WebSocket of a phone, on the loop's thread only. `WebSocketContext` calls back while
/// libwebsockets handles the socket, and retains this object until libwebsockets has freed it.
final class WebSocketConnection: DialledConnection {
  typealias Answer = WebSocketAnswer
  typealias Words = WebSocketWords

  let phone: UInt32
  var place = 0
  var attempt: UInt64 = 0
  private unowned let clients: WebSocketClients
  private(set) var machine = DialMachine()
  /// The socket of libwebsockets; nil before the connect and once libwebsockets closes it.
  var socket: OpaquePointer?
  var descriptor: Int32 = -1
  /// Whether libwebsockets now calls back for this socket, which the callback's result closes.
  var isCalledBack = false
  /// Whether the client takes its leave with a close frame.
  private(set) var isLeaving = false
  /// The rest of a stream, which is sent before the close frame.
  private var rest: [UInt8] = []
  private var address = ""
  private var opening = WebSocketOpening(path: "/")
  private var step = 0
  /// Whether the message of the current step is to be written.
  private var isStepDue = false

  private struct Waiting {
    var message: WebSocketMessage
    var number: UInt64
    var asked: WallInstant
    var sent = WallInstant.distantPast

    var bytes: Int { WebSocketMessage.frameBytes(message.body.count, isMasked: true) }
  }

  private var waiting: [Waiting] = []
  private var underWay: [Waiting] = []
  private var writes: Waiting?
  private var message: [UInt8] = []
  private var closeReason: String?
  private var verification = Int(X509_V_OK)
  private var isIdentityUnfit = false
  private(set) var isResumed = false
  /// The bytes received since the last answer.
  private var received = 0

  init(_ phone: UInt32, of clients: WebSocketClients) {
    self.phone = phone
    self.clients = clients
  }

  private var settings: WebSocketSettings { clients.settings }
  private var dials: Dials<WebSocketConnection> { clients.dials }
  private var now: WallInstant { dials.loop.now }
  var isOver: Bool { machine.stage == .over }
  var resumes: Bool { opening.resumes }
  var identity: HTTPIdentity? { opening.identity }

  // MARK: Messages

  func send(_ message: WebSocketMessage, as number: UInt64, asked: WallInstant) {
    waiting.append(Waiting(message: message, number: number, asked: asked))
    if machine.stage == .open { wantToWrite() }
  }

  private func wantToWrite() {
    if let socket { WebSocketContext.wantsToWrite(socket) }
  }

  /// Appends the next message to `output`. Returns whether it is binary, or nil without a message.
  func next(into output: inout [UInt8]) -> Bool? {
    if isLeaving {
      output += rest
      defer { rest = [] }
      return rest.isEmpty ? nil : true
    }
    if isStepDue {
      output += opening.steps[step].sends ?? []
      return false
    }
    guard machine.stage == .open, !waiting.isEmpty else { return nil }
    var entry = waiting.removeFirst()
    entry.sent = now
    output += entry.message.body
    writes = entry
    return entry.message.isBinary
  }

  /// Notes that libwebsockets has taken the last message.
  func noteWritten() {
    if isStepDue {
      let count = opening.steps[step].sends?.count ?? 0
      dials.count(sent: WebSocketMessage.frameBytes(count, isMasked: true))
      isStepDue = false
      if opening.steps[step].expects == nil {
        step += 1
        takeSteps()
      }
      return
    }
    guard let entry = exchange(&writes, with: nil) else { return }
    dials.count(sent: entry.bytes)
    switch settings.matching {
    case .none, .stream: end(entry, .success(WebSocketAnswer(body: [])), isWritten: true)
    case .next, .id: underWay.append(entry)
    }
    if !waiting.isEmpty { wantToWrite() }
    leaveIfIdle()
  }

  private func leaveIfIdle() {
    if machine.stage == .open, !settings.keepsConnections, waiting.isEmpty, underWay.isEmpty {
      leave()
    }
  }

  func expire(_ number: UInt64) {
    if let place = waiting.firstIndex(where: { $0.number == number }) {
      let late = waiting.remove(at: place)
      end(late, .failure(machine.waitsFor.map { .connectTimedOut($0) } ?? .timedOut))
    } else if let place = underWay.firstIndex(where: { $0.number == number }) {
      end(underWay.remove(at: place), .failure(.timedOut), isWritten: true)
      fail(.closed(reason: "given up after a message got no answer"))
    }
  }

  private func end(
    _ entry: Waiting, _ result: Result<WebSocketAnswer, WebSocketError>, isWritten: Bool = false
  ) {
    if case .stream = settings.matching { return }
    var end = WebSocketExchange(result)
    end.times = machine.times(
      asked: entry.asked, sent: isWritten ? entry.sent : nil, now: now)
    end.isWritten = isWritten
    end.bytesSent = isWritten ? entry.bytes : 0
    end.connections = machine.isNew(at: entry.asked) ? 1 : 0
    end.isResumed = end.connections > 0 && isResumed
    end.bytesReceived = exchange(&received, with: 0)
    dials.end(entry.number, end)
  }

  // MARK: Connecting

  func begin() {
    machine.advance(to: .resolving, at: now)
    dials.name.address { [self] address in
      guard machine.stage == .resolving else { return }
      guard let address else { return fail(.unresolved(host: settings.server.host)) }
      self.address = address
      opening = clients.opening(phone)
      if let fault = opening.fault { return fail(.malformed(reason: fault)) }
      machine.advance(to: .connecting, at: now)
      guard clients.connect(self, to: address, opening) else {
        return fail(
          clients.context == nil ? .other(reason: Self.unusable) : .exhausted(.descriptors))
      }
      clients.noteOpened(self)
    }
  }

  private static let unusable =
    "libwebsockets cannot use libuv; install the package libwebsockets-evlib-uv"

  func keep(_ session: OpaquePointer) -> Bool {
    if !isOver { clients.keep(session, of: phone) }
    return false
  }

  func note(verification code: Int) { verification = code }
  func noteUnfitIdentity() { isIdentityUnfit = true }

  func noteSecured(isResumed: Bool) {
    guard !isOver else { return }
    self.isResumed = isResumed
    dials.noteSecured(isResumed: isResumed)
  }

  /// Notes the start of the TLS handshake.
  func secures() {
    if machine.stage == .connecting { machine.advance(to: .securing, at: now) }
  }

  /// Returns the header lines of the request for the upgrade, which is about to be written.
  func connected() -> String? {
    guard machine.stage < .greeting else { return nil }
    machine.advance(to: .greeting, at: now)
    var upgrade = opening
    upgrade.steps = []
    dials.count(
      sent: upgrade.bytes(to: settings.authority, subprotocol: settings.subprotocol))
    return opening.lines
  }

  func established() {
    guard machine.stage == .greeting else { return }
    takeSteps()
  }

  /// Takes the steps of the opening until one waits for the server.
  private func takeSteps() {
    while step < opening.steps.count {
      isStepDue = opening.steps[step].sends != nil
      if isStepDue { return wantToWrite() }
      if opening.steps[step].expects != nil { return }
      step += 1
    }
    guard machine.stage == .greeting else { return }
    machine.advance(to: .open, at: now)
    received = 0
    dials.noteAccepted(self)
    if !waiting.isEmpty { wantToWrite() }
  }

  // MARK: Receiving

  func received(_ bytes: UnsafeRawBufferPointer, isFirst: Bool, isLast: Bool) {
    guard !isOver else { return }
    if isFirst { message.removeAll(keepingCapacity: false) }
    guard message.count + bytes.count <= settings.messageBytesMax else {
      return fail(.tooLarge(limit: settings.messageBytesMax))
    }
    message.append(contentsOf: bytes)
    guard isLast else { return }
    let whole = exchange(&message, with: [])
    let count = WebSocketMessage.frameBytes(whole.count, isMasked: false)
    received += count
    dials.count(received: count)
    if machine.stage == .open { take(whole) } else { takeStep(whole) }
  }

  private func takeStep(_ body: [UInt8]) {
    guard step < opening.steps.count, !isStepDue, let expects = opening.steps[step].expects else {
      return
    }
    guard expects(body) else {
      return fail(
        .rejected(reason: "it sent \(Self.shown(body)), which the opening does not expect"))
    }
    step += 1
    takeSteps()
  }

  private func take(_ body: [UInt8]) {
    let place: Int? =
      switch settings.matching {
      case .none, .stream: nil
      case .next: underWay.isEmpty ? nil : 0
      case .id(let find):
        underWay.isEmpty
          ? nil : find(body).flatMap { id in underWay.firstIndex { $0.message.id == id } }
      }
    guard let place else {
      clients.onMessage?(phone, body)
      return
    }
    end(underWay.remove(at: place), .success(WebSocketAnswer(body: body)), isWritten: true)
    leaveIfIdle()
  }

  private static let shownBytes = 80

  private static func shown(_ body: [UInt8]) -> String {
    // swift-format-ignore: a server may send any bytes.
    let text = String(decoding: body.prefix(shownBytes), as: UTF8.self)
    return "'\(ForeignText.inLine(text))'" + (body.count > shownBytes ? "…" : "")
  }

  // MARK: Ending

  /// Notes the status and the reason of the server's close frame.
  func noteClose(_ bytes: UnsafeRawBufferPointer) {
    let code = bytes.count < 2 ? 1_005 : Int(bytes[0]) << 8 | Int(bytes[1])
    // swift-format-ignore: a server may send any bytes.
    let reason = ForeignText.inLine(String(decoding: bytes.dropFirst(2), as: UTF8.self))
    closeReason = "the server closed it with status \(code)" + (reason.isEmpty ? "" : ": \(reason)")
  }

  /// Handles the end of the socket. `end` describes a connection that was not opened.
  func ended(_ end: WebSocketEnd?) {
    guard !isOver else { return }
    let isNew = machine.stage < .greeting || machine.stage == .greeting && end != nil
    if isIdentityUnfit {
      fail(.insecure(reason: "the client's certificate and key cannot be read, or do not match"))
    } else if isNew, verification != Int(X509_V_OK) {
      fail(.insecure(reason: "\(TLSError.verification(verification))"))
    } else if machine.stage == .securing {
      fail(.insecure(reason: "\(TLSError.closed)"))
    } else if machine.stage < .greeting {
      fail(.refused(reason: "the connection was refused, or broke off"))
    } else if let end, end.status > 0, end.status != 101 {
      fail(.rejected(reason: "it answered with status \(end.status) instead of 101"))
    } else if let end, end.text != "read failed", end.text != "closed before established" {
      fail(.rejected(reason: "its answer is no upgrade (\(end.text))"))
    } else {
      fail(.closed(reason: closeReason ?? "the server closed it, or sent no WebSocket frame"))
    }
  }

  func fail(_ error: WebSocketError) {
    guard !isOver else { return }
    if machine.stage == .connecting { dials.name.noteRefused(address) }
    close(error)
    if let socket, !isCalledBack { WebSocketContext.drop(socket) }
  }

  /// Closes with a close frame, which libwebsockets writes in a later turn.
  func leave() {
    guard machine.stage == .open, let socket else { return fail(.abandoned) }
    isLeaving = true
    if case .stream = settings.matching { rest = waiting.flatMap(\.message.body) }
    close(.abandoned)
    WebSocketContext.wantsToWrite(socket)
  }

  private func close(_ error: WebSocketError) {
    let was = machine.stage
    for entry in exchange(&underWay, with: []) { end(entry, .failure(error), isWritten: true) }
    if let entry = exchange(&writes, with: nil) { end(entry, .failure(error), isWritten: true) }
    for entry in exchange(&waiting, with: []) { end(entry, .failure(error)) }
    machine.advance(to: .over, at: now)
    clients.noteEnded(self, was: was, error)
  }
}
