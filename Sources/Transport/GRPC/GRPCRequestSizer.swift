internal import CNghttp2
internal import Wire

/// Computes the size of gRPC requests on an HTTP/2 connection, without sending them.
package final class GRPCRequestSizer {
  private let context = HTTP2Context()
  private let compressor = MessageCompressor()
  private let authority: String
  private let isSecured: Bool

  /// The bytes that a client sends per connection: the preface, SETTINGS with two entries,
  /// WINDOW_UPDATE, and the acknowledgement of the peer's SETTINGS (RFC 9113: 3.4, 6.5, 6.9).
  package static let connectionBytes = 24 + (9 + 2 * 6) + (9 + 4) + 9
  private static let frameHeadBytes = 9
  /// The initial SETTINGS_HEADER_TABLE_SIZE (RFC 9113, 6.5.2).
  private static let tableBytes = 4_096

  /// - Parameter authority: host and port, as in a request.
  package init(authority: String, isSecured: Bool) {
    self.authority = authority
    self.isSecured = isSecured
  }

  /// Returns the sizes in bytes of the first request on a connection and of the next request.
  package func bytes(
    _ request: GRPCRequest, next: GRPCRequest, milliseconds: Int64
  ) -> (first: Int, later: Int) {
    var raw: OpaquePointer?
    guard nghttp2_hd_deflate_new(&raw, Self.tableBytes) == 0, let deflater = raw else {
      fatalError("nghttp2: no memory for a table of header fields")
    }
    defer { nghttp2_hd_deflate_del(deflater) }
    let timeout = GRPCText.timeout(milliseconds: milliseconds)
    let first = block(request, timeout, deflater) + body(request)
    return (first, block(next, timeout, deflater) + body(next))
  }

  private func block(
    _ request: GRPCRequest, _ timeout: [UInt8], _ deflater: OpaquePointer
  ) -> Int {
    let texts = RequestTexts(request, authority: authority, timeout: timeout)
    let count = texts.withFields(context.request, isSecured ? "https" : "http") { fields in
      let room = nghttp2_hd_deflate_bound(deflater, fields.baseAddress, fields.count)
      var bytes = [UInt8](repeating: 0, count: room)
      return nghttp2_hd_deflate_hd(
        deflater, &bytes, bytes.count, fields.baseAddress, fields.count)
    }
    precondition(count >= 0, "nghttp2: a block of header fields has no size (\(count))")
    return Self.frameHeadBytes + count
  }

  private func body(_ request: GRPCRequest) -> Int {
    let messages = OutgoingMessages()
    messages.encoding = request.encoding
    let bytes = request.message.withUnsafeBytes { messages.append($0, compressor) }
    let frames = max(1, (bytes + 16_383) / 16_384)
    return bytes + frames * Self.frameHeadBytes
  }
}
