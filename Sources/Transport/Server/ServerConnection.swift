internal import Core
internal import Wire

/// A client's connection at the server, with its open calls, for the loop's thread only.
final class ServerConnection {
  let slot: UInt32
  let generation: UInt32
  /// The server, retained while the connection is open, since each call uses it a dozen times.
  let server: RPCServer
  /// The carrier, set by `init` and replaced once the first bytes have identified the protocol.
  private(set) var carrier: (any ServerCarrier)!
  var machine: ServerConnectionMachine
  var halfOpen: Int32 = 0
  var calls = StreamTable<OpenCall>()
  var bytesInParts = 0
  private var recentCalls = RecentCalls()
  /// The bytes of an incomplete frame that count as bytes in flight.
  var countedBytes = 0
  var countedRead = 0
  var countedWritten = 0

  struct OpenCall {
    /// The instant at which the call was opened, or, after dispatch, its last byte was read.
    var since: WallInstant
    let deadline: WallInstant?
    let method: CollectorMethod
    /// The encoding of a message that is marked as compressed.
    let encoding: MessageEncoding
    var isDispatched = false
    let number: UInt32
    /// The parts of the message so far, or nil if the message does not arrive in parts.
    var assembly: PartialMessage?
    var dataBytes: UInt32 = 0
    var inFlightBytes: UInt32 = 0
  }

  init(server: RPCServer, link: Link, slot: UInt32, generation: UInt32) {
    self.server = server
    self.slot = slot
    self.generation = generation
    machine = ServerConnectionMachine(acceptedAt: server.loop.now)
    switch link.applicationProtocol {
    case .h2: carrier = CarrierKind.grpc.makeServer(on: link, of: self)
    case nil: carrier = FirstBytes(on: link, of: self)
    }
  }

  func carry(by carrier: any ServerCarrier) { self.carrier = carrier }

  // MARK: carrier events

  func begins() { server.count { $0[.calls] += 1 } }

  func countStart(of method: CollectorMethod?) {
    server.count { $0.started[ServerCounters.index(of: method)] += 1 }
  }

  /// Returns whether a call may be opened, and answers a refused call. `method` is nil if unknown.
  func mayOpen(
    _ number: UInt32, _ method: CollectorMethod?, _ metadata: some CallMetadata
  ) -> Bool {
    server.loop.assertOnLoop()
    countStart(of: method)
    if let refusal = refusal(of: metadata) {
      answer(number, busyRefusal ?? refusal, to: method)
      return false
    }
    guard method != nil else {
      answer(number, busyRefusal ?? CallStatus(.unimplemented, "no such method"), to: nil)
      return false
    }
    return true
  }

  func mayOpenService(_ number: UInt32, _ metadata: some CallMetadata) -> Bool {
    countStart(of: nil)
    if let refusal = refusal(of: metadata) ?? busyRefusal {
      answer(number, refusal, to: nil)
      return false
    }
    machine.called(at: server.loop.now)
    return true
  }

  /// Opens a call. Returns false if the call was refused and answered.
  func opens(
    _ number: UInt32, _ method: CollectorMethod, timeoutMilliseconds: UInt32,
    encoding: MessageEncoding = .identity
  ) -> Bool {
    server.loop.assertOnLoop()
    let now = server.loop.now
    if let refusal = busyRefusal ?? shedding(method, at: now) {
      answer(number, refusal, to: method)
      return false
    }
    let timeout = Int64(timeoutMilliseconds)
    let deadline = timeout == 0 ? nil : now + .milliseconds(timeout)
    calls.append(
      OpenCall(
        since: now, deadline: deadline, method: method, encoding: encoding, number: number),
      at: number)
    halfOpen += 1
    server.count { $0[.streams] += 1 }
    return true
  }

  /// Takes bytes of a call's message, which begins with gRPC's prefix.
  func receives(_ number: UInt32, _ bytes: UnsafeRawBufferPointer, isLast: Bool) {
    server.loop.assertOnLoop()
    guard var open = calls[number], !open.isDispatched else {
      // The client sent these bytes before it knew that the call had ended.
      return carrier.consumed(bytes.count)
    }
    open.dataBytes += UInt32(bytes.count)
    // The count is stored at once, so that a failed call returns all its credit.
    calls.update(number) { $0.dataBytes = open.dataBytes }
    bytesInParts += bytes.count
    do throws(MessageError) {
      if open.assembly == nil, isLast,
        let message = try PartialMessage.wholeRequest(
          bytes, server.limits.messageBytesMax, takesCompressed: open.encoding != .identity)
      {
        return try dispatch(number, message, isCompressed: bytes[0] != 0)
      }
      try add(bytes, to: &open, isLast: isLast)
    } catch {
      if error.isTooLarge { server.hit(.messageBytesMax) }
      finish(number, error.status)
    }
  }

