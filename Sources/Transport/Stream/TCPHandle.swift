internal import CUV

/// The owner of one `uv_tcp_t`: made in `init`, freed in libuv's close callback.
///
/// While the handle is open, libuv's side holds a reference to this object, so that a callback
/// never meets a freed one.
class TCPHandle {
  let handle: UnsafeMutablePointer<uv_tcp_t>
  /// Unchecked, as every read and every write asks it a few times: the owner of a handle keeps the
  /// loop, whose end closes all handles, and a closed one asks nothing any more.
  unowned(unsafe) let loop: EventLoop
  private(set) var isClosing = false

  init(on loop: EventLoop) {
    self.loop = loop
    handle = .allocate(capacity: 1)
    // Fails only for flags that are not used here.
    uv_tcp_init(loop.loop, handle)
    handle.pointee.data = Unmanaged.passRetained(self).toOpaque()
  }

  /// The object behind a handle, which is alive by the rule above.
  static func of(_ data: UnsafeMutableRawPointer) -> TCPHandle {
    Unmanaged<TCPHandle>.fromOpaque(data).takeUnretainedValue()
  }

  var base: UnsafeMutablePointer<uv_handle_t> {
    UnsafeMutableRawPointer(handle).assumingMemoryBound(to: uv_handle_t.self)
  }
  var stream: UnsafeMutablePointer<uv_stream_t> {
    UnsafeMutableRawPointer(handle).assumingMemoryBound(to: uv_stream_t.self)
  }

  /// - Parameter reset: end with RST, so that no port stays in TIME_WAIT.
  func closeHandle(reset: Bool) {
    guard !isClosing else { return }
    isClosing = true
    let closed: uv_close_cb = { handle in
      Unmanaged<TCPHandle>.fromOpaque(handle!.pointee.data).release()
      UnsafeMutableRawPointer(handle!).assumingMemoryBound(to: uv_tcp_t.self).deallocate()
    }
    // Refused (EINVAL) only during a shutdown, which this room never begins, or when the socket is
    // gone already.
    if !reset || uv_tcp_close_reset(handle, closed) != 0 { uv_close(base, closed) }
  }

  /// The loop closes everything.
  func loopEnds() { closeHandle(reset: false) }
}
