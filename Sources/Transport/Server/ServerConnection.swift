internal import Figures
internal import SimulationCore
internal import Wire

/// A client at the server: its open calls, whatever carries them, and its life by
/// `ServerConnectionMachine`, whose actions it performs.
///
/// Only for the loop's thread.
final class ServerConnection {
  let slot: UInt32
  let generation: UInt32
  /// Stays as long as a connection is open; asked a dozen times a call.
  let server: RPCServer
  /// Set by `init`, which it needs, and again when the first bytes have said which it is; above TLS
  /// the two sides may have agreed on it.
  private(set) var carrier: (any ServerCarrier)!
  var machine: ServerConnectionMachine
  /// Calls whose message has not come whole.
  var halfOpen: Int32 = 0
  var calls = StreamTable<OpenCall>()
  /// What has come of messages that are not whole.
  var bytesInParts = 0
  private var recentCalls = RecentCalls()
  /// Bytes of a part of a frame, counted with those in flight.
  var countedBytes = 0
  var countedRead = 0
  var countedWritten = 0

  /// Every connection that has ever had a call keeps room for one of these.
  struct OpenCall {
    /// When the call was opened; once it is the handler's, when its last byte had come.
    var since: WallInstant
    let deadline: WallInstant?
    let method: CollectorMethod
    /// Of a message that is marked as compressed.
    let encoding: MessageEncoding
    /// Whether the request was whole and went to the handler.
    var isDispatched = false
    let number: UInt32
    /// Only for a message that came in parts.
    var assembly: PartialMessage?
    /// What the request took of the carrier's flow control.
    var dataBytes: UInt32 = 0
    /// Of the message, or of what has come of it.
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

  /// The first bytes have said which carrier the client speaks.
  func carry(by carrier: any ServerCarrier) { self.carrier = carrier }

  // MARK: what the carrier tells

  /// A call begins, whatever becomes of it.
  func begins() { server.count { $0[.calls] += 1 } }

  func countStart(of method: CollectorMethod?) {
    server.count { $0.started[ServerCounters.index(of: method)] += 1 }
  }

  /// Whether a call of this kind may be opened on this connection at all; else it is answered.
  ///
  /// - Parameter method: nil for one that is not known.
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

  /// Whether a call of a service that the carrier serves itself may be opened; else it is answered.
  func mayOpenService(_ number: UInt32, _ metadata: some CallMetadata) -> Bool {
    countStart(of: nil)
    if let refusal = refusal(of: metadata) ?? busyRefusal {
      answer(number, refusal, to: nil)
      return false
    }
    machine.called(at: server.loop.now)
    return true
  }

  /// Opens a call; false: it was refused at the moment, and is answered.
  ///
  /// - Parameter encoding: of the message, where that is marked as compressed.
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

  /// Bytes of a call's message, behind gRPC's prefix, have come.
  ///
  /// - Parameter isLast: nothing more comes of the request.
  func receives(_ number: UInt32, _ bytes: UnsafeRawBufferPointer, isLast: Bool) {
    server.loop.assertOnLoop()
    guard var open = calls[number], !open.isDispatched else {
      // Sent before the client knew that the call is over.
      return carrier.consumed(bytes.count)
    }
    open.dataBytes += UInt32(bytes.count)
    // Kept at once, so that a call that fails gives back all that it took.
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

  /// Keeps a part of a message, and dispatches the message that it makes whole.
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

  /// The client gives a call up.
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

  /// Why the connection takes no call at the moment, whatever it asks for.
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

  /// Why a call with such metadata never comes in on this connection.
  private func refusal(of metadata: some CallMetadata) -> CallStatus? {
    if metadata.metadataBytes > server.limits.metadataBytesMax
      || metadata.metadataEntries > server.limits.metadataEntriesMax
    {
      server.hit(.metadataBytesMax)
      return CallStatus(.resourceExhausted, "metadataBytesMax")
    }
    guard server.isAuthorized(metadata) else {
      return CallStatus(.unauthenticated, "this server asks for a token")
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

  /// Counts what has come of a message with the bytes in flight; false: it is too much.
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

  /// A call that went to the handler, as the handler knows it.
  func call(_ open: OpenCall) -> ServerCall {
    ServerCall(
      server, slot: slot, generation: generation, stream: open.number, method: open.method,
      receivedAt: open.since, deadline: open.deadline)
  }

  /// The message of a request whose carrier compresses it; valid until the next one.
  private func decompressed(
    _ request: UnsafeRawBufferPointer, _ encoding: MessageEncoding
  ) throws(MessageError) -> UnsafeRawBufferPointer {
    do throws(WireError) {
      return try server.loop.compressor.decompress(
        request, encoding, limit: server.limits.messageBytesMax)
    } catch { throw .refused(error) }
  }
}
