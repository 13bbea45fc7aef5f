internal import Core
internal import Foundation
internal import Transport
package import Uploads
internal import Targets
internal import Wire

extension TargetTrial.Carrier {
  static func http(
    _ target: Target, _ http: TargetHTTP, _ programs: TargetPrograms,
    database: TargetDatabase? = nil, call: @escaping (HTTPRequest) -> HTTPExchange
  ) -> Self {
    // Shown texts are formatted with a mask for each secret.
    let masked = TargetPrograms(masked: target)
    let writer = MessageWriter()
    var carrier = Self(programs, shown: programs.redacted) { kind, program, context, rules in
      guard let safe = masked[kind] else { return nil }
      let request = http.request(kind, program, context, by: writer)
      let end = call(request)
      let url = http.request(kind, safe, Self.masked(context, masked.names), by: writer).url
      var sent = TargetTrial.Sent(
        "\(request.method) \(url)", bytes: end.bytesSent,
        end: http.judge(end, kind, by: rules, count: context.fixes.count, now: context.now))
      guard kind == .upload, case .success(let answer) = end.result else { return sent }
      if http.isProtobuf(kind), let fields = http.fields(answer, kind) {
        sent.fields = Self.text(of: fields, at: rules).map { ForeignText.inLine($0) }
      } else {
        let fault = http.isProtobuf(kind) ? ", which is no message of the type answerProto" : ""
        sent.excerpt =
          Self.excerpt(answer.body, isCut: answer.isCut) { programs.redacted($0, context) } + fault
      }
      return sent
    }
    carrier.database = database
    if programs.readback == nil {
      carrier.unasked = "its read-back is SQL, and no database is open"
    }
    return carrier
  }

  /// Masks the identities and the kept values, which may include the phone's key.
  private static func masked(_ context: UploadContext, _ names: TargetNames) -> UploadContext {
    var safe = context
    safe.kept = context.kept.map { _ in TargetNames.mask }
    safe.columns = zip(names.columns, context.columns).map {
      $0.isSecret ? TargetNames.mask : $1
    }
    // The server's link to the next page is secret; the page's number is shown.
    safe.page = context.page.map {
      ReadbackPage(
        number: $0.number, offset: $0.offset, cursor: $0.cursor.map { _ in TargetNames.mask },
        address: nil)
    }
    return safe
  }

  private static let excerptBytes = 200

  private static func excerpt(
    _ body: [UInt8], isCut: Bool, shown: (String) -> String
  ) -> String {
    if body.isEmpty, !isCut { return "with an empty body" }
    // Secrets are masked before the cut, which might otherwise leave a part of one.
    // swift-format-ignore
    let text = shown(String(decoding: body.prefix(excerptBytes * 40), as: UTF8.self))
    let line = ForeignText.inLine(String(text.prefix(excerptBytes)))
    let more = isCut ? "more than " : ""
    return line + (body.count > excerptBytes ? " … (\(more)\(body.count) bytes)" : "")
  }

  fileprivate static func grpc(
    _ programs: TargetPrograms, _ grpc: TargetGRPC, call: @escaping (GRPCRequest) -> GRPCExchange
  ) -> Self {
    let writer = MessageWriter()
    var carrier = Self(programs, shown: programs.shown) { kind, program, context, rules in
      guard let method = grpc.calls[kind] else { return nil }
      let request = TargetGRPC.request(method, program, context, by: writer)
      let end = call(request)
      var sent = TargetTrial.Sent(
        "CALL \(request.path)", bytes: request.message.count,
        end: grpc.judge(end, kind, by: rules, count: context.fixes.count))
      guard case .success(let answer) = end.result else { return sent }
      let text = answer.status.text
      sent.serverText =
        text.isEmpty ? nil : String(programs.shown(text, context).prefix(textMax))
      if kind == .upload {
        sent.fields = Self.text(of: grpc.fields(answer, kind, rules), at: rules)
      }
      return sent
    }
    carrier.countsPages = true
    if grpc.calls.readback == nil {
      carrier.unasked = "its read-back is SQL, which a trial does not query"
    }
    return carrier
  }

