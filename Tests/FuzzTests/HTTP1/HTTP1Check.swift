@testable internal import Transport
internal import Core
internal import Wire

/// Invariants for any bytes that an HTTP/1.1 client sends.
///
/// The first byte selects the cuts into reads, and whether the rest goes to the reader or to a
/// server. The reader finds the same requests with any cuts, and a request that it has read reads
/// back the same once written. A server leaks nothing when its client has gone, every request ends
/// once, and output is bounded by the requests.
final class HTTP1Check {
  private let network = MemoryNetwork()
  private let loop: EventLoop
  private let handler = Handler()
  private let server: HTTPServer
  private let port: UInt16

  /// Heads above the limit occur within an input, too.
  private static let headMax = 1_000
  private static let bodyMax = 1_000
  /// The limits of an answer of `Handler`, a refusal, and a request for a body.
  private static let answerMax = 200
  /// The same for a client that chose HTTP/2, whose frames are answered one by one.
  private static let writtenMax = 4 << 20

  init() {
    loop = EventLoop(name: "fuzz", clock: .manual(ManualClock()), network: .memory(network))
    var limits = HTTPLimits()
    (limits.takesHTTP1, limits.bodyBytesMax, limits.fieldBytesMax) = (
      true, Self.bodyMax, Self.headMax
    )
    server = HTTPServer(loop: loop, limits: limits, handler: handler)
    do throws(TransportError) {
      port = try server.listen(on: Endpoint(host: "127.0.0.1", port: 0))
    } catch {
      preconditionFailure("a network in memory has every port: \(error)")
    }
  }

  func callAsFunction(_ bytes: [UInt8]) {
    guard let first = bytes.first else { return }
    let cut = Int(first & 0x3F) + 1
    let rest = Array(bytes.dropFirst())
    if first & 0x80 == 0 {
      Self.checkReader(rest, cut: cut)
    } else {
      checkServer(rest, cut: cut, answersAtOnce: first & 0x40 == 0)
    }
  }

  // MARK: the reader

  /// A request as it was read.
  private struct Reading: Equatable {
    var fields: [[UInt8]] = []
    var body: [UInt8] = []
    var keepsOpen = true
    /// The status of the refusal; nil: none.
    var status: Int?
  }

  /// Returns the requests within the bytes, whole or refused, given in pieces of `cut`.
  private static func read(
    _ bytes: [UInt8], cut: Int, headMax: Int = HTTP1Check.headMax
  ) -> [Reading] {
    var reader = HTTP1Reader(headMax: headMax)
    var found: [Reading] = []
    var fields = HTTPFields()
    var body: [UInt8] = []
    var isRefused = false
    for start in stride(from: 0, to: bytes.count, by: cut) {
      bytes[start..<min(bytes.count, start + cut)].withUnsafeBytes { piece in
        var rest = piece[...]
        while true {
          let left = rest.count
          switch reader.read(&rest, &fields, { body.append(contentsOf: $0) }) {
          case .more:
            precondition(rest.isEmpty, "what is taken is taken whole")
            return
          case .head: precondition(body.isEmpty, "a body before its head")
          case .whole:
            var one = Reading(body: body, keepsOpen: reader.keepsOpen)
            fields.forEach { one.fields += [Array($0), Array($1)] }
            found.append(one)
            fields.removeAll()
            body.removeAll()
          case .refused(let status):
            if !isRefused { found.append(Reading(status: status)) }
            isRefused = true
            precondition([400, 431, 501].contains(status), "refused with \(status)")
            return
          }
          precondition(rest.count <= left, "bytes come back")
        }
      }
    }
    return found
  }

  private static func checkReader(_ bytes: [UInt8], cut: Int) {
    let found = read(bytes, cut: cut)
    precondition(found == read(bytes, cut: max(1, bytes.count)), "read in two ways")
    for request in found where request.status == nil {
      let text = written(request)
      let again = read(text, cut: text.count, headMax: text.count)
      precondition(again.count == 1, "one request becomes \(again.count)")
      precondition(plain(again[0]) == plain(request), "another request")
    }
  }

  /// The request without the fields that delimit its body.
  private static func plain(_ request: Reading) -> Reading {
    var plain = request
    plain.fields = []
    for place in stride(from: 0, to: request.fields.count, by: 2)
    where !isFraming(request.fields[place]) {
      plain.fields += request.fields[place...place + 1]
    }
    return plain
  }

  private static func isFraming(_ name: [UInt8]) -> Bool {
    name == Array("content-length".utf8) || name == Array("transfer-encoding".utf8)
  }

  private static func written(_ request: Reading) -> [UInt8] {
    precondition(request.fields[0] == Array(":method".utf8), "the method stands first")
    precondition(request.fields[2] == Array(":path".utf8), "the path stands second")
    var text = request.fields[1] + [32] + request.fields[3]
    // Whatever closed it: version 1.0 does.
    text += Array((request.keepsOpen ? " HTTP/1.1\r\n" : " HTTP/1.0\r\n").utf8)
    for place in stride(from: 4, to: request.fields.count, by: 2)
    where !isFraming(request.fields[place]) {
      text += request.fields[place] + [58] + request.fields[place + 1] + [13, 10]
    }
    return text + Array("content-length: \(request.body.count)\r\n\r\n".utf8) + request.body
  }

