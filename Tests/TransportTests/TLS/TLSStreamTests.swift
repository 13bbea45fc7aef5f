import Core
import Foundation
import TestSupport
import Testing
import Wire

@testable import Transport
@testable import TransportSupport

/// Both sides of TLS in one world: no socket, and a manual clock.
@Suite("TLS streams", .quick)
struct TLSStreamTests {
  @Test("calls pass both ways, small and of megabytes", arguments: [0, 300, 4_000_000])
  func calls(bytes: Int) throws {
    let certificates = try Certificates()
    try inWorld { world in
      let collector = try TestCollector(in: world, tls: try certificates.server())
      collector.onCall = { _, call, _, message in call.reply(message) }
      let client = RPCClient(
        loop: world.loop, to: collector.endpoint, tls: try certificates.client())
      let message = (0..<bytes).map { UInt8(truncatingIfNeeded: $0 &* 7) }
      for _ in 0..<3 { #expect(try world.call(client, .snapshot, message) == message) }
      // Both sides count on the world's one loop.
      #expect(collector.handshakes.full == 2 && collector.handshakes.underWay == 0)
      #expect(collector.counters[.accepted] == 1)
    }
  }

  @Test("the network's bytes differ from the carriers' bytes")
  func isEncrypted() throws {
    let certificates = try Certificates()
    try inWorld { world in
      let collector = try TestCollector(in: world, tls: try certificates.server())
      let client = RPCClient(
        loop: world.loop, to: collector.endpoint, tls: try certificates.client())
      _ = try world.call(client, .health)
      world.advance(by: .seconds(2))
      // The wire also has certificates and tickets.
      #expect(collector.counters[.bytesRead] > 300)
      #expect(collector.counters[.bytesWritten] > 1_000)
    }
  }

  @Test(
    "uploads pass, however connections are shared; a handshake is a part of connect",
    arguments: [.perUpload, .perPhone, .pooled(4)] as [ConnectionUse])
  func uploads(use: ConnectionUse) throws {
    let certificates = try Certificates()
    try inWorld(latency: .milliseconds(10)) { world in
      let collector = try TestCollector(in: world, tls: try certificates.server())
      let client = try certificates.client()
      let fleet = try TestFleet(in: world, to: collector.endpoint, use) { $0.tls = client }
      fleet.dispatcher.submit(
        try TestFleet.jobs(60, from: world.now, over: .seconds(5), phones: 20))
      let report = fleet.wait(for: 60, in: world)
      #expect(report.acknowledged == 60)
      report.checkParts()
      let secured = report.completions.compactMap(\.handshake)
      // Hello and answer: a round trip at least.
      #expect(!secured.isEmpty)
      #expect(secured.allSatisfy { !$0.isResumed && $0.lasted >= .milliseconds(20) })
      for entry in report.completions {
        if let handshake = entry.handshake { #expect(handshake.lasted <= entry.connect) }
      }
      if use == .perUpload { #expect(secured.count == 60) }
      #expect(Int(fleet.dispatcher.counters()[.handshakesFull]) == world.clientHandshakes)
    }
  }

  @Test("a phone with a ticket resumes, in the configured share")
  func resumption() throws {
    let certificates = try Certificates()
    try inWorld { world in
      let collector = try TestCollector(in: world, tls: try certificates.server())
      let client = try certificates.client()
      let fleet = try TestFleet(in: world, to: collector.endpoint, .perUpload) {
        $0.tls = client
        $0.resumedShare = 0.5
      }
      fleet.dispatcher.submit(
        try TestFleet.jobs(420, from: world.now, over: .seconds(60), phones: 20))
      let report = fleet.wait(for: 420, in: world)
      #expect(report.acknowledged == 420)
      let counters = fleet.dispatcher.counters()
      #expect(counters[.handshakesFull] + counters[.handshakesResumed] == 420)
      // Of 400 connections after each phone's first.
      #expect((150...250).contains(counters[.handshakesResumed]))
      #expect(
        report.completions.count { $0.handshake?.isResumed == true }
          == Int(counters[.handshakesResumed]))
    }
  }

  @Test("a client that stops in its handshake is closed after ten seconds")
  func slowHandshake() throws {
    let certificates = try Certificates()
    try inWorld { world in
      let collector = try TestCollector(in: world, tls: try certificates.server())
      let peer = try RawPeer(in: world, to: collector.port)
      // A record of 256 bytes begins.
      peer.send([22, 3, 1, 1, 0, 1])
      #expect(collector.handshakes.underWay == 1)
      world.advance(by: .seconds(9))
      #expect(!peer.isEnded && collector.handshakes.failed(.timedOut) == 0)
      world.advance(by: .seconds(2))
      #expect(peer.isEnded && collector.handshakes.failed(.timedOut) == 1)
      #expect(collector.handshakes.underWay == 0)
    }
  }

  @Test("a server that never answers a hello fails the client's handshake, not only its call")
  func silentServer() throws {
    let certificates = try Certificates()
    try inWorld { world in
      let listener = try world.loop.listen(
        on: Endpoint(host: "127.0.0.1", port: 0), takesTurns: true
      ) { stream in world.keep(stream) }
      let client = RPCClient(
        loop: world.loop, to: Endpoint(host: "127.0.0.1", port: listener.port),
        tls: try certificates.client())
      let error = #expect(throws: RPCClient.CallError.self) {
        try world.call(client, .health, deadline: .seconds(60))
      }
      #expect(error?.status.text.contains("took longer than 10 s") == true)
    }
  }

  @Test("handshakes count with the connections: those beyond the limit are reset")
  func handshakesMax() throws {
    let certificates = try Certificates()
    try inWorld { world in
      var limits = ServerLimits()
      limits.connectionsMax = 3
      let collector = try TestCollector(
        in: world, limits: limits, tls: try certificates.server())
      let peers = try (0..<5).map { _ in try RawPeer(in: world, to: collector.port) }
      world.settle()
      #expect(collector.handshakes.underWay == 3)
      #expect(peers.count { $0.isEnded } == 2)
      #expect(collector.counters.hits(.connectionsMax) == 2)
    }
  }

  @Test("bytes other than a handshake, and damaged handshakes, cost only their connection")
  func hostileBytes() throws {
    let certificates = try Certificates()
    let hello = try Self.clientHello(certificates)
    try inWorld { world in
      let collector = try TestCollector(in: world, tls: try certificates.server())
      for round in 0..<400 {
        var bytes = hello
        var draw = Draw(seed: 7, phone: 0, .uploadBackoff, Int64(round))
        for _ in 0...round % 5 {
          bytes[Int.random(in: bytes.indices, using: &draw)] = UInt8.random(
            in: 0...255, using: &draw)
        }
        let peer = try RawPeer(in: world, to: collector.port)
        peer.send(Array(bytes.prefix(Int.random(in: 1...bytes.count, using: &draw))))
        if round.isMultiple(of: 2) { peer.close() }
      }
      world.advance(by: .seconds(11))
      #expect(collector.handshakes.underWay == 0)
      let client = RPCClient(
        loop: world.loop, to: collector.endpoint, tls: try certificates.client())
      _ = try world.call(client, .health)
    }
  }

  /// A client's first bytes.
  private static func clientHello(_ certificates: Certificates) throws -> [UInt8] {
    try inWorld { world in
      final class Listener: ByteStreamReceiver {
        var bytes: [UInt8] = []
        func streamReceived(_ received: UnsafeMutableRawBufferPointer) { bytes += received }
        func streamDrained() {}
        func streamEnded(_ end: LinkError) {}
      }
      let receiver = Listener()
      let listener = try world.loop.listen(
        on: Endpoint(host: "127.0.0.1", port: 0), takesTurns: true
      ) { stream in
        stream.receiver = receiver
        stream.startReading()
        world.keep(stream)
      }
      let client = RPCClient(
        loop: world.loop, to: Endpoint(host: "127.0.0.1", port: listener.port),
        tls: try certificates.client())
      client.call(.health, [], deadline: .seconds(1)) { _ in }
      world.settle()
      try #require(receiver.bytes.count > 100)
      return receiver.bytes
    }
  }
}

extension World {
  /// Both sides count on the world's one loop.
  var clientHandshakes: Int { Int(loop.security.counters.full) / 2 }
}
