import Core
import TestSupport
import Testing
import Wire

@testable import Transport
@testable import TransportSupport

@Suite("An HTTP/1.1 server for whole requests", .quick)
struct HTTP1ServerTests {
  /// Answers with the method, the path, the length of the body and a field.
  private final class Echo: HTTPHandler {
    var answersAtOnce = true
    var waiting: [ServedRequest] = []
    var cancelled = 0
    var port: UInt16 = 0

    func opened(_ client: HTTPPeer) {}
    func ended(_ client: HTTPPeer) {}
    func cancelled(_ request: ServedRequest) { cancelled += 1 }

    func received(_ request: ServedRequest) {
      if answersAtOnce { answer(request) } else { waiting.append(request) }
    }

    func answer(_ request: ServedRequest) {
      func text(_ name: StaticString) -> String {
        request.fields.value(of: name).map { String(decoding: $0, as: UTF8.self) } ?? "-"
      }
      let length = request.isTooLong ? -1 : request.withBody { $0.count }
      var fields = HTTPFields()
      fields.add("x-id", text("x-id"))
      var body = "\(text(":method")) \(text(":path")) \(length)"
      body.withUTF8 { request.answer(200, fields, body: UnsafeRawBufferPointer($0)) }
    }
  }

  private func serve(
    _ body: (World, Echo, HTTPServer, RawPeer) throws -> Void
  ) throws {
    try inWorld { world in
      let handler = Echo()
      var limits = HTTPLimits()
      limits.takesHTTP1 = true
      limits.bodyBytesMax = 1_000
      let server = HTTPServer(loop: world.loop, limits: limits, handler: handler)
      world.keep(handler)
      world.keep(server)
      let port = try server.listen(on: Endpoint(host: "127.0.0.1", port: 0))
      handler.port = port
      try body(world, handler, server, try RawPeer(in: world, to: port))
    }
  }

  private func text(_ peer: RawPeer) -> String {
    String(decoding: peer.bytes, as: UTF8.self)
  }

  private func answer(_ text: String, id: String = "-", closes: Bool = false) -> String {
    "HTTP/1.1 200 OK\r\nx-id: \(id)\r\ncontent-length: \(text.utf8.count)\r\n"
      + (closes ? "connection: close\r\n" : "") + "\r\n" + text
  }

  @Test("requests of one connection are answered in turn, cut anywhere")
  func answers() throws {
    let requests =
      "POST /a HTTP/1.1\r\nHost: a\r\nX-ID:  7 \r\nContent-Length: 3\r\n\r\nabc"
      + "POST /b HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n4;x=1\r\nabcd\r\nA\r\n0123456789"
      + "\r\n0\r\nx: y\r\n\r\nGET /c HTTP/1.1\r\n\r\n"
    let wanted = answer("POST /a 3", id: "7") + answer("POST /b 14") + answer("GET /c 0")
    for size in [1, 7, 1_000] {
      try serve { world, _, server, peer in
        var rest = Array(requests.utf8)[...]
        while !rest.isEmpty {
          peer.send(Array(rest.prefix(size)))
          rest = rest.dropFirst(size)
        }
        #expect(text(peer) == wanted, "in pieces of \(size)")
        #expect(server.counters.requests == 3 && !peer.isEnded)
        peer.close()
        world.settle()
        #expect(server.counters.connections == 0)
      }
    }
  }

  @Test("a request with close is answered, and the connection closed if the client does not")
  func closes() throws {
    for request in ["GET / HTTP/1.1\r\nconnection: close\r\n\r\n", "GET / HTTP/1.0\r\n\r\n"] {
      try serve { world, _, _, peer in
        peer.send(Array((request + "GET /more HTTP/1.1\r\n\r\n").utf8))
        #expect(text(peer) == answer("GET / 0", closes: true))
        world.advance(by: .seconds(6))
        #expect(peer.isEnded)
      }
    }
  }

  @Test("too long a body is marked, and an expected one requested")
  func bodies() throws {
    try serve { _, _, _, peer in
      peer.send(
        Array("POST /a HTTP/1.1\r\nContent-Length: 1001\r\nExpect: 100-continue\r\n\r\n".utf8))
      #expect(text(peer) == "HTTP/1.1 100 Continue\r\n\r\n")
      peer.send([UInt8](repeating: 0, count: 1_001))
      #expect(text(peer).hasSuffix(answer("POST /a -1")))
    }
  }

  @Test(
    "an invalid or ambiguous request is refused once and closed",
    arguments: [
      ("NO\r\n\r\n", 400), ("GET  HTTP/1.1\r\n\r\n", 400), ("GET a HTTP/1.1\r\n\r\n", 400),
      ("GET / HTTP/2.0\r\n\r\n", 400), ("GET / HTTP/1.1\r\n folded: a\r\n\r\n", 400),
      ("GET / HTTP/1.1\r\na\r\n\r\n", 400), ("GET / HTTP/1.1\na: b\r\n\r\n", 400),
      ("POST / HTTP/1.1\r\ncontent-length: 1\r\ncontent-length: 1\r\n\r\na", 400),
      ("POST / HTTP/1.1\r\ncontent-length: +1\r\n\r\na", 400),
      ("POST / HTTP/1.1\r\ncontent-length: 1\r\ntransfer-encoding: chunked\r\n\r\n", 400),
      ("POST / HTTP/1.1\r\ntransfer-encoding: gzip\r\n\r\n", 501),
      ("POST / HTTP/1.1\r\ntransfer-encoding: chunked\r\n\r\nx\r\n", 400),
      ("POST / HTTP/1.1\r\ntransfer-encoding: chunked\r\n\r\n1\r\nab\r\n", 400),
      ("GET / HTTP/1.1\r\na: \(String(repeating: "b", count: 20_000))\r\n\r\n", 431),
    ])
  func broken(request: String, status: Int) throws {
    try serve { world, _, _, peer in
      peer.send(Array((request + "GET / HTTP/1.1\r\n\r\n").utf8))
      #expect(text(peer).hasPrefix("HTTP/1.1 \(status) "), "\(text(peer))")
      #expect(text(peer).split(separator: "HTTP/1.1 ").count == 1)
      world.advance(by: .seconds(6))
      #expect(peer.isEnded)
    }
  }

  @Test("a request waits for the answer of the one before, and a drain for both its clients")
  func later() throws {
    try serve { world, handler, server, peer in
      handler.answersAtOnce = false
      peer.send(Array("GET /a HTTP/1.1\r\n\r\nGET /b HTTP/1.1\r\n\r\n".utf8))
      #expect(handler.waiting.count == 1)
      handler.answer(handler.waiting.removeLast())
      world.settle()
      #expect(text(peer) == answer("GET /a 0") && handler.waiting.count == 1)
      let silent = try RawPeer(in: world, to: handler.port)
      world.settle()
      nonisolated(unsafe) var isDrained = false
      server.drain(saying: "", within: .seconds(10)) { isDrained = true }
      world.settle()
      #expect(silent.isEnded && !isDrained)
      handler.answer(handler.waiting.removeLast())
      world.advance(by: .seconds(6))
      #expect(text(peer).hasSuffix(answer("GET /b 0", closes: true)) && isDrained)
    }
  }

  @Test("HTTP/2 is served on the same port")
  func both() throws {
    try serve { _, _, _, peer in
      let fields = HTTP2.block(
        [(":method", "GET"), (":scheme", "http"), (":path", "/"), ("host", "a")])
      peer.begin(HTTP2.frame(.headers, stream: 1, flags: 5, fields))
      #expect(peer.http2.contains { $0.kind == .headers && $0.stream == 1 })
    }
  }
}