  // MARK: a server

  /// Answers at once, or when the client has sent everything.
  private final class Handler: HTTPHandler {
    var answersAtOnce = true
    var waiting: [ServedRequest] = []
    var received = 0
    var ended = 0

    func opened(_ client: HTTPPeer) {}
    func ended(_ client: HTTPPeer) {}
    func cancelled(_ request: ServedRequest) { ended += 1 }

    func received(_ request: ServedRequest) {
      received += 1
      let length = request.withBody { $0.count }
      precondition(length <= HTTP1Check.bodyMax, "a body of \(length)")
      precondition(!request.isTooLong || length == 0, "what is too long is dropped")
      if answersAtOnce { answer(request) } else { waiting.append(request) }
    }

    func answer(_ request: ServedRequest) {
      guard !request.isOver else { return }
      ended += 1
      [UInt8](repeating: 7, count: 20).withUnsafeBytes {
        request.answer(200, HTTPFields(), body: $0)
      }
    }
  }

  private func checkServer(_ bytes: [UInt8], cut: Int, answersAtOnce: Bool) {
    let (written, requests) = (server.counters.bytesWritten, server.counters.requests)
    (handler.answersAtOnce, handler.received, handler.ended) = (answersAtOnce, 0, 0)
    let peer = Peer(bytes, cut: cut)
    do {
      let address = try Address(Endpoint(host: "127.0.0.1", port: port))
      peer.use(try loop.connect(to: address, noDelay: true))
    } catch {
      preconditionFailure("the server listens: \(error)")
    }
    while peer.sendNext() { loop.runReady() }
    for _ in 0..<bytes.count where !handler.waiting.isEmpty {
      handler.answer(handler.waiting.removeFirst())
      loop.runReady()
    }
    peer.close()
    // A client that was refused and does not close is closed after five seconds.
    loop.advance(by: .seconds(6))
    precondition(handler.waiting.isEmpty, "more requests than bytes")
    precondition(handler.ended == handler.received, "a request ends once")
    let counters = server.counters
    precondition(counters.connections == 0, "the connection stays open")
    let asked = Int(counters.requests - requests)
    precondition(asked == handler.received, "every request comes to the handler")
    // A request for a body precedes an answer; one refusal follows all.
    let isHTTP2 = bytes.starts(with: "PR".utf8)
    let most = isHTTP2 ? Self.writtenMax : (2 * asked + 2) * Self.answerMax
    precondition(Int(counters.bytesWritten - written) <= most, "more is written than asked")
  }

  /// Sends its bytes piece by piece and reads no answer.
  private final class Peer: ByteStreamReceiver {
    private var bytes: ArraySlice<UInt8>
    private let cut: Int
    private var stream: (any ByteStream)?

    init(_ bytes: [UInt8], cut: Int) {
      self.bytes = bytes[...]
      self.cut = cut
    }

    func use(_ stream: any ByteStream) {
      self.stream = stream
      stream.receiver = self
      stream.startReading()
    }

    /// False: everything has been sent, or the other side has closed.
    func sendNext() -> Bool {
      guard let stream, !bytes.isEmpty else { return false }
      let piece = Array(bytes.prefix(cut * 8))
      bytes = bytes.dropFirst(cut * 8)
      guard case .taken = piece.withUnsafeBytes({ stream.write($0) }) else { return false }
      return true
    }

    func close() { exchange(&stream, with: nil)?.close(reset: false) }
    func streamReceived(_ bytes: UnsafeMutableRawBufferPointer) {}
    func streamDrained() {}
    func streamEnded(_ end: LinkError) { close() }
  }

  // MARK: Seeds of mutations

  static var seeds: [[UInt8]] {
    let requests = [
      "POST /a HTTP/1.1\r\nHost: a\r\nX-ID:  7 \r\nContent-Length: 3\r\n\r\nabc",
      "POST /b HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n4;x=1\r\nabcd\r\nA\r\n0123456789"
        + "\r\n0\r\nx: y\r\n\r\nGET /c HTTP/1.1\r\n\r\n",
      "GET / HTTP/1.0\r\n\r\nGET / HTTP/1.1\r\nConnection: close\r\n\r\n",
      "POST / HTTP/1.1\r\nExpect: 100-continue\r\nContent-Length: 1001\r\n\r\n"
        + String(repeating: "a", count: 1_001),
    ]
    return requests.flatMap { text in
      [0x00, 0x3F, 0x80, 0xBF, 0xC5].map { [$0] + Array(text.utf8) }
    }
  }

  static let words = [
    "\r\n", "\n", "\r", "\r\n\r\n", ":", " ", "\t", "0\r\n\r\n", "ffffff", "1000001", "99999999999",
    "Transfer-Encoding: chunked\r\n", "content-length: 5\r\n", "Connection: keep-alive, close\r\n",
    "Expect: 100-continue\r\n", "HTTP/1.0", "PRI * HTTP/2.0", "\u{0}", "a:\r\n", ";", "-1",
  ]
}
