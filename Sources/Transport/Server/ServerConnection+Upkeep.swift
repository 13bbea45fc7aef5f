internal import SimulationCore
internal import Wire

/// What time and the end of a connection ask for.
extension ServerConnection {
  /// Once a second: ends what takes too long.
  func sweep(at now: WallInstant) {
    pingsThisSecond = 0
    let unread = bytesUnread > 0 && link.bytesWritten == countedWritten
    countBytes()
    unreadSince = unread ? unreadSince ?? now : nil
    if halfOpen > 0 { endHalfOpen(at: now) }
    if !hasCalled, now - lastActive > server.limits.firstCallTime {
      server.count { $0.firstCallTimeHits += 1 }
      link.end(.closedHere)
    } else if let heldSince, now - heldSince > server.limits.messageTime {
      server.count { $0.messageTimeHits += 1 }
      sendGoAway(.deadlineExceeded, "messageTime")
      link.flush()
      link.end(.closedHere)
    } else if let unreadSince, now - unreadSince > server.limits.answerTime {
      server.count { $0.answerTimeHits += 1 }
      link.end(.closedHere, reset: true)
    } else if streams.isEmpty, now - lastActive > server.limits.idleTime {
      server.count { $0.idleTimeHits += 1 }
      // A client that went away by itself, and stays, is owed nothing more.
      if isGoingAway { link.end(.closedHere) } else { goAway() }
    }
  }

  /// Calls whose message does not come to its end.
  private func endHalfOpen(at now: WallInstant) {
    for (stream, state) in streams
    where state.call == nil && now - state.openedAt > server.limits.messageTime {
      server.count { $0.messageTimeHits += 1 }
      finish(stream, CallStatus(.deadlineExceeded, "messageTime"))
    }
  }

  /// What is held of a frame that has not come whole counts with the bytes in flight.
  func link(_ link: Link, holds bytes: Int) {
    server.count { $0.inFlightBytes += bytes - countedHeld }
    countedHeld = bytes
    heldSince = bytes == 0 ? nil : heldSince ?? server.loop.now
    guard server.counters.inFlightBytes > server.limits.inFlightBytesMax, bytes > 0 else { return }
    server.count { $0.inFlightBytesMaxHits += 1 }
    sendGoAway(.resourceExhausted, "inFlightBytesMax")
    link.flush()
    link.end(.closedHere)
  }

  /// Calls that are open may finish; streams end now.
  func goAway() {
    guard !isGoingAway else { return }
    isGoingAway = true
    sendGoAway(.unavailable, "the server is shutting down")
    for (stream, state) in streams where state.method.isServerStreaming || state.call == nil {
      if let call = state.call { server.handler.cancelled(call) }
      finish(stream, CallStatus(.unavailable, "the server is shutting down"))
    }
    closeIfDone()
  }

  func closeIfDone() {
    guard isGoingAway, streams.isEmpty, !link.isClosing else { return }
    link.flush()
    // What the kernel has not taken yet goes out before the end.
    if link.bytesQueued == 0 { link.end(.closedHere) }
  }

  func close() { link.end(.closedHere) }

  func protocolError(_ error: WireError) {
    link(link, broke: error)
    link.end(.protocolError(error))
  }

  func link(_ link: Link, broke error: WireError) {
    // A stranger who does not know the preface would not know a GOAWAY either.
    guard error != .badPreface else { return }
    if case .frameTooLarge = error { server.count { $0.frameBodyBytesMaxHits += 1 } }
    sendGoAway(error.status, error.description)
    link.flush()
  }

  private func sendGoAway(_ code: StatusCode, _ text: String) {
    write { FrameEncoder.goAway(lastStream: lastStream, code, text, into: &$0) }
  }

  func linkConnected(_ link: Link, at instant: WallInstant) {}

  func linkDrained(_ link: Link) { closeIfDone() }

  func linkEnded(_ link: Link, _ end: LinkEnd) {
    if case .protocolError = end { server.count { $0.protocolErrors += 1 } }
    countBytes()
    for (_, state) in streams {
      server.count {
        $0.streams -= 1
        $0.inFlightBytes -= state.inFlightBytes
        $0.countEnd(of: state.method, .cancelled)
      }
      if let call = state.call {
        server.count { $0.cancelled += 1 }
        server.handler.cancelled(call)
      }
    }
    server.count { $0.inFlightBytes -= countedHeld }
    streams.removeAll()
    server.ended(self)
  }

  func countBytes() {
    let (read, written) = (link.bytesRead, link.bytesWritten)
    server.count {
      $0.bytesRead += UInt64(read - countedRead)
      $0.bytesWritten += UInt64(written - countedWritten)
    }
    (countedRead, countedWritten) = (read, written)
  }
}
