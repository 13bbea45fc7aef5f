internal import Scenarios

package final class RequestProgram: Sendable {
  package enum Body: Sendable {
    case none
    case message(UploadProgram)
    case form(UploadProgram)
    case text(UploadProgram)
  }

  package struct Header: Sendable {
    fileprivate enum Making: Sendable {
      case text(UploadProgram)
      /// The base64 of a text, after a constant.
      case base64(UploadProgram, after: String)
      case signature(Signature)
    }

    package let name: String
    /// What output shows instead of a value from which a secret could be found; nil otherwise.
    package let mask: String?
    fileprivate let making: Making
  }

  fileprivate struct Signature: Sendable {
    let rule: SignatureRule
    let key: UploadProgram
    let before: UploadProgram
    let prefix: UploadProgram

    init(_ rule: SignatureRule, _ names: TargetNames) {
      self.rule = rule
      key = UploadProgram(rule.key, names)
      before = UploadProgram(rule.before, names)
      prefix = UploadProgram(rule.prefix, names)
    }
  }

  package let form: RequestForm
  package let body: Body
  /// The headers in order, without headers of the carrier such as `Content-Type`.
  package let headers: [Header]
  private let path: UploadProgram
  private let query: UploadProgram?
  private let topic: UploadProgram

  /// - Parameter base: the path of the target's address, to which a request path `/` adds nothing.
  package init(_ form: RequestForm, _ names: TargetNames, base: String = "") {
    self.form = form
    let isBase = !base.isEmpty && form.path.constant == "/"
    path = UploadProgram(
      ValueText(joining: [ValueText(constant: base)] + (isBase ? [] : [form.path])), names)
    query = form.query.map { UploadProgram($0, names) }
    topic = UploadProgram(form.topic, names)
    body =
      if let message = form.message {
        .message(UploadProgram(message, names))
      } else if let parameters = form.form {
        .form(UploadProgram(parameters, names))
      } else if let text = form.text {
        .text(UploadProgram(text, names))
      } else {
        .none
      }
    var headers = form.headers.map { entry in
      switch entry.value {
      case .text(let text):
        Header(name: entry.name, mask: nil, making: .text(UploadProgram(text, names)))
      case .base64(let text):
        Header(name: entry.name, mask: nil, making: .base64(UploadProgram(text, names), after: ""))
      case .signature(let rule):
        Header(
          name: entry.name, mask: TargetNames.mask, making: .signature(Signature(rule, names)))
      }
    }
    if let basic = form.basic {
      let pair = ValueText(joining: [basic.user, ValueText(constant: ":"), basic.password])
      headers.append(
        Header(
          name: "Authorization", mask: "Basic \(TargetNames.mask)",
          making: .base64(UploadProgram(pair, names), after: "Basic ")))
    }
    self.headers = headers
  }

  package var contentType: String? {
    switch body {
    case .none: nil
    case .message: form.proto == nil ? "application/json" : "application/x-protobuf"
    case .form: "application/x-www-form-urlencoded"
    case .text: "text/plain; charset=utf-8"
    }
  }

  package func write(path context: UploadContext, into out: inout [UInt8]) {
    path.write(text: context, .percent, into: &out)
    guard let query else { return }
    let mark = out.count
    out.append(0x3F)
    query.write(parameters: context, .percent, into: &out)
    if out.count == mark + 1 { out.removeLast() }
  }

  package func write(topic context: UploadContext, into out: inout [UInt8]) {
    topic.write(text: context, into: &out)
  }

  /// - Parameter body: the body as it is sent, which a signature covers.
  package func write(
    header: Header, _ context: UploadContext, body: [UInt8] = [], into out: inout [UInt8]
  ) {
    switch header.making {
    case .text(let text): text.write(text: context, into: &out)
    case .base64(let text, let start):
      out.append(text: start, .none)
      let mark = out.count
      text.write(text: context, into: &out)
      out.encodeBase64(from: mark)
    case .signature(let signature):
      var (key, signed) = ([UInt8](), [UInt8]())
      signature.key.write(text: context, into: &key)
      signature.before.write(text: context, into: &signed)
      signed += body
      signature.prefix.write(text: context, into: &out)
      let code = signature.rule.hash.code(of: signed, key: key)
      switch signature.rule.notation {
      case .hex: out.append(hex: code)
      case .base64:
        let mark = out.count
        out += code
        out.encodeBase64(from: mark)
      }
    }
  }

  /// Appends the uncompressed body, with a message as JSON.
  package func write(body context: UploadContext, into out: inout [UInt8]) {
    switch body {
    case .none: break
    case .message(let program): program.write(json: context, into: &out)
    case .form(let program): program.write(parameters: context, .form, into: &out)
    case .text(let program): program.write(text: context, into: &out)
    }
  }
}

