internal import Figures
internal import Scenarios
internal import SimulationCore
internal import Targets
internal import Transport
internal import Wire

/// Carries a target's requests over gRPC: messages of the target's own types, on HTTP/2.
final class TargetGRPCCarrier: TargetCarrier {
  private let setup: TargetSetup
  private let grpc: TargetGRPC
  private let programs: TargetPrograms
  private let uploadRules: AnswerRules
  private let registerRules: AnswerRules
  private let target: Target
  private let endpoint: Endpoint
  private let name: HostName
  private let loop: EventLoop
  private let seed: UInt64
  private unowned let owner: any TargetCarrierOwner
  private let writer = MessageWriter()
  private let tickets = TLSTickets()
  /// The connections that are kept, by phone or by place in a pool.
  private var clients: [UInt32: RPCClient] = [:]
  /// What connections have carried that are gone.
  private var gone = Sheet()
  private var open: [UInt64: RPCClient] = [:]
  /// Those that wait until the server's address is known.
  private var waiting: Set<UInt64> = []
  private var connectionsPeak = 0
  private var isClosed = false

  /// - Parameter via: takes the connections in the server's place, such as a proxy; nil: none does.
  init(
    _ setup: TargetSetup, _ grpc: TargetGRPC, via: Endpoint?, on loop: EventLoop, seed: UInt64,
    owner: any TargetCarrierOwner
  ) {
    self.setup = setup
    self.grpc = grpc
    self.loop = loop
    self.owner = owner
    self.seed = seed
    target = setup.target
    programs = setup.programs
    uploadRules = target.uploadAnswers
    registerRules = target.registerAnswers
    endpoint = via ?? setup.endpoint
    name = HostName(endpoint.host, on: loop)
  }

  // MARK: Calls

  func send(_ request: TargetRequest, as number: UInt64, of phone: UInt32) {
    let message = grpc.request(request.kind, programs, request.context, by: writer)
    guard let message else {
      preconditionFailure("a target without a \(request.kind) was asked for one")
    }
    let asked = loop.now
    let identity = setup.certificate(of: phone, request.context)
    waiting.insert(number)
    name.address { [unowned self] address in
      guard waiting.contains(number) else { return }
      guard let address else { return unresolved(number) }
      waiting.remove(number)
      let (client, holder) = client(of: phone)
      (client.found, client.identity) = (address, identity)
      prepare(client, holder, number, phone)
      call(message, request, by: client, as: number, asked: asked)
    }
  }

  /// Says whether a connection that is begun for the call may go on from a session of TLS.
  private func prepare(
    _ client: RPCClient, _ holder: UInt32, _ number: UInt64, _ phone: UInt32
  ) {
    guard target.tls.resume > 0 else { return }
    var draw = Draw(seed: seed, phone: phone, .uploadRetry, Int64(truncatingIfNeeded: number))
    client.tickets = (tickets, holder, draw.uniform() < target.tls.resume)
  }

  private func unresolved(_ number: UInt64) {
    // On the loop's thread alone, as this is.
    nonisolated(unsafe) let carrier = self
    // In a later call, as every end.
    loop.post {
      guard carrier.waiting.remove(number) != nil else { return }
      carrier.owner.ended(
        number,
        TargetExchange(
          .unanswered(
            kind: "name not resolved",
            reason: "the name '\(carrier.endpoint.host)' does not resolve", isReached: false)))
    }
  }

  private func call(
    _ message: GRPCRequest, _ request: TargetRequest, by client: RPCClient, as number: UInt64,
    asked: WallInstant
  ) {
    let found = loop.now
    open[number] = client
    nonisolated(unsafe) let carrier = self
    let deadline = max(.milliseconds(1), target.retry.deadline - (found - asked))
    let (kind, count) = (request.kind, request.context.fixes.count)
    client.call(message, deadline: deadline) { answer in
      carrier.ended(answer, kind, of: count, number, (asked, found))
    }
  }

  /// The client of a phone, and under which name its sessions of TLS are kept.
  private func client(of phone: UInt32) -> (RPCClient, holder: UInt32) {
    let place: UInt32
    switch target.connections.per {
    case .perUpload: return (makeClient(), phone)
    case .perPhone: place = phone
    case .pooled(let count): place = phone % UInt32(count)
    }
    if let client = clients[place] { return (client, place) }
    let client = makeClient()
    clients[place] = client
    return (client, place)
  }

  private func makeClient() -> RPCClient {
    RPCClient(loop: loop, to: endpoint, carrier: .grpc, tls: grpc.tls)
  }

  // MARK: Ends

  private func ended(
    _ answer: GRPCAnswer, _ kind: RequestKind, of count: Int, _ number: UInt64,
    _ began: (asked: WallInstant, found: WallInstant)
  ) {
    guard let client = open.removeValue(forKey: number) else { return }
    var end: TargetExchange
    if let failure = answer.failure {
      end = TargetExchange(
        .unanswered(
          kind: failure.kind, reason: failure.reason, isReached: failure.isReached))
    } else {
      end = judged(answer, kind, of: count)
    }
    end.times = answer.times(asked: began.asked, found: began.found, now: loop.now)
    if let handshake = answer.handshake, answer.openedAt.map({ $0 > began.asked }) == true {
      end.isResumed = handshake.isResumed
    }
    if case .perUpload = target.connections.per {
      add(client.totals)
      client.close()
    }
    owner.ended(number, end)
  }

  private func judged(
    _ answer: GRPCAnswer, _ kind: RequestKind, of count: Int
  ) -> TargetExchange {
    let status = answer.statusName
    guard kind != .readback else {
      var end = TargetExchange(
        .answered(Targets.Answer(rule: nil, outcome: .failed), status: status, kept: []))
      if answer.status.code == .ok, let readback = target.readback {
        end.rows = { [grpc] () throws(ReadbackError) in try grpc.rows(answer, readback) }
      }
      return end
    }
    let rules = kind == .registration ? registerRules : uploadRules
    let judged = grpc.judge(answer, kind, rules, count: count)
    return TargetExchange(.answered(judged.answer, status: status, kept: judged.kept))
  }

  private func add(_ totals: Sheet) {
    gone += totals
    gone[.openConnections] = 0
  }

  func fill(_ counters: inout Sheet) {
    var sum = gone
    var used = Array(clients.values)
    if case .perUpload = target.connections.per { used += open.values }
    for client in used { sum += client.totals }
    connectionsPeak = max(connectionsPeak, sum[.openConnections])
    sum[.openConnectionsPeak] = connectionsPeak
    counters.fill(sum)
  }

  func close() {
    guard !isClosed else { return }
    isClosed = true
    for client in clients.values {
      add(client.totals)
      client.close()
    }
    clients = [:]
    let left = (Array(open.keys) + waiting).sorted()
    waiting = []
    for number in left {
      let client = open.removeValue(forKey: number)
      if case .perUpload = target.connections.per, let client {
        add(client.totals)
        client.close()
      }
      owner.ended(
        number,
        TargetExchange(
          .unanswered(
            kind: "given up", reason: "the run ended before an answer came",
            isReached: client != nil)))
    }
  }
}
