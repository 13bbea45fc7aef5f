internal import CNghttp2
internal import Wire

extension GRPCServerCarrier {
  func send(_ call: UInt32, _ message: UnsafeRawBufferPointer, isLast: Bool) {
    send(Int32(call), message, end: isLast ? .ok : .none)
  }

  func send(
    _ stream: Int32, _ message: UnsafeRawBufferPointer, end: OutgoingMessages.End,
    headers: [(name: String, value: [UInt8])] = [], compress: Bool = true
  ) {
    guard !link.isClosed else { return }
    let (messages, isNew) = messagesToSend(of: stream, compress: compress)
    bytesPending += messages.append(message, link.loop.compressor)
    messages.end = end
    if isNew { begin(messages, headers) } else { messages.resume(session) }
    outputLater()
  }

  func messagesToSend(
    of stream: Int32, compress: Bool
  ) -> (OutgoingMessages, isNew: Bool) {
    if let messages = messages(of: stream) { return (messages, false) }
    let messages = beginMessages(of: stream)
    messages.encoding =
      compress ? RequestHead.answerEncoding(accepting: encodings(of: stream)) : .identity
    setMessages(messages, of: stream)
    return (messages, true)
  }

  func begin(
    _ messages: OutgoingMessages, _ headers: [(name: String, value: [UInt8])]
  ) {
    let stream = messages.stream
    guard headers.isEmpty else {
      var fields = Self.answerFields
      if messages.encoding != .identity {
        fields.append(("grpc-encoding", Array("\(messages.encoding.name)".utf8)))
      }
      return HeaderBlock.withFields(fields + headers) { respond(stream, $0, $1, messages) }
    }
    switch messages.encoding {
    case .identity: respond(stream, context.answer.fields, context.answer.count, messages)
    case .gzip: respond(stream, context.gzipAnswer.fields, context.gzipAnswer.count, messages)
    case .zstd: respond(stream, context.zstdAnswer.fields, context.zstdAnswer.count, messages)
    }
  }

  private static let answerFields: [(name: String, value: [UInt8])] = [
    (":status", Array("200".utf8)), ("content-type", Array("application/grpc".utf8)),
    ("grpc-accept-encoding", Array("identity,gzip,zstd".utf8)),
  ]

  /// - Parameter messages: the messages to send after the fields; nil ends the stream.
  private func respond(
    _ stream: Int32, _ fields: UnsafePointer<nghttp2_nv>?, _ count: Int,
    _ messages: OutgoingMessages?
  ) {
    // The calls fail only after a reset of the stream, and then `streamClosed` drops the messages.
    guard let messages else {
      _ = nghttp2_submit_response(session.raw, stream, fields, count, nil)
      return
    }
    var provider = messages.provider
    _ = nghttp2_submit_response(session.raw, stream, fields, count, &provider)
  }

  func end(_ call: UInt32, _ status: CallStatus) { end(Int32(call), status, trailers: []) }

  func end(_ stream: Int32, _ status: CallStatus, trailers: [(name: String, value: [UInt8])]) {
    guard !link.isClosed else { return }
    defer { outputLater() }
    if let messages = messages(of: stream) {
      messages.end =
        status == CallStatus(.ok) && trailers.isEmpty
        ? .ok : .status(status, trailers: trailers)
      return messages.resume(session)
    }
    HeaderBlock.withFields(Self.answerFields + GRPCText.trailers(of: status) + trailers) {
      respond(stream, $0, $1, nil)
    }
  }

  // MARK: per-stream data kept by nghttp2

  func data(of stream: Int32) -> UInt {
    UInt(bitPattern: nghttp2_session_get_stream_user_data(session.raw, stream))
  }

  func messages(of stream: Int32) -> OutgoingMessages? {
    let data = data(of: stream)
    guard data != 0, data & 1 == 0, let place = UnsafeRawPointer(bitPattern: data) else {
      return nil
    }
    // `setMessages` has set the data. The connection keeps the object until the stream has closed.
    return Unmanaged<OutgoingMessages>.fromOpaque(place).takeUnretainedValue()
  }

  func setMessages(_ messages: OutgoingMessages, of stream: Int32) {
    _ = nghttp2_session_set_stream_user_data(
      session.raw, stream, Unmanaged.passUnretained(messages).toOpaque())
  }

  func encodings(of stream: Int32) -> UInt8 {
    let data = data(of: stream)
    return data & 1 == 1 ? UInt8(truncatingIfNeeded: data >> 1) : 0
  }

  func rememberEncodings(_ bits: UInt8, of stream: Int32) {
    guard RequestHead.answerEncoding(accepting: bits) != .identity else { return }
    _ = nghttp2_session_set_stream_user_data(
      session.raw, stream, UnsafeMutableRawPointer(bitPattern: UInt(bits) << 1 | 1))
  }

  /// Answers a request without gRPC, with a page for / and otherwise with an HTTP error.
  func page(_ stream: Int32, _ head: RequestHead) {
    let answer = PlainAnswer(
      method: head.otherMethod ?? Array("POST".utf8), path: head.path,
      contentType: head.otherContentType)
    let fields: [(name: String, value: [UInt8])] = [
      (":status", Array("\(answer.status)".utf8)),
      ("content-type", Array("text/plain; charset=utf-8".utf8)),
      ("content-length", Array("\(answer.text.utf8.count)".utf8)),
      (answer.advice.name, Array(answer.advice.value.utf8)),
    ]
    defer { outputLater() }
    guard head.otherMethod?.elementsEqual("HEAD".utf8) != true else {
      return HeaderBlock.withFields(fields) { respond(stream, $0, $1, nil) }
    }
    let messages = beginMessages(of: stream)
    setMessages(messages, of: stream)
    bytesPending += messages.appendPlain(answer.text)
    messages.end = .endOfStream
    HeaderBlock.withFields(fields) { respond(stream, $0, $1, messages) }
  }
}
