internal import COpenSSL
internal import Core
internal import Wire

/// TLS over another stream.
///
///     receiver ◀── plain ── SSL_read  ◀── input  ◀── streamReceived ── below
///     receiver ── write ──▶ SSL_write ──▶ output ──▶ one write ──────▶ below
///
/// Writes are kept until the handshake is done. OpenSSL writes into the loop's memory, so a turn
/// costs one write to the stream below, and an idle connection holds no buffer.
final class TLSStream: ByteStream {
  var receiver: (any ByteStreamReceiver)?
  private let below: any ByteStream
  private let loop: EventLoop
  private let context: TLSContext
  private let handle: TLSHandle
  private var machine: TLSMachine
  private let dial: TLSDial?
  /// The action on the server's side once the handshake is done or has failed.
  var onHandshake: ((TLSStream, TLSError?) -> Void)?
  private let createdAt: WallInstant
  private var reachedAt: WallInstant?
  private var handshakeNumber: UInt64 = 0
  private var input = UnsafeRawBufferPointer(start: nil, count: 0)
  private var output = ByteBuffer(capacity: 0)
  private var early = ByteBuffer(capacity: 0)
  private var isBelowBusy = false
  private var owesDrained = false
  private var isReading = false
  private var isClosed = false
  private var isQueuedForFlush = false
  private var encryptedRead = 0
  private var encryptedWritten = 0
  private var plainRead = 0
  private var plainWritten = 0

  /// Begins a server's side on an accepted stream. Returns nil without memory.
  static func accepted(
    _ below: any ByteStream, _ context: TLSContext, on loop: EventLoop
  ) -> TLSStream? {
    guard let handle = TLSHandle(context) else { return nil }
    return TLSStream(below, context, handle, dial: nil, on: loop)
  }

  /// Begins a client's side on an opened stream. Returns nil without memory or for a bad identity.
  static func opened(_ below: any ByteStream, _ dial: TLSDial, on loop: EventLoop) -> TLSStream? {
    guard let handle = TLSHandle(dial.client.context) else { return nil }
    return TLSStream(below, dial.client.context, handle, dial: dial, on: loop)
  }

  private init?(
    _ below: any ByteStream, _ context: TLSContext, _ handle: consuming TLSHandle, dial: TLSDial?,
    on loop: EventLoop
  ) {
    self.below = below
    self.context = context
    self.handle = handle
    self.dial = dial
    self.loop = loop
    createdAt = loop.now
    machine = TLSMachine(startedAt: createdAt)
    guard self.handle.attach(to: self) else { return nil }
    if let dial {
      SSL_set_connect_state(self.handle.ssl)
      expect(dial.host)
      if let identity = dial.identity {
        let isTaken = flotilla_present(
          self.handle.ssl, identity.certificate, Int32(identity.certificate.count), identity.key,
          Int32(identity.key.count))
        ERR_clear_error()
        guard isTaken == 1 else { return nil }
      }
      if let tickets = dial.tickets, tickets.resumes {
        tickets.store.resume(self.handle.ssl, of: tickets.holder)
      }
    } else {
      SSL_set_accept_state(self.handle.ssl)
    }
    below.receiver = self
    handshakeNumber = loop.security.begin(self, due: machine.due)
  }

  /// Returns the stream of an `SSL`, for OpenSSL's callbacks during a call of the stream only.
  static func behind(_ ssl: OpaquePointer?) -> TLSStream? {
    SSL_get_ex_data(ssl, 0).map { Unmanaged<TLSStream>.fromOpaque($0).takeUnretainedValue() }
  }

  private func expect(_ host: String) {
    guard X509_VERIFY_PARAM_set1_ip_asc(SSL_get0_param(handle.ssl), host) != 1 else { return }
    // `host` is not an address. OpenSSL's error must not remain for the next call.
    ERR_clear_error()
    SSL_set1_host(handle.ssl, host)
    flotilla_name_server(handle.ssl, host)
  }

  func keep(_ session: OpaquePointer?) -> Bool {
    guard let tickets = dial?.tickets, let session else { return false }
    return tickets.store.keep(session, for: tickets.holder)
  }

  var isSecured: Bool { true }

  var applicationProtocol: ApplicationProtocol? {
    var name: UnsafePointer<UInt8>?
    var length: UInt32 = 0
    SSL_get0_alpn_selected(handle.ssl, &name, &length)
    let bytes = UnsafeBufferPointer(start: name, count: Int(length))
    return ApplicationProtocol(rawValue: String(decoding: bytes, as: UTF8.self))
  }

