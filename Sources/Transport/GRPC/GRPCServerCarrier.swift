internal import CNghttp2
internal import Core
internal import Wire

/// The server's side of gRPC on HTTP/2. Call numbers are stream numbers. A call's window credit
/// returns to the client when the call is answered. Credit for incomplete messages beyond half of
/// the window is lent (`LentCredit`) while the server is below half of `inFlightBytesMax`.
final class GRPCServerCarrier: HTTP2Connection, ServerCarrier {
  private var connection: ServerConnection?
  private let server: RPCServer
  private var head: RequestHead?
  /// The object of `head`, unretained, since reference counting costs more than reading a field.
  private var headOfFields: Unmanaged<RequestHead>?
  private var lent = LentCredit()
  var serviceCalls: [Int32: GRPCServiceCall] = [:]
  private var isGoingAway = false

  init(on link: Link, of connection: ServerConnection) {
    self.connection = connection
    server = connection.server
    super.init(.server, on: link)
    let limits = server.limits
    submit([
      NGHTTP2_SETTINGS_MAX_CONCURRENT_STREAMS: limits.streamsMax,
      NGHTTP2_SETTINGS_INITIAL_WINDOW_SIZE: limits.windowBytes,
      NGHTTP2_SETTINGS_MAX_HEADER_LIST_SIZE: limits.metadataBytesMax,
      NGHTTP2_SETTINGS_NO_RFC7540_PRIORITIES: 1,
    ])
    _ = nghttp2_session_set_local_window_size(session.raw, 0, 0, Int32(limits.windowBytes))
    link.start(for: self)
    outputLater()
  }

  var bytesStalled: Int { bytesPending }
  /// The bytes queued in the link. Any data still in the session counts as one byte.
  var bytesQueued: Int { link.bytesQueued + (session.wantsOutput ? 1 : 0) }
  var otherCalls: Int { serviceCalls.count }

  // MARK: frames in

  override func headersBegin(_ stream: Int32) {
    let taken = context.takeHead()
    head = taken
    headOfFields = .passUnretained(taken)
  }

  override func header(
    _ stream: Int32, _ name: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer
  ) { headOfFields?._withUnsafeGuaranteedRef { $0.add(name, value) } }

  override func received(_ frame: UnsafePointer<nghttp2_frame>) {
    guard let connection, !isClosed else { return }
    let frameHead = flotilla_h2_head(frame).pointee
    let ends = frameHead.flags & UInt8(NGHTTP2_FLAG_END_STREAM.rawValue) != 0
    switch UInt32(frameHead.type) {
    case NGHTTP2_HEADERS.rawValue:
      connection.machine.worked()
      guard let head = exchange(&head, with: nil) else { return }
      headOfFields = nil
      // A client's trailers are ignored.
      if frame.pointee.headers.cat == NGHTTP2_HCAT_REQUEST {
        open(frameHead.stream_id, head, for: connection)
      }
      context.give(head)
      if ends { requestEnds(frameHead.stream_id, connection) }
    case NGHTTP2_DATA.rawValue:
      connection.machine.worked()
      if ends { requestEnds(frameHead.stream_id, connection) }
    case NGHTTP2_WINDOW_UPDATE.rawValue: connection.machine.worked()
    case NGHTTP2_PING.rawValue:
      guard frameHead.flags & UInt8(NGHTTP2_FLAG_ACK.rawValue) == 0 else { return }
      connection.keepsAlive(flotilla_h2_ping_payload(frame))
    case NGHTTP2_GOAWAY.rawValue:
      isGoingAway = true
      connection.clientGoesAway()
    default: break
    }
  }

  override func data(_ stream: Int32, _ bytes: UnsafeRawBufferPointer, endsStream: Bool) {
    guard let connection, !isClosed else { return }
    if let call = serviceCalls[stream] {
      consumed(bytes.count)
      creditStream(stream, bytes.count)
      return call.received(bytes)
    }
    // A frame may arrive in parts, each with the frame's flag. The message's length shows whether a
    // part is the last.
    let isWhole =
      endsStream && bytes.count >= Carrier.messagePrefixBytes
      && bytes.count - Carrier.messagePrefixBytes
        == Int(bytes.loadBigEndian(UInt32.self, at: 1))
    connection.receives(UInt32(stream), bytes, isLast: isWhole)
    guard !isWhole else { return }
    creditStream(stream, bytes.count)
    credit(lend())
  }

  private func requestEnds(_ stream: Int32, _ connection: ServerConnection) {
    if let call = serviceCalls[stream] { return call.halfClosed() }
    connection.receives(UInt32(stream), .init(start: nil, count: 0), isLast: true)
  }

  override func streamClosed(_ stream: Int32, code: UInt32) {
    if let messages = messages(of: stream) { drop(messages) }
    if let call = serviceCalls.removeValue(forKey: stream) { call.closed() }
    connection?.cancelled(UInt32(stream))
  }

  // MARK: calls

  private func open(_ stream: Int32, _ head: RequestHead, for connection: ServerConnection) {
    let number = UInt32(stream)
    connection.begins()
    guard head.isGRPC, head.otherMethod == nil else { return page(stream, head) }
    rememberEncodings(head.accepts, of: stream)
    guard let method = head.method else { return openService(stream, head, for: connection) }
    guard let encoding = head.encoding else {
      connection.countStart(of: method)
      return connection.answer(number, Self.unknownEncoding, to: method)
    }
    guard head.fault == nil else {
      connection.countStart(of: method)
      return connection.answer(
        number, CallStatus(.internal, "grpc-timeout is malformed"), to: method)
    }
    guard connection.mayOpen(number, method, head) else { return }
    _ = connection.opens(
      number, method, timeoutMilliseconds: head.timeoutMilliseconds, encoding: encoding)
  }