  private func add(
    _ bytes: UnsafeRawBufferPointer, to open: inout OpenCall, isLast: Bool
  ) throws(MessageError) {
    guard hold(bytes.count, of: &open) else { return finish(open.number, inFlightRefusal) }
    let assembly =
      open.assembly
      ?? PartialMessage(
        messageBytesMax: server.limits.messageBytesMax,
        takesCompressed: open.encoding != .identity)
    open.assembly = assembly
    let changed = open
    calls.update(open.number) { $0 = changed }
    if let message = try assembly.take(bytes, isLast: isLast) {
      try dispatch(open.number, message, isCompressed: assembly.assembler.isCompressed)
    }
    assembly.assembler.end()
  }

  func cancelled(_ number: UInt32) {
    guard let open = remove(number) else { return }
    server.count {
      $0[.cancelled] += 1
      $0.countEnd(of: open.method, .cancelled)
    }
    if open.isDispatched { server.handler.cancelled(call(open)) }
    perform(machine.callEnded(openCalls: calls.count))
  }

  // MARK: refusals

  private var busyRefusal: CallStatus? {
    if machine.isGoingAway { return CallStatus(.unavailable, "the server is shutting down") }
    if calls.count >= server.limits.streamsMax {
      server.hit(.streamsMax)
      return CallStatus(.resourceExhausted, "streamsMax")
    }
    if carrier.bytesStalled > server.limits.bytesUnreadMax {
      server.hit(.writeQueueBytesMax)
      return CallStatus(.resourceExhausted, "writeQueueBytesMax")
    }
    return nil
  }

  private func refusal(of metadata: some CallMetadata) -> CallStatus? {
    if metadata.metadataBytes > server.limits.metadataBytesMax
      || metadata.metadataEntries > server.limits.metadataEntriesMax
    {
      server.hit(.metadataBytesMax)
      return CallStatus(.resourceExhausted, "metadataBytesMax")
    }
    guard server.isAuthorized(metadata) else {
      return CallStatus(.unauthenticated, "this server requires a token")
    }
    return nil
  }

  private func shedding(_ method: CollectorMethod, at now: WallInstant) -> CallStatus? {
    let opening = CallOpening(
      method: method, at: now,
      queueingDelay: max(now - server.loop.pace.readySince, carrier.backlogDelay),
      connectionRate: method == .upload ? recentCalls.add(at: now) : 0)
    guard let refusal = server.handler.refusal(of: opening) else { return nil }
    machine.called(at: now)
    return refusal
  }

  private func hold(_ bytes: Int, of open: inout OpenCall) -> Bool {
    guard server.counters[.inFlightBytes] + bytes <= server.limits.inFlightBytesMax else {
      return false
    }
    open.inFlightBytes = UInt32(Int(open.inFlightBytes) + bytes)
    let held = open.inFlightBytes
    calls.update(open.number) { $0.inFlightBytes = held }
    server.count { $0[.inFlightBytes] += bytes }
    return true
  }

  private var inFlightRefusal: CallStatus {
    server.hit(.inFlightBytesMax)
    return CallStatus(
      .resourceExhausted, "inFlightBytesMax",
      pushbackMilliseconds: server.limits.pushbackMilliseconds)
  }

  private func dispatch(
    _ number: UInt32, _ request: UnsafeRawBufferPointer, isCompressed: Bool
  ) throws(MessageError) {
    let now = server.loop.now
    machine.called(at: now)
    guard var open = calls[number] else { return }
    let message = isCompressed ? try decompressed(request, open.encoding) : request
    guard hold(message.count - Int(open.inFlightBytes), of: &open) else {
      return finish(number, inFlightRefusal)
    }
    calls.update(number) {
      $0.isDispatched = true
      $0.since = now
    }
    open.since = now
    halfOpen -= 1
    bytesInParts -= Int(open.dataBytes)
    server.handler.received(call(open), message: message)
  }

  func call(_ open: OpenCall) -> ServerCall {
    ServerCall(
      server, slot: slot, generation: generation, stream: open.number, method: open.method,
      receivedAt: open.since, deadline: open.deadline)
  }

  /// Returns the decompressed message, which is valid until the next decompression.
  private func decompressed(
    _ request: UnsafeRawBufferPointer, _ encoding: MessageEncoding
  ) throws(MessageError) -> UnsafeRawBufferPointer {
    do throws(WireError) {
      return try server.loop.compressor.decompress(
        request, encoding, limit: server.limits.messageBytesMax)
    } catch { throw .refused(error) }
  }
}
