internal import CUV
internal import SimulationCore
internal import Wire

/// Who opens calls on a channel; always on the loop's thread.
protocol ClientChannelOwner: AnyObject {
  /// The connection is open; `instant` is when its first byte went out.
  func channelConnected(_ channel: ClientChannel, at instant: WallInstant)
  func channel(_ channel: ClientChannel, stream: UInt32, message: UnsafeRawBufferPointer)
  /// The last word on a stream.
  func channel(_ channel: ClientChannel, stream: UInt32, ended status: CallStatus)
  /// The server granted window or finished streams: calls that waited may go.
  func channelMaySend(_ channel: ClientChannel)
  /// No new call may be opened; those that are open go on.
  func channelGoesAway(_ channel: ClientChannel)
  /// The connection is gone, and with it the streams that were open: each is named.
  func channelEnded(_ channel: ClientChannel, _ end: LinkEnd, open: [UInt32])
}

/// One connection of a client, and the calls that share it.
final class ClientChannel: LinkDelegate {
  /// The owner's own name for it.
  let tag: Int
  private let link: Link
  /// Let go when the link ends, which every link does. A weak one would make every later retain
  /// of the owner a slow one.
  private var owner: (any ClientChannelOwner)?
  private let metadata: [(key: String, value: [UInt8])]
  private var nextStream: UInt32 = 1
  private var opening: Opening?
  private var streams = StreamTable<StreamAssembly?>()
  private(set) var isGoingAway = false
  private var settings = CarrierSettings()
  private var sendWindow = Carrier.windowBytes
  private var consumed = 0

  /// The last HEADERS. Once a call of theirs has succeeded, the next of that kind repeat them.
  private struct Opening {
    let method: CollectorMethod
    let timeoutMilliseconds: UInt32
    let stream: UInt32
    var isGood = false

    /// The deadline is the client's to keep; the server may hear a sixty-fourth less or more.
    func suits(_ method: CollectorMethod, timeoutMilliseconds timeout: UInt32) -> Bool {
      let difference = timeout.distance(to: timeoutMilliseconds).magnitude
      return isGood && method == self.method && difference <= timeoutMilliseconds / 64
    }
  }

  /// Why a connection could not even be begun.
  struct ConnectFailure: Error {
    let code: Int32
    var reason: String { String(cString: uv_strerror(code)) }
    /// The generator's machine ran out of descriptors.
    var isDescriptorLimit: Bool { code == UV_EMFILE.rawValue || code == UV_ENFILE.rawValue }
    /// The generator's machine ran out of ports towards this destination.
    var isPortLimit: Bool { code == UV_EADDRNOTAVAIL.rawValue }
  }

  /// Begins to connect; the preface waits in the output for the first call.
  init(
    on loop: EventLoop, to address: Address, from source: Address?, noDelay: Bool,
    metadata: [(key: String, value: [UInt8])], tag: Int, owner: any ClientChannelOwner
  ) throws(ConnectFailure) {
    let descriptor = address.withPointer { to in
      source.map { source in
        source.withPointer {
          flotilla_connect(to, address.length, $0, source.length, noDelay ? 1 : 0)
        }
      } ?? flotilla_connect(to, address.length, nil, 0, noDelay ? 1 : 0)
    }
    guard descriptor >= 0 else { throw ConnectFailure(code: descriptor) }
    self.tag = tag
    self.owner = owner
    self.metadata = metadata
    link = Link(on: loop, isServer: false)
    // Fails only for a descriptor that is no socket or already watched; neither can be.
    uv_tcp_open(link.handle, descriptor)
    FrameEncoder.preface(into: &link.output)
    link.delegate = self
    link.startReading()
  }

  var isConnected: Bool { link.isConnected }
  var isUsable: Bool { !isGoingAway && !link.isClosing }
  var openStreams: Int { streams.count }
  var bytesRead: Int { link.bytesRead }
  var bytesWritten: Int { link.bytesWritten }

  /// Whether one more call may go out now.
  var maySend: Bool { isUsable && sendWindow > 0 && streams.count < settings.streamsMax }

  /// Opens a call with its one message. The bytes go out at `flush` or at the end of the turn.
  func call(
    _ method: CollectorMethod, _ message: [UInt8], timeout: WallDuration?
  ) -> UInt32 {
    let stream = nextStream
    nextStream += 1
    streams.append(nil, at: stream)
    let milliseconds = UInt32(clamping: timeout.map { max(1, $0.microseconds / 1_000) } ?? 0)
    let repeats = opening?.suits(method, timeoutMilliseconds: milliseconds) ?? false
    if !repeats {
      opening = Opening(method: method, timeoutMilliseconds: milliseconds, stream: stream)
      link.write {
        FrameEncoder.headers(
          stream: stream, path: method.path, timeoutMilliseconds: milliseconds,
          metadata: metadata, into: &$0)
      }
    }
    link.write { output in
      message.withUnsafeBytes {
        FrameEncoder.message(
          stream: stream, $0, endOfStream: true, repeatsHeaders: repeats, into: &output)
      }
    }
    sendWindow -= FrameEncoder.dataBytes(ofMessage: message.count)
    link.flushLater()
    return stream
  }

