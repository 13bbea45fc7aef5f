internal import Core
internal import Wire

class CallFreeCarrier: ServerCarrier {
  final let link: Link
  /// The server's connection, or nil after another carrier took the link or the link ended.
  final var connection: ServerConnection?

  init(on link: Link, of connection: ServerConnection) {
    self.link = link
    self.connection = connection
    link.start(for: self)
  }

  var bytesStalled: Int { 0 }

  func linkReceived(_ bytes: UnsafeRawBufferPointer) {}
  func send(_ call: UInt32, _ message: UnsafeRawBufferPointer, isLast: Bool) {}
  func end(_ call: UInt32, _ status: CallStatus) {}
  func consumed(_ bytes: Int) {}
  func goAway(_ code: StatusCode, _ text: String) {}
  func pong(_ payload: UInt64) {}

  func linkDrained() { connection?.drained() }
  func linkEnded(_ end: LinkError) { exchange(&connection, with: nil)?.ended(end) }
}

/// The carrier of a server's connection until its first bytes identify the carrier, unless the two
/// sides agreed on HTTP/2 in the TLS handshake.
///
/// F(LOTLA/1)   Flotilla's own frames     another method of HTTP/1.1   a line of text
/// PR(I * …)    gRPC on HTTP/2            anything else                closed without an answer
///
/// One byte identifies the carrier, or two after a P, since carriers check the rest of the preface.
final class FirstBytes: CallFreeCarrier {
  private var hasP = false

  override func linkReceived(_ bytes: UnsafeRawBufferPointer) {
    guard !hasP else {
      return ([UInt8(ascii: "P")] + Array(bytes)).withUnsafeBytes { begin($0) }
    }
    hasP = bytes.count == 1 && bytes[0] == UInt8(ascii: "P")
    if !hasP { begin(bytes) }
  }

  private func begin(_ bytes: UnsafeRawBufferPointer) {
    guard let connection = exchange(&connection, with: nil), let first = bytes.first else {
      return
    }
    let carrier: any ServerCarrier =
      switch first {
      case UInt8(ascii: "P") where bytes.dropFirst().first == UInt8(ascii: "R"):
        CarrierKind.grpc.makeServer(on: link, of: connection)
      case _ where "GHPODTC".utf8.contains(first): PlainPage(on: link, of: connection)
      default: CarrierKind.flotilla.makeServer(on: link, of: connection)
      }
    connection.carry(by: carrier)
    carrier.linkReceived(bytes)
  }

  /// Sends GOAWAY in Flotilla's frames to a client that has sent nothing. Clients with another
  /// protocol detect a broken connection and treat the server as unavailable.
  override func goAway(_ code: StatusCode, _ text: String) {
    link.write { FrameEncoder.goAway(lastStream: 0, code, text, into: &$0) }
  }
}

/// Answers a browser, or a probe that supports only HTTP/1.1, with a line of text.
final class PlainPage: CallFreeCarrier {
  private var reader = HTTP1Reader(headMax: requestBytesMax)
  private var fields = HTTPFields()
  private var isOver = false

  private static let requestBytesMax = 8_192

  /// Answers after the head, but closes after the body, since unread data would lose the answer.
  override func linkReceived(_ bytes: UnsafeRawBufferPointer) {
    var rest = bytes[...]
    while !isOver {
      switch reader.read(&rest, &fields, { _ in }) {
      case .more: return
      case .head:
        answer()
        isOver = reader.awaitsContinue
      case .whole: isOver = true
      case .refused: return link.end(.protocolError(.badPreface))
      }
    }
    connection?.clientGoesAway()
  }

  private func answer() {
    let none = UnsafeRawBufferPointer(start: nil, count: 0)
    let method = fields.value(of: ":method") ?? none
    let answer = PlainAnswer(
      method: method, path: fields.value(of: ":path") ?? none,
      contentType: fields.value(of: "content-type") ?? none)
    let head = """
      HTTP/1.1 \(answer.status) \(HTTP1ServerConnection.phrase(answer.status))\r
      content-type: text/plain; charset=utf-8\r
      content-length: \(answer.text.utf8.count)\r
      \(answer.advice.name): \(answer.advice.value)\r
      connection: close\r
      \r

      """
    let isHead = method.elementsEqual("HEAD".utf8)
    link.append { $0.append(utf8: isHead ? head : head + answer.text) }
    link.flush()
  }
}
