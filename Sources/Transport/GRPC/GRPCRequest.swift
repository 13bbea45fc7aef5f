internal import CNghttp2
package import Core
package import Wire

/// A call of any gRPC method.
package struct GRPCRequest: Sendable {
  package var path: String
  package var metadata: [(name: String, value: String)]
  package var message: [UInt8]
  package var encoding: MessageEncoding
  package var identity: HTTPIdentity?
  package var resumes = false

  package init(
    _ path: String, _ message: [UInt8], metadata: [(name: String, value: String)] = [],
    encoding: MessageEncoding = .identity
  ) {
    self.path = path
    self.message = message
    self.metadata = metadata
    self.encoding = encoding
  }
}

package struct GRPCAnswer: Sendable {
  package enum End: Sendable, BitwiseCopyable {
    case answered
    case timedOut
    case lost
    case unopened
  }

  package var status: CallStatus
  package var messages: [[UInt8]]
  package var end = End.answered
  package var openedAt: WallInstant?
  package var handshake: TLSHandshake?
}

struct RequestTexts {
  private var bytes: [UInt8] = []
  private var ends: [Int] = []

  init(_ request: GRPCRequest, authority: String, timeout: [UInt8]) {
    for text in [request.path, authority] { add(text.utf8) }
    if !timeout.isEmpty { add("grpc-timeout", timeout) }
    if request.encoding != .identity {
      add("grpc-encoding", Array(request.encoding.name.description.utf8))
    }
    for entry in request.metadata { add(entry.name.lowercased(), Array(entry.value.utf8)) }
  }

  private mutating func add(_ name: String, _ value: [UInt8]) {
    add(name.utf8)
    add(value)
  }

  private mutating func add(_ text: some Collection<UInt8>) {
    bytes.append(contentsOf: text)
    ends.append(bytes.count)
  }

  /// Calls `body` with all header fields. nghttp2 copies the fields that are not static.
  func withFields<Result>(
    _ common: borrowing HeaderBlock, _ scheme: StaticString,
    _ body: (UnsafeMutableBufferPointer<nghttp2_nv>) -> Result
  ) -> Result {
    var fields = (0..<common.count).map { common.fields[$0] }
    fields[HTTP2Context.schemePlace] = HeaderBlock.field(":scheme", scheme)
    var bytes = bytes
    return bytes.withUnsafeMutableBytes { bytes in
      func text(_ index: Int) -> UnsafeRawBufferPointer {
        let start = index == 0 ? 0 : ends[index - 1]
        return UnsafeRawBufferPointer(rebasing: bytes[start..<ends[index]])
      }
      fields[HTTP2Context.pathPlace] = HeaderBlock.field(":path", text(0))
      fields[HTTP2Context.authorityPlace] = HeaderBlock.field(":authority", text(1))
      for index in stride(from: 2, to: ends.count, by: 2) {
        fields.append(HeaderBlock.field(text(index), text(index + 1)))
      }
      return fields.withUnsafeMutableBufferPointer { body($0) }
    }
  }
}
