internal import CMosquittoGuard
internal import CWebsockets
internal import Core
internal import Synchronization

/// Owns the libwebsockets context of an event loop, which libwebsockets serves through libuv. All
/// calls are on the loop's thread. The context ends with the loop.
final class WebSocketContext {
  private unowned(unsafe) let loop: EventLoop
  private var raw: OpaquePointer?
  private let protocols = UnsafeMutablePointer<lws_protocols>.allocate(capacity: 2)
  /// The TLS contexts and keep-alive settings, which libwebsockets uses until the loop's end.
  private var trusts: [ConnectionTrust] = []
  private var idles: [UnsafeMutablePointer<lws_retry_bo_t>] = []
  /// The connections until libwebsockets has freed them, by the number that callbacks give.
  private var connections: [UInt: WebSocketConnection] = [:]
  private var last: UInt = 0
  /// The output of one message, behind the room that libwebsockets needs for the frame's header.
  private var output: [UInt8] = []

  /// The loop's handles that libwebsockets has opened for itself, and closes itself.
  private(set) var handles: Set<UnsafeMutableRawPointer> = []

  init(on loop: EventLoop) {
    self.loop = loop
    let before = loop.handles
    defer { handles = loop.handles.subtracting(before) }
    let owner = Unmanaged.passUnretained(self).toOpaque()
    raw = Self.library.withLock { _ in
      flotilla_ws_context(UnsafeMutableRawPointer(loop.loop), protocols, Self.callback, owner)
        .map { UInt(bitPattern: $0) }
    }.flatMap { OpaquePointer(bitPattern: $0) }
  }

  deinit {
    protocols.deallocate()
    for idle in idles { idle.deallocate() }
  }

  /// Ends all connections. libwebsockets frees its memory while the loop runs on.
  func close() {
    flotilla_refuse_second_closes()
    if let raw {
      // The loop has no further turn in which libwebsockets would ask for the rest of a stream.
      for connection in connections.values where connection.isLeaving {
        if let socket = connection.socket { _ = write(connection, socket) }
      }
      let context = UInt(bitPattern: raw)
      Self.library.withLock { _ in lws_context_destroy(OpaquePointer(bitPattern: context)) }
    }
    raw = nil
  }

  /// Guards libwebsockets' own state of the process, which contexts of several loops change.
  private static let library = Mutex(())

  /// The connections of one owner: their TLS context and keep-alive.
  struct Host {
    fileprivate let vhost: OpaquePointer
    fileprivate let idle: UnsafeMutablePointer<lws_retry_bo_t>
  }

  /// Returns nil if libwebsockets cannot use libuv.
  func host(_ trust: ConnectionTrust?, keepalive: WallDuration) -> Host? {
    guard let raw else { return nil }
    let tls = trust.map { UnsafeMutableRawPointer($0.pointer) }
    guard let vhost = flotilla_ws_host(raw, protocols, tls) else { return nil }
    if let trust { trusts.append(trust) }
    let idle = UnsafeMutablePointer<lws_retry_bo_t>.allocate(capacity: 1)
    idle.initialize(to: lws_retry_bo_t())
    let seconds = UInt16(clamping: min(60_000, (keepalive.microseconds + 999_999) / 1_000_000))
    idle.pointee.secs_since_valid_ping = seconds
    idle.pointee.secs_since_valid_hangup = seconds == 0 ? 0 : seconds + Self.pongSeconds
    idles.append(idle)
    return Host(vhost: vhost, idle: idle)
  }

  /// The time limit for the answer to a ping.
  private static let pongSeconds: UInt16 = 10

  /// Begins to connect. Returns false if libwebsockets cannot even begin.
  func connect(
    _ connection: WebSocketConnection, _ host: Host, to address: String, port: UInt16,
    isSecured: Bool, as name: String, path: String, subprotocol: String
  ) -> Bool {
    last += 1
    connections[last] = connection
    let made = flotilla_ws_connect(
      raw, host.vhost, address, Int32(port), isSecured ? 1 : 0, name, path, subprotocol, host.idle,
      last)
    guard let made else {
      connections[last] = nil
      return false
    }
    connection.socket = made
    connection.descriptor = lws_get_socket_fd(made)
    return true
  }

  /// Asks for a call of `output` when the socket takes bytes.
  static func wantsToWrite(_ socket: OpaquePointer) { lws_callback_on_writable(socket) }

  /// Closes a socket without a close frame, in the next turn.
  static func drop(_ socket: OpaquePointer) {
    lws_set_timeout(socket, PENDING_TIMEOUT_USER_REASON_BASE, LWS_TO_KILL_ASYNC)
  }

