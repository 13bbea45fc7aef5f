internal import CMosquitto
internal import CMosquittoGuard
internal import COpenSSL
internal import Core
internal import Foundation

/// One connection of a client to its broker, on the loop's thread only. libmosquitto calls back
/// during calls of this object. The callbacks only record events, on which the caller then acts.
final class MQTTConnection: DialledConnection {
  typealias Answer = MQTTAnswer
  typealias Words = MQTTWords

  let phone: UInt32
  var place = 0
  var attempt: UInt64 = 0
  private unowned let clients: MQTTClients
  private(set) var machine = DialMachine()
  private var handle: MosquittoHandle?
  private var watch: SocketWatch?
  private var address = ""
  private(set) var resumes = false
  private(set) var identity: HTTPIdentity?

  private struct Waiting {
    var message: MQTTMessage
    var number: UInt64
    var asked: WallInstant
  }

  private struct Sent {
    var packet: Int32
    var number: UInt64
    var asked: WallInstant
    var sent: WallInstant
    var bytes: Int32
  }

  private var waiting: [Waiting] = []
  private var underWay: [Sent] = []
  private var early: (packet: Int32, code: Int32)?
  /// The broker's CONNACK code, or nil if no code waits to be handled.
  private var greeting: Int32?
  private var topics: [String] = []
  private var topicsQoS = 0
  private var isSubscribing = false
  /// The broker's codes for the subscriptions, or nil if none wait to be handled.
  private var granted: [Int32]?
  private var arrived: [MQTTMessage] = []
  private var leaveCode: Int32 = 0
  private var verification = Int(X509_V_OK)
  private var securityError: TLSError?
  private var isIdentityUnfit = false
  /// The bytes received since the last acknowledgement.
  private var received = 0
  private var isSecured = false
  private var isResumed = false
  private var tunnel: MQTTTunnel?
  /// The login while the tunnel opens.
  private(set) var login: MQTTLogin?

  init(_ phone: UInt32, of clients: MQTTClients) {
    self.phone = phone
    self.clients = clients
  }

  static func behind(_ owner: UnsafeMutableRawPointer?) -> MQTTConnection {
    guard let owner else { fatalError("a C library called back without its owner") }
    return Unmanaged<MQTTConnection>.fromOpaque(owner).takeUnretainedValue()
  }

  private var settings: MQTTSettings { clients.settings }
  private var dials: Dials<MQTTConnection> { clients.dials }
  private var now: WallInstant { dials.loop.now }
  var isIdle: Bool { waiting.isEmpty && underWay.isEmpty }

  var waitsFor: DialWait? {
    guard machine.stage == .resolving, let tunnel else { return machine.waitsFor }
    return tunnel.socket.waitsFor
  }

  // MARK: Publishing

  func send(_ message: MQTTMessage, as number: UInt64, asked: WallInstant) {
    waiting.append(Waiting(message: message, number: number, asked: asked))
    guard machine.stage == .open, waiting.count == 1 else { return }
    sendWaiting()
    settle()
  }

  private func sendWaiting() {
    var count = 0
    while machine.stage == .open, brokenBySending == nil, count < waiting.count,
      underWay.count < settings.windowMax
    {
      count += 1
      send(waiting[count - 1])
    }
    if count == waiting.count {
      waiting.removeAll(keepingCapacity: false)
    } else {
      waiting.removeFirst(count)
    }
    if let broken = exchange(&brokenBySending, with: nil) { fail(error(of: broken)) }
  }

  private var brokenBySending: MosquittoStatus?

