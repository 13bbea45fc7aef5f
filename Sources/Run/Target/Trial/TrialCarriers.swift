internal import Core
internal import Foundation
package import Transport
package import Uploads
package import Targets
internal import Wire

extension TargetTrial {
  /// - Parameters:
  ///   - columns: the phone's row of the files with identities.
  ///   - now: the wall clock, in microseconds since 1970.
  package init(
    _ target: Target, _ http: TargetHTTP, _ programs: TargetPrograms, phone: UInt32,
    columns: [String], now: Int64, call: @escaping (HTTPRequest) -> HTTPExchange,
    pause: @escaping () -> Void, database: TargetDatabase? = nil
  ) {
    // Shown texts are formatted with a mask for each secret.
    let masked = TargetPrograms(masked: target)
    let writer = MessageWriter()
    func shown(_ text: String, _ context: UploadContext) -> String {
      Redaction.secrets(programs.names.secrets(of: context), in: text)
    }
    func send(_ kind: RequestKind, _ context: UploadContext) -> Sent? {
      guard let program = programs[kind], let safe = masked[kind] else { return nil }
      let request = http.request(kind, program, context, by: writer)
      let end = call(request)
      let rules = kind == .registration ? target.registerAnswers : target.uploadAnswers
      let step = context.page.map { $0.number > 1 ? "page \($0.number)" : "read back" }
      let url = http.request(kind, safe, Self.masked(context, masked.names), by: writer).url
      var sent = Sent(
        line: "\((step ?? Self.step(kind)).padded(to: 10)) \(request.method) \(url), "
          + "\(Figure.grouped(end.bytesSent)) bytes",
        end: http.judge(end, kind, by: rules, count: context.fixes.count, now: context.now))
      guard kind == .upload, case .success(let answer) = end.result else { return sent }
      if http.isProtobuf(kind), let fields = http.fields(answer, kind) {
        sent.fields = Self.text(of: fields, at: rules).map { ForeignText.inLine($0) }
      } else {
        let fault = http.isProtobuf(kind) ? ", which is no message of the type answerProto" : ""
        sent.excerpt = Self.excerpt(answer.body, isCut: answer.isCut) { shown($0, context) } + fault
      }
      return sent
    }
    var carrier = Carrier(send: send, shown: shown)
    if programs.readback == nil {
      carrier.unasked = "its read-back is SQL, and no database is open"
    }
    self.init(
      target, carrier, Self.context(target, phone: phone, columns: columns, now: now),
      database: database, pause: pause)
  }

