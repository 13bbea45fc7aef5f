internal import SimulationCore
internal import Wire

/// A client at the server: its calls, its windows and its good manners.
final class ServerConnection: LinkDelegate {
  let slot: UInt32
  let generation: UInt32
  let link: Link
  /// Stays as long as a connection is open; asked a dozen times a call.
  let server: RPCServer
  var streams = StreamTable<ServerStream>()
  var lastStream: UInt32 = 0
  /// What the last HEADERS asked for, and DATA may repeat; nil: nothing that may be repeated.
  var opening: (method: CollectorMethod, timeoutMilliseconds: UInt32)?
  var hasSentSettings = false
  var isGoingAway = false
  var hasCalled = false
  /// Accepted, or the last whole call.
  var lastActive: WallInstant
  var pingsThisSecond = 0
  /// DATA bytes that the client may still send; counts down as they come.
  var receiveWindow: Int
  var consumed = 0
  /// DATA bytes that may still go to the client. A message may begin while it is positive.
  var sendWindow = Carrier.windowBytes
  var stalled = StalledFrames()
  var recentCalls = RecentCalls()
  /// Streams whose message has not come whole.
  var halfOpen = 0
  /// Bytes of a part of a frame, counted with those in flight.
  var countedHeld = 0
  /// Since when the part of a frame is held that was not whole after the last read; nil: none.
  var heldSince: WallInstant?
  /// Since when a reader takes nothing of what waits for it; nil: it does, or nothing waits.
  var unreadSince: WallInstant?
  var countedRead = 0
  var countedWritten = 0

  struct ServerStream {
    let id: UInt32
    var method: CollectorMethod
    var openedAt: WallInstant
    var deadline: WallInstant?
    /// Only for a message that came in parts.
    var assembly: StreamAssembly?
    /// What the request took of the window.
    var dataBytes = 0
    /// Of the message, or of what has come of it.
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
    heldSince = nil
    do {
      switch frame.type {
      case .headers: try headers(frame)
      case .data: try data(frame)
      case .cancel: cancelled(frame.stream)
      case .settings: try settings(CarrierSettings(frame.body))
      case .ping: ping(frame)
      case .window: try window(frame)
      case .goAway:
        isGoingAway = true
        closeIfDone()
      case .status: throw WireError.malformedFrame(.status, reason: "a client sends none")
      }
    } catch let error as WireError {
      protocolError(error)
    } catch {
      protocolError(.malformedFrame(frame.type, reason: "\(error)"))
    }
  }

  func headers(_ frame: Frame) throws(WireError) {
    try begin(frame)
    opening = nil
    let headers = try CallHeaders(frame.body)
    let named = CollectorMethod(path: headers.path)
    server.count { $0.started[ServerCounters.index(of: named)] += 1 }
    if let refusal = refusal(of: headers) {
      return answer(frame.stream, busyRefusal ?? refusal, to: named)
    }
    guard let method = named else {
      return answer(
        frame.stream, busyRefusal ?? CallStatus(.unimplemented, "no such method"), to: nil)
    }
    opening = (method, headers.timeoutMilliseconds)
    _ = open(frame.stream, method, timeoutMilliseconds: headers.timeoutMilliseconds)
  }

  /// A new stream: their numbers only grow.
  private func begin(_ frame: Frame) throws(WireError) {
    guard frame.stream > lastStream else {
      throw .malformedFrame(frame.type, reason: "stream \(frame.stream) after \(lastStream)")
    }
    lastStream = frame.stream
    server.count { $0.calls += 1 }
  }

  /// Opens the stream of a DATA frame that repeats the last HEADERS; false: it was refused.
  private func reopen(_ frame: Frame) throws(WireError) -> Bool {
    try begin(frame)
    guard let opening else {
      throw .malformedFrame(.data, reason: "there are no HEADERS that it could repeat")
    }
    server.count { $0.started[ServerCounters.index(of: opening.method)] += 1 }
    return open(
      frame.stream, opening.method, timeoutMilliseconds: opening.timeoutMilliseconds)
  }

  private func open(
    _ stream: UInt32, _ method: CollectorMethod, timeoutMilliseconds: UInt32
  ) -> Bool {
    let now = server.loop.now
    if let refusal = busyRefusal ?? shedding(method, at: now) {
      answer(stream, refusal, to: method)
      return false
    }
    let timeout = Int64(timeoutMilliseconds)
    let deadline = timeout == 0 ? nil : now + .milliseconds(timeout)
    streams.append(
      ServerStream(id: stream, method: method, openedAt: now, deadline: deadline), at: stream)
    halfOpen += 1
    server.count { $0.streams += 1 }
    return true
  }

