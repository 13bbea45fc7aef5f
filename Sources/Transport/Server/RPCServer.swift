internal import Figures
package import SimulationCore

/// Accepts connections, cuts them into calls and carries the answers back.
///
/// `@unchecked Sendable`: all state is touched on the loop's thread only (asserted); `listen` and
/// `drain` go there by themselves.
package final class RPCServer: ListeningOwner, @unchecked Sendable {
  /// Is the loop on whose thread everything of this server happens.
  package let loop: EventLoop
  /// Holds the limits, fixed when the server was made.
  package let limits: ServerLimits
  /// Holds what the server has counted; only for the loop's thread.
  package private(set) var counters = ServerCounters()
  private let token: BearerToken?
  /// What is served beside the collector's methods, by carriers that serve any.
  let services: [any GRPCService]
  private let listening: ListeningHalf
  unowned let handler: any RPCHandler
  private var connections: [ServerConnection?] = []
  private var freeSlots: [Int] = []
  private var generation: UInt32 = 0
  private var sweeper: LoopTimer?
  private var sweepPart = 0
  private static let sweepParts = 20
  private(set) var isDraining = false
  private var whenDrained: (() -> Void)?

  /// - Parameters:
  ///   - tls: what secures its connections; nil: they are in the clear.
  ///   - token: what the metadata `authorization` of every call must be; nil: nothing is asked.
  ///   - services: served beside the collector's methods, over gRPC only.
  ///   - handler: not retained; must outlive the server.
  package init(
    loop: EventLoop, limits: ServerLimits = .init(), tls: TLSServer? = nil,
    token: BearerToken? = nil, services: [any GRPCService] = [], handler: any RPCHandler
  ) {
    self.loop = loop
    self.services = services
    self.limits = limits
    listening = ListeningHalf(on: loop, tls)
    self.token = token
    self.handler = handler
  }

  /// Listens and returns the port, which the system chooses for 0.
  package func listen(host: String, port: UInt16) throws(TransportError) -> UInt16 {
    try listening.listen(on: Endpoint(host: host, port: port), for: self)
  }

  /// Whether a connection more than there are, open or on the way to it, is let in.
  var mayShakeHands: Bool {
    let isRoom = counters[.connections] + loop.security.counters.underWay < limits.connectionsMax
    if !isRoom { hit(limits.ofConnections) }
    return isRoom
  }

  /// Counts its handshakes, and those of others on its loop; only for the loop's thread.
  package var handshakes: TLSCounters { loop.security.counters }

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
    let bytes = Double(TCPStream.bytesPerTurnMax) / max(1 - share, 1e-3)
    loop.bytesPerTurn = min(Int(bytes), loop.readBuffer.count)
  }

  // MARK: life of connections

  func listens() { startSweeping() }

  func accept(_ stream: any ByteStream) {
    loop.assertOnLoop()
    guard !isDraining else { return stream.close(reset: false) }
    count { $0[.accepted] += 1 }
    generation &+= 1
    let slot = freeSlots.popLast() ?? connections.count
    if slot == connections.count { connections.append(nil) }
    let connection = ServerConnection(
      server: self, link: Link(stream, on: loop, isConnected: true), slot: UInt32(slot),
      generation: generation)
    connections[slot] = connection
    count { $0[.connections] += 1 }
    if counters[.connections] > limits.connectionsMax { connection.refuse(limits.ofConnections) }
  }

  func ended(_ connection: ServerConnection) {
    loop.assertOnLoop()
    connections[Int(connection.slot)] = nil
    freeSlots.append(Int(connection.slot))
    count { $0[.connections] -= 1 }
    finishDrainIfEmpty()
  }

  func count(_ change: (inout ServerCounters) -> Void) { change(&counters) }

  /// Counts that a limit was met.
  func hit(_ limit: ServerLimit) { counters.hit(limit) }

  /// Whether a call may come in.
  func isAuthorized(_ metadata: some CallMetadata) -> Bool {
    guard let token else { return true }
    if let given = metadata.value(of: "authorization"), token.matches(given) { return true }
    count { $0[.unauthenticated] += 1 }
    return false
  }

  private func startSweeping() {
    let timer = LoopTimer(on: loop) { [unowned self] in sweep() }
    sweeper = timer
    timer.arm(at: loop.now + .seconds(1))
  }

  /// Each connection once a second, a part of them at a time: ten thousand unauthenticated
  /// clients that came together would else all be refused in one turn, and others would wait for
  /// it.
  private func sweep() {
    loop.assertOnLoop()
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
      listening.close()
      whenDrained = done
      for connection in connections { connection?.drain() }
      sweeper = LoopTimer(on: loop) { [unowned self] in
        for connection in connections { connection?.close() }
        finishDrainIfEmpty()
      }
      sweeper?.arm(at: loop.now + limit)
      finishDrainIfEmpty()
    }
  }

  private func finishDrainIfEmpty() {
    guard isDraining, counters[.connections] == 0, let done = whenDrained else { return }
    whenDrained = nil
    sweeper?.disarm()
    done()
  }
}