  private func send(_ next: Waiting) {
    var packet: Int32 = 0
    early = nil
    let sent = now
    guard let status = handle?.publish(next.message, number: &packet) else { return }
    let entry = Sent(
      packet: packet, number: next.number, asked: next.asked, sent: sent,
      bytes: Int32(next.message.packetBytes(version: settings.version)))
    if status.isFine {
      dials.count(sent: Int(entry.bytes))
      if let early, early.packet == packet {
        end(entry, .success(MQTTAnswer(reason: Int(early.code))), isWritten: true)
      } else {
        underWay.append(entry)
      }
    } else if let error = MQTTError(refusedMessage: status) {
      end(entry, .failure(error), isWritten: false)
    } else {
      underWay.append(entry)
      brokenBySending = status
    }
  }

  func expire(_ number: UInt64) {
    if let place = waiting.firstIndex(where: { $0.number == number }) {
      let late = waiting.remove(at: place)
      let error = waitsFor.map { MQTTError.connectTimedOut($0) } ?? .timedOut
      end(late, .failure(error))
      settle()
    } else if let place = underWay.firstIndex(where: { $0.number == number }) {
      end(underWay.remove(at: place), .failure(.timedOut), isWritten: true)
      fail(.closed(reason: "given up after a publish timed out"))
    }
  }

  private func end(
    _ entry: Sent, _ result: Result<MQTTAnswer, MQTTError>, isWritten: Bool
  ) {
    var end = MQTTExchange(result)
    end.times = machine.times(asked: entry.asked, sent: entry.sent, now: now)
    end.isWritten = isWritten
    end.bytesSent = isWritten ? Int(entry.bytes) : 0
    finish(&end, entry.number, asked: entry.asked)
  }

  private func end(_ entry: Waiting, _ result: Result<MQTTAnswer, MQTTError>) {
    var end = MQTTExchange(result)
    end.times = machine.times(asked: entry.asked, sent: nil, now: now)
    finish(&end, entry.number, asked: entry.asked)
  }

  private func finish(_ end: inout MQTTExchange, _ number: UInt64, asked: WallInstant) {
    end.connections = machine.isNew(at: asked) ? 1 : 0
    end.isResumed = end.connections > 0 && isResumed
    end.bytesReceived = received
    received = 0
    dials.end(number, end)
  }

  // MARK: libmosquitto callbacks

  func acknowledged(code: Int32) { greeting = code }

  func acknowledged(message packet: Int32, code: Int32) {
    guard let place = underWay.firstIndex(where: { $0.packet == packet }) else {
      early = (packet, code)
      return
    }
    end(
      underWay.remove(at: place), .success(MQTTAnswer(reason: Int(code))), isWritten: true)
  }

  func noteGranted(_ codes: [Int32]) { granted = codes }
  func note(_ message: MQTTMessage) { arrived.append(message) }
  func noteLeave(code: Int32) { leaveCode = code }
  func note(verification code: Int) { verification = code }
  func noteUnfitIdentity() { isIdentityUnfit = true }

  /// Records the end of the TLS handshake. The same read or write may also handle CONNACK.
  func noteSecured(isResumed: Bool) { (isSecured, self.isResumed) = (true, isResumed) }

  func keep(_ session: OpaquePointer) -> Bool { dials.trust?.keep(session, of: phone) ?? false }

  /// Takes lines like "OpenSSL Error[0]: error:0A000086:SSL routines::certificate verify failed".
  func note(error line: UnsafePointer<CChar>) {
    let parts = String(cString: line).split(separator: ":", omittingEmptySubsequences: false)
    guard securityError == nil, parts.count >= 4, parts[1].hasSuffix("error"),
      let code = UInt32(parts[2], radix: 16)
    else { return }
    // The upper bits of the code name the library (ERR_GET_REASON).
    securityError = .reason(Int32(code & 0x7F_FFFF), words: String(parts[parts.count - 1]))
  }

  // MARK: Connecting

  func begin() {
    machine.advance(to: .resolving, at: now)
    if let tunnels = clients.tunnels {
      guard let login = checkedLogin() else { return }
      self.login = login
      tunnel = tunnels.open(phone)
      return
    }
    dials.name.address { [self] address in
      guard machine.stage == .resolving else { return }
      guard let address else { return fail(.unresolved(host: settings.broker.host)) }
      guard let login = checkedLogin() else { return }
      self.address = address
      resumes = login.resumes
      identity = login.identity
      machine.advance(to: .connecting, at: now)
      connect(login, to: address, port: (settings.via ?? settings.broker).port)
    }
  }

