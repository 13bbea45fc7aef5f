internal import Scenarios
internal import SimulationCore
internal import Targets
internal import Transport
internal import Wire

/// A target over gRPC: its calls compiled against the schema of its messages.
struct TargetGRPC: Sendable {
  let calls: MessageCalls
  /// Secures its connections; nil: they are in the clear.
  let tls: TLSClient?

  /// Loads the schema, from files or from the server itself, and compiles the calls.
  init(_ target: Target, _ names: TargetNames) throws(TargetHTTPError) {
    guard let address = TargetAddress(target.url) else {
      throw TargetHTTPError(description: "\(target.name): '\(target.url)' is no address.")
    }
    try TargetHTTP.checkOwner(target, address)
    if target.identity.certificate != nil || !target.tls.verify {
      throw TargetHTTPError(
        description: "\(target.name): over gRPC there is neither a certificate a phone nor "
          + "tls.verify: no; leave them out.")
    }
    let tls: TLSClient?
    do throws(TLSSetupError) {
      let files = TargetFiles(of: target)
      let authorities = target.tls.ca.isEmpty ? nil : files.path(target.tls.ca)
      tls =
        address.isTLS
        ? try TLSClient(
          TLSClientFiles(authorities: authorities), protocols: CarrierKind.grpc.applicationProtocols
        )
        : nil
    } catch {
      throw TargetHTTPError(description: "\(target.name): \(error.description)")
    }
    self.tls = tls
    let schema: MessageSchema
    do throws(SchemaLoadError) {
      let loop = EventLoop(name: "flotilla.reflection")
      loop.start()
      defer { loop.stopAndWait() }
      let client = RPCClient(
        loop: loop, to: Endpoint(host: address.host, port: address.port), carrier: .grpc, tls: tls)
      defer { client.close() }
      schema = try SchemaLoader(target).load { ReflectionClient(client) }
    } catch {
      throw TargetHTTPError(description: error.description)
    }
    do throws(ScenarioError) {
      calls = try MessageCalls(target, names, schema: schema)
    } catch {
      throw TargetHTTPError(description: error.description)
    }
  }

  func call(_ kind: RequestKind) -> MessageCalls.Call? {
    switch kind {
    case .registration: calls.register
    case .upload: calls.upload
    case .backlog: calls.backlog
    case .readback: calls.readback
    }
  }
}

/// Carries a target's requests over gRPC: messages of the target's own types, on HTTP/2.
final class TargetGRPCCarrier: TargetCarrier {
  private let grpc: TargetGRPC
  private let programs: TargetPrograms
  private let uploadRules: AnswerRules
  private let registerRules: AnswerRules
  private let target: Target
  private let endpoint: Endpoint
  private let loop: EventLoop
  private unowned let owner: any TargetCarrierOwner
  private let writer = MessageWriter()
  /// The connections that are kept, by phone or by place in a pool.
  private var clients: [UInt32: RPCClient] = [:]
  /// What connections have carried that are gone.
  private var gone = UploadCounters()
  private var open: [UInt64: RPCClient] = [:]
  private var isClosed = false

  init(
    _ setup: TargetSetup, _ grpc: TargetGRPC, via: Endpoint?, on loop: EventLoop,
    owner: any TargetCarrierOwner
  ) {
    self.grpc = grpc
    self.loop = loop
    self.owner = owner
    target = setup.target
    programs = setup.programs
    uploadRules = target.uploadAnswers
    registerRules = target.registerAnswers
    endpoint = via ?? setup.endpoint
  }

  // MARK: Calls

  func send(_ request: TargetRequest, as number: UInt64, of phone: UInt32) {
    guard let call = grpc.call(request.kind) else {
      preconditionFailure("a target without a \(request.kind) was asked for one")
    }
    var message: [UInt8] = []
    writer.write(call.message, request.context, into: &message)
    let program = program(request.kind)
    let metadata = (program?.headers ?? []).map { header in
      var value: [UInt8] = []
      program?.write(header: header, request.context, into: &value)
      // swift-format-ignore: the programs write text.
      return (name: header.name.lowercased(), value: String(decoding: value, as: UTF8.self))
    }
    let client = client(of: phone)
    open[number] = client
    let asked = loop.now
    // On the loop's thread alone, as this is.
    nonisolated(unsafe) let carrier = self
    client.call(
      GRPCRequest(
        call.path, message, metadata: metadata,
        encoding: program?.form.encoding == .gzip ? .gzip : .identity),
      deadline: target.retry.deadline
    ) { answer in
      carrier.ended(answer, request.kind, call, number, asked)
    }
  }

