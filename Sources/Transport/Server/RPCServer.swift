internal import CUV
package import SimulationCore
internal import Wire

/// Accepts connections, cuts them into calls and carries the answers back.
///
/// `@unchecked Sendable`: all state is touched on the loop's thread only (asserted); `listen` and
/// `drain` go there by themselves.
package final class RPCServer: @unchecked Sendable {
  package let loop: EventLoop
  package let limits: ServerLimits
  package private(set) var counters = ServerCounters()
  private let token: BearerToken?
  unowned let handler: any RPCHandler
  private var listener: Listener?
  private var connections: [ServerConnection?] = []
  private var freeSlots: [Int] = []
  private var generation: UInt32 = 0
  private var sweeper: LoopTimer?
  private var sweepPart = 0
  private static let sweepParts = 20
  private(set) var isDraining = false
  private var whenDrained: (() -> Void)?

  /// - Parameters:
  ///   - token: what the metadata `authorization` of every call must be; nil: nothing is asked.
  ///   - handler: not retained; must outlive the server.
  package init(
    loop: EventLoop, limits: ServerLimits = .init(), token: BearerToken? = nil,
    handler: any RPCHandler
  ) {
    self.loop = loop
    self.limits = limits
    self.token = token
    self.handler = handler
  }

  /// Listens and returns the port, which the system chooses for 0.
  package func listen(host: String, port: UInt16) throws(TransportError) -> UInt16 {
    let result = loop.sync { [self] () -> Result<UInt16, TransportError> in
      do throws(TransportError) {
        let listener = Listener(on: loop) { [unowned self] in accept() }
        do throws(TransportError) {
          let bound = try listener.listen(Endpoint(host: host, port: port))
          self.listener = listener
          startSweeping()
          return .success(bound)
        } catch {
          listener.closeHandle(reset: false)
          throw error
        }
      } catch {
        return .failure(error)
      }
    }
    return try result.get()
  }

  // MARK: calls

  /// The open connection in a place; nil when another has taken it, or none.
  func connection(_ slot: UInt32, generation: UInt32) -> ServerConnection? {
    loop.assertOnLoop()
    guard let connection = connections[Int(slot)], connection.generation == generation else {
      return nil
    }
    return connection
  }

  /// Tells that about this share of what comes will be refused, which costs little but its reading:
  /// a connection's turn then has so many more bytes that what is let in of them stays the same,
  /// and the refusals share their reads and writes.
  package func expectRefusals(of share: Double) {
    loop.assertOnLoop()
    let bytes = Double(Link.bytesPerTurnMax) / max(1 - share, 1e-3)
    loop.bytesPerTurn = min(Int(bytes), loop.readBuffer.count)
  }

  // MARK: life of connections

  private func accept() {
    let link = Link(on: loop, isServer: true)
    guard listener?.accept(into: link) == true, !isDraining else {
      link.end(.closedHere)
      return
    }
    count { $0.accepted += 1 }
    guard counters.connections < limits.connectionsMax else {
      count { $0.connectionsMaxHits += 1 }
      FrameEncoder.goAway(
        lastStream: 0, .resourceExhausted, "connectionsMax", into: &link.output)
      link.flush()
      link.end(.closedHere)
      return
    }
    generation &+= 1
    let slot = freeSlots.popLast() ?? connections.count
    if slot == connections.count { connections.append(nil) }
    connections[slot] = ServerConnection(
      server: self, link: link, slot: UInt32(slot), generation: generation)
    count { $0.connections += 1 }
    link.startReading()
  }

  func ended(_ connection: ServerConnection) {
    connections[Int(connection.slot)] = nil
    freeSlots.append(Int(connection.slot))
    count { $0.connections -= 1 }
    finishDrainIfEmpty()
  }

  func count(_ change: (inout ServerCounters) -> Void) { change(&counters) }

  /// Whether a call may come in.
  func isAuthorized(_ headers: CallHeaders) -> Bool {
    guard let token else { return true }
    if let given = headers.value(of: "authorization"), token.matches(given) { return true }
    count { $0.unauthenticated += 1 }
    return false
  }

  private func startSweeping() {
    let timer = LoopTimer(on: loop) { [unowned self] in sweep() }
    sweeper = timer
    timer.arm(at: loop.now + .seconds(1))
  }

  /// Each connection once a second, a part of them at a time: ten thousand strangers that came
  /// together would else all be shown out in one turn, and everybody else would wait for it.
  private func sweep() {
    let now = loop.now
    for slot in stride(from: sweepPart, to: connections.count, by: Self.sweepParts) {
      connections[slot]?.sweep(at: now)
    }
    sweepPart = (sweepPart + 1) % Self.sweepParts
    sweeper?.arm(at: now + .milliseconds(1_000 / Int64(Self.sweepParts)))
  }

  // MARK: the end

  /// Stops to listen, tells every client to go away, lets the calls that are open finish and ends
  /// the streams. `done` comes on the loop's thread, when the last connection has closed or `limit`
  /// has passed.
  package func drain(within limit: WallDuration, _ done: @escaping @Sendable () -> Void) {
    loop.post { [self] in
      guard !isDraining else { return }
      isDraining = true
      listener?.closeHandle(reset: false)
      listener = nil
      whenDrained = done
      for connection in connections { connection?.goAway() }
      sweeper = LoopTimer(on: loop) { [unowned self] in
        for connection in connections { connection?.close() }
        finishDrainIfEmpty()
      }
      sweeper?.arm(at: loop.now + limit)
      finishDrainIfEmpty()
    }
  }

  private func finishDrainIfEmpty() {
    guard isDraining, counters.connections == 0, let done = whenDrained else { return }
    whenDrained = nil
    sweeper?.disarm()
    done()
  }
}

/// The listening socket.
final class Listener: TCPHandle {
  private let onConnection: () -> Void

  init(on loop: EventLoop, _ onConnection: @escaping () -> Void) {
    self.onConnection = onConnection
    super.init(on: loop)
  }

  func listen(_ endpoint: Endpoint) throws(TransportError) -> UInt16 {
    let address = try Address(endpoint)
    try check(address.withPointer { uv_tcp_bind(handle, $0, 0) }, endpoint)
    // 4,096 is what Linux caps the backlog at by default: a storm of wakes connects at once.
    try check(
      uv_listen(stream, 4_096) { stream, status in
        // A failed accept (no descriptor left) is libuv's to shed; the client sees a reset.
        guard status == 0, let this = TCPHandle.of(stream!.pointee.data) as? Listener else {
          return
        }
        this.loop.notePoll()
        this.onConnection()
      }, endpoint)
    var name = sockaddr_storage()
    var length = Int32(MemoryLayout<sockaddr_storage>.size)
    return withUnsafeMutableBytes(of: &name) { bytes in
      uv_tcp_getsockname(
        handle, bytes.baseAddress?.assumingMemoryBound(to: sockaddr.self), &length)
      // The port stands at the same place for both families.
      return UnsafeRawBufferPointer(bytes).loadBigEndian(UInt16.self, at: 2)
    }
  }

  private func check(_ code: Int32, _ endpoint: Endpoint) throws(TransportError) {
    if code != 0 {
      throw TransportError(listen: code, host: endpoint.host, port: endpoint.port)
    }
  }

  func accept(into link: TCPHandle) -> Bool {
    guard uv_accept(stream, link.stream) == 0 else { return false }
    uv_tcp_nodelay(link.handle, 1)
    return true
  }
}
