internal import Core
internal import Wire

extension ServerConnection {
  func reply(_ number: UInt32, _ status: CallStatus, message: UnsafeRawBufferPointer) {
    server.loop.assertOnLoop()
    guard let open = calls[number], open.isDispatched else { return }
    guard status.code == .ok, !open.method.isServerStreaming else {
      return finish(number, status)
    }
    carrier.send(number, message, isLast: true)
    perform(answered)
    count(.ok, of: open.method)
    _ = remove(number)
    perform(machine.callEnded(openCalls: calls.count))
  }

  func send(_ number: UInt32, message: UnsafeRawBufferPointer) -> StreamSend {
    server.loop.assertOnLoop()
    guard calls[number]?.isDispatched == true else { return .gone }
    guard carrier.bytesUnread + message.count <= server.limits.writeQueueBytesMax else {
      server.hit(.writeQueueBytesMax)
      return .full
    }
    carrier.send(number, message, isLast: false)
    perform(answered)
    return .queued
  }

  func finish(_ number: UInt32, _ status: CallStatus) {
    guard let open = remove(number) else { return }
    answer(number, status, to: open.method)
    perform(machine.callEnded(openCalls: calls.count))
  }

  func answer(_ number: UInt32, _ status: CallStatus, to method: CollectorMethod?) {
    count(status.code, of: method)
    carrier.end(number, status)
    perform(answered)
  }

  var answered: ServerConnectionMachine.Action {
    machine.answered(
      bytesUnread: carrier.bytesUnread, bytesQueued: carrier.bytesQueued, server.limits)
  }

  private func count(_ code: StatusCode, of method: CollectorMethod?) {
    server.count {
      $0.statuses[Int(code.rawValue)] += 1
      $0.countEnd(of: method, code)
    }
  }

  func remove(_ number: UInt32) -> OpenCall? {
    guard let open = calls.removeValue(forKey: number) else { return nil }
    server.count {
      $0[.streams] -= 1
      $0[.inFlightBytes] -= Int(open.inFlightBytes)
    }
    if !open.isDispatched {
      halfOpen -= 1
      bytesInParts -= Int(open.dataBytes)
    }
    carrier.consumed(Int(open.dataBytes))
    return open
  }
}