  private static var unknownEncoding: CallStatus {
    CallStatus(.unimplemented, "grpc-encoding is none of identity, gzip, zstd")
  }

  private func openService(
    _ stream: Int32, _ head: RequestHead, for connection: ServerConnection
  ) {
    let number = UInt32(stream)
    // swift-format-ignore: a path with invalid UTF-8 names nothing, repaired or not.
    let path = String(decoding: head.path, as: UTF8.self)
    guard let service = server.services.first(where: { $0.serves(path) }) else {
      _ = connection.mayOpen(number, nil, head)
      return
    }
    guard connection.mayOpenService(number, head) else { return }
    guard let encoding = head.encoding else {
      return connection.answer(number, Self.unknownEncoding, to: nil)
    }
    let call = GRPCServiceCall(
      stream, of: self, path: path, metadata: head.metadata, encoding: encoding,
      messageBytesMax: server.limits.messageBytesMax)
    serviceCalls[stream] = call
    service.begin(call)
  }

  /// Tells the client not to send the rest of a request that was answered before the request's end.
  override func sent(_ frame: UnsafePointer<nghttp2_frame>) {
    super.sent(frame)
    let head = flotilla_h2_head(frame).pointee
    switch UInt32(head.type) {
    case NGHTTP2_HEADERS.rawValue, NGHTTP2_DATA.rawValue, NGHTTP2_WINDOW_UPDATE.rawValue:
      connection?.machine.worked()
    default: break
    }
    guard head.flags & UInt8(NGHTTP2_FLAG_END_STREAM.rawValue) != 0,
      UInt32(head.type) <= NGHTTP2_HEADERS.rawValue,
      nghttp2_session_get_stream_remote_close(session.raw, head.stream_id) == 0
    else { return }
    _ = nghttp2_submit_rst_stream(
      session.raw, 0, head.stream_id, NGHTTP2_NO_ERROR.rawValue)
  }

  // MARK: flow control

  func consumed(_ bytes: Int) {
    let inParts = connection?.bytesInParts ?? 0
    let due = lent.ended(bytes, inParts: inParts, window: server.limits.windowBytes)
    credit(due + lend())
  }

  private func lend() -> Int {
    guard let connection,
      server.counters[.inFlightBytes] < server.limits.inFlightBytesMax / 2
    else { return 0 }
    return lent.lend(inParts: connection.bytesInParts, window: server.limits.windowBytes)
  }

  private func credit(_ bytes: Int) {
    guard bytes > 0, !link.isClosed else { return }
    // The call fails only for more bytes than have arrived.
    _ = nghttp2_session_consume_connection(session.raw, bytes)
    if session.wantsOutput { outputLater() }
  }

  /// Returns stream credit at once, since only the connection's window limits the kept bytes.
  private func creditStream(_ stream: Int32, _ bytes: Int) {
    _ = nghttp2_session_consume_stream(session.raw, stream, bytes)
  }

  // MARK: the connection

  func pong(_ payload: UInt64) {
    _ = flotilla_h2_submit_ping(session.raw, 1, payload)
    outputLater()
  }

  func goAway(_ code: StatusCode, _ text: String) {
    guard !link.isClosed else { return }
    isGoingAway = true
    saysGoAway = true
    let status = CallStatus(code, text)
    for call in serviceCalls.values { call.finish(status) }
    // gRPC clients know the limit of PINGs as "too_many_pings".
    let reason = text == ServerLimit.pingsPerSecondMax.rawValue ? "too_many_pings" : text
    let last = nghttp2_session_get_last_proc_stream_id(session.raw)
    Array(reason.utf8).withUnsafeBufferPointer {
      _ = nghttp2_submit_goaway(
        session.raw, 0, last, Self.errorCode(of: code), $0.baseAddress, $0.count)
    }
    outputLater()
  }

  /// The HTTP/2 error code ENHANCE_YOUR_CALM (RFC 9113, section 7).
  private static let excessiveLoad: UInt32 = 0xb

  private static func errorCode(of code: StatusCode) -> UInt32 {
    switch code {
    case .unavailable, .ok: NGHTTP2_NO_ERROR.rawValue
    case .resourceExhausted, .deadlineExceeded: excessiveLoad
    case .internal: NGHTTP2_PROTOCOL_ERROR.rawValue
    case .cancelled, .unknown, .invalidArgument, .notFound, .alreadyExists, .permissionDenied,
      .failedPrecondition, .aborted, .outOfRange, .unimplemented, .dataLoss, .unauthenticated:
      NGHTTP2_INTERNAL_ERROR.rawValue
    }
  }

  func close(_ end: LinkError, reset: Bool) { self.end(end, reset: reset) }

  override func turnEnded() { if isGoingAway { connection?.drained() } }
  override func linkDrained() { connection?.drained() }

  override func ended(_ end: LinkError) {
    let calls = exchange(&serviceCalls, with: [:])
    for call in calls.values { call.closed() }
    exchange(&connection, with: nil)?.ended(end)
  }
}
