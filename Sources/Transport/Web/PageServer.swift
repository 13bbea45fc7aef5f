internal import CMicrohttpd
package import Core
internal import Dispatch
internal import Foundation
internal import Synchronization

/// Serves a page and its live updates (Server-Sent Events) to several browsers. `send` only appends
/// an event and wakes the server's thread, so slow browsers do not delay its caller.
///
/// `@unchecked Sendable`: `daemon` is written only in `init` and `close`, which one thread calls.
/// All other state is constant or in the answerer. The daemon's thread refers to the answerer,
/// never to the server, since `close` cannot stop the daemon from the daemon's own thread.
package final class PageServer: @unchecked Sendable {
  /// The page's URL, with the port that is in use.
  package let address: String

  private let answerer: PageAnswerer
  private var daemon: OpaquePointer?
  private let heart: any DispatchSourceTimer

  private static let connectionsMax: UInt32 = 64
  /// The timeout of a request, and of a browser that reads nothing.
  private static let idleSeconds: UInt32 = 30
  private static let headerBytesMax = 16_384

  /// Creates a server that listens at once. Throws if the server cannot listen.
  ///
  /// - Parameter token: the value of `run.webToken`, or nil for an address of this machine only.
  /// - Parameter epoch: a text that no earlier server at this address used.
  /// - Parameter phone: returns the answer to `/phone?n=`, or nil. Runs on the daemon's thread.
  /// - Parameter beat: the interval of comments that keep connections alive.
  package init(
    _ endpoint: Endpoint, token: String?, epoch: String, page: String,
    phone: @escaping @Sendable (Int) -> String? = { _ in nil },
    beat: WallDuration = .seconds(10)
  ) throws(TransportError) {
    let socket = try ListeningSocket(endpoint)
    let place = Endpoint(host: endpoint.host, port: socket.port)
    address = "http://\(place)/"
    answerer = PageAnswerer(
      Array(page.utf8), PageRules(host: endpoint.host, port: socket.port, token: token),
      PageHistory(epoch: epoch), phone)
    heart = DispatchSource.makeTimerSource(queue: .global(qos: .utility))
    heart.setEventHandler { [answerer] in answerer.wake { $0.history.beat() } }
    heart.schedule(
      deadline: .now() + beat.seconds, repeating: beat.seconds, leeway: .milliseconds(100))
    heart.activate()
    let closure = Unmanaged.passUnretained(self.answerer).toOpaque()
    daemon = flotilla_http_start(
      socket.descriptor, Self.connectionsMax, Self.idleSeconds, Self.headerBytesMax, 1,
      { closure, connection, url, method, _, _, bodyBytes, state in
        guard let closure, let connection, let url, let method, let bodyBytes, let state else {
          return .NO
        }
        // `close` stops the daemon first, so the answerer outlives the daemon's calls.
        let answerer = Unmanaged<PageAnswerer>.fromOpaque(closure).takeUnretainedValue()
        let name = String(cString: method)
        // GET is answered in the second call, when the request is complete. Other methods are
        // answered at once, before their body. A non-nil `state` marks the second call.
        if state.pointee == nil, name == "GET" {
          state.pointee = closure
          return .YES
        }
        guard bodyBytes.pointee == 0 else { return .NO }
        return answerer.received(connection, name, String(cString: url))
      }, closure, nil, nil)
    guard daemon != nil else {
      heart.cancel()
      throw .cannotListen(
        host: endpoint.host, port: endpoint.port, reason: "no thread or memory for it")
    }
  }

  deinit { close() }

  package var browsers: Int { answerer.streams }

  // MARK: Events

  /// Sends a row that browsers keep and a state that replaces the last state, each of one line.
  package func send(row: String?, state: String) {
    answerer.wake { shared in
      if let row { shared.history.append(row: row) }
      shared.history.set(state: state)
    }
  }

  /// Sends a map of one line. The next map replaces it unless `isKept`. Callers limit kept maps.
  package func send(map: String, isKept: Bool) {
    answerer.wake { $0.history.append(map: map, isKept: isKept) }
  }

  /// Sends the last event, of one line. Waits until all browsers have the event or `limit` is over.
  package func end(_ text: String, within limit: WallDuration) {
    answerer.wake { $0.history.end(text) }
    answerer.waitForEnds(until: MonotonicClock.now + limit)
  }

  package func close() {
    guard let daemon else { return }
    heart.cancel()
    // A daemon with suspended connections cannot be stopped.
    answerer.wake { $0.isClosed = true }
    MHD_stop_daemon(daemon)
    self.daemon = nil
  }
}

