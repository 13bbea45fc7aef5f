internal import Core
internal import Wire

extension ServerConnection {
  func perform(_ action: ServerConnectionMachine.Action) {
    switch action {
    case .none: break
    case .close(let limit):
      server.hit(limit)
      close()
    case .reset(let limit):
      server.hit(limit)
      carrier.close(.closedHere, reset: true)
    case .sayAndClose(let code, let limit):
      server.hit(limit)
      sayAndClose(code, limit.rawValue, .closedHere)
    case .breach(let limit):
      server.hit(limit)
      breaks(.malformedFrame(.ping, reason: "too many"))
    case .drain(let limit):
      if let limit { server.hit(limit) }
      drainCalls()
    case .closeWhenSent: closeIfSent()
    case .pauseReading: carrier.pauseReading()
    }
  }

  /// Ends the connection or its calls after timeouts. The server calls `sweep` once a second.
  func sweep(at now: WallInstant) {
    server.loop.assertOnLoop()
    var view = ServerConnectionMachine.View(
      openCalls: 0, bytesUnread: carrier.bytesUnread,
      hasWritten: carrier.bytesWritten != countedWritten)
    countBytes()
    if halfOpen > 0 {
      endHalfOpen(at: now)
      // The carrier may return credit if other connections have freed memory.
      carrier.consumed(0)
    }
    view.openCalls = calls.count + carrier.otherCalls
    perform(machine.secondPassed(at: now, view, server.limits))
  }

  private func endHalfOpen(at now: WallInstant) {
    for (number, open) in calls
    where !open.isDispatched && machine.isOverdue(openedAt: open.since, at: now, server.limits) {
      server.hit(.messageTime)
      finish(number, CallStatus(.deadlineExceeded, ServerLimit.messageTime.rawValue))
    }
  }

  /// Stops accepting calls. Complete calls may finish, and incomplete or streaming calls end now.
  func drain() { perform(machine.drain()) }

  private func drainCalls() {
    let status = CallStatus(.unavailable, "the server is shutting down")
    carrier.goAway(status.code, status.text)
    for (number, open) in calls where open.method.isServerStreaming || !open.isDispatched {
      if open.isDispatched { server.handler.cancelled(call(open)) }
      finish(number, status)
    }
    perform(machine.callEnded(openCalls: calls.count))
  }

  func close() { carrier.close(.closedHere, reset: false) }

  private func closeIfSent() {
    guard !carrier.isClosed else { return }
    carrier.flush()
    // If output is queued, the connection closes once the output is sent.
    if carrier.bytesQueued == 0 { close() }
  }

  private func sayAndClose(_ code: StatusCode, _ text: String, _ end: LinkError) {
    carrier.goAway(code, text)
    carrier.flush()
    carrier.close(end, reset: false)
  }

  func refuse(_ limit: ServerLimit) { perform(.sayAndClose(.resourceExhausted, limit)) }

  // MARK: carrier events

  func frameIsWhole() {
    machine.frameIsWhole()
    guard countedBytes > 0 else { return }
    server.count { $0[.inFlightBytes] -= countedBytes }
    countedBytes = 0
  }

  func holds(_ bytes: Int) {
    server.count { $0[.inFlightBytes] += bytes - countedBytes }
    countedBytes = bytes
    perform(
      machine.buffered(
        bytes, at: server.loop.now,
        isTooMuch: server.counters[.inFlightBytes] > server.limits.inFlightBytesMax))
  }

  func pings(_ payload: UInt64) { answer(ping: payload, machine.pinged(server.limits)) }

  func keepsAlive(_ payload: UInt64) {
    answer(ping: payload, machine.keptAlive(at: server.loop.now, server.limits))
  }

  private func answer(ping payload: UInt64, _ action: ServerConnectionMachine.Action) {
    guard action == .none else { return perform(action) }
    carrier.pong(payload)
    // Reading pauses if the client does not read the answers to its PINGs.
    perform(answered)
  }

  func clientGoesAway() { perform(machine.clientGoesAway(openCalls: calls.count)) }

  func drained() { perform(machine.callEnded(openCalls: calls.count)) }

  func breaks(_ error: WireError) {
    // A peer that does not know the preface would not understand a GOAWAY either.
    if error == .badPreface { return carrier.close(.protocolError(error), reset: false) }
    if case .frameTooLarge = error { server.hit(.frameBodyBytesMax) }
    sayAndClose(error.status, error.description, .protocolError(error))
  }

  func ended(_ end: LinkError) {
    server.loop.assertOnLoop()
    if case .protocolError = end { server.count { $0[.protocolErrors] += 1 } }
    countBytes()
    for (_, open) in calls {
      server.count {
        $0[.streams] -= 1
        $0[.inFlightBytes] -= Int(open.inFlightBytes)
        $0.countEnd(of: open.method, .cancelled)
      }
      if open.isDispatched {
        server.count { $0[.cancelled] += 1 }
        server.handler.cancelled(call(open))
      }
    }
    server.count { $0[.inFlightBytes] -= countedBytes }
    calls.removeAll()
    server.ended(self)
  }

  func countBytes() {
    let (read, written) = (carrier.bytesRead, carrier.bytesWritten)
    server.count {
      $0[.bytesRead] += read - countedRead
      $0[.bytesWritten] += written - countedWritten
    }
    (countedRead, countedWritten) = (read, written)
  }
}
