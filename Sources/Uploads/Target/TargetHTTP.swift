package import Targets
package import Transport
internal import Scenarios
internal import SimulationCore
internal import Wire

/// Why a target cannot be spoken to as its file says.
package struct TargetHTTPError: Error, Equatable, CustomStringConvertible {
  /// States the reason as one sentence.
  package let description: String
}

/// A target over HTTP: its requests as bytes, its connections as settings.
package struct TargetHTTP: Sendable {
  /// Is what connections to it are made with.
  package let settings: HTTPSettings
  private let root: String
  private let readbackBytesMax: Int?

  /// Makes the carrier of a target.
  ///
  /// - Throws: an error where its file asks for what this program does not do over HTTP, or names a
  ///   host of others without their owner's word.
  package init(_ target: Target) throws(TargetHTTPError) {
    guard target.carrier == .http, let address = TargetAddress(target.url) else {
      throw TargetHTTPError(
        description: "\(target.name): its protocol is \(target.carrier.rawValue), not http.")
    }
    try Self.checkCertificate(target)
    try Self.checkOwner(target, address)
    root = "\(address.scheme)://\(address.authority)"
    var settings = HTTPSettings()
    settings.use =
      switch target.connections.per {
      case .perUpload: .perUpload
      case .perPhone: .perPhone
      case .pooled(let count): .pooled(count)
      }
    settings.version =
      switch (target.tls.alpn, address.isTLS) {
      case (.http1, _), (.any, false): .http1
      // In the clear nothing is negotiated: who wants it speaks it from the first byte.
      case (.http2, false): .http2
      case (.http2, true), (.any, true): .negotiated
      }
    if !target.tls.ca.isEmpty {
      settings.authorities = TargetFiles(of: target).path(target.tls.ca)
    }
    settings.verifies = target.tls.verify
    settings.needsTLS13 = target.tls.minimum == .tls13
    settings.timeout = target.retry.deadline
    settings.answerBytesMax = AnswerRules.bodyBytesMax
    settings.cutsAnswers = true
    readbackBytesMax = target.readback.map { Int($0.largestAnswer.bytes) }
    self.settings = settings
  }

  /// Who shows a certificate of his own shares no connection.
  static func checkCertificate(_ target: Target) throws(TargetHTTPError) {
    guard target.identity.certificate != nil, case .pooled = target.connections.per else { return }
    throw TargetHTTPError(
      description: "\(target.name): a certificate a phone needs connections of its own; write "
        + "connections: { per: phone } or { per: upload }.")
  }

  /// Only the owner of a server may have load put on it.
  static func checkOwner(
    _ target: Target, _ address: TargetAddress
  ) throws(TargetHTTPError) {
    guard !target.owner else { return }
    let reach: HostReach
    do throws(TransportError) { reach = try HostReach.of(address.host) } catch {
      // The request will say so, with the name.
      return
    }
    guard reach == .anywhere else { return }
    throw TargetHTTPError(
      description: "\(target.name): '\(address.host)' is neither this machine nor a private "
        + "network; write owner: yes, and a rateLimit, if you may load it.")
  }

  /// Writes a request.
  package func request(_ program: RequestProgram, _ context: UploadContext) -> HTTPRequest {
    var path: [UInt8] = []
    program.write(path: context, into: &path)
    var lines = program.headers.map { header in
      var line = Array("\(header.name): ".utf8)
      program.write(header: header, context, into: &line)
      return Self.text(line)
    }
    let isTyped = lines.contains { $0.lowercased().hasPrefix("content-type:") }
    if !isTyped, let type = program.contentType { lines.append("Content-Type: \(type)") }
    var body: [UInt8] = []
    program.write(body: context, into: &body)
    switch program.form.encoding {
    case .identity: break
    case .gzip:
      if let packed = Self.packed(body) {
        body = packed
        lines.append("Content-Encoding: gzip")
      }
    }
    var request = HTTPRequest(
      method: program.form.method.rawValue, url: root + Self.text(path), headers: lines, body: body)
    if let page = context.page {
      request.answerBytesMax = readbackBytesMax
      if let next = page.address { request.url = root + Self.path(next, from: Self.text(path)) }
    }
    return request
  }

  /// The path and query of a next page, from those of the first. Whatever host its address names,
  /// the request goes to the target's own: a server behind a proxy may not know its name, and what
  /// proves a phone's identity is for nobody else.
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

  /// nil: it did not become smaller, and goes as it is.
  package static func packed(_ body: [UInt8]) -> [UInt8]? {
    var output = ByteBuffer(capacity: body.count)
    let isPacked = body.withUnsafeBytes {
      MessageCompressor().compress($0, .gzip, into: &output)
    }
    return isPacked ? Array(output.readable) : nil
  }

  /// The programs write what they read as text, and percent signs.
  private static func text(_ bytes: [UInt8]) -> String {
    // swift-format-ignore
    String(decoding: bytes, as: UTF8.self)
  }
}

extension AnswerRules {
  /// Judges an answer over HTTP.
  ///
  /// - Parameters:
  ///   - count: the fixes of the request.
  ///   - now: the wall clock, in microseconds since 1970.
  package func judge(
    _ answer: HTTPAnswer, count: Int = 0, now: Int64
  ) -> (answer: Targets.Answer, kept: [String?]) {
    answer.body.withUnsafeBytes { body in
      judge(
        status: answer.status, header: { answer.header($0) }, body: body, isCut: answer.isCut,
        count: count, now: now)
    }
  }
}
