package import Core
internal import Foundation
internal import Synchronization
package import Wire

/// Makes control calls over one connection: unary calls with a deadline, and server streams. The
/// first call connects, and so does the first call after a loss (`onLoss`). `@unchecked Sendable`:
/// the state is touched on the loop's thread only.
package final class RPCClient: ClientCarrierOwner, HandshakeObserver, @unchecked Sendable {
  package typealias Reply = Result<[UInt8], CallError>

  package struct CallError: Error, Equatable, Sendable, CustomStringConvertible {
    /// The server's status, or this client's status for a call that was lost, late or closed.
    package let status: CallStatus
    package let method: CollectorMethod
    package var description: String {
      "\(method.path): \(status.code)" + (status.text.isEmpty ? "" : ", \(status.text)")
    }
  }

  private struct Pending {
    /// The collector's method, or nil for a method outside the collector's API.
    let method: CollectorMethod?
    /// The response of a unary call, or nil before the response.
    var message: [UInt8]?
    var onMessage: (([UInt8]) -> Void)?
    var onEnd: (CallStatus, [UInt8]?, GRPCAnswer.End) -> Void
  }

  private let loop: EventLoop
  private var endpoint: Endpoint
  private let metadata: [(key: String, value: [UInt8])]
  private let carrier: CarrierKind
  private let tls: TLSClient?
  private let onLoss: @Sendable (LinkError) -> Void
  /// The newest channel and draining channels with open calls, by generation.
  private var channels: [Int: any ClientCarrier] = [:]
  private var pending: [ClientCall: Pending] = [:]
  private var deadlines = DueHeap<ClientCall>()
  private var timer: LoopTimer?
  private var generation = 0
  private var isClosed = false
  private var openedAt: WallInstant?
  private var handshake: TLSHandshake?
  /// The server's numeric address. If nil, each connect resolves the name and blocks the loop.
  package var found: String?
  /// The TLS sessions that the next connection may resume, set on the loop's thread only.
  package var tickets: (store: TLSTickets, holder: UInt32, resumes: Bool)?
  private var traffic = Sheet()
  /// The client certificate of the next connection, or nil for the certificate of `tls`.
  package var identity: HTTPIdentity?
  private let compresses: Bool
  private let compression = Mutex<[CollectorMethod: CompressedMessages]>([:])

  /// - Parameter onLoss: called on the loop's thread after a lost connection's calls have failed.
  package init(
    loop: EventLoop, to endpoint: Endpoint, carrier: CarrierKind = .flotilla,
    tls: TLSClient? = nil, token: String? = nil, compresses: Bool = false,
    onLoss: @escaping @Sendable (LinkError) -> Void = { _ in }
  ) {
    self.loop = loop
    self.tls = tls
    self.compresses = compresses
    self.carrier = carrier
    self.endpoint = endpoint
    self.onLoss = onLoss
    metadata = token.map { [("authorization", Array("Bearer \($0)".utf8))] } ?? []
  }

  /// Fails open calls with CANCELLED and closes the connection permanently.
  package func close() {
    loop.post { [self] in
      isClosed = true
      for channel in channels.values {
        count(channel)
        channel.close(reset: false)
      }
      channels = [:]
      fail(CallStatus(.cancelled, "the client was closed"), where: { _ in true })
    }
  }

  /// Makes a unary call, and calls `completion` exactly once, on the loop's thread.
  package func call(
    _ method: CollectorMethod, _ message: [UInt8], deadline: WallDuration,
    _ completion: @escaping @Sendable (Reply) -> Void
  ) {
    loop.post { [self] in
      begin(
        method, message, deadline: deadline, onMessage: nil,
        onEnd: { status, message, _ in
          if status.code == .ok, let message {
            completion(.success(message))
          } else if status.code == .ok {
            let nothing = CallStatus(.internal, "OK without a message")
            completion(.failure(CallError(status: nothing, method: method)))
          } else {
            completion(.failure(CallError(status: status, method: method)))
          }
        })
    }
  }

  /// Makes a unary call and blocks the calling thread, which must not be the loop's.
  package func callBlocking(
    _ method: CollectorMethod, _ message: [UInt8], deadline: WallDuration
  ) throws(CallError) -> [UInt8] {
    precondition(!loop.isOnLoop, "callBlocking on the loop's own thread would never return")
    let reply = Awaited<Reply>()
    call(method, message, deadline: deadline) { reply.set($0) }
    // The loop enforces the deadline, and the grace period only covers a loop that has stopped.
    guard let result = reply.wait(until: .now() + deadline.seconds + 2).first else {
      throw CallError(
        status: CallStatus(.unavailable, TransportError.loopStopped.description), method: method)
    }
    return try result.get()
  }

  package func callBlocking<Answer: WireMessage>(
    _ method: CollectorMethod, _ request: some WireMessage, deadline: WallDuration,
    as answer: Answer.Type
  ) throws -> Answer {
    let codec = MessageCodec()
    let reply = try callBlocking(method, codec.encode(request), deadline: deadline)
    return try codec.decode(answer, from: reply)
  }

  /// Opens a server stream. Calls `onMessage` per message and then `onEnd`, on the loop's thread.
  package func subscribe(
    _ method: CollectorMethod, _ message: [UInt8],
    onMessage: @escaping @Sendable ([UInt8]) -> Void,
    onEnd: @escaping @Sendable (CallStatus) -> Void
  ) {
    loop.post { [self] in
      begin(
        method, message, deadline: nil, onMessage: onMessage,
        onEnd: { status, _, _ in onEnd(status) })
    }
  }

  /// Calls any method over gRPC, and calls `completion` exactly once, on the loop's thread.
  /// Messages beyond `bytesMax` bytes are dropped, and then the status is RESOURCE_EXHAUSTED.
  package func call(
    _ request: GRPCRequest, deadline: WallDuration, bytesMax: Int = 32 << 20,
    _ completion: @escaping @Sendable (GRPCAnswer) -> Void
  ) {
    precondition(carrier == .grpc, "other carriers serve only the collector's methods")
    loop.post { [self] in
      // Both variables are used on the loop's thread only.
      nonisolated(unsafe) var messages: [[UInt8]] = []
      nonisolated(unsafe) var bytes = 0
      begin(
        nil, deadline: deadline,
        onMessage: { message in
          bytes += message.count
          if bytes <= bytesMax { messages.append(message) }
        },
        onEnd: { [self] status, _, end in
          let isWhole = bytes <= bytesMax
          completion(
            GRPCAnswer(
              status: isWhole
                ? status
                : CallStatus(.resourceExhausted, "the answer has more than \(bytesMax) bytes"),
              messages: messages, end: end, openedAt: openedAt, handshake: handshake))
        },
        {
          guard let channel = $0 as? GRPCClientCarrier else {
            preconditionFailure("a gRPC client has a connection that is not gRPC")
          }
          return channel.call(request, timeout: deadline)
        })
    }
  }

  /// Calls any method over gRPC and blocks the calling thread.
  package func callBlocking(_ request: GRPCRequest, deadline: WallDuration) -> GRPCAnswer {
    precondition(!loop.isOnLoop, "callBlocking on the loop's own thread would never return")
    let answer = Awaited<GRPCAnswer>()
    call(request, deadline: deadline) { answer.set($0) }
    // The loop enforces the deadline, and the grace period only covers a loop that has stopped.
    let stopped = CallStatus(.unavailable, TransportError.loopStopped.description)
    return answer.wait(until: .now() + deadline.seconds + 2).first
      ?? GRPCAnswer(status: stopped, messages: [])
  }

  package var totals: Sheet {
    loop.assertOnLoop()
    var sum = traffic
    for channel in channels.values {
      sum[.bytesSent] += channel.bytesWritten
      sum[.bytesReceived] += channel.bytesRead
    }
    sum[.openConnections] = channels.count
    return sum
  }

  private func count(_ channel: any ClientCarrier) {
    traffic[.bytesSent] += channel.bytesWritten
    traffic[.bytesReceived] += channel.bytesRead
  }

  /// The compressed messages so far by method, requests and responses together.
  package var compressed: [CollectorMethod: CompressedMessages] {
    compression.withLock { $0 }
  }

  // MARK: on the loop

  private func begin(
    _ method: CollectorMethod, _ message: [UInt8], deadline: WallDuration?,
    onMessage: (([UInt8]) -> Void)?,
    onEnd: @escaping (CallStatus, [UInt8]?, GRPCAnswer.End) -> Void
  ) {
    begin(method, deadline: deadline, onMessage: onMessage, onEnd: onEnd) {
      $0.call(method, message, timeout: deadline)
    }
  }

  private func begin(
    _ method: CollectorMethod?, deadline: WallDuration?,
    onMessage: (([UInt8]) -> Void)?,
    onEnd: @escaping (CallStatus, [UInt8]?, GRPCAnswer.End) -> Void,
    _ open: (any ClientCarrier) -> ClientCall
  ) {
    loop.assertOnLoop()
    guard !isClosed else {
      onEnd(CallStatus(.cancelled, "the client was closed"), nil, .unopened)
      return
    }
    let channel: any ClientCarrier
    do {
      channel = try usableChannel()
    } catch {
      onEnd(CallStatus(.unavailable, "\(endpoint): \(error)"), nil, .unopened)
      return
    }
    let call = open(channel)
    pending[call] = Pending(method: method, message: nil, onMessage: onMessage, onEnd: onEnd)
    if let deadline {
      deadlines.push(call, at: loop.now + deadline)
      setTimer()
    }
  }

  private func usableChannel() throws -> any ClientCarrier {
    if let channel = channels[generation], channel.isUsable { return channel }
    generation += 1
    let address = try Address(endpoint, found: found)
    let dial = tls.map {
      TLSDial(
        client: $0, host: endpoint.host, tickets: tickets, identity: identity,
        observer: (self, generation))
    }
    do throws(ConnectError) {
      let fresh = try loop.openCarrier(
        carrier, to: address, dial: dial, metadata: metadata, tag: generation,
        compresses: compresses, owner: self)
      channels[generation] = fresh
      traffic[.connects] += 1
      (openedAt, handshake) = (nil, nil)
      return fresh
    } catch {
      throw LinkError.failed(reason: error.reason)
    }
  }

  private func setTimer() {
    guard let next = deadlines.next else { return }
    if timer == nil { timer = LoopTimer(on: loop) { [unowned self] in expire() } }
    timer?.arm(at: next)
  }

  private func expire() {
    let now = loop.now
    while let call = deadlines.pop(at: now) {
      guard let entry = pending.removeValue(forKey: call) else { continue }
      channels[call.connection]?.cancel(call)
      entry.onEnd(CallStatus(.deadlineExceeded, "no answer in time"), nil, .timedOut)
    }
    setTimer()
  }

  private func fail(
    _ status: CallStatus, _ end: GRPCAnswer.End = .lost, where isMeant: (ClientCall) -> Bool
  ) {
    let calls = pending.keys.filter(isMeant).sorted {
      ($0.connection, $0.number) < ($1.connection, $1.number)
    }
    for call in calls { pending.removeValue(forKey: call)?.onEnd(status, nil, end) }
  }

  // MARK: carrier events

  func connected(_ connection: Int, at instant: WallInstant) {
    if connection == generation { openedAt = instant }
  }

  func secured(_ connection: Int, _ handshake: TLSHandshake) {
    if handshake.isResumed {
      traffic[.handshakesResumed] += 1
    } else {
      traffic[.handshakesFull] += 1
    }
    if connection == generation { self.handshake = handshake }
  }

  func received(_ call: ClientCall, _ message: UnsafeRawBufferPointer) {
    loop.assertOnLoop()
    if let onMessage = pending[call]?.onMessage {
      onMessage(Array(message))
    } else {
      pending[call]?.message = Array(message)
    }
  }

  func sent(_ method: CollectorMethod, plainBytes: Int, bytes: Int) {
    compression.withLock { $0[method, default: .init()].add(plainBytes: plainBytes, bytes: bytes) }
  }

  func received(_ call: ClientCall, plainBytes: Int, bytes: Int) {
    guard let method = pending[call]?.method else { return }
    sent(method, plainBytes: plainBytes, bytes: bytes)
  }

  func ended(_ call: ClientCall, _ status: CallStatus) {
    loop.assertOnLoop()
    guard let entry = pending.removeValue(forKey: call) else { return }
    entry.onEnd(status, entry.message, .answered)
  }

  func maySend(_ connection: Int) {}

  func goesAway(_ connection: Int) {}

  func ended(_ connection: Int, _ end: LinkError, open: [ClientCall]) {
    loop.assertOnLoop()
    let wasOpen = connection != generation || openedAt != nil
    if let channel = channels.removeValue(forKey: connection) { count(channel) }
    fail(
      CallStatus(.unavailable, "\(endpoint): the connection is gone (\(end))"),
      wasOpen ? .lost : .unopened,
      where: { $0.connection == connection })
    // The end of the calls may have opened another connection.
    if connection == generation { (openedAt, handshake) = (nil, nil) }
    onLoss(end)
  }
}