  /// Returns the phone's login; nil if the login cannot be sent and the connection has failed.
  private func checkedLogin() -> MQTTLogin? {
    let login = clients.login(phone)
    guard let fault = login.fault(isClean: settings.isClean) else { return login }
    fail(.malformed(reason: fault))
    return nil
  }

  /// Continues once the tunnel is open.
  func tunnelled(by tunnels: MQTTTunnels) {
    guard machine.stage == .resolving, let tunnel, let login = exchange(&login, with: nil) else {
      return
    }
    machine.advance(over: tunnel.socket.machine)
    isResumed = tunnel.socket.isResumed
    tunnels.forget()
    connect(login, to: tunnels.address, port: 0)
    guard machine.stage != .over else { return }
    if !tunnel.enter(tunnels) { fail(.exhausted(.descriptors)) }
  }

  /// Takes bytes that the tunnel has received.
  func take(_ bytes: [UInt8]) {
    var rest = bytes[...]
    while !rest.isEmpty, machine.stage != .over, let tunnel {
      rest = rest.dropFirst(tunnel.write(rest))
      ready()
    }
  }

  private func connect(_ login: MQTTLogin, to address: String, port: UInt16) {
    (topics, topicsQoS) = (login.topics, login.topicsQoS)
    guard let made = MosquittoHandle(login, settings, self) else {
      return fail(.malformed(reason: "the client ID \(login.client.debugDescription) is invalid"))
    }
    let status = open(made, at: address, port)
    handle = consume made
    identity = nil
    guard !isIdentityUnfit else {
      return fail(
        .insecure(reason: "the client's certificate and key cannot be read, or do not match"))
    }
    guard status.isFine else { return fail(error(of: status)) }
    let socket = handle?.socket ?? -1
    watch = SocketWatch(socket, on: dials.loop) { [unowned self] in ready() }
    guard let watch else { return fail(.exhausted(.descriptors)) }
    dials.noteOpened()
    watch.watchWriting(true)
  }

  private func open(
    _ handle: borrowing MosquittoHandle, at address: String, _ port: UInt16
  ) -> MosquittoStatus {
    guard let trust = dials.trust else {
      return handle.connect(to: address, port: port, keepalive: settings.keepalive)
    }
    handle.log()
    handle.secure(trust.pointer)
    trust.find = { [unowned self] _ in self }
    defer { trust.find = { _ in nil } }
    return handle.connect(to: address, port: port, keepalive: settings.keepalive)
  }

  private func ready() {
    if machine.stage == .connecting {
      let problem = flotilla_connect_error(handle?.socket ?? -1)
      guard problem == 0 else { return fail(MQTTError(system: problem, isConnecting: true)) }
      machine.advance(to: dials.trust == nil ? .greeting : .securing, at: now)
    }
    guard read() else { return }
    if handle?.wantsToWrite == true {
      guard check(handle?.write()) else { return }
    }
    // A failed watch reports no further event.
    if watch?.hasFailed == true { return fail(error(of: .lost)) }
    settle()
  }

  /// Reads input. Returns false if the connection has ended.
  private func read() -> Bool {
    let count = flotilla_readable_bytes(handle?.socket ?? -1)
    let start = machine.stage == .greeting && !isSubscribing ? handle?.start : nil
    if case .strange(let reason) = start {
      fail(.violated(reason: reason))
      return false
    }
    if count > 0 {
      received += count
      dials.count(received: count)
      guard received <= settings.receivedBytesMax else {
        fail(.tooLarge(limit: settings.receivedBytesMax))
        return false
      }
    }
    // Without this return, data that arrives after the check would be read unchecked.
    if start == .nothing { return true }
    return check(handle?.read())
  }

