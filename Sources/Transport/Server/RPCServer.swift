package import Core

/// Accepts connections, passes calls to the handler and returns answers. `@unchecked Sendable`: all
/// state is touched on the loop's thread only (asserted), to which `listen` and `drain` switch.
package final class RPCServer: ListeningOwner, @unchecked Sendable {
  package let loop: EventLoop
  package let limits: ServerLimits
  /// The counters of the server, for use on the loop's thread only.
  package private(set) var counters = ServerCounters()
  private let token: BearerToken?
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

  /// - Parameter token: the token required in the metadata `authorization`. nil requires no token.
  /// - Parameter services: additional services, over gRPC only.
  /// - Parameter handler: the handler, which is not retained and must outlive the server.
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

  /// Listens and returns the port. The system chooses the port if `port` is 0.
  package func listen(host: String, port: UInt16) throws(TransportError) -> UInt16 {
    try listening.listen(on: Endpoint(host: host, port: port), for: self)
  }

  var mayShakeHands: Bool {
    let isRoom = counters[.connections] + loop.security.counters.underWay < limits.connectionsMax
    if !isRoom { hit(limits.ofConnections) }
    return isRoom
  }

  // MARK: calls

  func connection(_ slot: UInt32, generation: UInt32) -> ServerConnection? {
    loop.assertOnLoop()
    guard let connection = connections[Int(slot)], connection.generation == generation else {
      return nil
    }
    return connection
  }

  /// Adapts the read limit per connection and turn to a load of which `share` will be refused, so
  /// that the admitted load per turn stays the same.
  package func expectRefusals(of share: Double) {
    loop.assertOnLoop()
    let bytes = Double(TCPStream.bytesPerTurnMax) / max(1 - share, 1e-3)
    loop.bytesPerTurn = min(Int(bytes), loop.readBuffer.count)
  }

  // MARK: connection lifetime

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

  func hit(_ limit: ServerLimit) { counters.hit(limit) }

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

  /// Checks a twentieth of the connections, so that each connection is checked once a second. A
  /// check of all connections might end ten thousand connections in one turn.
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

  /// Stops listening, sends GOAWAY to every client, lets complete calls finish and ends streams.
  /// Calls `done` on the loop's thread once all connections are closed or `limit` has passed.
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