  // MARK: Callbacks

  private static let callback: flotilla_ws_callback = { socket, reason, number, input, count in
    guard let socket, let number, let owner = lws_context_user(lws_get_context(socket)) else {
      return 0
    }
    return Unmanaged<WebSocketContext>.fromOpaque(owner).takeUnretainedValue()
      .handle(
        reason, socket, UInt(bitPattern: number),
        UnsafeMutableRawBufferPointer(start: input, count: input == nil ? 0 : count))
  }

  /// - Returns: 0, or -1 to close the connection.
  private func handle(
    _ reason: lws_callback_reasons, _ socket: OpaquePointer, _ number: UInt,
    _ input: UnsafeMutableRawBufferPointer
  ) -> Int32 {
    guard let connection = connections[number] else { return 0 }
    loop.notePace()
    connection.isCalledBack = true
    defer { connection.isCalledBack = false }
    switch reason {
    case LWS_CALLBACK_WSI_DESTROY:
      connections[number] = nil
      connection.socket = nil
      connection.ended(nil)
    case LWS_CALLBACK_CLIENT_CONNECTION_ERROR:
      connection.socket = nil
      let status = Int(lws_http_client_http_response(socket))
      connection.ended(WebSocketEnd(status: status, text: Self.text(UnsafeRawBufferPointer(input))))
    case LWS_CALLBACK_CLIENT_CLOSED, LWS_CALLBACK_CLOSED:
      connection.socket = nil
      connection.ended(nil)
    case LWS_CALLBACK_WS_PEER_INITIATED_CLOSE:
      connection.noteClose(UnsafeRawBufferPointer(input))
    case LWS_CALLBACK_CLIENT_HTTP_REDIRECT: return -1
    case LWS_CALLBACK_CLIENT_APPEND_HANDSHAKE_HEADER:
      guard let lines = connection.connected() else { return -1 }
      return append(lines, input)
    case LWS_CALLBACK_CLIENT_ESTABLISHED: connection.established()
    case LWS_CALLBACK_CLIENT_RECEIVE:
      connection.received(
        UnsafeRawBufferPointer(input), isFirst: lws_is_first_fragment(socket) != 0,
        isLast: lws_is_final_fragment(socket) != 0)
      return connection.isOver && !connection.isLeaving ? -1 : 0
    case LWS_CALLBACK_CLIENT_WRITEABLE: return write(connection, socket)
    // libwebsockets has many more reasons.
    default: break
    }
    return 0
  }

  /// Appends header lines to the request that libwebsockets writes.
  private func append(_ lines: String, _ place: UnsafeMutableRawBufferPointer) -> Int32 {
    let end = place.baseAddress?.assumingMemoryBound(to: UnsafeMutablePointer<UInt8>.self)
    guard let end, lines.utf8.count < place.count else { return -1 }
    for byte in lines.utf8 {
      end.pointee.pointee = byte
      end.pointee += 1
    }
    return 0
  }

  private func write(_ connection: WebSocketConnection, _ socket: OpaquePointer) -> Int32 {
    guard !connection.isOver || connection.isLeaving else { return -1 }
    let room = Int(flotilla_ws_room)
    if output.isEmpty { output = [UInt8](repeating: 0, count: room) }
    guard let isBinary = connection.next(into: &output) else {
      guard connection.isLeaving else { return 0 }
      lws_close_reason(socket, LWS_CLOSE_STATUS_NORMAL, nil, 0)
      return -1
    }
    let count = output.count - room
    let written = output.withUnsafeMutableBufferPointer { bytes in
      lws_write(
        socket, bytes.baseAddress! + room, count, isBinary ? LWS_WRITE_BINARY : LWS_WRITE_TEXT)
    }
    output.removeSubrange(room...)
    guard written >= count else { return -1 }
    connection.noteWritten()
    if connection.isLeaving { Self.wantsToWrite(socket) }
    return connection.isOver && !connection.isLeaving ? -1 : 0
  }

  private static func text(_ bytes: UnsafeRawBufferPointer) -> String {
    // swift-format-ignore: a text of libwebsockets, which may quote the system.
    ForeignText.inLine(String(decoding: bytes.prefix { $0 != 0 }.prefix(200), as: UTF8.self))
  }
}

/// What libwebsockets knows about a connection that was not opened.
struct WebSocketEnd {
  /// The HTTP status of the answer; 0 without an answer.
  var status: Int
  var text: String
}
