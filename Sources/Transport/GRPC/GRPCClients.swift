package import Core
internal import Wire

/// Calls gRPC methods on behalf of phones, on connections that `Settings.use` determines.
///
/// The object is used on the loop's thread only, and must be closed before its release.
package final class GRPCClients: ExchangeClient {
  package typealias Answer = GRPCAnswer
  package typealias Failure = GRPCError

  package struct Settings: Sendable {
    /// The address of the server, or of a proxy in front of the server.
    package var endpoint: Endpoint
    package var use = ConnectionUse.perUpload
    package var tls: TLSClient?
    package var keepsSessions = false
    /// The timeout of a call, from its request to its answer.
    package var deadline = WallDuration.seconds(20)

    package init(_ endpoint: Endpoint) { self.endpoint = endpoint }
  }

  private let loop: EventLoop
  private let settings: Settings
  private let onEnd: (UInt64, GRPCExchange) -> Void
  private let name: HostName
  private let tickets = TLSTickets()
  private var clients: [UInt32: RPCClient] = [:]
  /// The counters of closed connections.
  private var gone = Sheet()
  private var open: [UInt64: RPCClient] = [:]
  private var waiting: Set<UInt64> = []
  private var connectionsPeak = 0
  private var isClosed = false

  package init(
    on loop: EventLoop, _ settings: Settings,
    onEnd: @escaping (UInt64, GRPCExchange) -> Void
  ) {
    self.loop = loop
    self.settings = settings
    self.onEnd = onEnd
    name = HostName(settings.endpoint.host, on: loop)
  }

  // MARK: Calls

  package func send(_ request: GRPCRequest, as number: UInt64, of phone: UInt32) {
    let asked = loop.now
    waiting.insert(number)
    // The system may answer after the clients are released.
    name.address { [weak self] address in
      guard let self, waiting.contains(number) else { return }
      guard let address else { return unresolved(number) }
      waiting.remove(number)
      call(request, at: address, as: number, of: phone, asked: asked)
    }
  }

  private func unresolved(_ number: UInt64) {
    // `clients` is used on the loop's thread only, like `self` here.
    nonisolated(unsafe) let clients = self
    // The end is reported after `send` has returned.
    loop.post {
      guard clients.waiting.remove(number) != nil else { return }
      let host = clients.settings.endpoint.host
      clients.onEnd(number, Exchange(.failure(.unresolved(host: host))))
    }
  }

  private func call(
    _ request: GRPCRequest, at address: String, as number: UInt64, of phone: UInt32,
    asked: WallInstant
  ) {
    let (client, holder) = client(of: phone)
    (client.found, client.identity) = (address, request.identity)
    if settings.keepsSessions { client.tickets = (tickets, holder, request.resumes) }
    let found = loop.now
    open[number] = client
    nonisolated(unsafe) let clients = self
    let deadline = max(.milliseconds(1), settings.deadline - (found - asked))
    client.call(request, deadline: deadline) { clients.ended($0, number, asked, found) }
  }

  private func client(of phone: UInt32) -> (RPCClient, holder: UInt32) {
    let place = settings.use.holder(of: phone)
    if let place, let client = clients[place] { return (client, place) }
    let client = RPCClient(
      loop: loop, to: settings.endpoint, carrier: .grpc, tls: settings.tls)
    if let place { clients[place] = client }
    return (client, place ?? phone)
  }

  // MARK: Ends

  private func ended(
    _ answer: GRPCAnswer, _ number: UInt64, _ asked: WallInstant, _ found: WallInstant
  ) {
    guard let client = open.removeValue(forKey: number) else { return }
    if settings.use == .perUpload { close(client) }
    onEnd(number, answer.exchange(asked: asked, found: found, now: loop.now))
  }

  private func close(_ client: RPCClient) {
    gone += client.totals
    gone[.openConnections] = 0
    client.close()
  }

  package var counters: Sheet {
    var sum = gone
    var used = Array(clients.values)
    if settings.use == .perUpload { used += open.values }
    for client in used { sum += client.totals }
    connectionsPeak = max(connectionsPeak, sum[.openConnections])
    sum[.openConnectionsPeak] = connectionsPeak
    return sum
  }

  package func close() {
    guard !isClosed else { return }
    isClosed = true
    for client in clients.values { close(client) }
    clients = [:]
    let left = (Array(open.keys) + waiting).sorted()
    waiting = []
    for number in left {
      let client = open.removeValue(forKey: number)
      if settings.use == .perUpload, let client { close(client) }
      onEnd(number, Exchange(.failure(.abandoned(isSent: client != nil))))
    }
  }
}

package typealias GRPCExchange = Exchange<GRPCAnswer, GRPCError>

package enum GRPCError: ExchangeError, Equatable {
  case unresolved(host: String)
  case timedOut
  case lost(reason: String)
  case refused(reason: String)
  case abandoned(isSent: Bool)

  package var isBeforeSending: Bool {
    switch self {
    case .unresolved, .refused, .abandoned(isSent: false): true
    case .timedOut, .lost, .abandoned(isSent: true): false
    }
  }

  package var kind: String {
    switch self {
    case .unresolved: "name not resolved"
    case .timedOut: "timed out"
    case .lost: "connection closed"
    case .refused: "connection refused"
    case .abandoned: "given up"
    }
  }

  package var description: String {
    switch self {
    case .unresolved(let host): "the name '\(host)' does not resolve"
    case .timedOut: "no answer before the timeout"
    case .lost(let reason), .refused(let reason): reason
    case .abandoned: "the run ended before an answer came"
    }
  }
}

extension GRPCAnswer {
  package func exchange(
    asked: WallInstant, found: WallInstant, now: WallInstant
  ) -> GRPCExchange {
    let result: Result<GRPCAnswer, GRPCError> =
      switch end {
      case .answered: .success(self)
      case .timedOut: .failure(.timedOut)
      case .lost: .failure(.lost(reason: status.text))
      case .unopened: .failure(.refused(reason: status.text))
      }
    var exchange = Exchange(result)
    exchange.times = times(asked: asked, found: found, now: now)
    if let openedAt, openedAt > asked { exchange.connections = 1 }
    exchange.isResumed = handshake?.isResumed ?? false
    return exchange
  }

  private func times(asked: WallInstant, found: WallInstant, now: WallInstant) -> ExchangeTimes {
    var parts = TimeParts(mark: asked, now: now)
    var times = ExchangeTimes()
    times.resolving = parts.part(until: found)
    // The connection may have been open already, for another call.
    let isNew = openedAt.map { $0 > parts.mark } ?? true
    if isNew {
      let secured = handshake?.securing ?? .zero
      times.connecting = parts.part(until: openedAt.map { $0 - secured })
      times.securing = parts.part(until: openedAt)
    }
    times.answering = parts.part(until: now)
    return times
  }
}
