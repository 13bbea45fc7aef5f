internal import CNghttp2
internal import Core
internal import Wire

/// A client on HTTP/2. After GOAWAY, open requests are answered before the connection closes.
final class HTTPServerConnection: HTTP2Connection, ServedConnection {
  let peer: HTTPPeer
  private var server: HTTPServer?
  private var requests: [ServedRequest?] = []
  private var freePlaces: [Int] = []
  private(set) var openCount = 0
  private var coming: ServedRequest?
  private var isGoingAway = false
  /// The text of the GOAWAY to send at the end of the turn, or nil if no GOAWAY is due.
  private var farewell: String?
  private var lastWhole: Int32 = 0
  private(set) var lastActive: WallInstant
  private var pings = 0
  private var streamsAllowed: Int?

  /// The limit of pings without a request in between: ten a minute for a week.
  private static let pingsMax = 100_000

  init(on link: Link, of server: HTTPServer, number: Int) {
    peer = HTTPPeer(number: number)
    self.server = server
    lastActive = link.loop.now
    super.init(.server, on: link)
    peer.connection = self
    let limits = server.limits
    submit([
      NGHTTP2_SETTINGS_MAX_CONCURRENT_STREAMS: limits.streamsAtFirst,
      NGHTTP2_SETTINGS_MAX_HEADER_LIST_SIZE: limits.fieldBytesMax,
      NGHTTP2_SETTINGS_NO_RFC7540_PRIORITIES: 1,
    ])
    _ = nghttp2_session_set_local_window_size(session.raw, 0, 0, Int32(limits.windowBytes))
    link.start(for: self)
    outputLater()
  }

  // MARK: in

  override func headersBegin(_ stream: Int32) {
    guard let server, request(of: stream) == nil else { return }
    let request = server.takeRequest()
    request.stream = stream
    request.client = peer
    coming = request
  }

  override func header(
    _ stream: Int32, _ name: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer
  ) {
    guard let coming, coming.stream == stream, let server else { return }
    // HTTP/2 counts 32 bytes more for each field (RFC 9113, 6.5.2).
    coming.fieldBytes += name.count + value.count + 32
    guard coming.fieldBytes <= server.limits.fieldBytesMax else { return }
    coming.fields.add(name, value)
  }

  override func data(_ stream: Int32, _ bytes: UnsafeRawBufferPointer, endsStream: Bool) {
    _ = nghttp2_session_consume(session.raw, stream, bytes.count)
    guard let server, let request = request(of: stream), request.state == .coming else { return }
    if request.body.count + bytes.count > server.limits.bodyBytesMax {
      request.isTooLong = true
      request.body.removeAll()
    }
    if !request.isTooLong { request.body.append(bytes) }
  }

  override func received(_ frame: UnsafePointer<nghttp2_frame>) {
    guard !isClosed else { return }
    let head = flotilla_h2_head(frame).pointee
    let ends = head.flags & UInt8(NGHTTP2_FLAG_END_STREAM.rawValue) != 0
    switch UInt32(head.type) {
    case NGHTTP2_HEADERS.rawValue:
      if let coming = exchange(&coming, with: nil) { begin(coming) }
      if ends { requestEnds(head.stream_id) }
    case NGHTTP2_DATA.rawValue:
      if ends { requestEnds(head.stream_id) }
    case NGHTTP2_PING.rawValue:
      guard head.flags & UInt8(NGHTTP2_FLAG_ACK.rawValue) == 0 else { return }
      pings += 1
      if pings > Self.pingsMax { return end(.closedHere, reset: true) }
      _ = flotilla_h2_submit_ping(session.raw, 1, flotilla_h2_ping_payload(frame))
      outputLater()
    case NGHTTP2_GOAWAY.rawValue: isGoingAway = true
    default: break
    }
  }

  override func sent(_ frame: UnsafePointer<nghttp2_frame>) {
    super.sent(frame)
    guard flotilla_h2_head(frame).pointee.type == UInt8(NGHTTP2_RST_STREAM.rawValue),
      frame.pointee.rst_stream.error_code == NGHTTP2_REFUSED_STREAM.rawValue
    else { return }
    peer.refusedStreams += 1
  }

