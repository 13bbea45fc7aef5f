internal import CUV
internal import SimulationCore
package import Wire

/// Why a connection is no more.
package enum LinkEnd: Error, Equatable, Sendable {
  /// The peer closed it in good order.
  case closedByPeer
  /// It could not be opened, or it broke.
  case failed(reason: String)
  /// The peer broke the protocol.
  case protocolError(WireError)
  /// This side closed it, or its loop ended.
  case closedHere
}

extension LinkEnd: CustomStringConvertible {
  package var description: String {
    switch self {
    case .closedByPeer: "closed by the other side"
    case .failed(let reason): reason
    case .protocolError(let error): "the other side broke the protocol: \(error)"
    case .closedHere: "closed here"
    }
  }
}

/// Who a link tells what happens on it; always on the loop's thread.
protocol LinkDelegate: AnyObject {
  func link(_ link: Link, received frame: Frame)
  /// The peer's bytes are no frames; the delegate may say so to it, then the link ends.
  func link(_ link: Link, broke error: WireError)
  /// A part of a frame is kept after a read, or no longer.
  func link(_ link: Link, holds bytes: Int)
  /// On a client's link: the first bytes have gone out, the first at `instant`.
  func linkConnected(_ link: Link, at instant: WallInstant)
  /// All that was written has gone to the kernel after some had to wait.
  func linkDrained(_ link: Link)
  /// Exactly once, and the last call. A delegate that closes the link itself hears it too.
  func linkEnded(_ link: Link, _ end: LinkEnd)
}

extension LinkDelegate {
  func link(_ link: Link, holds bytes: Int) {}
}

/// One TCP connection: frames in, bytes out.
final class Link: TCPHandle, EndOfTurn {
  /// Let go when the link ends, which every link does.
  var delegate: (any LinkDelegate)?
  /// Frames to send; append and call `flushLater` or `flush`. Has no memory while nothing waits.
  var output = ByteBuffer(capacity: 0)
  private var underWay = ByteBuffer(capacity: 0)
  private var decoder: FrameDecoder
  private var writeRequest: UnsafeMutablePointer<uv_write_t>?
  private var isWriting = false
  private var isQueuedForFlush = false
  private(set) var isConnected: Bool
  private(set) var bytesRead = 0
  private(set) var bytesWritten = 0
  private let isServer: Bool
  private var bytesHeld = 0
  private var isPaused = false
  private var turn: UInt64 = 0
  private var bytesThisTurn = 0
  /// Since when the socket has never been read empty: nobody can see how much stands behind it in
  /// the sender, but a queue that does not end is one (CoDel, RFC 8289, section 3.1).
  private var backlogSince: WallInstant?
  /// How long there has been such a queue.
  var backlogDelay: WallDuration { backlogSince.map { loop.pace.returned - $0 } ?? .zero }

  /// What a server reads from one connection in one turn of its loop, before it is the others'
  /// turn: some twelve uploads, which take it about an eighth of a millisecond. Acks wait for the
  /// end of a turn, so that a long one shows in their p99: with 64 connections that offer three
  /// times too much (batches of 500 fixes) it was 43 and 38 ms at this, 52 to 62 at twice as much,
  /// runs in turn. A server that refuses most of it may read more (`RPCServer.expectRefusals`).
  static let bytesPerTurnMax = 4_096

  /// When the client's side began to write; set by `flush` until the link is connected.
  private var firstWrite = WallInstant(microseconds: 0)

  /// An accepted connection, or the shell for one of `open`.
  init(on loop: EventLoop, isServer: Bool) {
    decoder = FrameDecoder(expectsPreface: isServer)
    isConnected = isServer
    self.isServer = isServer
    super.init(on: loop)
  }

  deinit { writeRequest?.deallocate() }

  /// Appends frames to the output, in memory of the loop's.
  func write(_ encode: (inout ByteBuffer) -> Void) {
    if output.capacity == 0 { output.take(loop.outputs.take()) }
    encode(&output)
  }

  /// Bytes that wait for the kernel.
  var bytesQueued: Int { output.count + underWay.count }
  var isAwaitingPreface: Bool { decoder.isAwaitingPreface }

  /// The link behind a handle that one has opened.
  private static func behind(_ data: UnsafeMutableRawPointer) -> Link {
    unsafeDowncast(TCPHandle.of(data), to: Link.self)
  }

  func startReading() {
    // Fails only on a handle that is closing, which `isClosing` excludes.
    guard !isClosing else { return }
    uv_read_start(
      stream,
      { handle, _, buffer in
        let link = Link.behind(handle!.pointee.data)
        link.loop.notePoll()
        let memory = link.loop.readBuffer
        buffer!.pointee = uv_buf_init(
          memory.baseAddress?.assumingMemoryBound(to: CChar.self),
          UInt32(min(memory.count, link.allowance())))
      },
      { handle, count, buffer in
        let link = Link.behind(handle!.pointee.data)
        link.didRead(count, buffer!.pointee.base)
      })
  }