/// Answers browsers on the daemon's thread.
private final class PageAnswerer: Sendable {
  struct Shared {
    var history: PageHistory
    /// The addresses of suspended connections, whose browsers have all events.
    var waiting: Set<UInt> = []
    var streams = 0
    var isClosed = false
  }

  private let page: [UInt8]
  private let rules: PageRules
  private let phone: @Sendable (Int) -> String?
  private let shared: Mutex<Shared>
  private let streamEnded = Waiter()

  private static let blockBytes = 32_768

  init(
    _ page: [UInt8], _ rules: PageRules, _ history: PageHistory,
    _ phone: @escaping @Sendable (Int) -> String?
  ) {
    self.page = page
    self.rules = rules
    self.phone = phone
    shared = Mutex(Shared(history: history))
  }

  var streams: Int { shared.withLock { $0.streams } }

  func waitForEnds(until limit: WallInstant) {
    streamEnded.wait(until: limit) { streams == 0 }
  }

  /// Applies a change to the events, and resumes the waiting connections.
  func wake(_ change: (inout Shared) -> Void) {
    shared.withLock { shared in
      change(&shared)
      for connection in shared.waiting {
        MHD_resume_connection(OpaquePointer(bitPattern: connection))
      }
      shared.waiting = []
    }
  }

  // MARK: Requests

  func received(
    _ connection: OpaquePointer, _ method: String, _ path: String
  ) -> MHD_Result {
    func header(_ name: String) -> String? {
      MHD_lookup_connection_value(connection, .HEADER_KIND, name).map { String(cString: $0) }
    }
    func argument(_ name: String) -> String? {
      MHD_lookup_connection_value(connection, .GET_ARGUMENT_KIND, name).map { String(cString: $0) }
    }
    let request = PageRequest(
      method: method, path: path, host: header("Host"), token: argument("token"),
      cookie: MHD_lookup_connection_value(connection, .COOKIE_KIND, rules.cookieName)
        .map { String(cString: $0) },
      number: argument("n"), lastEvent: header("Last-Event-ID"))
    return answer(rules.answer(request), on: connection)
  }

  private func answer(_ answer: PageAnswer, on connection: OpaquePointer) -> MHD_Result {
    switch answer {
    case .page:
      return queue(page, "text/html; charset=utf-8", 200, on: connection)
    case .events(let last):
      return stream(after: last, on: connection)
    case .phone(let number):
      guard let text = phone(number) else {
        return self.answer(PageRules.noPhone, on: connection)
      }
      return queue(Array(text.utf8), "application/json", 200, on: connection)
    case .redirect(let cookie):
      return queue(
        [], "text/plain; charset=utf-8", 303, ["Location": "/", "Set-Cookie": cookie],
        on: connection)
    case .refused(let code, let why):
      return queue(
        Array((why + "\n").utf8), "text/plain; charset=utf-8", code,
        code == 405 ? ["Allow": "GET"] : [:], on: connection)
    }
  }

  private func queue(
    _ body: [UInt8], _ type: String, _ code: UInt32, _ headers: [String: String] = [:],
    on connection: OpaquePointer
  ) -> MHD_Result {
    let response = body.withUnsafeBytes {
      MHD_create_response_from_buffer(
        $0.count, UnsafeMutableRawPointer(mutating: $0.baseAddress), .RESPMEM_MUST_COPY)
    }
    return queue(response, type, code, headers, on: connection)
  }

