internal import Scenarios

package final class RequestProgram: Sendable {
  package enum Body: Sendable {
    case none
    case message(UploadProgram)
    case form(UploadProgram)
    case text(UploadProgram)
  }

  package struct Header: Sendable {
    package let name: String
    package let value: UploadProgram
    fileprivate let isBasic: Bool
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
    var headers = form.headers.map {
      Header(name: $0.name, value: UploadProgram($0.value, names), isBasic: false)
    }
    if let basic = form.basic {
      let pair = ValueText(joining: [basic.user, ValueText(constant: ":"), basic.password])
      headers.append(
        Header(name: "Authorization", value: UploadProgram(pair, names), isBasic: true))
    }
    self.headers = headers
  }

  package var contentType: String? {
    switch body {
    case .none: nil
    case .message: "application/json"
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

  package func write(header: Header, _ context: UploadContext, into out: inout [UInt8]) {
    guard header.isBasic else { return header.value.write(text: context, into: &out) }
    var pair: [UInt8] = []
    header.value.write(text: context, into: &pair)
    out.append(contentsOf: Array("Basic ".utf8))
    out.append(base64: pair)
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

package final class TargetPrograms: Sendable {
  /// The request before a phone's first upload; nil for none.
  package let register: RequestProgram?
  package let upload: RequestProgram
  /// The upload while a backlog waits; nil to send the usual upload.
  package let backlog: RequestProgram?
  package let readback: RequestProgram?
  package let statement: UploadProgram?
  package let names: TargetNames

  package init(_ target: Target, _ names: TargetNames) {
    self.names = names
    let base = TargetAddress(target.url)?.path ?? ""
    register = target.register.map { RequestProgram($0.request, names, base: base) }
    upload = RequestProgram(target.upload.request, names, base: base)
    backlog = target.upload.backlog.map { RequestProgram($0.request, names, base: base) }
    readback = target.readback.flatMap {
      $0.postgres.isEmpty ? RequestProgram($0.request, names, base: base) : nil
    }
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

extension [UInt8] {
  /// Appends bytes in base64 (RFC 4648 section 4).
  fileprivate mutating func append(base64 bytes: [UInt8]) {
    let letters = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)
    for start in stride(from: 0, to: bytes.count, by: 3) {
      let part = bytes[start..<Swift.min(start + 3, bytes.count)]
      var group: UInt32 = 0
      for place in 0..<3 {
        group = group << 8 | (place < part.count ? UInt32(part[start + place]) : 0)
      }
      for place in 0..<4 {
        append(place <= part.count ? letters[Int(group >> UInt32(18 - 6 * place) & 63)] : 0x3D)
      }
    }
  }
}