  private func begin(_ request: ServedRequest) {
    let place = freePlaces.popLast() ?? requests.count
    if place == requests.count { requests.append(nil) }
    request.place = place
    requests[place] = request
    openCount += 1
    _ = nghttp2_session_set_stream_user_data(
      session.raw, request.stream, Unmanaged.passUnretained(request).toOpaque())
  }

  private func requestEnds(_ stream: Int32) {
    guard let server, let request = request(of: stream), request.state == .coming else { return }
    request.state = .whole
    lastWhole = max(lastWhole, stream)
    request.receivedAt = link.loop.now
    lastActive = request.receivedAt
    pings = 0
    server.received(request, isTooMuch: request.fieldBytes > server.limits.fieldBytesMax)
  }

  /// Returns a stream's request from nghttp2's user data. `requests` retains the request.
  private func request(of stream: Int32) -> ServedRequest? {
    guard let place = nghttp2_session_get_stream_user_data(session.raw, stream) else { return nil }
    return Unmanaged<ServedRequest>.fromOpaque(place).takeUnretainedValue()
  }

  override func streamClosed(_ stream: Int32, code: UInt32) {
    if let coming, coming.stream == stream { self.coming = nil }
    guard let place = request(of: stream)?.place,
      var request = exchange(&requests[place], with: nil)
    else { return }
    let wasOpen = request.state == .whole
    request.state = .over
    freePlaces.append(place)
    openCount -= 1
    if wasOpen { server?.handler.cancelled(request) }
    server?.give(&request)
  }

  // MARK: calls by the handler

  /// Sets the limit of open requests, after this turn's answers are sent. Requests that have
  /// already arrived count under the old limit.
  func allow(streams: Int) {
    guard !isClosed else { return }
    streamsAllowed = streams
    outputLater()
  }

  private func sayStreamsAllowed() {
    guard let streams = exchange(&streamsAllowed, with: nil), !isClosed else { return }
    submit([NGHTTP2_SETTINGS_MAX_CONCURRENT_STREAMS: streams])
    flush()
    link.endOfTurn()
  }

  /// Refuses new requests, and still answers complete requests. GOAWAY follows this turn's answers
  /// and names the newest complete request, so a client that closes on GOAWAY has the answers.
  func goAway(_ text: String) {
    guard !isClosed, !isGoingAway, farewell == nil else { return }
    farewell = text
    outputLater()
  }

  private func sayFarewell() {
    guard let text = exchange(&farewell, with: nil), !isClosed, !isGoingAway else { return }
    isGoingAway = true
    saysGoAway = true
    Array(text.utf8).withUnsafeBufferPointer {
      _ = nghttp2_submit_goaway(
        session.raw, 0, lastWhole, NGHTTP2_NO_ERROR.rawValue, $0.baseAddress, $0.count)
    }
    flush()
    link.endOfTurn()
  }

  // MARK: the end

  override func turnEnded() {
    sayStreamsAllowed()
    sayFarewell()
    closeIfDone()
  }

  override func linkDrained() { closeIfDone() }

  private func closeIfDone() {
    guard isGoingAway, openCount == 0, link.bytesQueued == 0, !session.wantsOutput else { return }
    finished()
  }

  /// Waits up to five seconds for the client to close the connection after GOAWAY. Closing a socket
  /// with unread input would reset the connection and lose answers. No ping is sent, since Python's
  /// h2 treats a frame after GOAWAY as a violation.
  override func finished() {
    guard saysGoAway, let server else { return end(.closedHere, reset: false) }
    guard !ignoresInput else { return }
    ignoresInput = true
    server.linger(self)
  }

  override func ended(_ end: LinkError) {
    guard let server = exchange(&server, with: nil) else { return }
    for request in requests {
      guard let request else { continue }
      let wasOpen = request.state == .whole
      request.state = .over
      if wasOpen { server.handler.cancelled(request) }
    }
    requests = []
    coming = nil
    peer.connection = nil
    server.ended(self, end)
  }
}