  private func check(_ status: MosquittoStatus?) -> Bool {
    for message in exchange(&arrived, with: []) {
      received = 0
      clients.onMessage?(phone, message)
    }
    guard let status, machine.stage != .over else { return false }
    if machine.stage == .securing, isSecured {
      dials.noteSecured(isResumed: isResumed)
      machine.advance(to: .greeting, at: now)
    }
    if let code = exchange(&greeting, with: nil) {
      guard code == 0 else {
        let text = MosquittoHandle.text(connect: Int(code))
        fail(.rejected(reason: "\(text) (code \(code))"))
        return false
      }
      handle?.silence()
      if topics.isEmpty { open() } else { guard subscribe() else { return false } }
    }
    if let codes = exchange(&granted, with: nil), machine.stage == .greeting {
      if let place = codes.firstIndex(where: { $0 >= 128 }), place < topics.count {
        fail(
          .rejected(
            reason: "it refuses the topic \(topics[place].debugDescription) (code \(codes[place]))")
        )
        return false
      }
      open()
    }
    guard status.isFine, handle?.socket != -1 else {
      fail(error(of: status))
      return false
    }
    return true
  }

  private func open() {
    machine.advance(to: .open, at: now)
    received = 0
    clients.noteAccepted(self)
  }

  /// Returns false if the connection has ended.
  private func subscribe() -> Bool {
    isSubscribing = true
    guard let status = handle?.subscribe(to: topics, qos: topicsQoS), !status.isFine else {
      return true
    }
    fail(MQTTError(refusedMessage: status) ?? error(of: status))
    return false
  }

  private func settle() {
    if machine.stage == .open, !waiting.isEmpty { sendWaiting() }
    guard machine.stage != .over else { return }
    if machine.stage == .open, isIdle, !settings.keepsConnections { return leave() }
    watch?.watchWriting(machine.stage == .connecting || handle?.wantsToWrite == true)
  }

  func keepAlive() {
    guard machine.stage == .open, check(handle?.keepAlive()) else { return }
    watch?.watchWriting(handle?.wantsToWrite == true)
  }

  // MARK: Ending

  private func error(of status: MosquittoStatus) -> MQTTError {
    let isNew = machine.stage < .open
    if isNew, verification != Int(X509_V_OK) {
      return .insecure(reason: "\(TLSError.verification(verification))")
    }
    if isNew, let securityError { return .insecure(reason: "\(securityError)") }
    if leaveCode >= 128 {
      return .closed(
        reason: "the broker says: \(MosquittoHandle.text(reason: Int(leaveCode)))")
    }
    // libmosquitto reports a TLS failure without a known reason as EPROTO.
    let isOfSecurity = status.systemError == EPROTO && dials.trust != nil
    if machine.stage == .securing || isNew && isOfSecurity {
      return .insecure(reason: "\(TLSError.closed)")
    }
    return MQTTError(status, isNew: isNew, isConnecting: machine.stage == .connecting)
  }

  func fail(_ error: MQTTError) {
    guard machine.stage != .over else { return }
    if machine.stage == .connecting { dials.name.noteRefused(address) }
    close(error)
  }

  func leave() {
    guard machine.stage == .open else { return fail(.abandoned) }
    watch?.close()
    handle?.disconnect()
    tunnel?.forward()
    close(.abandoned)
  }

  private func close(_ error: MQTTError) {
    let was = machine.stage
    for entry in exchange(&underWay, with: []) { end(entry, .failure(error), isWritten: true) }
    for entry in exchange(&waiting, with: []) { end(entry, .failure(error)) }
    machine.advance(to: .over, at: now)
    login = nil
    tunnel?.close()
    tunnel = nil
    let wasOpened = watch != nil
    watch?.close()
    watch = nil
    handle = nil
    dials.noteEnded(self, was: was, wasOpened: wasOpened, error)
  }
}
