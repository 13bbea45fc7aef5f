/// The answer to HTTP clients without gRPC: a browser, a probe, gRPC-Web or Connect.
struct PlainAnswer: Equatable {
  let status: Int
  let text: String

  static let page = PlainAnswer(
    status: 200, text: "Flotilla collector: FLOTLA/1 and gRPC over HTTP/2 on this port.\n")

  /// - Parameter contentType: the request's content type, or empty if it has none.
  init(
    method: some Collection<UInt8>, path: some Collection<UInt8>,
    contentType: some Collection<UInt8>
  ) {
    let isProbe = ["GET", "HEAD", "OPTIONS"].contains { method.elementsEqual($0.utf8) }
    guard !isProbe else {
      let isRoot = path.first == UInt8(ascii: "/") && path.dropFirst().first ?? 63 == 63
      self = isRoot ? .page : PlainAnswer(status: 404, text: "Only / is served.\n")
      return
    }
    let isPost = method.elementsEqual("POST".utf8)
    self =
      isPost ? Self.refusal(of: contentType) : PlainAnswer(status: 405, text: Self.onlyGRPC)
  }

  private init(status: Int, text: String) {
    self.status = status
    self.text = text
  }

  /// The header field that states which requests the server accepts.
  var advice: (name: String, value: String) {
    status == 415 ? ("accept-post", "application/grpc") : ("allow", "GET, HEAD, OPTIONS, POST")
  }

  private static let onlyGRPC = "Only GET / and calls of gRPC over HTTP/2 are served here.\n"

  private static func refusal(of contentType: some Collection<UInt8>) -> PlainAnswer {
    if ContentType.isGRPC(contentType) {
      return PlainAnswer(status: 505, text: "gRPC needs HTTP/2, with prior knowledge or ALPN.\n")
    }
    func begins(_ text: StaticString) -> Bool { ContentType.begins(contentType, text) }
    let protocolName =
      if begins("application/grpc-web") {
        "gRPC-Web is"
      } else if begins("application/connect+") || begins("application/proto") {
        "Connect is"
      } else if begins("application/json") {
        "JSON, and with it Connect, is"
      } else {
        "This content type is"
      }
    return PlainAnswer(
      status: 415, text: "\(protocolName) not served here; call with gRPC over HTTP/2.\n")
  }
}

/// Parsing of content types, which are case-insensitive (RFC 9110, 8.3.1).
enum ContentType {
  /// Returns whether a type is `application/grpc`, with any suffix or parameters but not `-web`.
  static func isGRPC(_ value: some Collection<UInt8>) -> Bool {
    guard begins(value, "application/grpc") else { return false }
    switch value.dropFirst(16).first {
    case nil, UInt8(ascii: "+"), UInt8(ascii: ";"), UInt8(ascii: " "): return true
    case .some: return false
    }
  }

  /// - Parameter text: the text in lower case.
  static func begins(_ value: some Collection<UInt8>, _ text: StaticString) -> Bool {
    let wanted = UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount)
    return value.count >= wanted.count
      && zip(value, wanted).allSatisfy { byte, other in
        ((0x41...0x5A).contains(byte) ? byte | 0x20 : byte) == other
      }
  }
}
