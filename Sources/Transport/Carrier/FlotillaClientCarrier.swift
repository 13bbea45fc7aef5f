internal import Core
internal import Wire

final class FlotillaClientCarrier: ClientCarrier, LinkOwner {
  private let tag: Int
  private let link: Link
  /// The owner, released when the link ends. A weak reference would slow every retain of the owner.
  private var owner: (any ClientCarrierOwner)?
  private var decoder = FrameDecoder(expectsPreface: false)
  private var machine = ClientConnectionMachine()
  private let compresses: Bool
  private var nextStream: UInt32 = 1
  private let metadata: [(key: String, value: [UInt8])]
  private var opening: Opening?
  private var streams = StreamTable<PartialMessage?>()
  private var sendWindow = Carrier.windowBytes
  private var consumed = 0
  private var settings = CarrierSettings()

  private struct Opening {
    let method: CollectorMethod
    let timeoutMilliseconds: UInt32
    let stream: UInt32
    var isGood = false

    /// Returns whether a call can repeat these headers. The timeout may differ by a sixty-fourth.
    func suits(_ method: CollectorMethod, timeoutMilliseconds timeout: UInt32) -> Bool {
      let difference = timeout.distance(to: timeoutMilliseconds).magnitude
      return isGood && method == self.method && difference <= timeoutMilliseconds / 64
    }
  }

  /// Creates a carrier. The preface and the settings stay in the output until the first call.
  init(
    on link: Link, metadata: [(key: String, value: [UInt8])], tag: Int, compresses: Bool,
    owner: any ClientCarrierOwner
  ) {
    self.compresses = compresses
    self.link = link
    self.tag = tag
    self.owner = owner
    self.metadata = metadata
    link.start(for: self)
    link.append { FrameEncoder.preface(into: &$0) }
    guard compresses else { return }
    var settings = CarrierSettings()
    settings.takesCompressed = true
    link.append { FrameEncoder.settings(settings, into: &$0) }
  }

  var isConnected: Bool { link.isConnected }
  var isUsable: Bool { machine.takesCalls }
  var bytesRead: Int { link.bytesRead }
  var bytesWritten: Int { link.bytesWritten }
  var maySend: Bool {
    machine.takesCalls && sendWindow > 0 && streams.count < settings.streamsMax
  }

  // MARK: calls out

  func call(
    _ method: CollectorMethod, _ message: [UInt8], timeout: WallDuration?, previousAttempts: Int
  ) -> ClientCall {
    let stream = nextStream
    nextStream += 1
    streams.append(nil, at: stream)
    let milliseconds = UInt32(clamping: timeout.map { max(1, $0.microseconds / 1_000) } ?? 0)
    let repeats = opening?.suits(method, timeoutMilliseconds: milliseconds) ?? false
    if !repeats {
      opening = Opening(method: method, timeoutMilliseconds: milliseconds, stream: stream)
    }
    let headers = repeats ? nil : milliseconds
    if let packed = packed(message, method) {
      write(method, packed, isCompressed: true, to: stream, headers: headers)
    } else {
      write(method, message, isCompressed: false, to: stream, headers: headers)
    }
    return ClientCall(connection: tag, number: stream)
  }

  /// - Parameter headers: the timeout to send, or nil to repeat the previous call's headers.
  private func write(
    _ method: CollectorMethod, _ message: [UInt8], isCompressed: Bool, to stream: UInt32,
    headers milliseconds: UInt32?
  ) {
    link.write { output in
      if let milliseconds {
        FrameEncoder.headers(
          stream: stream, path: method.path, timeoutMilliseconds: milliseconds,
          metadata: metadata, into: &output)
      }
      message.withUnsafeBytes {
        FrameEncoder.message(
          stream: stream, $0, endOfStream: true, repeatsHeaders: milliseconds == nil,
          isCompressed: isCompressed, into: &output)
      }
    }
    sendWindow -= FrameEncoder.dataBytes(ofMessage: message.count)
  }

  /// Returns the message as a zstd frame, or nil to send it uncompressed.
  private func packed(_ message: [UInt8], _ method: CollectorMethod) -> [UInt8]? {
    guard compresses, settings.takesCompressed, message.count >= MessageCompressor.messageBytesMin
    else { return nil }
    var packed = ByteBuffer(capacity: 0)
    let isSmaller = message.withUnsafeBytes {
      link.loop.compressor.compress($0, .zstd, into: &packed)
    }
    guard isSmaller else { return nil }
    owner?.sent(method, plainBytes: message.count, bytes: packed.count)
    return packed.copyBytes()
  }

  func flush() { link.flush() }

  func cancel(_ call: ClientCall) {
    guard streams.removeValue(forKey: call.number) != nil else { return }
    link.write { FrameEncoder.cancel(stream: call.number, into: &$0) }
  }

