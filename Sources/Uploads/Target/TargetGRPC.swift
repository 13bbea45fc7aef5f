internal import Scenarios
package import SimulationCore
package import Targets
package import Transport
internal import Wire

/// A target over gRPC: its calls compiled against the schema of its messages.
package struct TargetGRPC: Sendable {
  /// Holds the calls with their messages.
  package let calls: MessageCalls
  /// Secures its connections; nil: they are in the clear.
  package let tls: TLSClient?

  /// Loads the schema, from files or from the server itself, and compiles the calls.
  ///
  /// - Parameters:
  ///   - first: is what the first phone has to say; in its name the server is asked.
  ///   - identity: is what the first phone shows; nil: nothing.
  init(
    _ target: Target, _ programs: TargetPrograms, first: UploadContext, identity: HTTPIdentity?
  ) throws(TargetHTTPError) {
    guard let address = TargetAddress(target.url) else {
      throw TargetHTTPError(description: "\(target.name): '\(target.url)' is no address.")
    }
    try TargetHTTP.checkOwner(target, address)
    if !target.tls.verify {
      throw TargetHTTPError(
        description: "\(target.name): over gRPC there is no tls.verify: no; name the server's CA "
          + "with tls.ca.")
    }
    try TargetHTTP.checkCertificate(target)
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
      loop.sync { client.identity = identity }
      let metadata = Self.metadata(programs.register ?? programs.upload, first)
      schema = try SchemaLoader(target).load { ReflectionClient(client, metadata: metadata) }
    } catch {
      throw TargetHTTPError(description: error.description)
    }
    do throws(ScenarioError) {
      calls = try MessageCalls(target, programs.names, schema: schema)
    } catch {
      throw TargetHTTPError(description: error.description)
    }
  }

  /// Writes a request; nil: the target has none of the kind.
  package func request(
    _ kind: RequestKind, _ programs: TargetPrograms, _ context: UploadContext,
    by writer: MessageWriter
  ) -> GRPCRequest? {
    guard let call = calls[kind], let program = programs[kind] else { return nil }
    return Self.request(call, program, context, by: writer)
  }

  /// Writes a request.
  package static func request(
    _ call: MessageCalls.Call, _ program: RequestProgram, _ context: UploadContext,
    by writer: MessageWriter
  ) -> GRPCRequest {
    var message: [UInt8] = []
    writer.write(call.message, context, into: &message)
    return GRPCRequest(
      call.path, message, metadata: metadata(program, context),
      encoding: program.form.encoding == .gzip ? .gzip : .identity)
  }

  private static func metadata(
    _ program: RequestProgram, _ context: UploadContext
  ) -> [(name: String, value: String)] {
    program.headers.map { header in
      var value: [UInt8] = []
      program.write(header: header, context, into: &value)
      // swift-format-ignore: the programs write text.
      return (name: header.name.lowercased(), value: String(decoding: value, as: UTF8.self))
    }
  }

  /// Judges an answer by the rules of its target.
  ///
  /// - Parameter count: the fixes of the request.
  /// - Returns: what it means, what is kept of it, and the texts that the rules ask for, in the
  ///   order of their paths.
  package func judge(
    _ answer: GRPCAnswer, _ kind: RequestKind, _ rules: AnswerRules, count: Int = 0
  ) -> (answer: Targets.Answer, kept: [String?], fields: [String?]) {
    let code = Int(answer.status.code.rawValue)
    let message = answer.messages.first ?? []
    var values = [String?](repeating: nil, count: rules.paths.count)
    if let call = calls[kind], code == 0 || !message.isEmpty {
      let read = message.withUnsafeBytes { bytes in try? call.answer.read(bytes) }
      if let read { values = read.map(\.text) }
    }
    let pushback = answer.status.pushbackMilliseconds
    let (judged, kept) = rules.judge(
      status: code,
      header: { name in
        name == "grpc-retry-pushback-ms" ? pushback.flatMap { $0 < 0 ? nil : "\($0)" } : nil
      },
      bodyBytes: message.count, isJSON: false, fields: values, count: count)
    return (judged, kept, values)
  }

  /// Reads the rows of a read-back's answer.
  package func rows(
    _ answer: GRPCAnswer, _ readback: Readback
  ) throws(ReadbackError) -> ReadbackRows {
    guard answer.status.code == .ok, let rows = calls.rows else {
      throw ReadbackError(description: answer.statusName)
    }
    let message = answer.messages.first ?? []
    let cursor = message.withUnsafeBytes { try? calls.readback?.answer.read($0) }
    return try ReadbackRows(message: message, rows, readback, cursor: cursor?.first?.text)
  }
}

extension GRPCAnswer {
  /// Is the status as tables show it.
  package var statusName: String { StatusRange.names[Int(status.code.rawValue)] }

  /// Says why there is no answer; nil: there is one.
  package var failure: (kind: String, reason: String, isReached: Bool)? {
    switch end {
    case .answered: nil
    case .timedOut: ("timed out", "no answer within its time", true)
    case .lost: ("connection closed", status.text, true)
    case .unopened: ("connection refused", status.text, false)
    }
  }

  /// Parts the time of a call.
  ///
  /// - Parameters:
  ///   - asked: when it was asked for.
  ///   - found: when the server's address was known; nil: it is not.
  ///   - now: when it ended.
  package func times(asked: WallInstant, found: WallInstant?, now: WallInstant) -> HTTPTimes {
    var mark = asked
    // What was not reached lasts until now, and nothing is left for what follows.
    func part(until end: WallInstant?) -> WallDuration {
      let end = min(max(mark, end ?? now), now)
      defer { mark = end }
      return end - mark
    }
    var times = HTTPTimes()
    times.resolving = part(until: found)
    // A connection of others, or of an earlier call, may have been open.
    let isNew = openedAt.map { $0 > mark } ?? true
    if isNew {
      let secured = handshake?.securing ?? .zero
      times.connecting = part(until: openedAt.map { $0 - secured })
      times.securing = part(until: openedAt)
    }
    times.answering = part(until: now)
    return times
  }
}

extension TargetPrograms {
  /// Is what writes a request of a kind; nil: there is none.
  subscript(kind: RequestKind) -> RequestProgram? {
    switch kind {
    case .registration: register
    case .upload: upload
    case .backlog: backlog
    case .readback: readback
    }
  }
}