  var bytesOfSecurity: (read: Int, written: Int) {
    (encryptedRead - plainRead, encryptedWritten - plainWritten)
  }

  var backlogSince: WallInstant? { below.backlogSince }

  // MARK: The library's side

  func takeInput(_ room: UnsafeMutableRawBufferPointer) -> Int {
    let count = min(room.count, input.count)
    guard count > 0 else { return 0 }
    room.copyMemory(from: UnsafeRawBufferPointer(rebasing: input[..<count]))
    input = UnsafeRawBufferPointer(rebasing: input[count...])
    return count
  }

  func addOutput(_ bytes: UnsafeRawBufferPointer) {
    if output.capacity == 0 { output.take(loop.outputs.take()) }
    output.append(bytes)
  }

  // MARK: Writing

  func write(_ bytes: UnsafeRawBufferPointer) -> StreamWrite {
    guard !isClosed else { return .failed(reason: "broken pipe") }
    guard machine.isOpen else {
      early.append(bytes)
      owesDrained = true
      return .taken(now: 0)
    }
    if let failure = encrypt(bytes) { return .failed(reason: "\(failure)") }
    if let reason = flush() { return .failed(reason: reason) }
    owesDrained = isBelowBusy
    return .taken(now: isBelowBusy ? 0 : bytes.count)
  }

  private func encrypt(_ bytes: UnsafeRawBufferPointer) -> TLSError? {
    guard !bytes.isEmpty else { return nil }
    var written = 0
    guard SSL_write_ex(handle.ssl, bytes.baseAddress, bytes.count, &written) == 1 else {
      return .taken(verification: Int(X509_V_OK))
    }
    plainWritten += written
    return nil
  }

  private func flush() -> String? {
    guard !isBelowBusy, !output.isEmpty else { return nil }
    switch below.write(output.readable) {
    case .taken(let now):
      encryptedWritten += output.count
      isBelowBusy = now < output.count
      output.removeAll()
      loop.outputs.give(output.giveUpMemory())
      if now > 0 { reached() }
      return nil
    case .failed(let reason): return reason
    }
  }

  private func reached() {
    if reachedAt == nil { reachedAt = loop.now }
  }

  // MARK: Reading

  func startReading() {
    guard !isClosed, !isReading else { return }
    isReading = true
    below.startReading()
    // A client sends first, at the end of the turn, when the stream's owner is ready.
    if machine.isHandshaking, dial != nil, reachedAt == nil { flushLater() }
  }

  func pauseReading() {
    isReading = false
    below.pauseReading()
  }

  private func deliver() {
    let plain = loop.security.plain
    var count = 0
    ERR_clear_error()
    while !isClosed, hasMore {
      let room = UnsafeMutableRawBufferPointer(rebasing: plain[count...])
      var read = 0
      guard SSL_read_ex(handle.ssl, room.baseAddress, room.count, &read) == 1 else {
        let action = actionOfFailedRead()
        pass(plain[..<count])
        return isClosed ? () : perform(action)
      }
      count += read
      if hasMore, plain.count - count >= Self.recordBytesMax { continue }
      pass(plain[..<count])
      count = 0
    }
  }

  private var hasMore: Bool { !input.isEmpty || SSL_pending(handle.ssl) > 0 }

  private func actionOfFailedRead() -> TLSMachine.Action {
    switch SSL_get_error(handle.ssl, 0) {
    case SSL_ERROR_WANT_READ: .none
    case SSL_ERROR_ZERO_RETURN: machine.ended(.closedByPeer)
    case _: machine.broke(failure)
    }
  }

  /// The maximum size of a TLS record's content (RFC 8446, section 5.1).
  private static let recordBytesMax = 16_384

  private func pass(_ bytes: Slice<UnsafeMutableRawBufferPointer>) {
    guard !bytes.isEmpty, !isClosed else { return }
    plainRead += bytes.count
    receiver?.streamReceived(UnsafeMutableRawBufferPointer(rebasing: bytes))
  }

  // MARK: The handshake

  private func shakeHands() {
    perform(machine.moved(progress()))
  }

