internal import SimulationCore
internal import Wire

/// A client at the server: its calls, its windows and its good manners.
final class ServerConnection: LinkDelegate {
  let slot: UInt32
  let generation: UInt32
  private let link: Link
  private unowned let server: RPCServer
  private var streams: [UInt32: ServerStream] = [:]
  private var lastStream: UInt32 = 0
  private var hasSentSettings = false
  private var isGoingAway = false
  private var hasCalled = false
  private var lastActive: WallInstant
  private var pingsThisSecond = 0
  /// DATA bytes that the client may still send; counts down as they come.
  private var receiveWindow: Int
  private var consumed = 0
  /// DATA bytes that may still go to the client. A message may begin while it is positive.
  private var sendWindow = Carrier.windowBytes
  private var stalled: [(frames: [UInt8], dataBytes: Int)] = []
  private var stalledBytes = 0
  private var recentCalls = RecentCalls()
  private var countedRead = 0
  private var countedWritten = 0

  private struct ServerStream {
    var method: CollectorMethod
    var deadline: WallInstant?
    /// Only for a message that came in parts.
    var assembly: StreamAssembly?
    /// What the request took of the window.
    var dataBytes = 0
    var inFlightBytes = 0
    /// Set when the request was whole and went to the handler.
    var call: ServerCall?
  }

  init(server: RPCServer, link: Link, slot: UInt32, generation: UInt32) {
    self.server = server
    self.link = link
    self.slot = slot
    self.generation = generation
    receiveWindow = server.limits.windowBytes
    lastActive = server.loop.now
    link.delegate = self
  }

  // MARK: frames in

  func link(_ link: Link, received frame: Frame) {
    do {
      switch frame.type {
      case .headers: try headers(frame)
      case .data: try data(frame)
      case .cancel: cancelled(frame.stream)
      case .settings: try settings(CarrierSettings(frame.body))
      case .ping: ping(frame)
      case .window: try window(frame)
      case .goAway: isGoingAway = true
      case .status: throw WireError.malformedFrame(.status, reason: "a client sends none")
      }
    } catch let error as WireError {
      protocolError(error)
    } catch {
      protocolError(.malformedFrame(frame.type, reason: "\(error)"))
    }
  }

  private func headers(_ frame: Frame) throws(WireError) {
    let stream = frame.stream
    guard stream > lastStream else {
      throw .malformedFrame(.headers, reason: "stream \(stream) after \(lastStream)")
    }
    lastStream = stream
    hasCalled = true
    server.count { $0.calls += 1 }
    let headers = try CallHeaders(frame.body)
    let now = server.loop.now
    let named = CollectorMethod(path: headers.path)
    server.count { $0.started[ServerCounters.index(of: named)] += 1 }
    guard let method = named else {
      let refusal = refusal(of: headers) ?? CallStatus(.unimplemented, "no such method")
      return answer(stream, refusal, to: nil)
    }
    if let refusal = refusal(of: headers) ?? shedding(method, at: now) {
      return answer(stream, refusal, to: method)
    }
    let timeout = Int64(headers.timeoutMilliseconds)
    streams[stream] = ServerStream(
      method: method, deadline: timeout == 0 ? nil : now + .milliseconds(timeout))
    server.count { $0.streams += 1 }
  }

  private func refusal(of headers: CallHeaders) -> CallStatus? {
    if isGoingAway { return CallStatus(.unavailable, "the server is shutting down") }
    if streams.count >= server.limits.streamsMax {
      server.count { $0.streamsMaxHits += 1 }
      return CallStatus(.resourceExhausted, "streamsMax")
    }
    guard server.isAuthorized(headers) else {
      return CallStatus(.unauthenticated, "this server asks for a token")
    }
    return nil
  }

  private func shedding(_ method: CollectorMethod, at now: WallInstant) -> CallStatus? {
    let opening = CallOpening(
      method: method, at: now,
      queueingDelay: max(now - server.loop.pace.readySince, link.backlogDelay),
      connectionRate: method == .upload ? recentCalls.add(at: now) : 0)
    return server.handler.refusal(of: opening, on: server)
  }

