internal import Core
internal import Wire

/// A client on HTTP/1.1. The handler gets one request at a time, and later requests wait.
final class HTTP1ServerConnection: LinkOwner, ServedConnection {
  let link: Link
  let peer: HTTPPeer
  private var server: HTTPServer?
  private var reader: HTTP1Reader
  private var request: ServedRequest?
  private var waiting: [UInt8] = []
  private var isAtWork = false
  private(set) var lastActive: WallInstant
  private var isGoingAway = false
  private var isClosing = false

  /// The limit of waiting bytes. A client that sends more before an answer is disconnected.
  private static let waitingMax = 1 << 20

  init(on link: Link, of server: HTTPServer, number: Int) {
    self.link = link
    self.server = server
    peer = HTTPPeer(number: number)
    reader = HTTP1Reader(headMax: server.limits.fieldBytesMax)
    lastActive = link.loop.now
    peer.plain = self
  }

  // MARK: in

  func linkReceived(_ bytes: UnsafeRawBufferPointer) {
    guard !isClosing else { return }
    waiting.append(contentsOf: bytes)
    if !isAtWork { work() }
    if waiting.count > Self.waitingMax { end(.closedHere, reset: true) }
  }

  private func work() {
    isAtWork = true
    defer { isAtWork = false }
    let now = exchange(&waiting, with: [])
    waiting = now.withUnsafeBytes { bytes in
      var rest = bytes[...]
      while step(&rest) {}
      return Array(rest)
    }
  }

  private func step(_ rest: inout Slice<UnsafeRawBufferPointer>) -> Bool {
    guard let server, !isClosing, request?.state ?? .coming == .coming,
      request != nil || !rest.isEmpty
    else { return false }
    let request = request ?? server.takeRequest()
    if self.request == nil {
      request.client = peer
      self.request = request
    }
    let most = server.limits.bodyBytesMax
    let event = reader.read(&rest, &request.fields) { piece in
      if request.body.count + piece.count > most {
        request.isTooLong = true
        request.body.removeAll()
      }
      if !request.isTooLong { request.body.append(piece) }
    }
    switch event {
    case .more: return false
    case .head:
      if reader.awaitsContinue { link.write { $0.append("HTTP/1.1 100 Continue\r\n\r\n") } }
      return true
    case .whole:
      request.state = .whole
      request.receivedAt = link.loop.now
      lastActive = request.receivedAt
      server.received(request, isTooMuch: false)
      return true
    case .refused(let status):
      request.state = .whole
      isGoingAway = true
      request.answer(status, HTTPFields())
      return false
    }
  }

  // MARK: out

  func answer(
    _ answered: ServedRequest, _ status: Int, _ fields: borrowing HTTPFields,
    body: UnsafeRawBufferPointer
  ) {
    let closes = isGoingAway || !reader.keepsOpen
    link.write { output in
      output.append("HTTP/1.1 ")
      output.append(utf8: "\(status) \(Self.phrase(status))\r\n")
      fields.forEach { name, value in
        output.append(name)
        output.append(": ")
        output.append(value)
        output.append("\r\n")
      }
      output.append(utf8: "content-length: \(body.count)\r\n")
      if closes { output.append("connection: close\r\n") }
      output.append("\r\n")
      output.append(body)
    }
    if var request = exchange(&request, with: nil) { server?.give(&request) }
    if closes {
      isClosing = true
      server?.linger(self)
    } else if !isAtWork, !waiting.isEmpty {
      work()
    }
  }

  static func phrase(_ status: Int) -> StaticString {
    switch status {
    case 200: "OK"
    case 201: "Created"
    case 400: "Bad Request"
    case 401: "Unauthorized"
    case 403: "Forbidden"
    case 404: "Not Found"
    case 405: "Method Not Allowed"
    case 410: "Gone"
    case 413: "Content Too Large"
    case 415: "Unsupported Media Type"
    case 429: "Too Many Requests"
    case 431: "Request Header Fields Too Large"
    case 500: "Internal Server Error"
    case 501: "Not Implemented"
    case 503: "Service Unavailable"
    case 505: "HTTP Version Not Supported"
    default: "-"
    }
  }

  // MARK: the end

  /// Does nothing, since HTTP/1.1 has no streams.
  func allow(streams: Int) {}

  /// Makes the next answer the last answer. An idle connection ends at once.
  func goAway(_ text: String) {
    isGoingAway = true
    if request == nil || request?.state == .coming { end(.closedHere, reset: false) }
  }

  func end(_ end: LinkError, reset: Bool) { link.end(end, reset: reset) }

  func linkConnected(at instant: WallInstant) {}
  func linkDrained() {}

  func linkEnded(_ end: LinkError) {
    guard let server = exchange(&server, with: nil) else { return }
    if let request = exchange(&request, with: nil) {
      let wasOpen = request.state == .whole
      request.state = .over
      if wasOpen { server.handler.cancelled(request) }
    }
    peer.plain = nil
    server.ended(self, end)
  }
}

/// A connection until its first two bytes select a protocol. `PR` selects HTTP/2.
final class HTTPFirstBytes: LinkOwner {
  let link: Link
  let since: WallInstant
  private var first: [UInt8] = []
  private var server: HTTPServer?

  init(on link: Link, of server: HTTPServer) {
    self.link = link
    self.server = server
    since = link.loop.now
  }

  func linkReceived(_ bytes: UnsafeRawBufferPointer) {
    first.append(contentsOf: bytes)
    guard first.count >= 2, let server = exchange(&server, with: nil) else { return }
    server.begin(self, isHTTP2: first.starts(with: "PR".utf8), first)
  }

  func linkConnected(at instant: WallInstant) {}
  func linkDrained() {}
  func linkEnded(_ end: LinkError) { exchange(&server, with: nil)?.ended(self) }
}