/// A step of the opening of a WebSocket.
package struct SocketStep: Sendable {
  package let sends: RequestProgram?
  /// The rule that the server's next message must match; nil to wait for none.
  package let expects: AnswerRules?
  package let fields: [FieldCondition]

  init(_ step: SocketRule.Step, _ names: TargetNames) {
    sends = step.request.message == nil ? nil : RequestProgram(step.request, names)
    fields = step.expect
    var rule = AnswerRule()
    rule.fields = fields
    expects = fields.isEmpty ? nil : AnswerRules([rule], carrier: .websocket)
  }
}

package final class TargetPrograms: Sendable {
  /// The request before a phone's first upload; nil for none.
  package let register: RequestProgram?
  package let upload: RequestProgram
  /// The upload while a backlog waits; nil to send the usual upload.
  package let backlog: RequestProgram?
  /// The request of an event; nil for none.
  package let events: RequestProgram?
  package let readback: RequestProgram?
  package let eventReadback: RequestProgram?
  package let view: RequestProgram?
  package let statement: UploadProgram?
  /// The request that opens a WebSocket, and the messages of its opening; nil for none.
  package let socket: RequestProgram
  package let steps: [SocketStep]
  package let viewSteps: [SocketStep]
  package let names: TargetNames

  package init(_ target: Target, _ names: TargetNames) {
    self.names = names
    let base = TargetAddress(target.url)?.path ?? ""
    register = target.register.map { RequestProgram($0.request, names, base: base) }
    upload = RequestProgram(target.upload.request, names, base: base)
    backlog = target.upload.backlog.map { RequestProgram($0.request, names, base: base) }
    events = target.events.map { RequestProgram($0.request, names, base: base) }
    readback = target.readback.flatMap {
      $0.postgres.isEmpty ? RequestProgram($0.request, names, base: base) : nil
    }
    eventReadback = target.events?.readback.map { RequestProgram($0.request, names, base: base) }
    let viewBase = target.viewSocket?.path ?? base
    view = target.view.map { RequestProgram($0.request, names, base: viewBase) }
    socket = RequestProgram(target.websocket.request, names, base: base)
    steps = target.websocket.open.map { SocketStep($0, names) }
    viewSteps = (target.view?.open ?? []).map { SocketStep($0, names) }
    statement = target.readback.flatMap {
      $0.postgres.isEmpty ? nil : UploadProgram($0.postgres, names)
    }
  }

  package convenience init(
    _ target: Target, secrets files: TargetFiles
  ) throws(TargetError) {
    self.init(
      target,
      try TargetNames(
        target.identity.names, kept: target.keptNames,
        secret: { (source) throws(TargetError) in try files.secret(source) }))
  }

  /// Compiles a target with a mask for each secret, for output.
  package convenience init(masked target: Target) {
    self.init(
      target,
      TargetNames(
        target.identity.names, kept: target.keptNames, secret: { _ in TargetNames.mask }))
  }
}

extension Target {
  package var keptNames: [String] { register?.keep.map(\.name) ?? [] }

  package var uploadAnswers: AnswerRules { AnswerRules(answer, carrier: carrier) }

  package var eventAnswers: AnswerRules {
    let own = events?.answer ?? []
    return AnswerRules(own.isEmpty ? answer : own, carrier: carrier)
  }

  package var registerAnswers: AnswerRules {
    let own = register?.answer ?? []
    return AnswerRules(
      own.isEmpty ? answer : own, keep: register?.keep.map(\.value) ?? [], carrier: carrier)
  }
}

extension ValueText {
  fileprivate init(constant: String) { self.init(parts: [.text(constant)]) }

  fileprivate init(joining texts: [ValueText]) { self.init(parts: texts.flatMap(\.parts)) }
}
