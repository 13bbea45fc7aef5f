internal import Core
package import Wire

package enum LinkError: Error, Equatable, Sendable {
  case closedByPeer
  /// The connection failed to open, or broke.
  case failed(reason: String)
  /// The peer violated the protocol.
  case protocolError(WireError)
  /// This side, or the end of its loop, closed the connection.
  case closedHere
}

extension LinkError: CustomStringConvertible {
  package var description: String {
    switch self {
    case .closedByPeer: "closed by the peer"
    case .failed(let reason): reason
    case .protocolError(let error): "the peer broke the protocol: \(error)"
    case .closedHere: "closed locally"
    }
  }
}

/// The carrier on a link. All functions are called on the loop's thread.
protocol LinkOwner: AnyObject {
  /// Delivers bytes, which are valid until the function returns.
  func linkReceived(_ bytes: UnsafeRawBufferPointer)
  /// Reports that a client's link has sent its first bytes, in a write that began at `instant`.
  func linkConnected(at instant: WallInstant)
  func linkDrained()
  /// Reports the end of the link, once and as the last call, even if the owner ended the link.
  func linkEnded(_ end: LinkError)
}

/// A byte stream for a carrier. A turn's output is sent as one write at the end of the turn. Output
/// uses memory only while it waits.
///
///     carrier ──write──▶ output ──flush──▶ stream ──▶ peer
///        ▲                                   │
///        └────────── linkReceived ◀──────────┘
final class Link: ByteStreamReceiver, EndOfTurn {
  /// The loop, unowned without a check for speed. A loop outlives its links.
  unowned(unsafe) let loop: EventLoop
  private let stream: any ByteStream
  private var owner: (any LinkOwner)?
  private var output = ByteBuffer(capacity: 0)
  private var payloadRead = 0
  private var payloadWritten = 0
  /// The instant at which a client's link began to write, or `distantPast` for a server's link.
  private var firstWrite: WallInstant
  private var bytesUnderWay: UInt32 = 0
  private var isQueuedForFlush = false
  private var isPaused = false
  private(set) var isConnected: Bool
  private(set) var isClosed = false

  /// - Parameter isConnected: true for a server's link. A client's link connects at its first byte.
  init(_ stream: any ByteStream, on loop: EventLoop, isConnected: Bool) {
    self.stream = stream
    self.loop = loop
    self.isConnected = isConnected
    firstWrite = isConnected ? .distantPast : WallInstant(microseconds: 0)
  }

  func start(for owner: any LinkOwner) {
    loop.assertOnLoop()
    self.owner = owner
    stream.receiver = self
    stream.startReading()
  }

  private var isClient: Bool { firstWrite != .distantPast }

  var bytesRead: Int { payloadRead + stream.bytesOfSecurity.read }
  var bytesWritten: Int { payloadWritten + stream.bytesOfSecurity.written }

  var isSecured: Bool { stream.isSecured }

  var applicationProtocol: ApplicationProtocol? { stream.applicationProtocol }

  var bytesQueued: Int { output.count + Int(bytesUnderWay) }

  var backlogDelay: WallDuration { stream.backlogSince.map { loop.pace.returned - $0 } ?? .zero }

  // MARK: writing

  /// Appends to the output, which goes out with the next write.
  func append(_ encode: (inout ByteBuffer) -> Void) {
    loop.assertOnLoop()
    guard !isClosed else { return }
    if output.capacity == 0 { output.take(loop.outputs.take()) }
    encode(&output)
  }

  /// Appends to the output, which goes out at the end of this turn.
  func write(_ encode: (inout ByteBuffer) -> Void) {
    append(encode)
    guard !isClosed, !isQueuedForFlush else { return }
    isQueuedForFlush = true
    loop.atEndOfTurn(self)
  }

  func endOfTurn() {
    isQueuedForFlush = false
    flush()
    resumeReading()
  }

  func flush() {
    loop.assertOnLoop()
    guard !isClosed, bytesUnderWay == 0, !output.isEmpty else { return }
    if !isConnected { firstWrite = loop.now }
    switch stream.write(output.readable) {
    case .taken(let now):
      bytesUnderWay = UInt32(output.count - now)
      payloadWritten += now
      output.removeAll()
      loop.outputs.give(output.giveUpMemory())
      if !isConnected, now > 0 { connected(at: firstWrite) }
    case .failed(let reason): end(.failed(reason: reason))
    }
  }

  func streamDrained() {
    payloadWritten += Int(exchange(&bytesUnderWay, with: 0))
    if !isConnected { connected(at: loop.now) }
    flush()
    if bytesUnderWay == 0, !isClosed { owner?.linkDrained() }
    resumeReading()
  }

  private func connected(at instant: WallInstant) {
    isConnected = true
    owner?.linkConnected(at: instant)
  }

  // MARK: reading

  func streamReceived(_ bytes: UnsafeMutableRawBufferPointer) {
    loop.assertOnLoop()
    if payloadRead == 0, isClient, TLSAlert.isOne(UnsafeRawBufferPointer(bytes)) {
      return end(.failed(reason: TLSAlert.meaning))
    }
    payloadRead += bytes.count
    owner?.linkReceived(UnsafeRawBufferPointer(bytes))
  }

  /// Stops reading until queued output is sent.
  func pauseReading() {
    guard !isClosed, !isPaused else { return }
    isPaused = true
    stream.pauseReading()
  }

  private func resumeReading() {
    guard isPaused, !isClosed, bytesQueued == 0 else { return }
    isPaused = false
    stream.startReading()
  }

  // MARK: the end

  /// Ends the connection and notifies the owner. Only the first call has an effect.
  func end(_ reason: LinkError, reset: Bool = false) {
    loop.assertOnLoop()
    guard !isClosed else { return }
    isClosed = true
    stream.close(reset: reset)
    exchange(&owner, with: nil)?.linkEnded(reason)
  }

  func streamEnded(_ end: LinkError) { self.end(end) }
}