  /// Returns a protobuf answer's fields at the paths of rules; nil if the rules read none.
  private static func text(of fields: [String?], at rules: AnswerRules) -> String? {
    guard !fields.isEmpty else { return nil }
    return zip(rules.paths, fields).map { path, text in "\(path) \(text ?? "(absent)")" }
      .joined(separator: ", ")
  }

  private static let textMax = 200

  fileprivate static func websocket(
    _ setup: TargetSetup, _ socket: TargetWebSocket,
    call: @escaping (WebSocketMessage) -> WebSocketExchange
  ) -> Self {
    let (isAcknowledged, programs) = (setup.target.isAcknowledged, setup.programs)
    let writer = MessageWriter()
    var number: Int64 = 0
    var carrier = Self(programs, shown: programs.shown) { kind, program, context, rules in
      var context = context
      number += 1
      context.number = number
      let message = socket.message(kind, program, context, by: writer)
      let end = call(message)
      var sent = TargetTrial.Sent(
        "SEND \(message.isBinary ? "binary" : "text")", bytes: message.body.count,
        end: socket.judge(end, kind, by: rules, count: context.fixes.count))
      if case .success(let answer) = end.result, isAcknowledged {
        sent.status = "message,"
        if kind == .upload {
          sent.excerpt = Self.excerpt(answer.body, isCut: false) { programs.shown($0, context) }
        }
      } else if case .success = end.result {
        sent.status = "written (match: none, no answer),"
      }
      return sent
    }
    carrier.database = setup.database
    if !isAcknowledged {
      carrier.verdict = "sent, neither acknowledged (match: none) nor verified"
    }
    if programs.readback == nil {
      carrier.unasked = "its read-back is SQL, and no database is open"
    }
    return carrier
  }

  /// - Parameter context: the values of every message.
  fileprivate static func mqtt(
    _ setup: TargetSetup, _ mqtt: TargetMQTT, _ context: UploadContext,
    call: @escaping (MQTTMessage) -> MQTTExchange
  ) -> Self {
    let (programs, writer) = (setup.programs, MessageWriter())
    var carrier = Self(programs, shown: programs.shown) { kind, program, _, rules in
      let message = TargetMQTT.message(program, mqtt.calls?[kind], context, by: writer)
      var sent = TargetTrial.Sent(
        "PUBLISH \(message.topic), QoS \(message.qos)", bytes: message.body.count,
        end: TargetMQTT.judge(call(message), by: rules))
      if message.qos == 0 { sent.status = "written (QoS 0, no acknowledgement)," }
      return sent
    }
    carrier.verdict =
      setup.target.isAcknowledged
      ? "acknowledged by the broker, not verified: its subscribers send no answer"
      : "sent, neither acknowledged (QoS 0) nor verified"
    return carrier
  }
}

extension TargetPrograms {
  /// Masks secrets that the server may echo.
  fileprivate func redacted(_ text: String, _ context: UploadContext) -> String {
    Redaction.secrets(names.secrets(of: context), in: text)
  }

  /// Puts a text of the server on one line, with masked secrets.
  fileprivate func shown(_ text: String, _ context: UploadContext) -> String {
    ForeignText.inLine(redacted(text, context))
  }
}

extension Caller where Client: DialledClients {
  /// Opens phone 0's connection and closes it. Returns the error, or nil if the connection opened.
  fileprivate func tryOnce() -> String? {
    defer { close() }
    return connect().map { "\($0)" }
  }
}