  func flush() { link.flush() }

  /// Gives a call up; nothing more is heard of it.
  func cancel(_ stream: UInt32) {
    guard streams.removeValue(forKey: stream) != nil, !link.isClosing else { return }
    FrameEncoder.cancel(stream: stream, into: &link.output)
    link.flushLater()
  }

  /// - Parameter reset: end with RST. A load generator's ports would else stay in TIME_WAIT for a
  ///   minute each, and 28,000 of them would be the end of `per-upload` at 470 uploads/s.
  func close(reset: Bool) {
    owner = nil
    link.end(.closedHere, reset: reset)
  }

  // MARK: frames in

  func link(_ link: Link, received frame: Frame) {
    do throws(WireError) {
      switch frame.type {
      case .data: try data(frame)
      case .status: try status(frame)
      case .settings: try newSettings(CarrierSettings(frame.body))
      case .ping:
        if !frame.flags.contains(.acknowledgement), frame.body.count == 8 {
          FrameEncoder.ping(
            frame.body.loadBigEndian(UInt64.self, at: 0), isAnswer: true, into: &link.output)
          link.flushLater()
        }
      case .window:
        guard frame.body.count == 4 else {
          throw .malformedFrame(.window, reason: "\(frame.body.count) bytes instead of 4")
        }
        sendWindow += Int(frame.body.loadBigEndian(UInt32.self, at: 0))
        owner?.channelMaySend(self)
      case .goAway: try goAway(frame)
      case .headers, .cancel:
        throw .malformedFrame(frame.type, reason: "a server sends none")
      }
    } catch {
      link.end(.protocolError(error))
    }
  }

  private func data(_ frame: Frame) throws(WireError) {
    credit(frame.body.count)
    guard let assembly = streams[frame.stream] else { return }
    if assembly == nil,
      let message = try StreamAssembly.whole(frame.body, settings.messageBytesMax)
    {
      owner?.channel(self, stream: frame.stream, message: message)
      return endIfLast(frame)
    }
    let parts = assembly ?? StreamAssembly(messageBytesMax: settings.messageBytesMax)
    streams.update(frame.stream) { $0 = parts }
    parts.assembler.begin(frame.body)
    while let message = try parts.assembler.next() {
      owner?.channel(self, stream: frame.stream, message: message)
    }
    parts.assembler.end()
    if !parts.assembler.holdsPartOfMessage { streams.update(frame.stream) { $0 = nil } }
    endIfLast(frame)
  }

  /// A server's last DATA frame says that the call has ended with OK.
  private func endIfLast(_ frame: Frame) {
    if frame.flags.contains(.endOfStream) { ended(frame.stream, CallStatus(.ok)) }
  }

  private func status(_ frame: Frame) throws(WireError) {
    ended(frame.stream, try CallStatus(frame))
  }

  private func ended(_ stream: UInt32, _ status: CallStatus) {
    guard streams.removeValue(forKey: stream) != nil else { return }
    if status.code == .ok, stream >= opening?.stream ?? .max { opening?.isGood = true }
    owner?.channel(self, stream: stream, ended: status)
    if !streams.isEmpty || !link.isClosing { owner?.channelMaySend(self) }
    closeIfDone()
  }

  private func newSettings(_ new: CarrierSettings) {
    sendWindow += new.windowBytes - settings.windowBytes
    settings = new
    owner?.channelMaySend(self)
  }

  private func goAway(_ frame: Frame) throws(WireError) {
    guard frame.body.count >= 5 else {
      throw .malformedFrame(.goAway, reason: "\(frame.body.count) bytes are too few")
    }
    let last = frame.body.loadBigEndian(UInt32.self, at: 0)
    // Why the server goes away is what becomes of the calls that it will not answer.
    let code = StatusCode(rawValue: frame.body[4]) ?? .unavailable
    isGoingAway = true
    owner?.channelGoesAway(self)
    for stream in streams.streams where stream > last {
      _ = streams.removeValue(forKey: stream)
      owner?.channel(self, stream: stream, ended: CallStatus(code, "the server went away"))
    }
    closeIfDone()
  }

  private func closeIfDone() {
    if isGoingAway, streams.isEmpty { link.end(.closedHere) }
  }

  private func credit(_ bytes: Int) {
    consumed += bytes
    guard consumed >= Carrier.windowBytes / 2 else { return }
    FrameEncoder.window(exchange(&consumed, with: 0), into: &link.output)
    link.flushLater()
  }

  func link(_ link: Link, broke error: WireError) {}

  func linkConnected(_ link: Link, at instant: WallInstant) {
    owner?.channelConnected(self, at: instant)
  }

  func linkDrained(_ link: Link) { owner?.channelMaySend(self) }

  func linkEnded(_ link: Link, _ end: LinkEnd) {
    let open = streams.streams
    streams.removeAll()
    exchange(&owner, with: nil)?.channelEnded(self, end, open: open)
  }
}
