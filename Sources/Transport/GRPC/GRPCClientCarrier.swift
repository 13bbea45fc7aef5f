internal import CNghttp2
internal import Core
internal import Wire

/// The client's side of gRPC on HTTP/2. Call n is on stream 2n - 1.
final class GRPCClientCarrier: HTTP2Connection, ClientCarrier {
  private let tag: Int
  private var owner: (any ClientCarrierOwner)?
  private var machine = ClientConnectionMachine()
  private let authority: String
  private let scheme: StaticString
  private let metadata: [(key: String, value: [UInt8])]
  private var streams = StreamTable<Answer>()
  private var head = AnswerHead()
  /// The last timeout and its text. A similar timeout sends the same text, in one byte of HPACK.
  private var timeout: (milliseconds: Int64, text: [UInt8]) = (0, [])

  /// Whether requests are compressed once the server has listed zstd.
  private let compresses: Bool
  private var serverTakesZstd = false

  private struct Answer {
    var parts: PartialMessage?
    var encoding = MessageEncoding.identity
    /// The status from the trailers, or from the headers of an answer without gRPC.
    var status: CallStatus?
  }

  init(
    on link: Link, authority: String, metadata: [(key: String, value: [UInt8])], tag: Int,
    compresses: Bool, owner: any ClientCarrierOwner
  ) {
    self.tag = tag
    self.compresses = compresses
    self.owner = owner
    self.authority = authority
    scheme = link.isSecured ? "https" : "http"
    self.metadata = metadata
    super.init(.client, on: link)
    submit([
      NGHTTP2_SETTINGS_ENABLE_PUSH: 0,
      NGHTTP2_SETTINGS_INITIAL_WINDOW_SIZE: Carrier.windowBytes,
    ])
    _ = nghttp2_session_set_local_window_size(session.raw, 0, 0, Int32(2 * Carrier.windowBytes))
    link.start(for: self)
  }

  var isConnected: Bool { link.isConnected }
  var isUsable: Bool { machine.takesCalls }
  var bytesRead: Int { link.bytesRead }
  var bytesWritten: Int { link.bytesWritten }
  var maySend: Bool {
    guard machine.takesCalls, !isClosed else { return false }
    let window = Int(nghttp2_session_get_remote_window_size(session.raw))
    let streamsMax = nghttp2_session_get_remote_settings(
      session.raw, NGHTTP2_SETTINGS_MAX_CONCURRENT_STREAMS)
    return window > bytesPending && streams.count < Int(min(streamsMax, Self.streamsMax))
  }

  private static let streamsMax = UInt32(Carrier.streamsMax)

  // MARK: calls out

  func call(
    _ method: CollectorMethod, _ message: [UInt8], timeout: WallDuration?, previousAttempts: Int
  ) -> ClientCall {
    let messages = beginMessages(of: 0)
    messages.end = .endOfStream
    let isWorthIt = message.count >= MessageCompressor.messageBytesMin
    messages.encoding = compresses && serverTakesZstd && isWorthIt ? .zstd : .identity
    let bytes = message.withUnsafeBytes { messages.append($0, link.loop.compressor) }
    bytesPending += bytes
    if bytes < message.count {
      owner?.sent(
        method, plainBytes: message.count, bytes: bytes - Carrier.messagePrefixBytes)
    }
    var provider = messages.provider
    setTimeout(timeout)
    // The number of attempts is sent only for retries, which are rare (gRFC A6).
    let previous = previousAttempts > 0 ? Array("\(previousAttempts)".utf8) : []
    return opened(submit(method.path, previous, &provider, messages), messages)
  }

  func call(_ request: GRPCRequest, timeout: WallDuration?) -> ClientCall {
    let messages = beginMessages(of: 0)
    messages.end = .endOfStream
    messages.encoding = request.encoding
    bytesPending += request.message.withUnsafeBytes { messages.append($0, link.loop.compressor) }
    var provider = messages.provider
    setTimeout(timeout)
    let stream = Unmanaged.passUnretained(messages).toOpaque()
    let texts = RequestTexts(request, authority: authority, timeout: self.timeout.text)
    let number = texts.withFields(context.request, scheme) { fields in
      nghttp2_submit_request(
        session.raw, nil, fields.baseAddress, fields.count, &provider, stream)
    }
    return opened(number, messages)
  }

  private func opened(_ stream: Int32, _ messages: OutgoingMessages) -> ClientCall {
    guard stream > 0 else { return refused(messages) }
    messages.stream = stream
    let number = UInt32(stream + 1) / 2
    streams.append(Answer(), at: number)
    outputLater()
    return ClientCall(connection: tag, number: number)
  }

  /// Gives up the connection, after a billion calls or without memory.
  private func refused(_ messages: OutgoingMessages) -> ClientCall {
    drop(messages)
    end(.failed(reason: "no stream is left on the connection"), reset: false)
    return ClientCall(connection: tag, number: 0)
  }

