internal import CCurl
package import Core

/// Sends requests over HTTP/1.1 and 2, plaintext or over TLS, with libcurl on an event loop. The
/// loop watches libcurl's sockets and timeout, and tells libcurl about events.
///
///     send ─▶ holder's queue ─▶ transfer ─▶ libcurl ─▶ sockets ─▶ loop ─▶ libcurl ─▶ owner
///
/// Nothing blocks the loop: names are resolved on libcurl's threads. Each request is written once,
/// except a request that an HTTP/2 server has not processed, which is resent. A request has failed
/// if its kept connection ends before the first byte of an answer.
///
/// The client is used on the loop's thread only, and must be closed before its release.
package final class HTTPClient: ExchangeClient, EndOfTurn {
  package typealias Answer = HTTPAnswer
  package typealias Failure = HTTPError

  private let loop: EventLoop
  private let settings: HTTPSettings
  private let onEnd: (UInt64, HTTPExchange) -> Void
  private let multi: UnsafeMutableRawPointer
  /// The owner of `multi`, or nil once the client is closed.
  private var multiOwner: MultiHandle?
  private var sockets: CurlSockets!
  private var timer: LoopTimer!
  private let idle = IdleConnections()
  private var idleTimer: LoopTimer!
  private var transfers: [HTTPTransfer] = []
  private var free: [HTTPTransfer] = []
  /// The holders by phone, or by index in the pool.
  private var holders: [UInt32: HTTPHolder] = [:]
  private var queue = WaitingLine<WaitingRequest>()
  private var waitingForHolders = 0
  private var tally = Sheet()
  private var unsent: [(number: UInt64, end: HTTPExchange)] = []
  private var isDue = false
  private var isAtEndOfTurn = false

  package init(
    on loop: EventLoop, _ settings: HTTPSettings, onEnd: @escaping (UInt64, HTTPExchange) -> Void
  ) {
    loop.assertOnLoop()
    if case .pooled(let count) = settings.use {
      precondition(count > 0, "pooled(n) needs at least one connection (is \(count))")
    }
    self.loop = loop
    self.settings = settings
    self.onEnd = onEnd
    let handle = MultiHandle()
    multi = handle.raw
    multiOwner = consume handle
    sockets = CurlSockets(
      on: loop, onReady: { [unowned self] in act($0, events: $1) },
      onIdleReady: { [unowned self] in noteIdle($0) })
    idleTimer = LoopTimer(on: loop) { [unowned self] in sweep() }
    timer = LoopTimer(on: loop) { [unowned self] in
      isDue = true
      endOfTurn()
    }
    flotilla_curl_prepare_multi(
      multi, Unmanaged.passUnretained(self).toOpaque(),
      { _, descriptor, what, client, _ in
        HTTPClient.of(client).sockets.watch(descriptor, for: what)
        return 0
      },
      { _, milliseconds, client in
        HTTPClient.of(client).setTimer(milliseconds)
        return 0
      })
  }

  deinit { precondition(multiOwner == nil, "an HTTP client was dropped before it was closed") }

  private static func of(_ client: UnsafeMutableRawPointer?) -> HTTPClient {
    guard let client else { fatalError("libcurl called back without its client") }
    return Unmanaged<HTTPClient>.fromOpaque(client).takeUnretainedValue()
  }

  package var counters: Sheet {
    var counters = tally
    counters[.connects] = Int(sockets.opened)
    counters[.openConnections] = sockets.open
    counters[.openConnectionsPeak] = sockets.openPeak
    counters[.waiting] = queue.count + waitingForHolders
    return counters
  }

  // MARK: Requests

  package func send(_ request: HTTPRequest, as number: UInt64, of phone: UInt32) {
    loop.assertOnLoop()
    precondition(multiOwner != nil, "a request was sent by a closed client")
    let waiting = WaitingRequest(
      request: request, number: number, holder: holder(for: request, of: phone), asked: loop.now)
    guard waiting.holder?.takes(waiting) ?? true else {
      waitingForHolders += 1
      return
    }
    begin(waiting)
  }

  private func holder(for request: HTTPRequest, of phone: UInt32) -> HTTPHolder? {
    let kept = settings.use.holder(of: phone)
    guard kept != nil || request.resumes else { return nil }
    let place = kept ?? phone
    if let holder = holders[place] { return holder }
    let holder = HTTPHolder(place, keepsConnection: kept != nil)
    holders[place] = holder
    return holder
  }

  private func begin(_ waiting: WaitingRequest) {
    guard tally[.inFlight] < settings.openMax else { return queue.append(waiting) }
    tally[.inFlight] += 1
    if let reason = waiting.request.fault {
      let end = HTTPExchange(.failure(.malformed(reason: reason)))
      unsent.append((waiting.number, end))
      tally[.inFlight] -= 1
      waitAtEndOfTurn()
      beginNext(waiting.holder?.released(version: nil))
      return
    }
    let transfer = free.popLast() ?? make()
    transfer.begin(waiting, now: loop.now)
    if transfer.isSecured { waiting.holder?.keepsSessions = true }
    add(transfer)
  }

  private func add(_ transfer: HTTPTransfer) {
    let code = curl_multi_add_handle(multi, transfer.easy.raw)
    precondition(code == CURLM_OK, "libcurl refuses a free handle")
  }

  private func make() -> HTTPTransfer {
    let transfer = HTTPTransfer(settings, sockets: sockets, clock: loop.clock)
    transfers.append(transfer)
    return transfer
  }

  private func beginNext(_ ofHolder: [WaitingRequest]?) {
    for next in ofHolder ?? [] {
      waitingForHolders -= 1
      begin(next)
    }
    while tally[.inFlight] < settings.openMax, let next = queue.popFirst() { begin(next) }
  }

  // MARK: Turns of the loop

  /// Sets libcurl's timer. Never calls libcurl, which may be the caller.
  private func setTimer(_ milliseconds: Int) {
    if milliseconds < 0 {
      timer.disarm()
    } else if milliseconds == 0 {
      isDue = true
      waitAtEndOfTurn()
    } else {
      timer.arm(at: loop.now + .milliseconds(Int64(milliseconds)))
    }
  }

  private func waitAtEndOfTurn() {
    guard !isAtEndOfTurn else { return }
    isAtEndOfTurn = true
    loop.atEndOfTurn(self)
  }

  /// The limit of rounds of libcurl's work at the end of a turn.
  private static let roundsMax = 64

  func endOfTurn() {
    for _ in 0..<Self.roundsMax where multiOwner != nil {
      guard isDue || !unsent.isEmpty else { break }
      isDue = false
      act(CURL_SOCKET_TIMEOUT, events: 0)
      for (number, end) in exchange(&unsent, with: []) { onEnd(number, end) }
    }
    isAtEndOfTurn = false
    // The timer wakes the loop, which may be about to sleep.
    if isDue || !unsent.isEmpty { timer.arm(at: loop.now) }
  }

  private func act(_ descriptor: Int32, events: Int32) {
    var running: Int32 = 0
    curl_multi_socket_action(multi, descriptor, events, &running)
    var code = CURLE_OK
    while multiOwner != nil, let easy = flotilla_curl_ended(multi, &code) {
      if easy == idle.easy.raw { endSweep() } else { finish(HTTPTransfer.of(easy: easy), code) }
    }
  }

  // MARK: Connections that the server has closed

  private func noteIdle(_ connection: IdleConnection) {
    idle.note(connection, now: loop.now)
    setIdleTimer()
  }

  private func setIdleTimer() {
    if let next = idle.next { idleTimer.arm(at: next) }
  }

  private func sweep() {
    while multiOwner != nil, idle.current == nil, let connection = idle.pop(at: loop.now) {
      // If a later request has used the connection, libcurl has noticed the connection's end.
      guard let holder = holders[connection.place], holder.isIdle, sockets.isIdle(connection)
      else { continue }
      idle.begin(connection, of: holder)
      let code = curl_multi_add_handle(multi, idle.easy.raw)
      precondition(code == CURLM_OK, "libcurl refuses a free handle")
      act(CURL_SOCKET_TIMEOUT, events: 0)
    }
    if idle.current == nil { setIdleTimer() }
  }

  private func endSweep() {
    curl_multi_remove_handle(multi, idle.easy.raw)
    guard let connection = idle.end(), let holder = holders[connection.place] else { return }
    if sockets.isIdle(connection) {
      sockets.lookOn(at: connection)
    } else if holder.isIdle, !holder.keepsSessions {
      // A holder takes ten kilobytes. The phone's next request makes a new holder.
      holders[connection.place] = nil
    }
    setIdleTimer()
  }

  private func finish(_ transfer: HTTPTransfer, _ code: CURLcode) {
    if transfer.beginsAgain(after: code, now: loop.now) {
      curl_multi_remove_handle(multi, transfer.easy.raw)
      return add(transfer)
    }
    let end = transfer.end(
      code, socketError: exchange(&sockets.lastError, with: 0), now: loop.now)
    let (number, holder) = (transfer.number, transfer.holder)
    curl_multi_remove_handle(multi, transfer.easy.raw)
    transfer.leave()
    free.append(transfer)
    count(end, isSecured: transfer.isSecured)
    var version: Int?
    if case .success(let answer) = end.result { version = answer.version }
    beginNext(holder?.released(version: version))
    onEnd(number, end)
  }

  private func count(_ end: HTTPExchange, isSecured: Bool) {
    tally[.inFlight] -= 1
    tally[.bytesSent] += end.bytesSent
    tally[.bytesReceived] += end.bytesReceived
    guard isSecured, end.connections > 0 else { return }
    if end.isResumed { tally[.handshakesResumed] += 1 } else { tally[.handshakesFull] += 1 }
  }

  // MARK: The end

  /// Abandons all requests and closes every connection. Further calls have no effect.
  package func close() {
    loop.assertOnLoop()
    guard multiOwner != nil else { return }
    timer.disarm()
    idleTimer.disarm()
    if idle.current != nil {
      curl_multi_remove_handle(multi, idle.easy.raw)
      _ = idle.end()
    }
    var left = exchange(&unsent, with: [])
    let now = loop.now
    for transfer in transfers where transfer.isActive {
      curl_multi_remove_handle(multi, transfer.easy.raw)
      left.append((transfer.number, transfer.abandon(now: now)))
    }
    var waiting = holders.values.flatMap { $0.takeAll() }
    while let next = queue.popFirst() { waiting.append(next) }
    for next in waiting {
      var end = HTTPExchange(.failure(.abandoned))
      end.times.waiting = max(.zero, now - next.asked)
      left.append((next.number, end))
    }
    waiting = []
    (tally[.inFlight], waitingForHolders) = (0, 0)
    // Handles are released before their shared state. libcurl closes every socket meanwhile.
    (transfers, free) = ([], [])
    holders = [:]
    multiOwner = nil
    for (number, end) in left { onEnd(number, end) }
  }
}
