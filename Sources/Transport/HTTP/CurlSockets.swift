internal import CCurl
internal import CUV
internal import Foundation

/// The sockets of an HTTP client, with the loop's watches, on the loop's thread. A kept connection
/// is watched between requests until its first event, usually its end, after which the owner checks
/// the connection. libcurl 7.88 makes no callback when it closes a socket that never connected
/// (`cf_socket_close`), so `watch` checks sockets that were never watched for reading. libcurl
/// calls this object until the last connection is closed.
final class CurlSockets {
  private unowned let loop: EventLoop
  private let onReady: (_ descriptor: Int32, _ events: Int32) -> Void
  private let onIdleReady: (IdleConnection) -> Void
  private var watches: [Watch?] = []
  private(set) var opened: UInt64 = 0
  private(set) var open = 0
  private(set) var openPeak = 0
  var lastError: Int32 = 0

  private final class Watch {
    let poll: UnsafeMutablePointer<uv_poll_t>
    unowned let sockets: CurlSockets
    let descriptor: Int32
    /// Whether `open` made the socket. If not, libcurl made it to resolve names, and closes it.
    let isConnection: Bool
    /// The socket's identity, which a later socket with the same descriptor number does not share.
    let identity: UInt64
    let place: UInt32?
    var idleNotices = 0
    var hasBeenConnected = false
    var armed: UInt32 = 0
    var wanted: UInt32 = 0

    init(
      _ poll: UnsafeMutablePointer<uv_poll_t>, _ sockets: CurlSockets, _ descriptor: Int32,
      isConnection: Bool, _ place: UInt32?
    ) {
      self.place = place
      identity = isConnection ? flotilla_curl_socket_identity(descriptor) : 0
      self.poll = poll
      self.sockets = sockets
      self.descriptor = descriptor
      self.isConnection = isConnection
    }
  }

  /// - Parameter onReady: takes a descriptor and its readiness as libcurl's bits.
  /// - Parameter onIdleReady: takes a kept connection that had an event between two requests.
  init(
    on loop: EventLoop, onReady: @escaping (_ descriptor: Int32, _ events: Int32) -> Void,
    onIdleReady: @escaping (IdleConnection) -> Void
  ) {
    self.loop = loop
    self.onReady = onReady
    self.onIdleReady = onIdleReady
  }

  deinit { precondition(open == 0, "sockets of a client were dropped before they were closed") }

  // MARK: libcurl callbacks

  /// Watches a socket for libcurl. `what` is a CURL_POLL_… value.
  func watch(_ descriptor: Int32, for what: Int32) {
    switch what {
    case CURL_POLL_IN: want(descriptor, UV_READABLE.rawValue)
    case CURL_POLL_OUT: want(descriptor, UV_WRITABLE.rawValue)
    case CURL_POLL_INOUT: want(descriptor, UV_READABLE.rawValue | UV_WRITABLE.rawValue)
    case CURL_POLL_REMOVE:
      guard let watch = self[descriptor] else { return }
      watch.wanted = 0
      if !watch.isConnection {
        drop(watch)
      } else if !watch.hasBeenConnected {
        if flotilla_curl_socket_identity(descriptor) != watch.identity { forget(watch) }
      }
    default: break  // CURL_POLL_NONE: nothing new.
    }
  }

  func open(_ address: UnsafePointer<curl_sockaddr>, of place: UInt32?) -> Int32 {
    let descriptor = flotilla_curl_socket(address)
    guard descriptor >= 0 else {
      lastError = -descriptor
      return -1
    }
    // A watch with the same descriptor number belongs to a socket that libcurl has closed.
    if let stale = self[descriptor] { forget(stale) }
    guard make(descriptor, isConnection: true, place) != nil else {
      Foundation.close(descriptor)
      return -1
    }
    opened += 1
    open += 1
    openPeak = max(openPeak, open)
    return descriptor
  }

  func close(_ descriptor: Int32) {
    if let watch = self[descriptor] { drop(watch) }
    Foundation.close(descriptor)
    open -= 1
  }

  private func forget(_ watch: Watch) {
    drop(watch)
    if watch.isConnection { open -= 1 }
  }

  // MARK: Watches

  private subscript(_ descriptor: Int32) -> Watch? {
    Int(descriptor) < watches.count ? watches[Int(descriptor)] : nil
  }

  private func want(_ descriptor: Int32, _ events: UInt32) {
    guard let watch = self[descriptor] ?? make(descriptor, isConnection: false) else { return }
    watch.wanted = events
    if events & UV_READABLE.rawValue != 0 { watch.hasBeenConnected = true }
    arm(watch, events)
  }

  /// Returns whether the connection is still open and is not watched.
  func isIdle(_ connection: IdleConnection) -> Bool {
    guard let watch = self[connection.descriptor] else { return false }
    return watch.identity == connection.identity && watch.wanted == 0 && watch.armed == 0
  }

  func lookOn(at connection: IdleConnection) {
    guard isIdle(connection), let watch = self[connection.descriptor] else { return }
    arm(watch, UV_READABLE.rawValue)
  }

  private func arm(_ watch: Watch, _ events: UInt32) {
    guard watch.armed != events else { return }
    watch.armed = events
    uv_poll_start(watch.poll, Int32(events)) { handle, status, events in
      guard let handle else { return }
      EventLoop.of(handle.pointee.loop).notePoll()
      let watch = Unmanaged<Watch>.fromOpaque(handle.pointee.data).takeUnretainedValue()
      watch.sockets.ready(watch, status: status, events: UInt32(events))
    }
  }

  private func ready(_ watch: Watch, status: Int32, events: UInt32) {
    guard watch.wanted != 0 else {
      watch.armed = 0
      uv_poll_stop(watch.poll)
      if let place = watch.place {
        onIdleReady(
          IdleConnection(
            descriptor: watch.descriptor, identity: watch.identity, place: place,
            notices: watch.idleNotices))
        watch.idleNotices += 1
      }
      return
    }
    var bits: Int32 = 0
    if events & UV_READABLE.rawValue != 0 { bits |= CURL_CSELECT_IN }
    if events & UV_WRITABLE.rawValue != 0 { bits |= CURL_CSELECT_OUT }
    if status < 0 { bits = CURL_CSELECT_ERR | CURL_CSELECT_IN | CURL_CSELECT_OUT }
    onReady(watch.descriptor, bits)
  }

  private func make(
    _ descriptor: Int32, isConnection: Bool, _ place: UInt32? = nil
  ) -> Watch? {
    let poll = UnsafeMutablePointer<uv_poll_t>.allocate(capacity: 1)
    guard uv_poll_init(loop.loop, poll, descriptor) == 0 else {
      poll.deallocate()
      return nil
    }
    let watch = Watch(poll, self, descriptor, isConnection: isConnection, place)
    poll.pointee.data = Unmanaged.passUnretained(watch).toOpaque()
    let number = Int(descriptor)
    if number >= watches.count {
      watches.append(contentsOf: repeatElement(nil, count: number + 1 - watches.count))
    }
    watches[number] = watch
    return watch
  }

  private func drop(_ watch: Watch) {
    watches[Int(watch.descriptor)] = nil
    uv_poll_stop(watch.poll)
    watch.poll.withMemoryRebound(to: uv_handle_t.self, capacity: 1) { handle in
      uv_close(handle) { $0?.deallocate() }
    }
  }
}
