internal import CNghttp2
package import SimulationCore
package import Wire

/// A call of any gRPC method.
package struct GRPCRequest: Sendable {
  /// What is called: `/package.Service/Method`.
  package var path: String
  /// What is said beside the message; names in lower case.
  package var metadata: [(name: String, value: String)]
  /// The encoded message.
  package var message: [UInt8]
  /// What the message is compressed with, if it is long enough.
  package var encoding: MessageEncoding
  /// The certificate that the client shows; nil: what its TLS has, or none.
  package var identity: HTTPIdentity?
  /// Whether a new connection may go on from the holder's last TLS session.
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

/// The outcome of a `GRPCRequest`, and its response messages.
package struct GRPCAnswer: Sendable {
  /// Who has ended a call.
  package enum End: Sendable, BitwiseCopyable {
    case answered
    case timedOut
    case lost
    case unopened
  }

  /// The status, as the server or this side gave it.
  package var status: CallStatus
  /// The messages of the answer, of a stream all that came.
  package var messages: [[UInt8]]
  /// Who has ended the call.
  package var end = End.answered
  /// When the connection of the call was open; nil: it never was.
  package var openedAt: WallInstant?
  /// How that connection was secured; nil: it was not, or not yet.
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

  /// Calls `body` with all fields; nghttp2 copies the non-static ones.
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
      fields[HTTP2Context.pathPlace] = Self.copied(":path", text(0))
      fields[HTTP2Context.authorityPlace] = Self.copied(":authority", text(1))
      for index in stride(from: 2, to: ends.count, by: 2) {
        fields.append(Self.field(text(index), text(index + 1)))
      }
      return fields.withUnsafeMutableBufferPointer { body($0) }
    }
  }

  private static func copied(_ name: StaticString, _ value: UnsafeRawBufferPointer) -> nghttp2_nv {
    var field = HeaderBlock.field(name, value)
    field.flags = UInt8(NGHTTP2_NV_FLAG_NO_COPY_NAME.rawValue)
    return field
  }

  private static func field(
    _ name: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer
  ) -> nghttp2_nv {
    // nghttp2 does not write through what it is given.
    func bytes(_ text: UnsafeRawBufferPointer) -> UnsafeMutablePointer<UInt8>? {
      UnsafeMutablePointer(mutating: text.baseAddress?.assumingMemoryBound(to: UInt8.self))
    }
    return nghttp2_nv(
      name: bytes(name), value: bytes(value), namelen: name.count, valuelen: value.count,
      flags: UInt8(NGHTTP2_NV_FLAG_NONE.rawValue))
  }
}
