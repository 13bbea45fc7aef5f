internal import Core
internal import Wire

final class FlotillaServerCarrier: ServerCarrier {
  let link: Link
  private var connection: ServerConnection?
  private let server: RPCServer
  private var decoder = FrameDecoder(expectsPreface: true)
  private var hasSentSettings = false
  /// Whether both sides have announced that they decode compressed messages.
  private var compresses = false
  private var lastStream: UInt32 = 0
  private var opening: (method: CollectorMethod, timeoutMilliseconds: UInt32)?
  /// The DATA bytes that the client may still send.
  private var receiveWindow: Int
  private var consumedBytes = 0
  /// The DATA bytes that may still go to the client. While any are left, a message may begin.
  private var sendWindow = Carrier.windowBytes
  private var stalled = StalledFrames()

  init(on link: Link, of connection: ServerConnection) {
    self.link = link
    self.connection = connection
    server = connection.server
    receiveWindow = server.limits.windowBytes
    link.start(for: self)
  }

  var bytesStalled: Int { stalled.bytes }

  // MARK: frames in

  func linkReceived(_ bytes: UnsafeRawBufferPointer) {
    guard let connection else { return }
    decoder.begin(bytes)
    do throws(WireError) {
      while !link.isClosed, let frame = try decoder.next() {
        connection.frameIsWhole()
        try received(frame, for: connection)
      }
      if !link.isClosed { endRead(connection) }
    } catch {
      connection.breaks(error)
    }
  }

  /// Adds the bytes of an incomplete frame to the connection's bytes in flight.
  private func endRead(_ connection: ServerConnection) {
    decoder.end()
    let bytes = decoder.bytesBuffered
    if bytes > 0 || connection.countedBytes > 0 { connection.holds(bytes) }
  }

  private func received(_ frame: Frame, for connection: ServerConnection) throws(WireError) {
    switch frame.type {
    case .headers: try headers(frame, for: connection)
    case .data: try data(frame, for: connection)
    case .cancel: connection.cancelled(frame.stream)
    case .settings:
      // The client sends SETTINGS once, before its first call, with changes of the defaults.
      let settings = try CarrierSettings(frame.body)
      sendWindow += settings.windowBytes - Carrier.windowBytes
      agree(settings)
    case .ping:
      guard !frame.flags.contains(.acknowledgement) else { return }
      connection.pings(frame.body.loadBigEndian(UInt64.self, at: 0))
    case .window: grow(by: try frame.windowGrant())
    case .goAway: connection.clientGoesAway()
    case .status: throw .malformedFrame(.status, reason: "a client sends none")
    }
  }

  /// Announces in the server's first output that the server decodes compressed messages.
  private func agree(_ settings: CarrierSettings) {
    guard settings.takesCompressed, !hasSentSettings else { return }
    compresses = true
    write { _ in }
  }

  private func headers(
    _ frame: Frame, for connection: ServerConnection
  ) throws(WireError) {
    try begin(frame, for: connection)
    opening = nil
    let headers = try CallHeaders(frame.body)
    let method = CollectorMethod(path: headers.path)
    let isTaken = connection.mayOpen(frame.stream, method, headers)
    guard isTaken, let method else { return }
    opening = (method, headers.timeoutMilliseconds)
    _ = connection.opens(
      frame.stream, method, timeoutMilliseconds: headers.timeoutMilliseconds,
      encoding: compresses ? .zstd : .identity)
  }

  private func begin(_ frame: Frame, for connection: ServerConnection) throws(WireError) {
    guard frame.stream > lastStream else {
      throw .malformedFrame(frame.type, reason: "stream \(frame.stream) after \(lastStream)")
    }
    lastStream = frame.stream
    connection.begins()
  }

  /// Opens the call of a DATA frame that repeats HEADERS. Returns false if the call was refused.
  private func reopen(
    _ frame: Frame, for connection: ServerConnection
  ) throws(WireError) -> Bool {
    try begin(frame, for: connection)
    guard let opening else {
      throw .malformedFrame(.data, reason: "there are no HEADERS to repeat")
    }
    connection.countStart(of: opening.method)
    return connection.opens(
      frame.stream, opening.method, timeoutMilliseconds: opening.timeoutMilliseconds,
      encoding: compresses ? .zstd : .identity)
  }

