import Core
import Synchronization
import TestSupport
import Testing
import Wire

@testable import Transport
@testable import TransportSupport

@Suite("Peers that abuse HTTP/2", .quick)
struct HTTP2AbuseTests {
  private func withPeer(
    _ limits: ServerLimits = .init(), _ body: (World, TestCollector, RawPeer) throws -> Void
  ) throws {
    try inWorld { world in
      let collector = try TestCollector(in: world, limits: limits)
      try body(world, collector, try RawPeer(in: world, to: collector.port))
      // Whatever one peer does, the next is served.
      let client = RPCClient(loop: world.loop, to: collector.endpoint, carrier: .grpc)
      world.keep(client)
      collector.onCall = nil
      _ = try world.call(client, .health)
      client.close()
    }
  }

  @Test("a call in bytes is answered; one that ends its stream with an empty frame, too")
  func calls() throws {
    try withPeer { _, collector, peer in
      peer.begin(HTTP2.wholeCall(1))
      let head = HTTP2.frame(.headers, stream: 3, flags: 4, HTTP2.call())
      let message = HTTP2.frame(.data, stream: 3, [0, 0, 0, 0, 0])
      peer.send(head + message + HTTP2.frame(.data, stream: 3, flags: 1))
      let ends = peer.http2.filter { $0.kind == .headers && $0.flags & 1 == 1 }
      #expect(ends.map(\.stream) == [1, 3])
      #expect(collector.received.withLock { $0 } == [.health, .health])
    }
  }

  @Test("a preface that continues wrongly is closed without an answer", arguments: [2, 10, 23])
  func preface(place: Int) throws {
    try withPeer { world, collector, peer in
      var bytes = HTTP2.preface
      bytes[place] ^= 1
      peer.send(bytes)
      #expect(world.run { peer.isEnded })
      #expect(collector.counters[.protocolErrors] == 1)
    }
  }

  @Test("GET / is answered with a line of text, over HTTP/1.1 and over HTTP/2")
  func page() throws {
    try withPeer { world, _, peer in
      peer.send(Array("GET / HTTP/1.1\r\nhost: test\r\n\r\n".utf8))
      #expect(world.run { peer.isEnded })
      let answer = String(decoding: peer.bytes, as: UTF8.self)
      #expect(answer.hasPrefix("HTTP/1.1 200 OK\r\n") && answer.hasSuffix(PlainAnswer.page.text))
    }
    try withPeer { _, _, peer in
      let fields = [(":method", "GET"), (":scheme", "http"), (":path", "/"), (":authority", "t")]
      peer.begin(HTTP2.frame(.headers, stream: 1, flags: 5, HTTP2.block(fields)))
      let body = peer.http2.filter { $0.kind == .data }.flatMap(\.body)
      #expect(body == Array(PlainAnswer.page.text.utf8))
    }
  }

  @Test("an unknown encoding is UNIMPLEMENTED, and the answer lists the known ones")
  func encodings() throws {
    try withPeer { _, collector, peer in
      peer.begin(HTTP2.wholeCall(1, [("grpc-encoding", "snappy")]))
      #expect(collector.counters.statuses[Int(StatusCode.unimplemented.rawValue)] == 1)
      #expect(collector.received.withLock { $0 }.isEmpty)
    }
  }

  @Test("an invalid timeout fails its call")
  func timeouts() throws {
    try withPeer { _, collector, peer in
      peer.begin(HTTP2.wholeCall(1, [("grpc-timeout", "soon")]))
      #expect(collector.counters.statuses[Int(StatusCode.internal.rawValue)] == 1)
    }
  }

