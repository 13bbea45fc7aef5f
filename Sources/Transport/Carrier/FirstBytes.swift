internal import SimulationCore
internal import Wire

/// Stands for the carrier of a server's connection until its first byte tells which that is, unless
/// the two sides agreed on HTTP/2 when they made it secure.
///
///     F(LOTLA/1)  Flotilla's own frames      G(ET / HTTP/1.1)  a line of text
///     P(RI * …)   gRPC on HTTP/2             anything else     closed without an answer
///
/// One byte is enough: each carrier refuses a preface that goes on wrongly.
final class FirstBytes: ServerCarrier, LinkOwner {
  private let link: Link
  /// Let go of when the carrier is known, or when the link ends.
  private var connection: ServerConnection?

  init(on link: Link, of connection: ServerConnection) {
    self.link = link
    self.connection = connection
    link.start(for: self)
  }

  var bytesRead: Int { link.bytesRead }
  var bytesWritten: Int { link.bytesWritten }
  var isClosed: Bool { link.isClosed }
  var bytesUnread: Int { link.bytesQueued }
  var bytesStalled: Int { 0 }
  var bytesQueued: Int { link.bytesQueued }
  var backlogDelay: WallDuration { link.backlogDelay }

  func linkReceived(_ bytes: UnsafeRawBufferPointer) {
    guard let connection = exchange(&connection, with: nil), let first = bytes.first else {
      return
    }
    let carrier: any ServerCarrier & LinkOwner =
      switch first {
      case UInt8(ascii: "P"): CarrierKind.grpc.makeServer(on: link, of: connection)
      case UInt8(ascii: "G"): PlainPage(on: link, of: connection)
      default: CarrierKind.flotilla.makeServer(on: link, of: connection)
      }
    connection.carry(by: carrier)
    carrier.linkReceived(bytes)
  }

  // There are no calls yet.
  func send(_ call: UInt32, _ message: UnsafeRawBufferPointer, isLast: Bool) {}
  func end(_ call: UInt32, _ status: CallStatus) {}
  func consumed(_ bytes: Int) {}
  func pong(_ payload: UInt64) {}

  /// To a client that has said nothing, in Flotilla's frames; another kind sees a connection that
  /// breaks, and takes it for a server that is not available.
  func goAway(_ code: StatusCode, _ text: String) {
    link.write { FrameEncoder.goAway(lastStream: 0, code, text, into: &$0) }
  }

  func pauseReading() { link.pauseReading() }
  func flush() { link.flush() }
  func close(_ end: LinkError, reset: Bool) { link.end(end, reset: reset) }

  func linkConnected(at instant: WallInstant) {}
  func linkDrained() { connection?.drained() }
  func linkEnded(_ end: LinkError) { exchange(&connection, with: nil)?.ended(end) }
}

/// Answers a browser, or a health check that knows no more than HTTP/1.1, with a line of text.
final class PlainPage: ServerCarrier, LinkOwner {
  private let link: Link
  private var connection: ServerConnection?
  private var request: [UInt8] = []

  /// As much as the header list of a call.
  private static let requestBytesMax = 8_192
  /// What `GET /` answers, over HTTP/1.1 and HTTP/2.
  static let text = "Flotilla collector: FLOTLA/1 and gRPC over HTTP/2 on this port.\n"

  init(on link: Link, of connection: ServerConnection) {
    self.link = link
    self.connection = connection
    link.start(for: self)
  }

  var bytesRead: Int { link.bytesRead }
  var bytesWritten: Int { link.bytesWritten }
  var isClosed: Bool { link.isClosed }
  var bytesUnread: Int { link.bytesQueued }
  var bytesStalled: Int { 0 }
  var bytesQueued: Int { link.bytesQueued }
  var backlogDelay: WallDuration { link.backlogDelay }

  func linkReceived(_ bytes: UnsafeRawBufferPointer) {
    request += bytes
    let end: [UInt8] = [13, 10, 13, 10]
    guard request.count <= Self.requestBytesMax, "GET ".utf8.elementsEqual(request.prefix(4)) else {
      return link.end(.protocolError(.badPreface))
    }
    guard request.suffix(4).elementsEqual(end) else { return }
    let isRoot = request.starts(with: "GET / HTTP/1.".utf8)
    let text = isRoot ? Self.text : "There is only / here.\n"
    let head = """
      HTTP/1.1 \(isRoot ? "200 OK" : "404 Not Found")\r
      content-type: text/plain; charset=utf-8\r
      content-length: \(text.utf8.count)\r
      connection: close\r
      \r

      """
    link.append { $0.append(utf8: head + text) }
    link.flush()
    connection?.clientGoesAway()
  }

  // There are no calls.
  func send(_ call: UInt32, _ message: UnsafeRawBufferPointer, isLast: Bool) {}
  func end(_ call: UInt32, _ status: CallStatus) {}
  func consumed(_ bytes: Int) {}
  func goAway(_ code: StatusCode, _ text: String) {}
  func pong(_ payload: UInt64) {}

  func pauseReading() { link.pauseReading() }
  func flush() { link.flush() }
  func close(_ end: LinkError, reset: Bool) { link.end(end, reset: reset) }

  func linkConnected(at instant: WallInstant) {}
  func linkDrained() { connection?.drained() }
  func linkEnded(_ end: LinkError) { exchange(&connection, with: nil)?.ended(end) }
}