  private func program(_ kind: RequestKind) -> RequestProgram? {
    switch kind {
    case .registration: programs.register
    case .upload: programs.upload
    case .backlog: programs.backlog
    case .readback: programs.readback
    }
  }

  private func client(of phone: UInt32) -> RPCClient {
    let place: UInt32
    switch target.connections.per {
    case .perUpload: return makeClient()
    case .perPhone: place = phone
    case .pooled(let count): place = phone % UInt32(count)
    }
    if let client = clients[place] { return client }
    let client = makeClient()
    clients[place] = client
    return client
  }

  private func makeClient() -> RPCClient {
    RPCClient(loop: loop, to: endpoint, carrier: .grpc, tls: grpc.tls)
  }

  // MARK: Ends

  private func ended(
    _ answer: GRPCAnswer, _ kind: RequestKind, _ call: MessageCalls.Call, _ number: UInt64,
    _ asked: WallInstant
  ) {
    guard let client = open.removeValue(forKey: number) else { return }
    var end: TargetExchange
    switch answer.end {
    case .answered: end = judged(answer, kind, call)
    case .timedOut:
      end = .init(
        .unanswered(kind: "timed out", reason: "no answer within its time", isReached: true))
    case .lost:
      end = .init(
        .unanswered(kind: "connection closed", reason: answer.status.text, isReached: true))
    case .unopened:
      end = .init(
        .unanswered(kind: "connection refused", reason: answer.status.text, isReached: false))
    }
    let now = loop.now
    if let openedAt = answer.openedAt, openedAt > asked {
      end.times.connecting = min(openedAt, now) - asked
      end.times.answering = max(.zero, now - openedAt)
    } else {
      end.times.answering = now - asked
    }
    if case .perUpload = target.connections.per {
      add(client.totals)
      client.close()
    }
    owner.ended(number, end)
  }

  private func judged(
    _ answer: GRPCAnswer, _ kind: RequestKind, _ call: MessageCalls.Call
  ) -> TargetExchange {
    let code = Int(answer.status.code.rawValue)
    let status = StatusRange.names[code]
    let message = answer.messages.first ?? []
    if kind == .readback {
      var end = TargetExchange(
        .answered(Targets.Answer(rule: nil, outcome: .failed), status: status, kept: []))
      if code == 0, let rows = grpc.calls.rows, let readback = target.readback {
        end.rows = { ReadbackRows(message: message, rows, readback) }
      }
      return end
    }
    let rules = kind == .registration ? registerRules : uploadRules
    var values = [String?](repeating: nil, count: rules.paths.count)
    if code == 0 || !message.isEmpty {
      let read = message.withUnsafeBytes { bytes in try? call.answer.read(bytes) }
      if let read { values = read.map(\.text) }
    }
    let pushback = answer.status.pushbackMilliseconds
    let (judged, kept) = rules.judge(
      status: code,
      header: { name in
        name == "grpc-retry-pushback-ms" ? pushback.flatMap { $0 < 0 ? nil : "\($0)" } : nil
      },
      bodyBytes: message.count, isJSON: false, fields: values)
    return TargetExchange(.answered(judged, status: status, kept: kept))
  }

  private func add(_ totals: UploadCounters) {
    gone.connects += totals.connects
    gone.bytesWritten += totals.bytesWritten
    gone.bytesRead += totals.bytesRead
  }

  func fill(_ counters: inout UploadCounters) {
    var sum = gone
    let kept = clients.values.map(\.totals)
    let used =
      if case .perUpload = target.connections.per { open.values.map(\.totals) } else {
        [] as [UploadCounters]
      }
    for totals in kept + used {
      sum.connects += totals.connects
      sum.bytesWritten += totals.bytesWritten
      sum.bytesRead += totals.bytesRead
      sum.openConnections += totals.openConnections
    }
    counters.connects = sum.connects
    counters.openConnections = sum.openConnections
    counters.openConnectionsPeak = max(counters.openConnectionsPeak, sum.openConnections)
    counters.bytesWritten = sum.bytesWritten
    counters.bytesRead = sum.bytesRead
  }

  func close() {
    guard !isClosed else { return }
    isClosed = true
    for client in clients.values {
      add(client.totals)
      client.close()
    }
    clients = [:]
    let left = open.keys.sorted()
    for number in left {
      if case .perUpload = target.connections.per, let client = open[number] {
        add(client.totals)
        client.close()
      }
      open[number] = nil
      owner.ended(
        number,
        TargetExchange(
          .unanswered(
            kind: "given up", reason: "the run ended before an answer came", isReached: true)))
    }
  }
}