  @Test("rapid reset (CVE-2023-44487): a client that cancels thousands of calls gets GOAWAY")
  func rapidReset() throws {
    try withPeer { world, collector, peer in
      collector.onCall = { _, _, _, _ in }
      peer.begin()
      for stream in stride(from: UInt32(1), to: 6_001, by: 2) {
        peer.send(
          HTTP2.frame(.headers, stream: stream, flags: 4, HTTP2.call())
            + HTTP2.frame(.reset, stream: stream, HTTP2.number(8)))
      }
      #expect(world.run { peer.isEnded })
      #expect(peer.goAwayCode != nil && collector.counters[.calls] < 1_100)
      #expect(collector.counters[.protocolErrors] == 1 && collector.counters[.streams] == 0)
    }
  }

  @Test("CONTINUATION flood (CVE-2024-28182): a header block without end costs its connection")
  func continuations() throws {
    try withPeer { world, collector, peer in
      peer.begin(HTTP2.frame(.headers, stream: 1, HTTP2.call()))
      for _ in 0..<100 {
        peer.send(HTTP2.frame(.continuation, stream: 1, HTTP2.block([("x", "y")])))
      }
      #expect(world.run { peer.isEnded })
      #expect(collector.counters[.protocolErrors] == 1 && collector.counters[.calls] == 0)
    }
  }

  @Test("metadata beyond its limit is RESOURCE_EXHAUSTED")
  func metadata() throws {
    try withPeer { _, collector, peer in
      let more = (0..<80).map { ("x-\($0)", String(repeating: "y", count: 100)) }
      peer.begin(HTTP2.wholeCall(1, more))
      #expect(collector.counters.hits(.metadataBytesMax) == 1)
      #expect(collector.counters.statuses[Int(StatusCode.resourceExhausted.rawValue)] == 1)
    }
  }

  @Test(
    "keep-alives: the third PING too soon after another is too many; spread out they are accepted")
  func pings() throws {
    let ping = HTTP2.frame(.ping, [1, 2, 3, 4, 5, 6, 7, 8])
    try withPeer { world, collector, peer in
      peer.begin(HTTP2.wholeCall(1))
      for _ in 0..<4 { peer.send(ping) }
      #expect(world.run { peer.isEnded })
      #expect(peer.goAwayCode == 11)
      let reason = peer.http2.last { $0.kind == .goAway }.map { Array($0.body[8...]) }
      #expect(reason == Array("too_many_pings".utf8))
      #expect(collector.counters.hits(.pingsPerSecondMax) == 1)
    }
    try withPeer { world, collector, peer in
      peer.begin(HTTP2.wholeCall(1))
      for _ in 0..<20 {
        world.advance(by: .seconds(11))
        peer.send(ping)
      }
      #expect(!peer.isEnded && peer.http2.count { $0.kind == .ping && $0.flags == 1 } == 20)
      peer.close()
    }
  }

  @Test("PINGs that measure the link at every answer, as those of Go and Java, are accepted")
  func measuringPings() throws {
    try withPeer { _, collector, peer in
      let ping = HTTP2.frame(.ping, [1, 2, 3, 4, 5, 6, 7, 8])
      peer.begin()
      for stream in stride(from: UInt32(1), to: 401, by: 2) {
        peer.send(HTTP2.wholeCall(stream))
        peer.send(ping)
        // One more for each credit of a reader.
        peer.send(HTTP2.frame(.window, HTTP2.number(100)) + ping)
      }
      #expect(!peer.isEnded && peer.http2.count { $0.kind == .ping && $0.flags == 1 } == 400)
      #expect(collector.counters.hits(.pingsPerSecondMax) == 0)
      peer.close()
    }
  }

  @Test("PINGs with unread answers first stop input, and then cost the connection")
  func unreadPongs() throws {
    try inWorld { world in
      let collector = try TestCollector(in: world)
      let peer = try RawPeer(in: world, to: collector.port, reads: false)
      peer.begin(HTTP2.wholeCall(1))
      let pings = HTTP2.frame(.window, HTTP2.number(1)) + HTTP2.frame(.ping, [UInt8](1...8))
      let many = (0..<3_000).flatMap { _ in pings }
      for _ in 0..<100 { peer.send(many) }
      #expect(collector.counters[.bytesWritten] < 2 << 20)
      world.advance(by: .seconds(40))
      #expect(collector.counters[.connections] == 0)
    }
  }