  /// Why the connection takes no call at the moment, whatever it asks for.
  private var busyRefusal: CallStatus? {
    if isGoingAway { return CallStatus(.unavailable, "the server is shutting down") }
    if streams.count >= server.limits.streamsMax {
      server.count { $0.streamsMaxHits += 1 }
      return CallStatus(.resourceExhausted, "streamsMax")
    }
    if stalled.bytes > bytesUnreadMax {
      server.count { $0.writeQueueBytesMaxHits += 1 }
      return CallStatus(.resourceExhausted, "writeQueueBytesMax")
    }
    return nil
  }

  /// Why a call with such headers never comes in on this connection.
  func refusal(of headers: CallHeaders) -> CallStatus? {
    if headers.metadataBytes > server.limits.metadataBytesMax
      || headers.metadataEntries > server.limits.metadataEntriesMax
    {
      server.count { $0.metadataBytesMaxHits += 1 }
      return CallStatus(.resourceExhausted, "metadataBytesMax")
    }
    guard server.isAuthorized(headers) else {
      return CallStatus(.unauthenticated, "this server asks for a token")
    }
    return nil
  }

  func shedding(_ method: CollectorMethod, at now: WallInstant) -> CallStatus? {
    let opening = CallOpening(
      method: method, at: now,
      queueingDelay: max(now - server.loop.pace.readySince, link.backlogDelay),
      connectionRate: method == .upload ? recentCalls.add(at: now) : 0)
    guard let refusal = server.handler.refusal(of: opening) else { return nil }
    // Who is asked to come again may stay; others have to make a call, or leave.
    hasCalled = true
    lastActive = now
    return refusal
  }

  func data(_ frame: Frame) throws(WireError) {
    receiveWindow -= frame.body.count
    // A message may begin while the window is open, so that it may overdraw it once.
    guard receiveWindow >= -(server.limits.messageBytesMax + Carrier.frameBodyBytesMax) else {
      server.count { $0.windowBytesHits += 1 }
      throw .messageTooLarge(bytes: frame.body.count, limit: server.limits.windowBytes)
    }
    var isRefused = false
    if frame.flags.contains(.repeatsHeaders) { isRefused = try !reopen(frame) }
    guard !isRefused, var stream = streams[frame.stream], stream.call == nil else {
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
        streams.update(frame.stream) { $0.dataBytes = stream.dataBytes }
        dispatch(frame.stream, message)
        return
      }
      guard hold(frame.body.count, of: &stream) else {
        return finish(frame.stream, inFlightRefusal)
      }
      let assembly =
        stream.assembly ?? StreamAssembly(messageBytesMax: server.limits.messageBytesMax)
      stream.assembly = assembly
      streams.update(frame.stream) { $0 = stream }
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

  /// Counts what has come of a message with the bytes in flight; false: it is too much.
  func hold(_ bytes: Int, of stream: inout ServerStream) -> Bool {
    guard server.counters.inFlightBytes + bytes <= server.limits.inFlightBytesMax else {
      return false
    }
    stream.inFlightBytes += bytes
    streams.update(stream.id) { $0.inFlightBytes = stream.inFlightBytes }
    server.count { $0.inFlightBytes += bytes }
    return true
  }

  var inFlightRefusal: CallStatus {
    server.count { $0.inFlightBytesMaxHits += 1 }
    return CallStatus(
      .resourceExhausted, "inFlightBytesMax",
      pushbackMilliseconds: server.limits.pushbackMilliseconds)
  }

  func dispatch(_ stream: UInt32, _ message: UnsafeRawBufferPointer) {
    let now = server.loop.now
    lastActive = now
    hasCalled = true
    guard var state = streams[stream] else { return }
    guard hold(message.count - state.inFlightBytes, of: &state) else {
      return finish(stream, inFlightRefusal)
    }
    let call = ServerCall(
      server, slot: slot, generation: generation, stream: stream, method: state.method,
      receivedAt: now, deadline: state.deadline)
    streams.update(stream) { $0.call = call }
    halfOpen -= 1
    server.handler.received(call, message: message)
  }

  func cancelled(_ stream: UInt32) {
    guard let state = remove(stream) else { return }
    server.count {
      $0.cancelled += 1
      $0.countEnd(of: state.method, .cancelled)
    }
    if let call = state.call { server.handler.cancelled(call) }
    closeIfDone()
  }

  func settings(_ settings: CarrierSettings) throws(WireError) {
    // Said once, before the first call: the difference to the default is what changes.
    sendWindow += settings.windowBytes - Carrier.windowBytes
  }

  func ping(_ frame: Frame) {
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

  func window(_ frame: Frame) throws(WireError) {
    guard frame.body.count == 4 else {
      throw .malformedFrame(.window, reason: "\(frame.body.count) bytes instead of 4")
    }
    sendWindow += Int(frame.body.loadBigEndian(UInt32.self, at: 0))
    while sendWindow > 0, let next = stalled.popFirst() {
      sendWindow -= next.dataBytes
      write { $0.append(next.frames) }
    }
  }
}
