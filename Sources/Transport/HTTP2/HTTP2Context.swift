internal import CNghttp2

/// The shared state of one loop's HTTP/2 sessions, for the loop's thread only.
final class HTTP2Context {
  let memory: UnsafeMutablePointer<flotilla_h2_memory>
  let callbacks: OpaquePointer
  let serverOptions: OpaquePointer
  let clientOptions: OpaquePointer
  let answer: HeaderBlock
  let gzipAnswer: HeaderBlock
  let zstdAnswer: HeaderBlock
  let okTrailer: HeaderBlock
  /// The header fields of a request, with spare fields for optional values at the end.
  let request: HeaderBlock
  private var idle: [OutgoingMessages] = []
  private var heads: [RequestHead] = []

  /// The limit of message objects kept for reuse, each of some 600 bytes.
  private static let idleMax = 4_096
  /// The limit of CONTINUATION frames. A header block of 8 KiB takes one frame, so more than a few
  /// CONTINUATIONs are a flood (CVE-2024-28182).
  private static let continuationsMax = 4
  /// The stream resets allowed to a client before its connection ends (CVE-2023-44487). A phone
  /// resets one stream at a timeout.
  private static let resetsMax: (burst: UInt64, perSecond: UInt64) = (1_000, 33)

  init() {
    memory = .allocate(capacity: 1)
    flotilla_h2_memory_init(memory)
    var callbacks: OpaquePointer?
    var serverOptions: OpaquePointer?
    var clientOptions: OpaquePointer?
    guard nghttp2_session_callbacks_new(&callbacks) == 0, let callbacks,
      nghttp2_option_new(&serverOptions) == 0, let serverOptions,
      nghttp2_option_new(&clientOptions) == 0, let clientOptions
    else { fatalError("nghttp2: no memory for callbacks") }
    self.callbacks = callbacks
    self.serverOptions = serverOptions
    self.clientOptions = clientOptions
    let common: [(StaticString, StaticString)] = [
      (":status", "200"), ("content-type", "application/grpc"),
      ("grpc-accept-encoding", "identity,gzip,zstd"),
    ]
    answer = HeaderBlock(common)
    gzipAnswer = HeaderBlock(common + [("grpc-encoding", "gzip")])
    zstdAnswer = HeaderBlock(common + [("grpc-encoding", "zstd")])
    okTrailer = HeaderBlock([("grpc-status", "0")])
    request = HeaderBlock(
      [
        (":method", "POST"), (":scheme", ""), (":path", ""), (":authority", ""),
        ("te", "trailers"),
        ("content-type", "application/grpc"), ("user-agent", "flotilla"),
        ("grpc-accept-encoding", "identity,gzip,zstd"),
      ], spare: Self.requestSpare)
    Self.setCallbacks(callbacks)
    setOptions()
  }

  deinit {
    nghttp2_session_callbacks_del(callbacks)
    nghttp2_option_del(serverOptions)
    nghttp2_option_del(clientOptions)
    flotilla_h2_memory_end(memory)
    memory.deallocate()
  }

  /// The room for `grpc-timeout`, the token, `grpc-previous-rpc-attempts` and `grpc-encoding`.
  private static let requestSpare = 4
  static let schemePlace = 1
  static let pathPlace = 2
  static let authorityPlace = 3

  private func setOptions() {
    for options in [serverOptions, clientOptions] {
      nghttp2_option_set_no_closed_streams(options, 1)
      nghttp2_option_set_max_continuations(options, Self.continuationsMax)
    }
    // Credit is returned when a call is answered, not when its bytes have arrived.
    nghttp2_option_set_no_auto_window_update(serverOptions, 1)
    nghttp2_option_set_no_auto_ping_ack(serverOptions, 1)
    nghttp2_option_set_stream_reset_rate_limit(
      serverOptions, Self.resetsMax.burst, Self.resetsMax.perSecond)
  }

  private static func setCallbacks(_ callbacks: OpaquePointer) {
    nghttp2_session_callbacks_set_on_begin_headers_callback(callbacks) { _, frame, owner in
      let head = flotilla_h2_head(frame!).pointee
      HTTP2Connection.of(owner) { $0.headersBegin(head.stream_id) }
      return 0
    }
    nghttp2_session_callbacks_set_on_header_callback2(callbacks) {
      _, frame, name, value, _, owner in
      let stream = flotilla_h2_head(frame!).pointee.stream_id
      HTTP2Connection.of(owner) {
        $0.header(stream, HTTP2Context.bytes(name), HTTP2Context.bytes(value))
      }
      return 0
    }
    nghttp2_session_callbacks_set_on_data_chunk_recv_callback(callbacks) {
      _, flags, stream, bytes, count, owner in
      let chunk = UnsafeRawBufferPointer(start: bytes, count: count)
      let ends = flags & UInt8(NGHTTP2_FLAG_END_STREAM.rawValue) != 0
      HTTP2Connection.of(owner) { $0.data(stream, chunk, endsStream: ends) }
      return 0
    }
    nghttp2_session_callbacks_set_on_frame_recv_callback(callbacks) { _, frame, owner in
      HTTP2Connection.of(owner) { $0.received(frame!) }
      return 0
    }
    nghttp2_session_callbacks_set_on_frame_send_callback(callbacks) { _, frame, owner in
      HTTP2Connection.of(owner) { $0.sent(frame!) }
      return 0
    }
    nghttp2_session_callbacks_set_on_stream_close_callback(callbacks) {
      _, stream, code, owner in
      HTTP2Connection.of(owner) { $0.streamClosed(stream, code: code) }
      return 0
    }
  }

  private static func bytes(_ buffer: OpaquePointer?) -> UnsafeRawBufferPointer {
    let view = nghttp2_rcbuf_get_buf(buffer)
    return UnsafeRawBufferPointer(start: view.base, count: view.len)
  }

  // MARK: outgoing messages

  func takeOutgoing() -> OutgoingMessages { idle.popLast() ?? OutgoingMessages() }

  func give(_ messages: OutgoingMessages) {
    messages.reset()
    if idle.count < Self.idleMax { idle.append(messages) }
  }

  // MARK: incoming header blocks

  func takeHead() -> RequestHead { heads.popLast() ?? RequestHead() }

  func give(_ head: RequestHead) {
    head.reset()
    // More than one head is in use only if a header block arrived in two reads.
    if heads.count < 64 { heads.append(head) }
  }
}
