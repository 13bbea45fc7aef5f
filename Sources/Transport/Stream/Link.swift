internal import SimulationCore
package import Wire

/// Why a connection is no more.
package enum LinkError: Error, Equatable, Sendable {
  /// The peer closed it in good order.
  case closedByPeer
  /// It could not be opened, or it broke.
  case failed(reason: String)
  /// The peer broke the protocol.
  case protocolError(WireError)
  /// This side closed it, or its loop ended.
  case closedHere
}

extension LinkError: CustomStringConvertible {
  /// States the reason as a phrase without a period.
  package var description: String {
    switch self {
    case .closedByPeer: "closed by the other side"
    case .failed(let reason): reason
    case .protocolError(let error): "the other side broke the protocol: \(error)"
    case .closedHere: "closed here"
    }
  }
}

/// The carrier on a link; always called on the loop's thread.
protocol LinkOwner: AnyObject {
  /// Bytes have come; they are valid until this returns.
  func linkReceived(_ bytes: UnsafeRawBufferPointer)
  /// On a client's link: the first bytes have gone out, the first at `instant`.
  func linkConnected(at instant: WallInstant)
  /// All that was written has gone after some had to wait.
  func linkDrained()
  /// Exactly once, and the last call. An owner that ends the link itself hears it too.
  func linkEnded(_ end: LinkError)
}

/// A byte stream as a carrier uses it: what is written in a turn of the loop goes out as one write
/// at its end, in memory that a connection only has while something waits.
///
///     carrier ──write──▶ output ──flush──▶ stream ──▶ peer
///        ▲                                   │
///        └────────── linkReceived ◀──────────┘
final class Link: ByteStreamReceiver, EndOfTurn {
  /// Unchecked, as every read and every write asks it a few times: a loop outlives its links.
  unowned(unsafe) let loop: EventLoop
  private let stream: any ByteStream
  /// Let go of when the link ends, which every link does.
  private var owner: (any LinkOwner)?
  private var output = ByteBuffer(capacity: 0)
  private var payloadRead = 0
  private var payloadWritten = 0
  /// When the client's side began to write; set by `flush` until the link is connected. A server's
  /// side never asks, and has the distant past here.
  private var firstWrite: WallInstant
  /// What the stream has taken and not sent.
  private var bytesUnderWay: UInt32 = 0
  private var isQueuedForFlush = false
  private var isPaused = false
  private(set) var isConnected: Bool
  private(set) var isClosed = false

  /// - Parameter isConnected: of an accepted stream; else the first byte that goes tells it.
  init(_ stream: any ByteStream, on loop: EventLoop, isConnected: Bool) {
    self.stream = stream
    self.loop = loop
    self.isConnected = isConnected
    firstWrite = isConnected ? .distantPast : WallInstant(microseconds: 0)
  }

  /// Begins to read.
  func start(for owner: any LinkOwner) {
    loop.assertOnLoop()
    self.owner = owner
    stream.receiver = self
    stream.startReading()
  }

  private var isClient: Bool { firstWrite != .distantPast }

  /// What has come over the network, and what has gone.
  var bytesRead: Int { payloadRead + stream.bytesOfSecurity.read }
  var bytesWritten: Int { payloadWritten + stream.bytesOfSecurity.written }

  var isSecured: Bool { stream.isSecured }

  /// What the two sides agreed to speak, once the link is connected; nil: they did not say.
  var applicationProtocol: ApplicationProtocol? { stream.applicationProtocol }

  /// What waits to be sent.
  var bytesQueued: Int { output.count + Int(bytesUnderWay) }

  /// How long the reader has been behind its sender.
  var backlogDelay: WallDuration { stream.backlogSince.map { loop.pace.returned - $0 } ?? .zero }

  // MARK: writing

  /// Appends to the output; it goes out with what is written next.
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

  /// Sends what waits, without waiting for the end of the turn.
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

  /// Reads nothing until what waits to be written has gone.
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

  /// Ends the connection and tells the owner; the first call counts.
  func end(_ reason: LinkError, reset: Bool = false) {
    loop.assertOnLoop()
    guard !isClosed else { return }
    isClosed = true
    stream.close(reset: reset)
    exchange(&owner, with: nil)?.linkEnded(reason)
  }

  func streamEnded(_ end: LinkError) { self.end(end) }
}
