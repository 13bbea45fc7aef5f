internal import Core
package import Targets
package import Transport
package import Scenarios

package struct TargetHTTP: Sendable {
  package let settings: HTTPSettings
  private let root: String
  /// How the rows of answers are read, by kind of request.
  private var reads: [RequestKind: Readback] = [:]
  /// The protobuf messages of requests and answers; nil for none.
  private let calls: MessageCalls?

  /// - Throws: an error if the target needs a feature that HTTP lacks, or has a public host without
  ///   `owner: yes`.
  package init(_ target: Target, _ calls: MessageCalls? = nil) throws(TargetError) {
    guard target.carrier == .http, let address = TargetAddress(target.url) else {
      throw TargetError("\(target.name): its protocol is \(target.carrier.rawValue), not http.")
    }
    try Self.checkCertificate(target)
    try Self.checkOwner(target, address)
    root = "\(address.scheme)://\(address.authority)"
    var settings = HTTPSettings()
    settings.use = ConnectionUse(target.connections.per)
    settings.version =
      switch (target.tls.alpn, address.isTLS) {
      case (.http1, _), (.any, false): .http1
      // Plaintext connections negotiate nothing, so HTTP/2 starts with the first byte.
      case (.http2, false): .http2
      case (.http2, true), (.any, true): .negotiated
      }
    settings.trust = ServerTrust(target)
    settings.timeout = target.retry.deadline
    settings.answerBytesMax = AnswerRules.bodyBytesMax
    settings.cutsAnswers = true
    reads[.readback] = target.readback
    reads[.eventReadback] = target.events?.readback
    reads[.view] = target.view
    reads[.view]?.takesOneRow = true
    self.calls = calls
    self.settings = settings
  }

  static func checkCertificate(_ target: Target) throws(TargetError) {
    guard target.identity.certificate != nil, case .pooled = target.connections.per else { return }
    throw TargetError(
      "\(target.name): one certificate per phone needs one connection per phone; write "
        + "connections: { per: phone } or { per: upload }.")
  }

  /// Refuses a server outside private networks unless the file says `owner: yes`.
  static func checkOwner(
    _ target: Target, _ address: TargetAddress
  ) throws(TargetError) {
    guard !target.owner else { return }
    let reach: HostReach
    do throws(TransportError) { reach = try HostReach.of(address.host) } catch {
      // A later request reports the error, with the host's name.
      return
    }
    guard reach == .anywhere else { return }
    throw TargetError(
      "\(target.name): '\(address.host)' is neither this machine nor in a private "
        + "network; if you may load it, write owner: yes and a rateLimit.")
  }

  package func request(
    _ kind: RequestKind, _ program: RequestProgram, _ context: UploadContext,
    by writer: MessageWriter
  ) -> HTTPRequest {
    let path = String { program.write(path: context, into: &$0) }
    let (lines, body) = Self.content(program, calls?[kind], context, by: writer)
    var request = HTTPRequest(
      method: program.form.method.rawValue, url: root + path, headers: lines, body: body)
    if let read = reads[kind] { request.answerBytesMax = Int(read.largestAnswer.bytes) }
    if let next = context.page?.address { request.url = root + Self.path(next, from: path) }
    return request
  }

  /// Returns the path and query of a next page. Its host is ignored, because a server behind a
  /// proxy may not know its public name, and credentials are valid only for the target's host.
  static func path(_ next: String, from first: String) -> String {
    var next = next[...]
    let scheme = next.firstRange(of: "://").flatMap { range in
      next[..<range.lowerBound].allSatisfy(\.isLetter) ? range : nil
    }
    if scheme != nil || next.hasPrefix("//") {
      next = next[(scheme?.upperBound ?? next.index(next.startIndex, offsetBy: 2))...]
      next = next[(next.firstIndex { "/?".contains($0) } ?? next.endIndex)...]
      return (next.hasPrefix("/") ? "" : "/") + next
    }
    if next.hasPrefix("/") { return String(next) }
    let path = first.prefix { $0 != "?" }
    let folder = path[...(path.lastIndex(of: "/") ?? path.startIndex)]
    return String((next.hasPrefix("?") ? path : folder) + next)
  }

  /// Returns the header lines and the body of a request. Headers may sign the body as it is sent.
  static func content(
    _ program: RequestProgram, _ call: MessageCalls.Call?, _ context: UploadContext,
    by writer: MessageWriter
  ) -> (lines: [String], body: [UInt8]) {
    var body = writer.body(of: program, call, context)
    let packed = writer.packed(body, program.form.encoding)
    if let packed { body = packed }
    var lines = program.headers.map { header in
      "\(header.name): " + String { program.write(header: header, context, body: body, into: &$0) }
    }
    let isTyped = lines.contains { $0.lowercased().hasPrefix("content-type:") }
    if !isTyped, let type = program.contentType { lines.append("Content-Type: \(type)") }
    if packed != nil { lines.append("Content-Encoding: \(program.form.encoding.rawValue)") }
    return (lines, body)
  }
}