  private func data(_ frame: Frame) throws(WireError) {
    receiveWindow -= frame.body.count
    // A message may begin while the window is open, so that it may overdraw it once.
    guard receiveWindow >= -(server.limits.messageBytesMax + Carrier.frameBodyBytesMax) else {
      server.count { $0.windowBytesHits += 1 }
      throw .messageTooLarge(bytes: frame.body.count, limit: server.limits.windowBytes)
    }
    guard var stream = streams[frame.stream], stream.call == nil else {
      // Sent before the client knew that the call is over.
      credit(frame.body.count)
      return
    }
    stream.dataBytes += frame.body.count
    let isEnd = frame.flags.contains(.endOfStream)
    do throws(WireError) {
      if stream.assembly == nil, isEnd,
        let message = try StreamAssembly.whole(frame.body, server.limits.messageBytesMax)
      {
        streams[frame.stream] = stream
        dispatch(frame.stream, message)
        return
      }
      let assembly =
        stream.assembly ?? StreamAssembly(messageBytesMax: server.limits.messageBytesMax)
      stream.assembly = assembly
      streams[frame.stream] = stream
      assembly.assembler.begin(frame.body)
      let message = try assembly.assembler.next()
      if isEnd {
        guard let message else {
          throw .malformedFrame(.data, reason: "the stream ends within a message")
        }
        dispatch(frame.stream, message)
      } else if message != nil {
        throw .malformedFrame(.data, reason: "a unary call has one message and ends with it")
      }
      assembly.assembler.end()
    } catch {
      if case .messageTooLarge = error { server.count { $0.messageBytesMaxHits += 1 } }
      finish(frame.stream, CallStatus(error.status, error.description))
    }
  }

  private func dispatch(_ stream: UInt32, _ message: UnsafeRawBufferPointer) {
    let now = server.loop.now
    lastActive = now
    guard let state = streams[stream] else { return }
    guard server.counters.inFlightBytes + message.count <= server.limits.inFlightBytesMax else {
      server.count { $0.inFlightBytesMaxHits += 1 }
      finish(
        stream,
        CallStatus(
          .resourceExhausted, "inFlightBytesMax",
          pushbackMilliseconds: server.limits.pushbackMilliseconds))
      return
    }
    let call = ServerCall(
      slot: slot, generation: generation, stream: stream, receivedAt: now,
      deadline: state.deadline)
    streams[stream]?.call = call
    streams[stream]?.inFlightBytes = message.count
    server.count { $0.inFlightBytes += message.count }
    server.handler.received(call, state.method, message: message, on: server)
  }

  private func cancelled(_ stream: UInt32) {
    guard let state = remove(stream) else { return }
    server.count {
      $0.cancelled += 1
      $0.countEnd(of: state.method, .cancelled)
    }
    if let call = state.call { server.handler.cancelled(call, state.method, on: server) }
    closeIfDone()
  }

  private func settings(_ settings: CarrierSettings) throws(WireError) {
    // Said once, before the first call: the difference to the default is what changes.
    sendWindow += settings.windowBytes - Carrier.windowBytes
  }

  private func ping(_ frame: Frame) {
    guard !frame.flags.contains(.acknowledgement) else { return }
    pingsThisSecond += 1
    guard pingsThisSecond <= server.limits.pingsPerSecondMax else {
      server.count { $0.pingsPerSecondMaxHits += 1 }
      protocolError(.malformedFrame(.ping, reason: "too many"))
      return
    }
    let payload = frame.body.count == 8 ? frame.body.loadBigEndian(UInt64.self, at: 0) : 0
    write { FrameEncoder.ping(payload, isAnswer: true, into: &$0) }
  }

  private func window(_ frame: Frame) throws(WireError) {
    guard frame.body.count == 4 else {
      throw .malformedFrame(.window, reason: "\(frame.body.count) bytes instead of 4")
    }
    sendWindow += Int(frame.body.loadBigEndian(UInt32.self, at: 0))
    while sendWindow > 0, !stalled.isEmpty {
      let next = stalled.removeFirst()
      stalledBytes -= next.frames.count
      sendWindow -= next.dataBytes
      write { $0.append(next.frames) }
    }
  }

  // MARK: frames out

  func reply(_ stream: UInt32, _ status: CallStatus, message: UnsafeRawBufferPointer) {
    guard let state = streams[stream], state.call != nil else { return }
    if status.code == .ok, !state.method.isServerStreaming {
      enqueue(dataBytes: FrameEncoder.dataBytes(ofMessage: message.count)) {
        FrameEncoder.message(stream: stream, message, endOfStream: false, into: &$0)
        FrameEncoder.status(stream: stream, status, into: &$0)
      }
      server.count {
        $0.statuses[Int(status.code.rawValue)] += 1
        $0.countEnd(of: state.method, status.code)
      }
      _ = remove(stream)
      closeIfDone()
    } else {
      finish(stream, status)
    }
  }

  func send(_ stream: UInt32, message: UnsafeRawBufferPointer) -> StreamSend {
    guard streams[stream]?.call != nil else { return .gone }
    guard link.bytesQueued + stalledBytes + message.count <= server.limits.writeQueueBytesMax else {
      server.count { $0.writeQueueBytesMaxHits += 1 }
      return .full
    }
    enqueue(dataBytes: FrameEncoder.dataBytes(ofMessage: message.count)) {
      FrameEncoder.message(stream: stream, message, endOfStream: false, into: &$0)
    }
    return .queued
  }

  /// Ends an open stream with a status.
  private func finish(_ stream: UInt32, _ status: CallStatus) {
    guard let state = remove(stream) else { return }
    answer(stream, status, to: state.method)
    closeIfDone()
  }