  func close(reset: Bool) {
    owner = nil
    link.end(.closedHere, reset: reset)
  }

  // MARK: frames in

  func linkReceived(_ bytes: UnsafeRawBufferPointer) {
    decoder.begin(bytes)
    do throws(WireError) {
      while !link.isClosed, let frame = try decoder.next() { try received(frame) }
      if !link.isClosed { decoder.end() }
    } catch {
      link.end(.protocolError(error))
    }
  }

  private func received(_ frame: Frame) throws(WireError) {
    switch frame.type {
    case .data: try data(frame)
    case .status: ended(frame.stream, try CallStatus(frame))
    case .settings: newSettings(try CarrierSettings(frame.body))
    case .ping:
      guard !frame.flags.contains(.acknowledgement) else { return }
      let payload = frame.body.loadBigEndian(UInt64.self, at: 0)
      link.write { FrameEncoder.ping(payload, isAnswer: true, into: &$0) }
    case .window:
      sendWindow += try frame.windowGrant()
      owner?.maySend(tag)
    case .goAway: try goAway(frame)
    case .headers, .cancel:
      throw .malformedFrame(frame.type, reason: "a server sends none")
    }
  }

  private func data(_ frame: Frame) throws(WireError) {
    credit(frame.body.count)
    guard let assembly = streams[frame.stream] else { return }
    let call = ClientCall(connection: tag, number: frame.stream)
    if assembly == nil,
      let message = try PartialMessage.whole(
        frame.body, settings.messageBytesMax, takesCompressed: compresses)
    {
      try received(call, message, isCompressed: frame.body[0] != 0)
      return endIfLast(frame)
    }
    let parts =
      assembly
      ?? PartialMessage(
        messageBytesMax: settings.messageBytesMax, takesCompressed: compresses)
    streams.update(frame.stream) { $0 = parts }
    parts.assembler.begin(frame.body)
    while let message = try parts.assembler.next() {
      try received(call, message, isCompressed: parts.assembler.isCompressed)
    }
    parts.assembler.end()
    if !parts.assembler.holdsPartOfMessage { streams.update(frame.stream) { $0 = nil } }
    endIfLast(frame)
  }

  private func received(
    _ call: ClientCall, _ message: UnsafeRawBufferPointer, isCompressed: Bool
  ) throws(WireError) {
    guard isCompressed else {
      owner?.received(call, message)
      return
    }
    let plain = try link.loop.compressor.decompress(
      message, .zstd, limit: settings.messageBytesMax)
    owner?.received(call, plainBytes: plain.count, bytes: message.count)
    owner?.received(call, plain)
  }

  private func endIfLast(_ frame: Frame) {
    if frame.flags.contains(.endOfStream) { ended(frame.stream, CallStatus(.ok)) }
  }

  private func ended(_ stream: UInt32, _ status: CallStatus) {
    guard streams.removeValue(forKey: stream) != nil else { return }
    if status.code == .ok, stream >= opening?.stream ?? .max { opening?.isGood = true }
    owner?.ended(ClientCall(connection: tag, number: stream), status)
    if !streams.isEmpty || !link.isClosed { owner?.maySend(tag) }
    perform(machine.callEnded(open: streams.count))
  }

  private func newSettings(_ new: CarrierSettings) {
    sendWindow += new.windowBytes - settings.windowBytes
    settings = new
    owner?.maySend(tag)
  }

  private func goAway(_ frame: Frame) throws(WireError) {
    let (last, code) = try frame.goAway()
    perform(machine.serverGoesAway())
    for stream in streams.streams where stream > last {
      _ = streams.removeValue(forKey: stream)
      // Calls that the server will not answer end with the server's reason.
      owner?.ended(
        ClientCall(connection: tag, number: stream), CallStatus(code, "the server went away"))
    }
    perform(machine.callEnded(open: streams.count))
  }

  private func perform(_ action: ClientConnectionMachine.Action) {
    switch action {
    case .none: break
    case .announceGoingAway: owner?.goesAway(tag)
    case .close: link.end(.closedHere)
    }
  }

  private func credit(_ bytes: Int) {
    consumed += bytes
    guard consumed >= Carrier.windowBytes / 2 else { return }
    let grant = exchange(&consumed, with: 0)
    link.write { FrameEncoder.window(grant, into: &$0) }
  }

  // MARK: the link

  func linkConnected(at instant: WallInstant) { owner?.connected(tag, at: instant) }

  func linkDrained() { owner?.maySend(tag) }

  func linkEnded(_ end: LinkError) {
    machine.ended()
    let open = streams.streams.map { ClientCall(connection: tag, number: $0) }
    streams.removeAll()
    exchange(&owner, with: nil)?.ended(tag, end, open: open)
  }
}
