package import Core

/// A TCP relay that injects faults, for any protocol. One side is not read while the other side
/// cannot accept more. `@unchecked Sendable`: the state is touched on the loop's thread only.
package final class FaultProxy: @unchecked Sendable {
  let loop: EventLoop
  private var plan: FaultPlan
  private let target: Address
  private var listener: (any StreamListener)?
  private var relays: [Int: Relay] = [:]
  private var accepted = 0
  private var started: WallInstant
  private var due = DueHeap<Int>()
  private var timer: LoopTimer?
  private var past = ProxyCounters()

  /// Creates a proxy. Throws if the target's host is not an address and does not resolve.
  package init(
    loop: EventLoop, _ plan: FaultPlan, to target: Endpoint
  ) throws(TransportError) {
    self.loop = loop
    self.plan = plan
    self.target = try Address(target)
    started = loop.now
  }

  /// Listens on loopback and starts the plan's time. The system chooses the port if `port` is 0.
  package func listen(port: UInt16 = 0) throws(TransportError) -> UInt16 {
    let result = loop.sync { [self] () -> Result<UInt16, TransportError> in
      let endpoint = Endpoint(host: "127.0.0.1", port: port)
      do throws(TransportError) {
        let listener = try loop.listen(on: endpoint, takesTurns: false) { [unowned self] stream in
          accept(stream)
        }
        self.listener = listener
        started = loop.now
        return .success(listener.port)
      } catch {
        return .failure(error)
      }
    }
    return try result.get()
  }

  /// Replaces the faults of all connections. The times of the new faults count from now.
  package func harm(_ faults: [WireFault]) {
    loop.sync { [self] in
      let begins = now
      plan.faults = faults.map { fault in
        var fault = fault
        fault.from += begins
        fault.until += begins
        return fault
      }
      for relay in relays.values { relay.adopt(plan) }
    }
  }

  /// Returns the counts over open and ended connections. Any thread may call `counters`.
  package func counters() -> ProxyCounters {
    loop.sync { [self] in
      var sum = past
      for relay in relays.values { sum.add(relay.counters) }
      sum.connections = accepted
      return sum
    }
  }

  package func close() {
    loop.sync { [self] in
      listener?.close()
      listener = nil
      for relay in relays.values { relay.end(reset: true) }
    }
  }

  var now: WallDuration { loop.now - started }

  private func accept(_ stream: any ByteStream) {
    loop.assertOnLoop()
    accepted += 1
    let client = ProxySocket(stream)
    let number = accepted
    do throws(ConnectError) {
      let server = ProxySocket(try loop.connect(to: target, noDelay: true))
      relays[number] = Relay(self, number, plan, client: client, server: server)
    } catch {
      past.refused += 1
      client.close(reset: true)
    }
  }

  func refusedOne() { past.refused += 1 }

  func ended(_ relay: Relay) {
    guard relays.removeValue(forKey: relay.number) != nil else { return }
    past.add(relay.counters)
  }

  func wake(_ relay: Relay, at instant: WallDuration) {
    loop.assertOnLoop()
    due.push(relay.number, at: started + instant)
    if timer == nil { timer = LoopTimer(on: loop) { [unowned self] in ring() } }
    if let next = due.next { timer?.arm(at: next) }
  }

  private func ring() {
    while let number = due.pop(at: loop.now) { relays[number]?.deliver() }
    if let next = due.next { timer?.arm(at: next) }
  }
}

final class Relay {
  let number: Int
  private unowned let proxy: FaultProxy
  private let sockets: [ProxySocket]
  private var lanes: [Lane]

  /// The queued bytes above which a side is not read, until at most half as many are queued.
  private static let queuedBytesMax = 262_144

  private struct Lane {
    var stream: FaultStream
    var queue = WaitingLine<(at: WallDuration, bytes: [UInt8])>()
    var bytes = 0
    var ending = Ending.none
  }

  private enum Ending { case none, close, reset }

  init(
    _ proxy: FaultProxy, _ number: Int, _ plan: FaultPlan, client: ProxySocket,
    server: ProxySocket
  ) {
    self.proxy = proxy
    self.number = number
    sockets = [client, server]
    let connection = UInt32(truncatingIfNeeded: number)
    lanes = FaultStream.Direction.allCases.map {
      Lane(stream: FaultStream(plan, connection: connection, $0))
    }
    for side in 0...1 {
      sockets[side].onBytes = { [unowned self] in take($0, from: side) }
      sockets[side].onEnd = { [unowned self] in
        // A reset of the server's side before its first byte means that the target refused.
        if $0, side == 1, lanes[1].stream.counters.bytes == 0 { proxy.refusedOne() }
        finish(side, $0 ? .reset : .close)
      }
      // The drained bytes belong to the lane from the other side.
      sockets[side].onDrained = { [unowned self] in deliver(1 - side) }
      sockets[side].startReading()
    }
  }

  func adopt(_ plan: FaultPlan) {
    for (side, direction) in FaultStream.Direction.allCases.enumerated() {
      lanes[side].stream.adopt(plan, direction)
    }
  }

  var counters: ProxyCounters {
    var sum = lanes[0].stream.counters
    sum.add(lanes[1].stream.counters)
    return sum
  }

  private func take(_ piece: UnsafeMutableRawBufferPointer, from side: Int) {
    guard lanes[side].ending == .none else { return }
    let now = proxy.now
    let ruling = lanes[side].stream.rule(on: piece, at: now)
    let bytes = UnsafeRawBufferPointer(rebasing: piece[..<ruling.passes])
    if ruling.passes > 0, ruling.at <= now, lanes[side].queue.isEmpty {
      sockets[1 - side].write(bytes)
    } else if ruling.passes > 0 {
      lanes[side].queue.append((ruling.at, Array(bytes)))
      lanes[side].bytes += bytes.count
      proxy.wake(self, at: ruling.at)
    }
    if ruling.cuts { finish(side, .reset) } else { holdBack(side) }
  }

  private func finish(_ side: Int, _ ending: Ending) {
    guard lanes[side].ending == .none else { return }
    lanes[side].ending = ending
    sockets[side].stopReading()
    deliver(side)
  }

  func deliver() {
    for side in 0...1 { deliver(side) }
  }

  private func deliver(_ side: Int) {
    let now = proxy.now
    let target = sockets[1 - side]
    guard !target.isClosing else { return }
    while let next = lanes[side].queue.first, next.at <= now {
      // The queue is updated before the write, since a failed write calls back into these lanes.
      lanes[side].bytes -= next.bytes.count
      lanes[side].queue.popFirst()
      next.bytes.withUnsafeBytes { target.write($0) }
    }
    if lanes[side].queue.isEmpty, target.bytesQueued == 0, lanes[side].ending != .none {
      return end(reset: lanes[side].ending == .reset)
    }
    holdBack(side)
  }

  private func holdBack(_ side: Int) {
    guard lanes[side].ending == .none else { return }
    let queued = lanes[side].bytes + sockets[1 - side].bytesQueued
    if queued > Self.queuedBytesMax {
      sockets[side].stopReading()
    } else if queued <= Self.queuedBytesMax / 2 {
      sockets[side].startReading()
    }
  }

  func end(reset: Bool) {
    // The relay must outlive its removal from the proxy's table.
    withExtendedLifetime(self) {
      for socket in sockets { socket.close(reset: reset) }
      proxy.ended(self)
    }
  }
}
