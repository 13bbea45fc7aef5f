internal import Core
package import Targets
package import Transport
internal import Wire

package struct TargetGRPC: Sendable {
  package let calls: MessageCalls
  package let settings: GRPCClients.Settings
  private let readback: Readback?

  /// Loads the schema from files, or with the first phone's identity from the server.
  init(
    _ target: Target, _ programs: TargetPrograms, first: UploadContext, identity: HTTPIdentity?
  ) throws(TargetError) {
    guard let address = TargetAddress(target.url) else {
      throw TargetError("\(target.name): '\(target.url)' is not a valid address.")
    }
    try TargetHTTP.checkOwner(target, address)
    if !target.tls.verify {
      throw TargetError(
        "\(target.name): gRPC does not support tls.verify: no; give the server's CA "
          + "with tls.ca.")
    }
    try TargetHTTP.checkCertificate(target)
    let tls: TLSClient?
    do throws(TLSSetupError) {
      let trusted = TLSClientFiles(authorities: ServerTrust(target).authorities)
      tls =
        address.isTLS
        ? try TLSClient(trusted, protocols: CarrierKind.grpc.applicationProtocols) : nil
    } catch {
      throw TargetError("\(target.name): \(error.description)")
    }
    var settings = GRPCClients.Settings(Endpoint(host: address.host, port: address.port))
    settings.use = ConnectionUse(target.connections.per)
    settings.tls = tls
    settings.keepsSessions = target.tls.resume > 0
    settings.deadline = target.retry.deadline
    self.settings = settings
    readback = target.readback
    let loop = EventLoop(name: "flotilla.reflection")
    loop.start()
    defer { loop.stopAndWait() }
    let client = RPCClient(loop: loop, to: settings.endpoint, carrier: .grpc, tls: tls)
    defer { client.close() }
    loop.sync { client.identity = identity }
    let metadata = Self.metadata(programs.register ?? programs.upload, first)
    let loader = SchemaLoader(target)
    let schema = try loader.load { ReflectionClient(client, metadata: metadata) }
    calls = try loader.calls(programs.names, schema)
  }

  package func request(
    _ kind: RequestKind, _ programs: TargetPrograms, _ context: UploadContext,
    by writer: MessageWriter
  ) -> GRPCRequest? {
    guard let call = calls[kind], let program = programs[kind] else { return nil }
    return Self.request(call, program, context, by: writer)
  }

  package static func request(
    _ call: MessageCalls.Call, _ program: RequestProgram, _ context: UploadContext,
    by writer: MessageWriter
  ) -> GRPCRequest {
    GRPCRequest(
      call.path, writer.body(of: program, call, context), metadata: metadata(program, context),
      encoding: program.form.encoding.ofMessages)
  }

  private static func metadata(
    _ program: RequestProgram, _ context: UploadContext
  ) -> [(name: String, value: String)] {
    program.headers.map { header in
      let value = String { program.write(header: header, context, into: &$0) }
      return (name: header.name.lowercased(), value: value)
    }
  }

  package func judge(
    _ end: GRPCExchange, _ kind: RequestKind, by rules: AnswerRules, count: Int
  ) -> TargetExchange {
    switch end.result {
    case .failure(let failure):
      return TargetExchange(failure, isReached: !failure.isBeforeSending, of: end)
    case .success(let answer):
      let status = StatusRange.names[Int(answer.status.code.rawValue)]
      guard kind != .readback else {
        let none = Targets.Answer(rule: nil, outcome: .failed)
        var own = TargetExchange(.answered(none, status: status, kept: []), of: end)
        if answer.status.code == .ok {
          own.rows = { () throws(ReadbackError) in try rows(answer) }
        }
        return own
      }
      let code = Int(answer.status.code.rawValue)
      let pushback = answer.status.pushbackMilliseconds
      let (judged, kept) = rules.judge(
        status: code,
        header: { name in
          name == "grpc-retry-pushback-ms" ? pushback.flatMap { $0 < 0 ? nil : "\($0)" } : nil
        },
        bodyBytes: answer.messages.first?.count ?? 0, isJSON: false,
        fields: fields(answer, kind, rules), count: count)
      return TargetExchange(.answered(judged, status: status, kept: kept), of: end)
    }
  }

  package func fields(
    _ answer: GRPCAnswer, _ kind: RequestKind, _ rules: AnswerRules
  ) -> [String?] {
    let message = answer.messages.first ?? []
    let hasAnswer = answer.status.code == .ok || !message.isEmpty
    return hasAnswer ? calls.fields(of: message, kind) ?? rules.noFields : rules.noFields
  }

  private func rows(_ answer: GRPCAnswer) throws(ReadbackError) -> ReadbackRows {
    guard let rows = calls.rows, let readback else {
      throw ReadbackError(description: StatusRange.names[0])
    }
    let message = answer.messages.first ?? []
    return try ReadbackRows(message: message, rows, readback, next: calls.next(in: message))
  }
}

extension MessageCalls {
  package subscript(kind: RequestKind) -> Call? {
    switch kind {
    case .registration: register
    case .upload: upload
    case .backlog: backlog
    case .event: events
    case .readback: readback
    case .eventReadback, .view: nil
    }
  }

  /// Returns the texts of an answer's wanted fields; nil if the answer does not decode.
  func fields(of message: [UInt8], _ kind: RequestKind) -> [String?]? {
    message.withUnsafeBytes { bytes in try? self[kind]?.answer?.read(bytes) }?.map(\.text)
  }

  /// Returns the address or the cursor of a read-back's next page; nil after the last page.
  func next(in message: [UInt8]) -> String? { fields(of: message, .readback)?.first ?? nil }
}

extension TargetPrograms {
  package subscript(kind: RequestKind) -> RequestProgram? {
    switch kind {
    case .registration: register
    case .upload: upload
    case .backlog: backlog
    case .event: events
    case .readback: readback
    case .eventReadback: eventReadback
    case .view: view
    }
  }
}