  /// What may be read now. 0 makes libuv say ENOBUFS and come back in the next turn.
  private func allowance() -> Int {
    guard isServer else { return .max }
    if loop.pace.turn != turn {
      turn = loop.pace.turn
      bytesThisTurn = 0
    }
    return max(0, loop.bytesPerTurn - bytesThisTurn)
  }

  private func didRead(_ count: Int, _ base: UnsafePointer<CChar>?) {
    if Int32(truncatingIfNeeded: count) == UV_ENOBUFS.rawValue {
      backlogSince = backlogSince ?? loop.pace.returned
      return
    }
    if count > 0, isServer {
      bytesThisTurn += count
      if bytesThisTurn < loop.bytesPerTurn { backlogSince = nil }
    }
    guard count >= 0 else {
      end(Int32(count) == UV_EOF.rawValue ? .closedByPeer : .failed(reason: Self.reason(count)))
      return
    }
    bytesRead += count
    decoder.begin(UnsafeRawBufferPointer(start: base, count: count))
    do {
      while !isClosing, let frame = try decoder.next() { delegate?.link(self, received: frame) }
      if !isClosing { endRead() }
    } catch {
      delegate?.link(self, broke: error)
      end(.protocolError(error))
    }
  }

  private func endRead() {
    decoder.end()
    let bytes = decoder.bytesHeld
    guard bytes != bytesHeld || bytes > 0 else { return }
    bytesHeld = bytes
    delegate?.link(self, holds: bytes)
  }

  /// Until what waits to be written has gone.
  func pauseReading() {
    guard !isClosing, !isPaused else { return }
    isPaused = true
    uv_read_stop(stream)
  }

  private func resumeReading() {
    guard isPaused, !isClosing, bytesQueued == 0 else { return }
    isPaused = false
    startReading()
  }

  static func reason(_ code: Int) -> String { String(cString: uv_strerror(Int32(code))) }

  /// Sends at the end of this turn of the loop, together with what else is written in it.
  func flushLater() {
    guard !isQueuedForFlush else { return }
    isQueuedForFlush = true
    loop.atEndOfTurn(self)
  }

  func endOfTurn() {
    isQueuedForFlush = false
    flush()
    resumeReading()
  }

  /// Hands the output to the kernel, or to libuv where the kernel's buffer is full.
  func flush() {
    guard !isClosing, !isWriting, !output.isEmpty else { return }
    if !isConnected { firstWrite = loop.now }
    let bytes = output.readable
    var buffer = Self.buffer(bytes)
    let written = Int(uv_try_write(stream, &buffer, 1))
    if written >= 0 {
      output.consume(written)
      bytesWritten += written
      if !isConnected, written > 0 { connected(at: firstWrite) }
    } else if Int32(written) != UV_EAGAIN.rawValue {
      end(.failed(reason: Self.reason(written)))
      return
    }
    if !output.isEmpty, !isClosing { writeRest() }
    if output.isEmpty, output.capacity > 0 { loop.outputs.give(output.giveUpMemory()) }
  }

  private static func buffer(_ bytes: UnsafeRawBufferPointer) -> uv_buf_t {
    // libuv does not write through a buffer that it sends from.
    uv_buf_init(
      UnsafeMutableRawPointer(mutating: bytes.baseAddress)?.assumingMemoryBound(to: CChar.self),
      UInt32(bytes.count))
  }

  private func writeRest() {
    underWay.removeAll()
    underWay.append(output.readable)
    output.removeAll()
    let request = writeRequest ?? .allocate(capacity: 1)
    writeRequest = request
    request.pointee.data = handle.pointee.data
    var buffer = Self.buffer(underWay.readable)
    isWriting = true
    let code = uv_write(request, stream, &buffer, 1) { request, status in
      Link.behind(request!.pointee.data).didWrite(status)
    }
    if code != 0 {
      isWriting = false
      end(.failed(reason: Self.reason(Int(code))))
    }
  }

  private func didWrite(_ status: Int32) {
    loop.notePoll()
    isWriting = false
    guard !isClosing else { return }
    guard status == 0 else {
      end(.failed(reason: Self.reason(Int(status))))
      return
    }
    bytesWritten += underWay.count
    underWay.removeAll()
    if !isConnected { connected(at: loop.now) }
    flush()
    if !isWriting, !isClosing { delegate?.linkDrained(self) }
    resumeReading()
  }

  private func connected(at instant: WallInstant) {
    isConnected = true
    delegate?.linkConnected(self, at: instant)
  }

  /// Ends the connection and tells the delegate; the first call counts.
  func end(_ reason: LinkEnd, reset: Bool = false) {
    guard !isClosing else { return }
    closeHandle(reset: reset)
    let delegate = exchange(&self.delegate, with: nil)
    delegate?.linkEnded(self, reason)
  }

  override func loopEnds() { end(.closedHere) }
}
