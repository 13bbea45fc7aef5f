internal import CNghttp2
internal import Wire

/// The reusable outgoing messages of one stream, which nghttp2 reads as flow control allows.
final class OutgoingMessages {
  enum End {
    case none
    /// The stream ends with the last message, as a client's request does.
    case endOfStream
    /// The stream ends with the trailer `grpc-status: 0`.
    case ok
    case status(CallStatus, trailers: [(name: String, value: [UInt8])])
  }

  private var bytes = ByteBuffer(capacity: 0)
  var end = End.none
  var encoding = MessageEncoding.identity
  private var isWaiting = false
  var stream: Int32 = 0
  var next: OutgoingMessages?
  unowned(unsafe) var previous: OutgoingMessages?

  private static let bytesKept = 512

  var count: Int { bytes.count }

  func reset() {
    bytes.removeAll()
    if bytes.capacity > Self.bytesKept { bytes = ByteBuffer(capacity: 0) }
    end = .none
    encoding = .identity
    isWaiting = false
    (next, previous) = (nil, nil)
  }

  /// Appends a message, compressed if `encoding` makes it smaller. Returns the added bytes.
  func append(_ message: UnsafeRawBufferPointer, _ compressor: MessageCompressor) -> Int {
    let before = bytes.count
    if encoding != .identity, message.count >= MessageCompressor.messageBytesMin {
      FrameEncoder.prefix(length: 0, into: &bytes)
      if compressor.compress(message, encoding, into: &bytes) {
        let length = bytes.count - before - Carrier.messagePrefixBytes
        bytes.mutable[before] = 1
        bytes.patch(bigEndian: UInt32(length), at: before + 1)
        return bytes.count - before
      }
      bytes.truncate(to: before)
    }
    FrameEncoder.prefix(length: message.count, into: &bytes)
    bytes.append(message)
    return bytes.count - before
  }

  /// Appends text without gRPC's framing. Returns the number of bytes added.
  func appendPlain(_ text: String) -> Int {
    bytes.append(utf8: text)
    return text.utf8.count
  }

  func resume(_ session: borrowing HTTP2Session) {
    guard isWaiting else { return }
    isWaiting = false
    // The call fails only if the stream is closed.
    _ = nghttp2_session_resume_data(session.raw, stream)
  }

  var provider: nghttp2_data_provider {
    flotilla_h2_provider(Unmanaged.passUnretained(self).toOpaque(), Self.read)
  }

  private static let read: nghttp2_data_source_read_callback = {
    session, stream, buffer, length, flags, source, owner in
    // The connection keeps the stream's messages until the stream has closed.
    let messages = Unmanaged<OutgoingMessages>.fromOpaque(source!.pointee.ptr)
    return messages._withUnsafeGuaranteedRef { messages in
      HTTP2Connection.of(owner) { connection in
        messages.fill(
          UnsafeMutableRawBufferPointer(start: buffer, count: length), flags!, connection)
      }
    }
  }

  private func fill(
    _ target: UnsafeMutableRawBufferPointer, _ flags: UnsafeMutablePointer<UInt32>,
    _ connection: HTTP2Connection
  ) -> Int {
    let taken = min(target.count, bytes.count)
    if taken > 0 {
      target.copyMemory(from: UnsafeRawBufferPointer(rebasing: bytes.readable[..<taken]))
      bytes.consume(taken)
      connection.bytesPending -= taken
    }
    guard bytes.isEmpty else { return taken }
    switch end {
    case .none:
      guard taken == 0 else { return taken }
      isWaiting = true
      return Int(NGHTTP2_ERR_DEFERRED.rawValue)
    case .endOfStream: flags.pointee |= NGHTTP2_DATA_FLAG_EOF.rawValue
    case .ok:
      flags.pointee |=
        NGHTTP2_DATA_FLAG_EOF.rawValue | NGHTTP2_DATA_FLAG_NO_END_STREAM.rawValue
      let trailer = connection.context.okTrailer.fields
      _ = nghttp2_submit_trailer(connection.session.raw, stream, trailer, 1)
    case .status(let status, let trailers):
      flags.pointee |=
        NGHTTP2_DATA_FLAG_EOF.rawValue | NGHTTP2_DATA_FLAG_NO_END_STREAM.rawValue
      _ = HeaderBlock.withFields(GRPCText.trailers(of: status) + trailers) {
        nghttp2_submit_trailer(connection.session.raw, stream, $0, $1)
      }
    }
    return taken
  }
}
