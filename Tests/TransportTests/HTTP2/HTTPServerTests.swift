import Core
import Foundation
import TestSupport
import Testing
import Wire

@testable import Transport
@testable import TransportSupport

@Suite("An HTTP/2 server for whole requests", .quick)
struct HTTPServerTests {
  /// Answers with the method, the path and the length of the body, at once or on request.
  private final class Echo: HTTPHandler {
    var answersAtOnce = true
    var waiting: [ServedRequest] = []
    var cancelled = 0
    var clients: [HTTPPeer] = []
    var ended = 0
    private var fields = HTTPFields()

    func opened(_ client: HTTPPeer) { clients.append(client) }
    func ended(_ client: HTTPPeer) { ended += 1 }
    func cancelled(_ request: ServedRequest) { cancelled += 1 }

    func received(_ request: ServedRequest) {
      let path = request.fields.value(of: ":path")
      if path?.elementsEqual("/go".utf8) == true { request.client.goAway("enough") }
      if answersAtOnce { answer(request) } else { waiting.append(request) }
    }

    func answer(_ request: ServedRequest) {
      fields.removeAll()
      request.fields.value(of: "x-id").map { fields.add("x-id", $0) }
      let path = request.fields.value(of: ":path").map { Array($0) } ?? []
      let length = request.isTooLong ? -1 : request.withBody { $0.count }
      let text = String(decoding: path, as: UTF8.self) + " \(length)"
      Array(text.utf8).withUnsafeBytes { request.answer(200, fields, body: $0) }
    }
  }

  private func serve(
    _ limits: HTTPLimits = .init(), _ body: (World, Echo, HTTPServer, RawPeer) throws -> Void
  ) throws {
    try inWorld { world in
      let handler = Echo()
      let server = HTTPServer(loop: world.loop, limits: limits, handler: handler)
      world.keep(handler)
      world.keep(server)
      let port = try server.listen(on: Endpoint(host: "127.0.0.1", port: 0))
      try body(world, handler, server, try RawPeer(in: world, to: port))
    }
  }

  private func post(
    _ stream: UInt32, path: String = "/a", body: [UInt8]? = [1, 2, 3],
    _ more: [(String, String)] = []
  ) -> [UInt8] {
    let fields = HTTP2.block(
      [(":method", "POST"), (":scheme", "https"), (":path", path), ("host", "a")] + more)
    let flags: UInt8 = body == nil ? 5 : 4
    return HTTP2.frame(.headers, stream: stream, flags: flags, fields)
      + (body.map { HTTP2.frame(.data, stream: stream, flags: 1, $0) } ?? [])
  }

  private func bodies(_ peer: RawPeer) -> [UInt32: String] {
    var texts: [UInt32: String] = [:]
    for frame in peer.http2 where frame.kind == .data {
      texts[frame.stream, default: ""] += String(decoding: frame.body, as: UTF8.self)
    }
    return texts
  }

  @Test("requests are answered whole, with and without a body, cut anywhere")
  func answers() throws {
    try serve { world, handler, server, peer in
      peer.begin()
      for byte in post(1) + post(3, path: "/b", body: nil) { peer.send([byte]) }
      #expect(bodies(peer) == [1: "/a 3", 3: "/b 0"])
      peer.close()
      world.settle()
      #expect(server.counters.connections == 0 && handler.ended == 1)
      #expect(server.counters.requests == 2 && server.counters.broken == 0)
    }
  }

  @Test("streams beyond the limit are refused until the handler allows more")
  func streams() throws {
    var limits = HTTPLimits()
    limits.streamsAtFirst = 1
    try serve(limits) { world, handler, _, peer in
      handler.answersAtOnce = false
      peer.begin(post(1) + post(3) + post(5))
      let resets = peer.http2.filter { $0.kind == .reset }
      #expect(resets.map(\.stream) == [3, 5] && resets.allSatisfy { $0.body == [0, 0, 0, 7] })
      #expect(handler.clients[0].refusedStreams == 2)
      handler.clients[0].allow(streams: 1_000)
      handler.waiting.forEach(handler.answer)
      handler.waiting = []
      world.settle()
      // The acknowledged settings apply: the first, and the second.
      let acknowledged = HTTP2.frame(.settings, flags: 1)
      peer.send(acknowledged + acknowledged + post(7) + post(9))
      #expect(handler.waiting.count == 2)
    }
  }

  @Test("a body beyond the limit is marked and empty; fields beyond it are answered 431")
  func tooLong() throws {
    var limits = HTTPLimits()
    limits.bodyBytesMax = 8
    limits.fieldBytesMax = 300
    try serve(limits) { _, _, server, peer in
      peer.begin(post(1, body: [UInt8](repeating: 7, count: 9)) + post(3, body: [7]))
      #expect(bodies(peer) == [1: "/a -1", 3: "/a 1"])
      let long = String(repeating: "x", count: 120)
      peer.send(post(5, [("x-a", long), ("x-b", long)]))
      #expect(bodies(peer)[5] == nil)
      #expect(peer.http2.contains { $0.kind == .headers && $0.stream == 5 })
      #expect(server.counters.requests == 3)
    }
  }