  private static func step(_ kind: RequestKind) -> String {
    switch kind {
    case .registration: "register"
    case .upload, .backlog: "upload"
    case .event: "event"
    case .readback: "read back"
    case .eventReadback: "events"
    case .view: "view"
    }
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

  init(
    _ setup: TargetSetup, _ grpc: TargetGRPC, _ context: UploadContext,
    call: @escaping (GRPCRequest) -> GRPCExchange, pause: @escaping () -> Void
  ) {
    let (target, writer) = (setup.target, MessageWriter())
    let shown = Self.shown(setup)
    func send(_ kind: RequestKind, _ context: UploadContext) -> Sent? {
      guard let request = grpc.request(kind, setup.programs, context, by: writer) else {
        return nil
      }
      let end = call(request)
      let rules = kind == .registration ? target.registerAnswers : target.uploadAnswers
      let step = kind == .readback ? "read-back" : Self.step(kind)
      var sent = Sent(
        line: "\(step.padded(to: 10)) CALL \(request.path), "
          + "\(Figure.grouped(request.message.count)) bytes",
        end: grpc.judge(end, kind, by: rules, count: context.fixes.count))
      guard case .success(let answer) = end.result else { return sent }
      let text = answer.status.text
      sent.serverText = text.isEmpty ? nil : String(shown(text, context).prefix(Self.textMax))
      if kind == .upload {
        sent.fields = Self.text(of: grpc.fields(answer, kind, rules), at: rules)
      }
      return sent
    }
    var carrier = Carrier(send: send, shown: shown, countsPages: true)
    if grpc.calls.readback == nil {
      carrier.unasked = "its read-back is SQL, which a trial does not query"
    }
    self.init(target, carrier, context, pause: pause)
  }

  /// Returns a protobuf answer's fields at the paths of rules; nil if the rules read none.
  private static func text(of fields: [String?], at rules: AnswerRules) -> String? {
    guard !fields.isEmpty else { return nil }
    return zip(rules.paths, fields).map { path, text in "\(path) \(text ?? "(absent)")" }
      .joined(separator: ", ")
  }

  private static let textMax = 200

  /// Puts a text of the server on one line, and masks secrets that the server may echo.
  fileprivate static func shown(_ setup: TargetSetup) -> (String, UploadContext) -> String {
    { text, context in
      ForeignText.inLine(
        Redaction.secrets(setup.programs.names.secrets(of: context), in: text))
    }
  }

  init(
    _ setup: TargetSetup, _ socket: TargetWebSocket, _ context: UploadContext,
    call: @escaping (WebSocketMessage) -> WebSocketExchange, pause: @escaping () -> Void,
    database: TargetDatabase?
  ) {
    let (target, writer) = (setup.target, MessageWriter())
    let shown = Self.shown(setup)
    var number: Int64 = 0
    func send(_ kind: RequestKind, _ context: UploadContext) -> Sent? {
      guard let program = setup.programs[kind] else { return nil }
      var context = context
      number += 1
      context.number = number
      let message = socket.message(kind, program, context, by: writer)
      let end = call(message)
      let rules = kind == .registration ? target.registerAnswers : target.uploadAnswers
      let step = context.page.map { $0.number > 1 ? "page \($0.number)" : "read back" }
      var sent = Sent(
        line: "\((step ?? Self.step(kind)).padded(to: 10)) SEND "
          + "\(message.isBinary ? "binary" : "text"), \(Figure.grouped(message.body.count)) bytes",
        end: socket.judge(end, kind, by: rules, count: context.fixes.count))
      if case .success(let answer) = end.result, target.isAcknowledged {
        sent.status = "message,"
        if kind == .upload {
          sent.excerpt = Self.excerpt(answer.body, isCut: false) { shown($0, context) }
        }
      } else if case .success = end.result {
        sent.status = "written (match: none, no answer),"
      }
      return sent
    }
    var carrier = Carrier(send: send, shown: shown)
    if !target.isAcknowledged {
      carrier.verdict = "sent, neither acknowledged (match: none) nor verified"
    }
    if setup.programs.readback == nil {
      carrier.unasked = "its read-back is SQL, and no database is open"
    }
    self.init(target, carrier, context, database: database, pause: pause)
  }

  init(
    _ setup: TargetSetup, _ mqtt: TargetMQTT, _ context: UploadContext,
    call: @escaping (MQTTMessage) -> MQTTExchange
  ) {
    let (target, writer) = (setup.target, MessageWriter())
    func send(_ kind: RequestKind, _: UploadContext) -> Sent? {
      guard let program = setup.programs[kind] else { return nil }
      let message = TargetMQTT.message(program, mqtt.calls?[kind], context, by: writer)
      let rules = kind == .registration ? target.registerAnswers : target.uploadAnswers
      var sent = Sent(
        line: "\(Self.step(kind).padded(to: 10)) PUBLISH \(message.topic), QoS \(message.qos), "
          + "\(Figure.grouped(message.body.count)) bytes",
        end: TargetMQTT.judge(call(message), by: rules))
      if message.qos == 0 { sent.status = "written (QoS 0, no acknowledgement)," }
      return sent
    }
    var carrier = Carrier(send: send, shown: Self.shown(setup))
    carrier.verdict =
      target.isAcknowledged
      ? "acknowledged by the broker, not verified: its subscribers send no answer"
      : "sent, neither acknowledged (QoS 0) nor verified"
    self.init(target, carrier, context) {}
  }
}

extension TargetSetup {
  /// Sends one registration, upload and read-back for a phone, and blocks until they end.
  package func trial(of phone: UInt32) -> (lines: [String], ending: TargetTrial.Ending) {
    let columns = identities.row(of: phone)
    var context = TargetTrial.context(target, phone: phone, columns: columns, now: now())
    let identity = certificate(of: phone, context)
    let pause = { Waiter.shared.pause(.milliseconds(500)) }
    var trial: TargetTrial
    switch connection {
    case .http(let http):
      let caller = HTTPCaller(http.settings)
      defer { caller.close() }
      trial = TargetTrial(
        target, http, programs, phone: phone, columns: columns, now: now(),
        call: { request in
          var request = request
          request.identity = identity
          return caller.call(request, of: phone)
        }, pause: pause, database: database)
      trial.watch = { [context] in self.watch(phone, context) }
      trial.run()
    case .grpc(let grpc):
      let loop = EventLoop(name: "flotilla.trial")
      loop.start()
      defer { loop.stopAndWait() }
      let client = RPCClient(
        loop: loop, to: grpc.settings.endpoint, carrier: .grpc, tls: grpc.settings.tls)
      defer { client.close() }
      loop.sync { client.identity = identity }
      trial = TargetTrial(
        self, grpc, context,
        call: { [target] request in
          let asked = MonotonicClock.now
          let answer = client.callBlocking(request, deadline: target.retry.deadline)
          return answer.exchange(asked: asked, found: asked, now: MonotonicClock.now)
        }, pause: pause)
      trial.watch = { [context] in self.watch(phone, context) }
      trial.run()
    case .mqtt(let mqtt):
      // A broker acknowledges messages without parsing them, so one fix is enough.
      let sample = SampleBatch(phone: PhoneID(rawValue: phone), count: 1, now: context.now)
      context = UploadContext(
        BatchID(phone: PhoneID(rawValue: phone), epoch: 1, sequence: 1), fixes: sample.fixes[...],
        columns: columns, now: context.now, device: sample.device)
      let login = login(of: phone, context)
      do throws(TLSSetupError) {
        let caller = try MQTTCaller(mqtt.settings) { _ in login }
        defer { caller.close() }
        trial = TargetTrial(self, mqtt, context) { caller.call($0, of: phone) }
        trial.watch = { [context] in self.watch(phone, context) }
        trial.run()
      } catch {
        return unsecured(error, context)
      }
    case .websocket(let socket):
      let opening = opening(of: phone, context)
      do throws(TLSSetupError) {
        let caller = try WebSocketCaller(socket.settings) { _ in opening }
        defer { caller.close() }
        trial = TargetTrial(
          self, socket, context, call: { caller.call($0, of: phone) }, pause: pause,
          database: database)
        trial.watch = { [context] in self.watch(phone, context) }
        trial.run()
      } catch {
        return unsecured(error, context)
      }
    }
    return (trial.lines, trial.ending)
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
        let caller = try WebSocketCaller(settings) { _ in opening }
        defer { caller.close() }
        return (sent, success, caller.connect().map { "\($0)" })
      case .mqtt(let settings):
        let login = login(of: phone, watching: [phone])
        sent = "SUBSCRIBE \(login.topics.joined(separator: " ")), QoS \(login.topicsQoS)"
        success = "subscribed"
        let caller = try MQTTCaller(settings) { _ in login }
        defer { caller.close() }
        return (sent, success, caller.connect().map { "\($0)" })
      }
    } catch {
      return (sent, success, "\(error)")
    }
  }

  private func unsecured(
    _ error: TLSSetupError, _ context: UploadContext
  ) -> (lines: [String], ending: TargetTrial.Ending) {
    let shown = TargetTrial.shown(self)
    return ([TargetTrial.head(target), "  \(error)"].map { shown($0, context) }, .unreachable)
  }

  /// Returns why no connection to the target can be opened, or nil. Blocks for up to ten seconds.
  package func unreachable() -> String? {
    func named(_ failure: some Error) -> String { "\(target.name) at \(origin): \(failure)" }
    let settings: HTTPSettings
    switch connection {
    case .http(let http): settings = http.settings
    case .grpc:
      // Only the port is checked here; TLS is checked elsewhere.
      settings = HTTPSettings()
    case .mqtt(let mqtt):
      let login = login(of: 0)
      do throws(TLSSetupError) {
        let caller = try MQTTCaller(mqtt.settings) { _ in login }
        defer { caller.close() }
        return caller.connect().map(named)
      } catch {
        return named(error)
      }
    case .websocket(let socket):
      let opening = opening(of: 0)
      do throws(TLSSetupError) {
        let caller = try WebSocketCaller(socket.settings) { _ in opening }
        defer { caller.close() }
        return caller.connect().map(named)
      } catch {
        return named(error)
      }
    }
    let scheme = origin.hasPrefix("https:") ? "https" : "http"
    let caller = HTTPCaller(settings)
    defer { caller.close() }
    var request = HTTPRequest(method: "GET", url: "\(scheme)://\(endpoint)/")
    request.connectsOnly = true
    let context = TargetTrial.context(
      target, phone: 0, columns: identities.row(of: 0), now: now())
    request.identity = certificate(of: 0, context)
    guard case .failure(let failure) = caller.call(request).result else { return nil }
    return named(failure)
  }
}