  private func data(_ frame: Frame, for connection: ServerConnection) throws(WireError) {
    receiveWindow -= frame.body.count
    // A message may begin while the window is open, so it may exceed the window once.
    guard receiveWindow >= -(server.limits.messageBytesMax + Carrier.frameBodyBytesMax) else {
      server.hit(.windowBytes)
      throw .messageTooLarge(bytes: frame.body.count, limit: server.limits.windowBytes)
    }
    if frame.flags.contains(.repeatsHeaders), try !reopen(frame, for: connection) {
      return consumed(frame.body.count)
    }
    connection.receives(
      frame.stream, frame.body, isLast: frame.flags.contains(.endOfStream))
  }

  private func grow(by bytes: Int) {
    sendWindow += bytes
    while sendWindow > 0, let next = stalled.popFirst() {
      sendWindow -= next.dataBytes
      write { $0.append(next.frames) }
    }
  }

  // MARK: frames out

  func send(_ call: UInt32, _ message: UnsafeRawBufferPointer, isLast: Bool) {
    if compresses, message.count >= MessageCompressor.messageBytesMin {
      var packed = ByteBuffer(capacity: 0)
      if server.loop.compressor.compress(message, .zstd, into: &packed) {
        return send(call, packed.readable, isLast: isLast, isCompressed: true)
      }
    }
    send(call, message, isLast: isLast, isCompressed: false)
  }

  private func send(
    _ call: UInt32, _ message: UnsafeRawBufferPointer, isLast: Bool, isCompressed: Bool
  ) {
    enqueue(dataBytes: FrameEncoder.dataBytes(ofMessage: message.count)) {
      FrameEncoder.message(
        stream: call, message, endOfStream: isLast, isCompressed: isCompressed, into: &$0)
    }
  }

  func end(_ call: UInt32, _ status: CallStatus) {
    enqueue(dataBytes: 0) { FrameEncoder.status(stream: call, status, into: &$0) }
  }

  private func enqueue(dataBytes: Int, _ encode: (inout ByteBuffer) -> Void) {
    if stalled.isEmpty, sendWindow > 0 || dataBytes == 0 {
      sendWindow -= dataBytes
      write(encode)
    } else {
      var buffer = ByteBuffer()
      encode(&buffer)
      stalled.append(buffer.copyBytes(), dataBytes: dataBytes)
    }
  }

  private func write(_ encode: (inout ByteBuffer) -> Void) {
    guard !link.isClosed else { return }
    if !hasSentSettings {
      hasSentSettings = true
      var settings = CarrierSettings()
      settings.windowBytes = server.limits.windowBytes
      settings.streamsMax = server.limits.streamsMax
      settings.messageBytesMax = server.limits.messageBytesMax
      settings.dictionary = server.limits.dictionary
      settings.takesCompressed = compresses
      // A client knows the defaults, so only other settings are sent.
      if settings != CarrierSettings() {
        link.append { FrameEncoder.settings(settings, into: &$0) }
      }
    }
    link.write(encode)
  }

  /// Grants the client more window once half of the window is used up.
  func consumed(_ bytes: Int) {
    consumedBytes += bytes
    guard consumedBytes >= server.limits.windowBytes / 2 else { return }
    let grant = exchange(&consumedBytes, with: 0)
    receiveWindow += grant
    write { FrameEncoder.window(grant, into: &$0) }
  }

  func goAway(_ code: StatusCode, _ text: String) {
    write { FrameEncoder.goAway(lastStream: lastStream, code, text, into: &$0) }
  }

  func pong(_ payload: UInt64) {
    write { FrameEncoder.ping(payload, isAnswer: true, into: &$0) }
  }

  // MARK: the link

  func linkDrained() { connection?.drained() }
  func linkEnded(_ end: LinkError) { exchange(&connection, with: nil)?.ended(end) }
}