extension TargetSetup {
  /// Sends one registration, upload and read-back for a phone, and blocks until they end.
  package func trial(of phone: UInt32) -> (lines: [String], ending: TargetTrial.Ending) {
    let columns = identities.row(of: phone)
    var context = TargetTrial.context(target, phone: phone, columns: columns, now: now())
    let identity = certificate(of: phone, context)
    func run(_ carrier: TargetTrial.Carrier) -> (lines: [String], ending: TargetTrial.Ending) {
      var trial = TargetTrial(target, carrier, context) {
        Waiter.shared.pause(.milliseconds(500))
      }
      trial.watch = { [context] in self.watch(phone, context) }
      trial.run()
      return (trial.lines, trial.ending)
    }
    do throws(TLSSetupError) {
      switch connection {
      case .http(let http):
        let caller = HTTPCaller(http.settings)
        defer { caller.close() }
        return run(
          .http(target, http, programs, database: database) { request in
            var request = request
            request.identity = identity
            return caller.call(request, of: phone)
          })
      case .grpc(let grpc):
        let loop = EventLoop(name: "flotilla.trial")
        loop.start()
        defer { loop.stopAndWait() }
        let client = RPCClient(
          loop: loop, to: grpc.settings.endpoint, carrier: .grpc, tls: grpc.settings.tls)
        defer { client.close() }
        loop.sync { client.identity = identity }
        return run(
          .grpc(programs, grpc) { [target] request in
            let asked = MonotonicClock.now
            let answer = client.callBlocking(request, deadline: target.retry.deadline)
            return answer.exchange(asked: asked, found: asked, now: MonotonicClock.now)
          })
      case .mqtt(let mqtt):
        // A broker acknowledges messages without parsing them, so one fix is enough.
        let sample = SampleBatch(phone: PhoneID(rawValue: phone), count: 1, now: context.now)
        context = UploadContext(
          BatchID(phone: PhoneID(rawValue: phone), epoch: 1, sequence: 1),
          fixes: sample.fixes[...], columns: columns, now: context.now, device: sample.device)
        let login = login(of: phone, context)
        let caller = try MQTTCaller(mqtt.settings) { _ in login }
        defer { caller.close() }
        return run(.mqtt(self, mqtt, context) { caller.call($0, of: phone) })
      case .websocket(let socket):
        let opening = opening(of: phone, context)
        let caller = try WebSocketCaller(socket.settings) { _ in opening }
        defer { caller.close() }
        return run(.websocket(self, socket) { caller.call($0, of: phone) })
      }
    } catch {
      let lines = [TargetTrial.head(target), "  \(error)"]
      return (lines.map { programs.shown($0, context) }, .unreachable)
    }
  }

  /// Opens a viewer's connection, and closes it.
  private func watch(
    _ phone: UInt32, _ context: UploadContext
  ) -> (sent: String, success: String, problem: String?)? {
    var (sent, success) = ("OPEN \(target.viewSocket?.origin ?? origin)", "open")
    do throws(TLSSetupError) {
      switch watching {
      case nil: return nil
      case .websocket(let settings):
        let opening = opening(of: phone, context, watches: true)
        return (sent, success, try WebSocketCaller(settings) { _ in opening }.tryOnce())
      case .mqtt(let settings):
        let login = login(of: phone, watching: [phone])
        sent = "SUBSCRIBE \(login.topics.joined(separator: " ")), QoS \(login.topicsQoS)"
        success = "subscribed"
        return (sent, success, try MQTTCaller(settings) { _ in login }.tryOnce())
      }
    } catch {
      return (sent, success, "\(error)")
    }
  }

  /// Returns why no connection to the target can be opened, or nil. Blocks for up to ten seconds.
  package func unreachable() -> String? {
    let problem: String?
    do throws(TLSSetupError) {
      switch connection {
      case .http(let http): problem = unreachable(http.settings)
      // Only the port is checked here; TLS is checked elsewhere.
      case .grpc: problem = unreachable(HTTPSettings())
      case .mqtt(let mqtt):
        let login = login(of: 0)
        problem = try MQTTCaller(mqtt.settings) { _ in login }.tryOnce()
      case .websocket(let socket):
        let opening = opening(of: 0)
        problem = try WebSocketCaller(socket.settings) { _ in opening }.tryOnce()
      }
    } catch {
      problem = "\(error)"
    }
    return problem.map { "\(target.name) at \(origin): \($0)" }
  }

  private func unreachable(_ settings: HTTPSettings) -> String? {
    let scheme = origin.hasPrefix("https:") ? "https" : "http"
    let caller = HTTPCaller(settings)
    defer { caller.close() }
    var request = HTTPRequest(method: "GET", url: "\(scheme)://\(endpoint)/")
    request.connectsOnly = true
    let context = TargetTrial.context(
      target, phone: 0, columns: identities.row(of: 0), now: now())
    request.identity = certificate(of: 0, context)
    guard case .failure(let failure) = caller.call(request).result else { return nil }
    return "\(failure)"
  }
}