extension TargetHTTP {
  package func judge(
    _ end: HTTPExchange, _ kind: RequestKind, by rules: AnswerRules, count: Int, now: Int64
  ) -> TargetExchange {
    switch end.result {
    case .success(let answer):
      let (judged, kept) = judge(answer, kind, by: rules, count: count, now: now)
      var own = TargetExchange(.answered(judged, status: "\(answer.status)", kept: kept), of: end)
      if let read = reads[kind], (200..<300).contains(answer.status) {
        let calls = kind == .readback ? calls : nil
        let ofEvents = kind == .eventReadback
        own.rows = { () throws(ReadbackError) in
          try ReadbackRows(answer, read, calls, ofEvents: ofEvents)
        }
      }
      return own
    case .failure(let failure):
      var word = failure.kind
      if kind.isRead, case .tooLarge = failure {
        word = "answer larger than \(kind.rawValue).largestAnswer"
      }
      return TargetExchange(
        failure, kind: word, isReached: !failure.isBeforeSending, of: end)
    }
  }
}

extension TargetHTTP {
  private func judge(
    _ answer: HTTPAnswer, _ kind: RequestKind, by rules: AnswerRules, count: Int, now: Int64
  ) -> (answer: Targets.Answer, kept: [String?]) {
    // The rules of a read-back are those of uploads, whose fields its answer does not have.
    if !kind.isRead, isProtobuf(kind) {
      return rules.judge(
        status: answer.status, header: { answer.header($0) },
        bodyBytes: answer.isCut ? max(1, answer.body.count) : answer.body.count, isJSON: false,
        fields: fields(answer, kind) ?? rules.noFields, count: count, now: now)
    }
    return answer.body.withUnsafeBytes { body in
      rules.judge(
        status: answer.status, header: { answer.header($0) }, body: body, isCut: answer.isCut,
        count: count, now: now)
    }
  }

  /// Whether answers to this kind of request are read as protobuf.
  package func isProtobuf(_ kind: RequestKind) -> Bool { calls?[kind]?.answer != nil }

  /// Returns the fields of a protobuf answer at the rules' paths; nil if the answer does not decode.
  package func fields(_ answer: HTTPAnswer, _ kind: RequestKind) -> [String?]? {
    calls?.fields(of: answer.body, kind)
  }
}

extension ServerTrust {
  init(_ target: Target) {
    self.init()
    if !target.tls.ca.isEmpty { authorities = TargetFiles(of: target).path(target.tls.ca) }
    verifies = target.tls.verify
    needsTLS13 = target.tls.minimum == .tls13
  }
}

extension ConnectionUse {
  package init(_ mode: ConnectionMode) {
    self =
      switch mode {
      case .perUpload: .perUpload
      case .perPhone: .perPhone
      case .pooled(let count): .pooled(count)
      }
  }

  /// Returns the connection use of one of several processes, which divide pooled connections.
  package func part(of place: SharePlace) -> ConnectionUse {
    guard case .pooled(let count) = self else { return self }
    return .pooled(max(1, place.range(of: count).count))
  }
}
