internal import CUV
internal import SimulationCore
internal import Wire

/// One end of a relayed connection: bytes in, bytes out.
final class ProxySocket: TCPHandle {
  /// What came in, valid and changeable during the call.
  var onBytes: (UnsafeMutableRawBufferPointer) -> Void = { _ in }
  /// The peer is gone; `isReset` when not in good order. The last call.
  var onEnd: (_ isReset: Bool) -> Void = { _ in }
  /// All that was written has gone to the kernel after some had to wait.
  var onDrained: () -> Void = {}
  private var output = ByteBuffer(capacity: 512)
  private var underWay = ByteBuffer(capacity: 16)
  private var writeRequest: UnsafeMutablePointer<uv_write_t>?
  private var isWriting = false
  private var isReading = false

  deinit { writeRequest?.deallocate() }

  /// The socket towards `address`; nil: it does not take the connection.
  init?(on loop: EventLoop, to address: Address) {
    let descriptor = address.withPointer { flotilla_connect($0, address.length, nil, 0, 1) }
    super.init(on: loop)
    guard descriptor >= 0 else {
      closeHandle(reset: false)
      return nil
    }
    // Fails only for a descriptor that is no socket or already watched; neither can be.
    uv_tcp_open(handle, descriptor)
  }

  /// The shell for an accepted connection.
  override init(on loop: EventLoop) { super.init(on: loop) }

  /// Bytes that wait for the kernel.
  var bytesQueued: Int { output.count + underWay.count }

  func startReading() {
    guard !isClosing, !isReading else { return }
    isReading = true
    uv_read_start(
      stream,
      { handle, _, buffer in
        let memory = EventLoop.of(handle!.pointee.loop).readBuffer
        buffer!.pointee = uv_buf_init(
          memory.baseAddress?.assumingMemoryBound(to: CChar.self), UInt32(memory.count))
      },
      { handle, count, buffer in
        guard let socket = TCPHandle.of(handle!.pointee.data) as? ProxySocket else { return }
        if count < 0 {
          socket.onEnd(Int32(count) != UV_EOF.rawValue)
        } else {
          socket.onBytes(
            UnsafeMutableRawBufferPointer(start: buffer!.pointee.base, count: count))
        }
      })
  }

  func stopReading() {
    guard !isClosing, isReading else { return }
    isReading = false
    uv_read_stop(stream)
  }

  func write(_ bytes: UnsafeRawBufferPointer) {
    guard !isClosing else { return }
    output.append(bytes)
    flush()
  }

  private func flush() {
    guard !isClosing, !isWriting, !output.isEmpty else { return }
    underWay.removeAll()
    underWay.append(output.readable)
    output.removeAll()
    let request = writeRequest ?? .allocate(capacity: 1)
    writeRequest = request
    request.pointee.data = handle.pointee.data
    var buffer = uv_buf_init(
      underWay.mutable.baseAddress?.assumingMemoryBound(to: CChar.self), UInt32(underWay.count))
    isWriting = true
    let code = uv_write(request, stream, &buffer, 1) { request, status in
      guard let socket = TCPHandle.of(request!.pointee.data) as? ProxySocket else { return }
      socket.didWrite(status)
    }
    if code != 0 { didWrite(code) }
  }

  private func didWrite(_ status: Int32) {
    isWriting = false
    guard !isClosing else { return }
    guard status == 0 else { return onEnd(true) }
    underWay.removeAll()
    flush()
    if !isWriting { onDrained() }
  }

  /// Lets go of its owner as well.
  func close(reset: Bool) {
    onBytes = { _ in }
    onEnd = { _ in }
    onDrained = {}
    closeHandle(reset: reset)
  }

  override func loopEnds() {
    onEnd(false)
    close(reset: false)
  }
}