  private func answer(_ stream: UInt32, _ status: CallStatus, to method: CollectorMethod?) {
    server.count {
      $0.statuses[Int(status.code.rawValue)] += 1
      $0.countEnd(of: method, status.code)
    }
    enqueue(dataBytes: 0) { FrameEncoder.status(stream: stream, status, into: &$0) }
  }

  private func enqueue(dataBytes: Int, _ encode: (inout ByteBuffer) -> Void) {
    if stalled.isEmpty, sendWindow > 0 || dataBytes == 0 {
      sendWindow -= dataBytes
      write(encode)
    } else {
      var buffer = ByteBuffer()
      encode(&buffer)
      stalledBytes += buffer.count
      stalled.append((buffer.copyBytes(), dataBytes))
    }
    // Streams were asked before; answers to a reader that takes none end here.
    if link.bytesQueued + stalledBytes > 2 * server.limits.writeQueueBytesMax {
      server.count { $0.writeQueueBytesMaxHits += 1 }
      link.end(.closedHere, reset: true)
    }
  }

  private func write(_ encode: (inout ByteBuffer) -> Void) {
    guard !link.isClosing else { return }
    if !hasSentSettings {
      hasSentSettings = true
      var settings = CarrierSettings()
      settings.windowBytes = server.limits.windowBytes
      settings.streamsMax = server.limits.streamsMax
      settings.messageBytesMax = server.limits.messageBytesMax
      // A client knows the defaults; only a server that differs has something to say.
      if settings != CarrierSettings() { FrameEncoder.settings(settings, into: &link.output) }
    }
    encode(&link.output)
    link.flushLater()
  }

  private func remove(_ stream: UInt32) -> ServerStream? {
    guard let state = streams.removeValue(forKey: stream) else { return nil }
    server.count {
      $0.streams -= 1
      $0.inFlightBytes -= state.inFlightBytes
    }
    credit(state.dataBytes)
    return state
  }

  /// Gives window back once half of it has been used up; a connection of one upload never needs.
  private func credit(_ bytes: Int) {
    consumed += bytes
    guard consumed >= server.limits.windowBytes / 2 else { return }
    let grant = exchange(&consumed, with: 0)
    receiveWindow += grant
    write { FrameEncoder.window(grant, into: &$0) }
  }

  // MARK: the end

  func sweep(at now: WallInstant) {
    pingsThisSecond = 0
    countBytes()
    guard streams.isEmpty else { return }
    if !hasCalled, now - lastActive > server.limits.firstCallTime {
      server.count { $0.firstCallTimeHits += 1 }
      link.end(.closedHere)
    } else if now - lastActive > server.limits.idleTime {
      server.count { $0.idleTimeHits += 1 }
      goAway()
    }
  }

  /// Calls that are open may finish; streams end now.
  func goAway() {
    guard !isGoingAway else { return }
    isGoingAway = true
    write {
      FrameEncoder.goAway(
        lastStream: lastStream, .unavailable, "the server is shutting down", into: &$0)
    }
    for (stream, state) in streams where state.method.isServerStreaming || state.call == nil {
      if let call = state.call { server.handler.cancelled(call, state.method, on: server) }
      finish(stream, CallStatus(.unavailable, "the server is shutting down"))
    }
    closeIfDone()
  }

  private func closeIfDone() {
    guard isGoingAway, streams.isEmpty, !link.isClosing else { return }
    link.flush()
    // What the kernel has not taken yet goes out before the end.
    if link.bytesQueued == 0 { link.end(.closedHere) }
  }

  func close() { link.end(.closedHere) }

  private func protocolError(_ error: WireError) {
    link(link, broke: error)
    link.end(.protocolError(error))
  }

  func link(_ link: Link, broke error: WireError) {
    // A stranger who does not know the preface would not know a GOAWAY either.
    guard error != .badPreface else { return }
    write {
      FrameEncoder.goAway(lastStream: lastStream, error.status, error.description, into: &$0)
    }
    link.flush()
  }

  func linkConnected(_ link: Link, at instant: WallInstant) {}

  func linkDrained(_ link: Link) { closeIfDone() }

  func linkEnded(_ link: Link, _ end: LinkEnd) {
    if case .protocolError = end { server.count { $0.protocolErrors += 1 } }
    countBytes()
    for (_, state) in streams {
      server.count {
        $0.streams -= 1
        $0.inFlightBytes -= state.inFlightBytes
        $0.countEnd(of: state.method, .cancelled)
      }
      if let call = state.call {
        server.count { $0.cancelled += 1 }
        server.handler.cancelled(call, state.method, on: server)
      }
    }
    streams = [:]
    server.ended(self)
  }

  private func countBytes() {
    let (read, written) = (link.bytesRead, link.bytesWritten)
    server.count {
      $0.bytesRead += UInt64(read - countedRead)
      $0.bytesWritten += UInt64(written - countedWritten)
    }
    (countedRead, countedWritten) = (read, written)
  }
}
