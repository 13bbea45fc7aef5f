import Core
import Synchronization
import TestSupport
import Testing
import Wire

@testable import Transport
@testable import TransportSupport

@Suite("HTTP clients without a call", .quick)
struct PlainAnswerTests {
  private static let cases:
    [(method: String, path: String, type: String, code: Int, says: String)] =
      [
        ("GET", "/", "", 200, "Flotilla collector"), ("GET", "/?probe=1", "", 200, "Flotilla"),
        ("HEAD", "/", "", 200, ""), ("OPTIONS", "/", "", 200, "Flotilla"),
        ("GET", "/metrics", "", 404, "Only /"), ("HEAD", "/metrics", "", 404, ""),
        ("PUT", "/", "text/plain", 405, "Only GET"), ("DELETE", "/", "", 405, "Only GET"),
        ("PATCH", "/", "", 405, "Only GET"),
        ("POST", "/a.B/C", "application/grpc-web", 415, "gRPC-Web is not"),
        ("POST", "/a.B/C", "application/grpc-web-text+proto", 415, "gRPC-Web is not"),
        ("POST", "/a.B/C", "Application/gRPC-Web+proto", 415, "gRPC-Web is not"),
        ("POST", "/a.B/C", "application/connect+proto", 415, "Connect is not"),
        ("POST", "/a.B/C", "application/proto", 415, "Connect is not"),
        ("POST", "/a.B/C", "application/json", 415, "JSON"),
        ("POST", "/", "text/plain", 415, "content type is not"),
        ("POST", "/a.B/C", "application/grpcx", 415, "content type is not"),
      ]

  private func answers(
    _ send: (RawPeer) -> Void, _ check: (World, TestCollector, RawPeer) throws -> Void
  ) throws {
    try inWorld { world in
      let collector = try TestCollector(in: world)
      let peer = try RawPeer(in: world, to: collector.port)
      send(peer)
      try check(world, collector, peer)
      #expect(collector.received.withLock { $0 }.isEmpty)
      peer.close()
    }
  }

  @Test("over HTTP/1.1 each is answered, as a whole or byte by byte", arguments: [false, true])
  func http1(isByByte: Bool) throws {
    for each in Self.cases + [("POST", "/a.B/C", "application/grpc+proto", 505, "needs HTTP/2")] {
      let body = each.type.isEmpty ? "" : "hello"
      let type = each.type.isEmpty ? "" : "Content-Type: \(each.type)\r\nContent-Length: 5\r\n"
      let request = Array(
        "\(each.method) \(each.path) HTTP/1.1\r\nHost: a\r\n\(type)\r\n\(body)".utf8)
      try answers { peer in
        if isByByte { for byte in request { peer.send([byte]) } } else { peer.send(request) }
      } _: { world, collector, peer in
        #expect(peer.isEnded)
        let answer = String(decoding: peer.bytes, as: UTF8.self)
        #expect(answer.hasPrefix("HTTP/1.1 \(each.code) "), "\(each) \(answer)")
        let parts = answer.split(
          separator: "\r\n\r\n", maxSplits: 1, omittingEmptySubsequences: false)
        #expect(parts.count == 2 && parts[1].contains(each.says), "\(each) \(answer)")
        #expect((each.method == "HEAD") == (parts.last?.isEmpty == true))
        #expect(collector.counters[.protocolErrors] == 0)
      }
    }
  }

  @Test("over HTTP/2 each is answered, HEAD without a body")
  func http2() throws {
    for each in Self.cases {
      var fields = [
        (":method", each.method), (":scheme", "http"), (":path", each.path), (":authority", "a"),
      ]
      if !each.type.isEmpty { fields.append(("content-type", each.type)) }
      try answers { peer in
        peer.begin(HTTP2.frame(.headers, stream: 1, flags: 5, HTTP2.block(fields)))
      } _: { _, collector, peer in
        let answer = peer.http2.filter { $0.stream == 1 }
        let kinds = answer.map(\.kind)
        #expect(kinds == (each.method == "HEAD" ? [.headers] : [.headers, .data]))
        #expect(answer.last.map { $0.flags & 1 } == 1 && !peer.isEnded)
        let text = String(decoding: answer.last?.body ?? [], as: UTF8.self)
        #expect(each.method == "HEAD" || text.contains(each.says), "\(each)")
        #expect(collector.counters[.calls] == 1)
      }
    }
  }

  @Test(
    "content types of gRPC are those with a suffix or parameters, and no others",
    arguments: [
      ("application/grpc", true), ("application/grpc+proto", true), ("application/grpc;a=b", true),
      ("Application/GRPC", true), ("application/grpc-web", false), ("application/grp", false),
      ("application/grpc-web+proto", false), ("application/grpcc", false), ("", false),
    ])
  func contentTypes(text: String, isGRPC: Bool) {
    #expect(ContentType.isGRPC(Array(text.utf8)) == isGRPC)
  }
}