  @Test("a client that is sent away gets its answers and the reason, and the connection closes")
  func goAway() throws {
    try serve { world, handler, server, peer in
      handler.answersAtOnce = false
      peer.begin(post(1))
      server.drain(saying: #"{"reason":"Shutdown"}"#, within: .seconds(10)) {}
      world.settle()
      peer.send(post(3))
      let farewell = try #require(peer.http2.last { $0.kind == .goAway })
      #expect(farewell.body.prefix(8) == [0, 0, 0, 1, 0, 0, 0, 0])
      #expect(String(decoding: farewell.body.dropFirst(8), as: UTF8.self).contains("Shutdown"))
      #expect(!peer.isEnded && handler.waiting.count == 1)
      handler.answer(handler.waiting.removeLast())
      world.settle()
      #expect(bodies(peer) == [1: "/a 3"] && !peer.isEnded)
      // A client that does not close is closed.
      world.advance(by: .seconds(4))
      #expect(!peer.isEnded)
      world.advance(by: .seconds(2))
      #expect(peer.isEnded)
    }
  }

  @Test("a GOAWAY follows the answers, and incomplete requests may be sent again")
  func farewell() throws {
    try serve { world, handler, server, peer in
      let half = post(5)
      peer.begin(post(1, path: "/go") + post(3) + half.prefix(half.count - 1))
      peer.send(half.suffix(1))
      #expect(bodies(peer) == [1: "/go 3", 3: "/a 3"])
      peer.close()
      world.settle()
      let farewell = try #require(peer.http2.lastIndex { $0.kind == .goAway })
      #expect(peer.http2[farewell].body.prefix(8) == [0, 0, 0, 3, 0, 0, 0, 0])
      let answer = try #require(peer.http2.lastIndex { $0.kind == .data })
      #expect(answer < farewell && server.counters.requests == 2 && handler.ended == 1)
    }
  }

  @Test("an answer without a waiting client is dropped, and the handler is told to forget it")
  func cancelled() throws {
    try serve { world, handler, _, peer in
      handler.answersAtOnce = false
      peer.begin(post(1) + post(3))
      peer.send(HTTP2.frame(.reset, stream: 1, [0, 0, 0, 8]))
      #expect(handler.cancelled == 1 && handler.waiting[0].isOver)
      handler.answer(handler.waiting[0])
      peer.close()
      world.settle()
      #expect(handler.cancelled == 2)
      handler.waiting.forEach(handler.answer)
    }
  }

  @Test("a ping is answered, an idle client sent away, bytes other than HTTP/2 closed")
  func upkeep() throws {
    var limits = HTTPLimits()
    limits.idleTime = .seconds(60)
    try serve(limits) { world, _, server, peer in
      peer.begin(HTTP2.frame(.ping, [1, 2, 3, 4, 5, 6, 7, 8]))
      let pong = peer.http2.last { $0.kind == .ping }
      #expect(pong?.flags == 1 && pong?.body == [1, 2, 3, 4, 5, 6, 7, 8])
      world.advance(by: .seconds(76))
      #expect(peer.goAwayCode == 0 && peer.isEnded)
      #expect(server.counters.broken == 0)
    }
    try serve { world, _, server, peer in
      peer.send(Array("POST / HTTP/1.1\r\nhost: a\r\n\r\n".utf8))
      world.settle()
      #expect(peer.isEnded && server.counters.broken == 1)
    }
  }
}

@Suite("P-256 keys", .quick)
struct P256KeyTests {
  @Test("a signature is this key's, for this message; PEM has the public half")
  func signatures() throws {
    let key = try P256Key()
    let message = Array("eyJhbGciOiJFUzI1NiJ9.eyJpc3MiOiJURUFNIn0".utf8)
    let signature = try #require(message.withUnsafeBytes { key.sign($0) })
    func isTrue(_ key: P256Key, _ signature: [UInt8], _ message: [UInt8]) -> Bool {
      signature.withUnsafeBytes { bytes in
        message.withUnsafeBytes { key.verifies(bytes, of: $0) }
      }
    }
    #expect(isTrue(key, signature, message))
    #expect(!isTrue(key, signature, message + [0]))
    #expect(!isTrue(key, Array(signature.dropLast()), message))
    #expect(!isTrue(key, [UInt8](repeating: 0, count: 64), message))
    #expect(!isTrue(key, [UInt8](repeating: 255, count: 64), message))
    #expect(!isTrue(try P256Key(), signature, message))
    let path = FileManager.default.temporaryDirectory
      .appendingPathComponent("flotilla-\(UUID().uuidString).pem").path
    defer { try? FileManager.default.removeItem(atPath: path) }
    try key.publicPEM.write(toFile: path, atomically: true, encoding: .utf8)
    let read = try P256Key(file: path)
    #expect(isTrue(read, signature, message))
    #expect(message.withUnsafeBytes { read.sign($0) } == nil)
  }

  @Test("an invalid key file is refused with what is required")
  func wrongFiles() throws {
    #expect(throws: TLSSetupError.self) { try P256Key(file: "/nowhere/key.p8") }
    let path = FileManager.default.temporaryDirectory
      .appendingPathComponent("flotilla-\(UUID().uuidString).pem").path
    defer { try? FileManager.default.removeItem(atPath: path) }
    try "-----BEGIN PUBLIC KEY-----\nAAAA\n-----END PUBLIC KEY-----\n".write(
      toFile: path, atomically: true, encoding: .utf8)
    let error = #expect(throws: TLSSetupError.self) { try P256Key(file: path) }
    #expect(error?.description.contains("contains no PEM key") == true)
  }
}