  private func progress() -> TLSMachine.Progress {
    ERR_clear_error()
    let result = loop.security.timing { SSL_do_handshake(handle.ssl) }
    if result == 1 { return .finished }
    switch SSL_get_error(handle.ssl, result) {
    case SSL_ERROR_WANT_READ, SSL_ERROR_WANT_WRITE: return .wantsMore
    case _: return .failed(failure)
    }
  }

  private var failure: TLSError {
    .taken(verification: SSL_get_verify_result(handle.ssl))
  }

  func timePassed(at now: WallInstant) { perform(machine.timePassed(at: now)) }

  private func perform(_ action: TLSMachine.Action) {
    switch action {
    case .none: break
    case .open: open()
    case .fail(let failure): fail(failure)
    case .end(let end):
      settle(.closed)
      receiver?.streamEnded(end)
    }
  }

  private func open() {
    let isResumed = SSL_session_reused(handle.ssl) == 1
    let reached = reachedAt ?? createdAt
    let handshake = TLSHandshake(
      isResumed: isResumed, reaching: reached - createdAt, securing: loop.now - reached)
    if isResumed {
      loop.security.counters.resumed += 1
    } else {
      loop.security.counters.full += 1
    }
    loop.security.end(handshakeNumber)
    if let observer = dial?.observer {
      observer.observer.secured(observer.connection, handshake)
    }
    exchange(&onHandshake, with: nil)?(self, nil)
    guard !isClosed, !early.isEmpty else { return }
    let failure = encrypt(early.readable)
    early = ByteBuffer(capacity: 0)
    if let failure { return fail(failure) }
    flushNow()
  }

  private func fail(_ failure: TLSError) {
    // OpenSSL sends no alert to a plaintext client, but Flotilla's clients understand an alert.
    if failure == .notTLS, context.isServer { TLSAlert.bytes.withUnsafeBytes { addOutput($0) } }
    // Only an alert can still be sent.
    _ = flush()
    if !settle(failure) { loop.security.counters.count(failure) }
    receiver?.streamEnded(.failed(reason: "TLS: \(failure)"))
  }

  /// Ends the handshake with `failure`. Returns false if the handshake has already ended.
  @discardableResult
  private func settle(_ failure: TLSError) -> Bool {
    guard loop.security.end(handshakeNumber) else { return false }
    loop.security.counters.count(failure)
    exchange(&onHandshake, with: nil)?(self, failure)
    return true
  }

  private func flushNow() {
    if let reason = flush() { return perform(machine.ended(.failed(reason: reason))) }
    guard owesDrained, !isBelowBusy, output.isEmpty, machine.isOpen else { return }
    owesDrained = false
    receiver?.streamDrained()
  }

  // MARK: The end

  func close(reset: Bool) {
    guard !isClosed else { return }
    isClosed = true
    receiver = nil
    onHandshake = nil
    if machine.isOpen, !reset {
      // The call announces the end, and the peer's answer is not awaited.
      SSL_shutdown(handle.ssl)
      _ = flush()
    }
    machine.close()
    loop.security.end(handshakeNumber)
    if output.capacity > 0 {
      output.removeAll()
      loop.outputs.give(output.giveUpMemory())
    }
    below.close(reset: reset)
  }
}

// MARK: The stream below

extension TLSStream: ByteStreamReceiver, EndOfTurn {
  func streamReceived(_ bytes: UnsafeMutableRawBufferPointer) {
    encryptedRead += bytes.count
    input = UnsafeRawBufferPointer(bytes)
    let readBefore = plainRead
    if machine.isHandshaking { shakeHands() }
    if machine.isOpen, !isClosed { deliver() }
    input = UnsafeRawBufferPointer(start: nil, count: 0)
    guard !isClosed, !output.isEmpty else { return }
    // A server's tickets are sent with its first answer to data.
    if context.isServer, plainRead > readBefore { return }
    flushLater()
  }

  private func flushLater() {
    guard !isQueuedForFlush else { return }
    isQueuedForFlush = true
    loop.atEndOfTurn(self)
  }

  func endOfTurn() {
    isQueuedForFlush = false
    guard !isClosed else { return }
    if machine.isHandshaking, dial != nil, encryptedRead == 0, output.isEmpty { shakeHands() }
    if !isClosed { flushNow() }
  }

  func streamDrained() {
    isBelowBusy = false
    reached()
    flushNow()
  }

  func streamEnded(_ end: LinkError) { perform(machine.ended(end)) }
}
