internal import CUV
internal import Core
internal import Wire

private final class UnsentRest {
  var bytes = ByteBuffer(capacity: 0)
  let request = UnsafeMutablePointer<uv_write_t>.allocate(capacity: 1)

  deinit { request.deallocate() }
}

final class TCPStream: TCPHandle, ByteStream {
  private let takesTurns: Bool
  var receiver: (any ByteStreamReceiver)?
  /// The bytes that the kernel has not accepted, or nil if no write ever left such bytes.
  private var rest: UnsentRest?
  /// The lower half of the number of the turn in which `bytesThisTurn` was counted.
  private var turn: UInt32 = 0
  private var bytesThisTurn: UInt32 = 0
  /// The instant since which reads have not emptied the socket, or nil (CoDel, RFC 8289, 3.1).
  private(set) var backlogSince: WallInstant?

  /// The most bytes that a server reads per connection and turn, about twelve uploads. Acks wait
  /// for the end of a turn. At 64 connections and three times the capacity, the p99 of acks was 38
  /// to 43 ms with 4,096 and 52 to 62 ms with 8,192. `RPCServer.expectRefusals` raises the limit.
  static let bytesPerTurnMax = 4_096

  init(on loop: EventLoop, takesTurns: Bool) {
    self.takesTurns = takesTurns
    super.init(on: loop)
  }

  convenience init(
    on loop: EventLoop, to address: Address, from source: Address?, noDelay: Bool
  ) throws(ConnectError) {
    let descriptor = address.withPointer { to in
      source.map { source in
        source.withPointer {
          flotilla_connect(to, address.length, $0, source.length, noDelay ? 1 : 0)
        }
      } ?? flotilla_connect(to, address.length, nil, 0, noDelay ? 1 : 0)
    }
    guard descriptor >= 0 else { throw ConnectError(code: descriptor) }
    self.init(on: loop, takesTurns: false)
    // The call fails only for a descriptor that is no socket or is watched already.
    uv_tcp_open(handle, descriptor)
  }

  private static func behind(_ data: UnsafeMutableRawPointer) -> TCPStream {
    unsafeDowncast(TCPHandle.of(data), to: TCPStream.self)
  }

  // MARK: reading

  func startReading() {
    // `uv_read_start` fails only on a closing handle, which `isClosing` excludes.
    guard !isClosing else { return }
    uv_read_start(
      stream,
      { handle, _, buffer in
        let stream = TCPStream.behind(handle!.pointee.data)
        stream.loop.notePace()
        let memory = stream.loop.readBuffer
        buffer!.pointee = uv_buf_init(
          memory.baseAddress?.assumingMemoryBound(to: CChar.self),
          UInt32(min(memory.count, stream.allowance())))
      },
      { handle, count, buffer in
        let stream = TCPStream.behind(handle!.pointee.data)
        stream.didRead(count, buffer!.pointee.base)
        stream.loop.endFullTurn()
      })
  }

  func pauseReading() {
    guard !isClosing else { return }
    uv_read_stop(stream)
  }

  private func allowance() -> Int {
    guard takesTurns else { return .max }
    let now = UInt32(truncatingIfNeeded: loop.pace.turn)
    if now != turn { (turn, bytesThisTurn) = (now, 0) }
    return max(0, loop.bytesPerTurn - Int(bytesThisTurn))
  }

  private func didRead(_ count: Int, _ base: UnsafeMutablePointer<CChar>?) {
    if Int32(truncatingIfNeeded: count) == UV_ENOBUFS.rawValue {
      backlogSince = backlogSince ?? loop.pace.returned
      return
    }
    if count > 0, takesTurns {
      bytesThisTurn += UInt32(count)
      if Int(bytesThisTurn) < loop.bytesPerTurn { backlogSince = nil }
    }
    guard count >= 0 else {
      let isEnd = Int32(count) == UV_EOF.rawValue
      receiver?.streamEnded(isEnd ? .closedByPeer : .failed(reason: Self.reason(count)))
      return
    }
    receiver?.streamReceived(UnsafeMutableRawBufferPointer(start: base, count: count))
  }

  // MARK: writing

  /// Writes to the kernel, or to libuv if the kernel's buffer is full.
  func write(_ bytes: UnsafeRawBufferPointer) -> StreamWrite {
    guard !isClosing else { return .failed(reason: Self.reason(Int(UV_EPIPE.rawValue))) }
    var buffer = Self.buffer(bytes)
    let written = Int(uv_try_write(stream, &buffer, 1))
    if written == bytes.count { return .taken(now: written) }
    guard written >= 0 || Int32(written) == UV_EAGAIN.rawValue else {
      return .failed(reason: Self.reason(written))
    }
    let now = max(0, written)
    let code = writeRest(UnsafeRawBufferPointer(rebasing: bytes[now...]))
    return code == 0 ? .taken(now: now) : .failed(reason: Self.reason(Int(code)))
  }

  private static func buffer(_ bytes: UnsafeRawBufferPointer) -> uv_buf_t {
    // libuv does not write to a buffer that it sends from.
    uv_buf_init(
      UnsafeMutableRawPointer(mutating: bytes.baseAddress)?.assumingMemoryBound(to: CChar.self),
      UInt32(bytes.count))
  }

  private func writeRest(_ bytes: UnsafeRawBufferPointer) -> Int32 {
    let rest = rest ?? UnsentRest()
    self.rest = rest
    rest.bytes.removeAll()
    rest.bytes.append(bytes)
    rest.request.pointee.data = handle.pointee.data
    var buffer = Self.buffer(rest.bytes.readable)
    return uv_write(rest.request, stream, &buffer, 1) { request, status in
      TCPStream.behind(request!.pointee.data).didWrite(status)
    }
  }

  private func didWrite(_ status: Int32) {
    loop.notePoll()
    guard !isClosing else { return }
    guard status == 0 else {
      receiver?.streamEnded(.failed(reason: Self.reason(Int(status))))
      return
    }
    rest?.bytes.removeAll()
    receiver?.streamDrained()
  }

  // MARK: the end

  private static func reason(_ code: Int) -> String { String(cString: uv_strerror(Int32(code))) }

  func close(reset: Bool) {
    receiver = nil
    closeHandle(reset: reset)
  }

  override func loopEnds() {
    receiver?.streamEnded(.closedHere)
    close(reset: false)
  }
}