  @Test("a flood of SETTINGS with unread answers costs its connection")
  func settings() throws {
    try withPeer { world, collector, peer in
      peer.begin()
      for _ in 0..<20 {
        peer.send((0..<200).flatMap { _ in HTTP2.frame(.settings) })
      }
      peer.send([UInt8](repeating: 0, count: 9))
      world.settle()
      #expect(collector.counters[.inFlightBytes] == 0)
      peer.close()
    }
  }

  @Test("frames that break the protocol cost the connection: a GOAWAY with a code and the close")
  func breaches() throws {
    let breaches: [[UInt8]] = [
      HTTP2.frame(.data, stream: 0, [1]),
      HTTP2.frame(.headers, stream: 2, flags: 5, HTTP2.call()),
      HTTP2.frame(.window, HTTP2.number(0)),
      HTTP2.frame(.settings, flags: 1, [1]),
      HTTP2.frame(.headers, stream: 1, flags: 5, [0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0x7F]),
      HTTP2.frame(.continuation, stream: 1),
      [0xFF, 0xFF, 0xFF, 0, 0, 0, 0, 0, 1],
    ]
    for bytes in breaches {
      try withPeer { world, collector, peer in
        peer.begin(bytes)
        #expect(world.run { peer.isEnded })
        #expect(peer.goAwayCode ?? 0 > 0 && collector.counters[.protocolErrors] == 1)
      }
    }
  }

  @Test("a connection without calls is closed like any other")
  func firstCallTime() throws {
    try withPeer { world, collector, peer in
      peer.begin()
      world.advance(by: .seconds(12))
      #expect(peer.isEnded && collector.counters.hits(.firstCallTime) == 1)
    }
  }

  @Test("an answer blocked by its reader's window is kept within bounds, then reset")
  func closedWindow() throws {
    try withPeer { world, collector, peer in
      collector.onCall = { _, call, _, _ in call.reply([UInt8](repeating: 3, count: 100_000)) }
      // SETTINGS_INITIAL_WINDOW_SIZE 0: no DATA may come.
      peer.send(HTTP2.preface + HTTP2.frame(.settings, [0, 4, 0, 0, 0, 0]))
      for stream in stride(from: UInt32(1), to: 41, by: 2) { peer.send(HTTP2.wholeCall(stream)) }
      #expect(peer.http2.allSatisfy { $0.kind != .data })
      // From 256 KiB on calls are refused.
      #expect(collector.counters.hits(.writeQueueBytesMax) >= 15)
      world.advance(by: .seconds(40))
      #expect(peer.isEnded && collector.counters.hits(.answerTime) == 1)
    }
  }

  @Test("a client may have one window in flight until its calls are answered")
  func window() throws {
    var limits = ServerLimits()
    limits.windowBytes = 100_000
    try withPeer(limits) { world, collector, peer in
      collector.onCall = { collector, call, _, _ in collector.held.append(call) }
      peer.begin()
      let message = [0, 0, 0, 0x27, 0x10] + [UInt8](repeating: 0, count: 10_000)
      for stream in stride(from: UInt32(1), to: 19, by: 2) {
        peer.send(
          HTTP2.frame(.headers, stream: stream, flags: 4, HTTP2.call())
            + HTTP2.frame(.data, stream: stream, flags: 1, message))
      }
      #expect(collector.held.count == 9)
      #expect(peer.http2.count { $0.kind == .window && $0.stream == 0 } <= 1)
      for call in collector.held { call.reply([]) }
      world.settle()
      #expect(peer.http2.count { $0.kind == .window && $0.stream == 0 } >= 2)
      peer.close()
    }
  }
}
