internal import CUV

/// Owns one `uv_tcp_t`, which retains this object until libuv's close callback frees the handle.
class TCPHandle {
  let handle: UnsafeMutablePointer<uv_tcp_t>
  /// The loop, unowned without a check for speed. The loop closes its handles when it ends.
  unowned(unsafe) let loop: EventLoop
  private(set) var isClosing = false

  init(on loop: EventLoop) {
    self.loop = loop
    handle = .allocate(capacity: 1)
    // The call fails only for flags that are not used here.
    uv_tcp_init(loop.loop, handle)
    handle.pointee.data = Unmanaged.passRetained(self).toOpaque()
  }

  static func of(_ data: UnsafeMutableRawPointer) -> TCPHandle {
    Unmanaged<TCPHandle>.fromOpaque(data).takeUnretainedValue()
  }

  var base: UnsafeMutablePointer<uv_handle_t> {
    UnsafeMutableRawPointer(handle).assumingMemoryBound(to: uv_handle_t.self)
  }
  var stream: UnsafeMutablePointer<uv_stream_t> {
    UnsafeMutableRawPointer(handle).assumingMemoryBound(to: uv_stream_t.self)
  }

  /// - Parameter reset: whether to end with RST, so that no port stays in TIME_WAIT.
  func closeHandle(reset: Bool) {
    guard !isClosing else { return }
    isClosing = true
    let closed: uv_close_cb = { handle in
      Unmanaged<TCPHandle>.fromOpaque(handle!.pointee.data).release()
      UnsafeMutableRawPointer(handle!).assumingMemoryBound(to: uv_tcp_t.self).deallocate()
    }
    // A reset fails (EINVAL) only during a shutdown, which is never begun here, or after a close.
    if !reset || uv_tcp_close_reset(handle, closed) != 0 { uv_close(base, closed) }
  }

  func loopEnds() { closeHandle(reset: false) }
}