  /// Sets the timeout to send, which may differ from `timeout` by a sixty-fourth.
  private func setTimeout(_ timeout: WallDuration?) {
    guard let timeout else {
      self.timeout = (0, [])
      return
    }
    let milliseconds = max(1, timeout.microseconds / 1_000)
    guard abs(self.timeout.milliseconds - milliseconds) > self.timeout.milliseconds / 64 else {
      return
    }
    self.timeout = (milliseconds, GRPCText.timeout(milliseconds: milliseconds))
  }

  /// - Parameter previous: the number of earlier attempts as text, or empty.
  private func submit(
    _ path: StaticString, _ previous: [UInt8], _ provider: inout nghttp2_data_provider,
    _ messages: OutgoingMessages
  ) -> Int32 {
    // nghttp2 copies all fields that are not static before the submit returns.
    let fields = context.request.fields
    fields[HTTP2Context.schemePlace] = HeaderBlock.field(":scheme", scheme)
    fields[HTTP2Context.pathPlace] = HeaderBlock.field(":path", path)
    let stream = Unmanaged.passUnretained(messages).toOpaque()
    let token = metadata.first?.value ?? []
    var authority = authority
    return authority.withUTF8 { host in
      fields[HTTP2Context.authorityPlace] = HeaderBlock.field(
        ":authority", UnsafeRawBufferPointer(host))
      var count = context.request.count
      func add(_ name: StaticString, _ value: UnsafeRawBufferPointer) {
        guard !value.isEmpty else { return }
        fields[count] = HeaderBlock.field(name, value)
        count += 1
      }
      return timeout.text.withUnsafeBytes { wait in
        token.withUnsafeBytes { token in
          previous.withUnsafeBytes { previous in
            add("grpc-timeout", wait)
            add("authorization", token)
            add("grpc-previous-rpc-attempts", previous)
            if messages.encoding == .zstd { add("grpc-encoding", MessageEncoding.zstd.name.bytes) }
            return nghttp2_submit_request(session.raw, nil, fields, count, &provider, stream)
          }
        }
      }
    }
  }

  func cancel(_ call: ClientCall) {
    guard streams.removeValue(forKey: call.number) != nil else { return }
    _ = nghttp2_submit_rst_stream(
      session.raw, 0, Int32(call.number) * 2 - 1, NGHTTP2_CANCEL.rawValue)
    outputLater()
  }

  func close(reset: Bool) {
    owner = nil
    end(.closedHere, reset: reset)
  }

  // MARK: frames in

  override func headersBegin(_ stream: Int32) { head = AnswerHead(acceptsZstd: serverTakesZstd) }

  override func header(
    _ stream: Int32, _ name: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer
  ) { head.add(name, value) }

  override func received(_ frame: UnsafePointer<nghttp2_frame>) {
    guard !isClosed else { return }
    let frameHead = flotilla_h2_head(frame).pointee
    switch UInt32(frameHead.type) {
    case NGHTTP2_HEADERS.rawValue:
      let ends = frameHead.flags & UInt8(NGHTTP2_FLAG_END_STREAM.rawValue) != 0
      received(head, on: frameHead.stream_id, isLast: ends)
    case NGHTTP2_SETTINGS.rawValue, NGHTTP2_WINDOW_UPDATE.rawValue: owner?.maySend(tag)
    case NGHTTP2_GOAWAY.rawValue: perform(machine.serverGoesAway())
    default: break
    }
  }

  private func received(_ head: AnswerHead, on stream: Int32, isLast: Bool) {
    serverTakesZstd = serverTakesZstd || head.acceptsZstd
    streams.update(UInt32(stream + 1) / 2) { answer in
      answer.encoding = head.encoding ?? answer.encoding
      if answer.status == nil, isLast || head.isForeign { answer.status = head.status }
    }
  }

  override func data(_ stream: Int32, _ bytes: UnsafeRawBufferPointer, endsStream: Bool) {
    let number = UInt32(stream + 1) / 2
    // Data after the status, such as a proxy's error page, is not a message.
    guard !isClosed, let answer = streams[number], answer.status == nil else { return }
    let call = ClientCall(connection: tag, number: number)
    do throws(WireError) {
      let takesCompressed = answer.encoding != .identity
      if answer.parts == nil,
        let message = try PartialMessage.whole(
          bytes, Carrier.messageBytesMax, takesCompressed: takesCompressed)
      {
        return try received(call, message, answer.encoding, isCompressed: bytes[0] != 0)
      }
      let parts =
        answer.parts
        ?? PartialMessage(
          messageBytesMax: Carrier.messageBytesMax, takesCompressed: takesCompressed)
      streams.update(number) { $0.parts = parts }
      parts.assembler.begin(bytes)
      while let message = try parts.assembler.next() {
        try received(call, message, answer.encoding, isCompressed: parts.assembler.isCompressed)
      }
      parts.assembler.end()
      if !parts.assembler.holdsPartOfMessage { streams.update(number) { $0.parts = nil } }
    } catch {
      cancel(call)
      owner?.ended(call, CallStatus(error.status, error.description))
    }
  }

