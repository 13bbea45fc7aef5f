internal import Core
internal import Scenarios
package import Targets
package import Transport

/// A target over WebSocket, with a connection per phone.
package struct TargetWebSocket: Sendable {
  package let settings: WebSocketSettings
  /// The protobuf messages; nil for none.
  package let calls: MessageCalls?
  private let readback: Readback?
  private let match: SocketRule.Matching

  package init(_ target: Target, _ calls: MessageCalls? = nil) throws(TargetError) {
    guard target.carrier == .websocket, let address = TargetAddress(target.url) else {
      throw TargetError(
        "\(target.name): its protocol is \(target.carrier.rawValue), not websocket.")
    }
    try TargetHTTP.checkOwner(target, address)
    var settings = WebSocketSettings(server: Endpoint(host: address.host, port: address.port))
    switch target.connections.per {
    case .perUpload: settings.keepsConnections = false
    case .perPhone: settings.keepsConnections = true
    case .pooled:
      throw TargetError(
        "\(target.name): over WebSocket each phone has its own connection; write "
          + "connections: { per: phone } or { per: upload }.")
    }
    if address.isTLS { settings.security = ServerTrust(target) }
    let rule = target.websocket
    settings.subprotocol = rule.subprotocol
    settings.keepalive = rule.keepalive
    settings.matching =
      switch rule.match {
      case .next: .next
      case .none: .none
      case .field(let path): .id { Self.field(path, of: $0) }
      }
    settings.timeout = target.retry.deadline
    settings.connectTimeout = min(settings.connectTimeout, target.retry.deadline)
    settings.messageBytesMax = max(
      AnswerRules.bodyBytesMax, target.readback.map { Int($0.largestAnswer.bytes) } ?? 0)
    self.settings = settings
    self.calls = calls
    readback = target.readback
    match = rule.match
  }

  /// Returns the settings of viewers' WebSockets; nil if viewers send reads.
  static func watching(_ target: Target) throws(TargetError) -> WebSocketSettings? {
    guard let address = target.viewSocket, let view = target.view else { return nil }
    try TargetHTTP.checkOwner(target, address)
    var settings = WebSocketSettings(server: Endpoint(host: address.host, port: address.port))
    if address.isTLS { settings.security = ServerTrust(target) }
    if target.carrier == .websocket { settings.subprotocol = target.websocket.subprotocol }
    settings.keepalive = target.websocket.keepalive
    settings.matching = .none
    settings.messageBytesMax = Int(view.largestAnswer.bytes)
    return settings
  }

  private static func field(_ path: FieldPath, of body: [UInt8]) -> String? {
    body.withUnsafeBytes { JSONFields($0, paths: [path], stopsEarly: true).values[0] }
  }

  static func opening(
    _ program: RequestProgram, _ steps: [SocketStep], _ context: UploadContext
  ) -> WebSocketOpening {
    let path = String { program.write(path: context, into: &$0) }
    var opening = WebSocketOpening(path: path.hasPrefix("/") ? path : "/" + path)
    opening.headers = program.headers.map { header in
      (header.name, String { program.write(header: header, context, into: &$0) })
    }
    for step in steps {
      var body: [UInt8] = []
      step.sends?.write(body: context, into: &body)
      var made = WebSocketOpening.Step(sends: step.sends == nil ? nil : body, expects: nil)
      if let rules = step.expects {
        made.expects = { message in rules.judge(message: message).answer.rule != nil }
      }
      opening.steps.append(made)
    }
    return opening
  }

  package func message(
    _ kind: RequestKind, _ program: RequestProgram, _ context: UploadContext,
    by writer: MessageWriter
  ) -> WebSocketMessage {
    let body = writer.body(of: program, calls?[kind], context)
    var message = WebSocketMessage(body, isBinary: program.form.proto != nil)
    if case .field(let path) = match { message.id = Self.field(path, of: body) }
    return message
  }

  package func judge(
    _ end: WebSocketExchange, _ kind: RequestKind, by rules: AnswerRules, count: Int
  ) -> TargetExchange {
    switch end.result {
    case .success(let answer):
      let (judged, kept) = rules.judge(message: answer.body, count: count)
      let status = match == .none ? "sent" : "message"
      var own = TargetExchange(.answered(judged, status: status, kept: kept), of: end)
      if kind == .readback, let readback {
        own.rows = { () throws(ReadbackError) in try ReadbackRows(answer.body, readback) }
      }
      return own
    case .failure(let failure):
      return TargetExchange(failure, isReached: end.isWritten, of: end)
    }
  }
}

extension AnswerRules {
  /// Judges a message, which has neither status nor headers.
  fileprivate func judge(
    message: [UInt8], count: Int = 0
  ) -> (answer: Targets.Answer, kept: [String?]) {
    message.withUnsafeBytes { judge(status: 0, header: { _ in nil }, body: $0, count: count) }
  }
}