  private func queue(
    _ response: OpaquePointer?, _ type: String, _ code: UInt32, _ headers: [String: String],
    on connection: OpaquePointer
  ) -> MHD_Result {
    // Without memory for an answer the connection is closed.
    guard let response else { return .NO }
    defer { MHD_destroy_response(response) }
    let common = [
      "Content-Type": type, "Cache-Control": "no-store", "X-Content-Type-Options": "nosniff",
      "Referrer-Policy": "no-referrer", "Cross-Origin-Resource-Policy": "same-origin",
      "Content-Security-Policy": "default-src 'none'; style-src 'unsafe-inline'; "
        + "script-src 'unsafe-inline'; img-src data:; connect-src 'self'; base-uri 'none'; "
        + "form-action 'none'; frame-ancestors 'none'",
    ]
    for (name, value) in common.merging(headers, uniquingKeysWith: { $1 }) {
      MHD_add_response_header(response, name, value)
    }
    return MHD_queue_response(connection, code, response)
  }

  // MARK: Streams

  /// The event stream of one browser. Only the daemon's thread touches a stream.
  private final class Stream {
    let answerer: PageAnswerer
    let connection: OpaquePointer
    var place: PageHistory.Place
    /// The unsent part of the last piece.
    var rest: ArraySlice<UInt8> = []

    init(_ answerer: PageAnswerer, _ connection: OpaquePointer, _ place: PageHistory.Place) {
      self.answerer = answerer
      self.connection = connection
      self.place = place
    }
  }

  private func stream(after last: String?, on connection: OpaquePointer) -> MHD_Result {
    let place = shared.withLock { shared in
      shared.streams += 1
      return shared.history.place(after: last)
    }
    let stream = Unmanaged.passRetained(Stream(self, connection, place))
    let response = MHD_create_response_from_callback(
      UInt64.max, Self.blockBytes,
      { closure, _, buffer, most in
        guard let closure, let buffer else { return -1 }
        let stream = Unmanaged<Stream>.fromOpaque(closure).takeUnretainedValue()
        return stream.answerer.read(
          stream, into: UnsafeMutableRawBufferPointer(start: buffer, count: most))
      }, stream.toOpaque(),
      { closure in
        guard let closure else { return }
        let stream = Unmanaged<Stream>.fromOpaque(closure).takeRetainedValue()
        stream.answerer.shared.withLock { $0.streams -= 1 }
        stream.answerer.streamEnded.wake()
      })
    if response == nil {
      stream.release()
      shared.withLock { $0.streams -= 1 }
    }
    return queue(response, "text/event-stream; charset=utf-8", 200, [:], on: connection)
  }

  /// Returns the number of bytes written, -1 at the end, or 0 if the connection waits for events.
  private func read(_ stream: Stream, into buffer: UnsafeMutableRawBufferPointer) -> Int {
    if stream.rest.isEmpty {
      let place = stream.place
      let number = UInt(bitPattern: stream.connection)
      // The lock is held until the connection is suspended, so that no event is missed.
      let next = shared.withLock { shared -> (bytes: [UInt8], place: PageHistory.Place)? in
        var place = place
        if shared.isClosed || place.isAtEnd { return ([], place) }
        if let bytes = shared.history.next(&place) { return (bytes, place) }
        shared.waiting.insert(number)
        MHD_suspend_connection(OpaquePointer(bitPattern: number))
        return nil
      }
      guard let next else { return 0 }
      guard !next.bytes.isEmpty else { return -1 }
      stream.place = next.place
      stream.rest = next.bytes[...]
    }
    let count = min(buffer.count, stream.rest.count)
    buffer.copyBytes(from: stream.rest.prefix(count))
    stream.rest = stream.rest.dropFirst(count)
    return count
  }
}