  private func received(
    _ call: ClientCall, _ message: UnsafeRawBufferPointer, _ encoding: MessageEncoding,
    isCompressed: Bool
  ) throws(WireError) {
    guard isCompressed else {
      owner?.received(call, message)
      return
    }
    let plain = try link.loop.compressor.decompress(
      message, encoding, limit: Carrier.messageBytesMax)
    owner?.received(call, plainBytes: plain.count, bytes: message.count)
    owner?.received(call, plain)
  }

  override func streamClosed(_ stream: Int32, code: UInt32) {
    if let data = nghttp2_session_get_stream_user_data(session.raw, stream) {
      // `submit` has set the stream's data, and the connection's list has kept the object alive.
      drop(Unmanaged<OutgoingMessages>.fromOpaque(data).takeUnretainedValue())
    }
    let number = UInt32(stream + 1) / 2
    guard let answer = streams.removeValue(forKey: number) else { return }
    let status =
      answer.status
      ?? CallStatus(
        GRPCText.status(ofReset: code),
        "the stream was closed without a status: "
          + String(cString: nghttp2_http2_strerror(code)))
    owner?.ended(ClientCall(connection: tag, number: number), status)
    if !isClosed { owner?.maySend(tag) }
    perform(machine.callEnded(open: streams.count))
  }

  private func perform(_ action: ClientConnectionMachine.Action) {
    switch action {
    case .none: break
    case .announceGoingAway:
      owner?.goesAway(tag)
      perform(machine.callEnded(open: streams.count))
    case .close: end(.closedHere, reset: false)
    }
  }

  // MARK: the link

  override func linkConnected(at instant: WallInstant) {
    // HTTP/2 over TLS requires that both sides agreed on HTTP/2 (RFC 9113, section 3.2).
    guard !link.isSecured || link.applicationProtocol == .h2 else {
      return end(.failed(reason: Self.disagreement), reset: false)
    }
    owner?.connected(tag, at: instant)
  }

  private static let disagreement =
    "TLS: the peer did not accept HTTP/2 (ALPN 'h2'); it may not serve gRPC"

  override func linkDrained() { owner?.maySend(tag) }

  override func ended(_ end: LinkError) {
    machine.ended()
    let open = streams.streams.map { ClientCall(connection: tag, number: $0) }
    streams.removeAll()
    exchange(&owner, with: nil)?.ended(tag, end, open: open)
  }
}

private struct AnswerHead {
  private var httpStatus = 200
  private var code: StatusCode?
  private var text = ""
  private var pushback: Int32?
  private var hasOtherContent = false
  private(set) var encoding: MessageEncoding?
  private(set) var acceptsZstd: Bool

  /// - Parameter acceptsZstd: whether an earlier answer listed zstd.
  init(acceptsZstd: Bool = false) { self.acceptsZstd = acceptsZstd }

  mutating func add(_ name: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer) {
    switch name.count {
    case 7 where name.equals(":status"): httpStatus = GRPCText.number(value) ?? 500
    case 12 where name.equals("content-type"):
      hasOtherContent = !ContentType.isGRPC(value)
    case 11 where name.equals("grpc-status"):
      // An unknown code counts as UNKNOWN, as in gRPC.
      code =
        GRPCText.number(value).flatMap { StatusCode(rawValue: UInt8(clamping: $0)) } ?? .unknown
    case 12 where name.equals("grpc-message"): text = GRPCText.percentDecoded(value)
    case 13 where name.equals("grpc-encoding"): encoding = MessageEncoding(name: value)
    case 20 where !acceptsZstd && name.equals("grpc-accept-encoding"):
      acceptsZstd = RequestHead.encodings(in: value) & 1 << MessageEncoding.zstd.rawValue != 0
    case 22 where name.equals("grpc-retry-pushback-ms"):
      // A value that is not a number forbids a retry (gRFC A6).
      pushback = GRPCText.number(value).flatMap(Int32.init(exactly:)) ?? -1
    default: break
    }
  }

  /// Whether the answer is not gRPC, for example from a proxy whose server is down.
  var isForeign: Bool { code == nil && (httpStatus >= 300 || hasOtherContent) }

  var status: CallStatus {
    if let code { return CallStatus(code, text, pushbackMilliseconds: pushback) }
    return httpStatus == 200
      ? CallStatus(.unknown, "the answer ended without a grpc-status")
      : CallStatus(GRPCText.status(ofHTTP: httpStatus), "HTTP status \(httpStatus)")
  }
}
