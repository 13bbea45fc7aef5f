internal import CUV

/// Watches a socket that a library reads and writes, on the loop's thread only. The watch must be
/// closed before the descriptor is closed and before the loop ends.
package final class SocketWatch {
  private let loop: EventLoop
  private let poll: UnsafeMutablePointer<uv_poll_t>
  private let onReady: () -> Void
  private var isClosed = false
  private var isWriting = false
  /// Whether the socket has failed. After a failure `onReady` is called once more.
  package private(set) var hasFailed = false

  /// Begins to watch, or returns nil if the system cannot watch the descriptor. Calls `onReady`
  /// when the socket is readable, is writable after `watchWriting(true)`, or has failed.
  package init?(_ descriptor: Int32, on loop: EventLoop, onReady: @escaping () -> Void) {
    loop.assertOnLoop()
    self.loop = loop
    self.onReady = onReady
    poll = .allocate(capacity: 1)
    guard uv_poll_init(loop.loop, poll, descriptor) == 0 else {
      poll.deallocate()
      isClosed = true
      return nil
    }
    poll.pointee.data = Unmanaged.passUnretained(self).toOpaque()
    start()
  }

  deinit { precondition(isClosed, "a watch on a socket was dropped before it was closed") }

  package func watchWriting(_ isWriting: Bool) {
    guard !isClosed, self.isWriting != isWriting else { return }
    self.isWriting = isWriting
    start()
  }

  private func start() {
    let events = UV_READABLE.rawValue | (isWriting ? UV_WRITABLE.rawValue : 0)
    uv_poll_start(poll, Int32(events)) { handle, status, _ in
      guard let handle else { return }
      let watch = Unmanaged<SocketWatch>.fromOpaque(handle.pointee.data).takeUnretainedValue()
      if status < 0 { watch.hasFailed = true }
      // `notePoll` or `onReady` may close and release the watch.
      withExtendedLifetime(watch) {
        EventLoop.of(handle.pointee.loop).notePoll()
        if !watch.isClosed { watch.onReady() }
      }
    }
  }

  /// Ends the watch, so that the descriptor may be closed. Further calls have no effect.
  package func close() {
    guard !isClosed else { return }
    isClosed = true
    loop.assertOnLoop()
    uv_poll_stop(poll)
    poll.withMemoryRebound(to: uv_handle_t.self, capacity: 1) { handle in
      uv_close(handle) { $0?.deallocate() }
    }
  }
}
