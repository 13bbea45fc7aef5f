import Core
import Synchronization
import TestSupport
import Testing
import Wire

@testable import Transport
@testable import TransportSupport

/// gRPC on HTTP/2 on TLS, both sides in one world: no socket, and a manual clock.
@Suite("gRPC over TLS", .quick)
struct GRPCOverTLSTests {
  let certificates: Certificates

  init() throws { certificates = try Certificates() }

  private func client(
    of collector: TestCollector, in world: World, carrier: CarrierKind = .grpc,
    protocols: [ApplicationProtocol] = [.h2]
  ) throws -> RPCClient {
    let client = RPCClient(
      loop: world.loop, to: collector.endpoint, carrier: carrier,
      tls: try certificates.client(protocols))
    world.keep(client)
    return client
  }

  @Test("calls pass both ways, small and of megabytes", arguments: [0, 300, 4_000_000])
  func calls(bytes: Int) throws {
    try inWorld { world in
      let collector = try TestCollector(in: world, tls: try certificates.server())
      collector.onCall = { _, call, _, message in call.reply(message) }
      let client = try client(of: collector, in: world)
      let message = (0..<bytes).map { UInt8(truncatingIfNeeded: $0 &* 7) }
      for _ in 0..<3 { #expect(try world.call(client, .snapshot, message) == message) }
      #expect(world.clientHandshakes == 1 && collector.counters[.accepted] == 1)
      #expect(collector.counters[.protocolErrors] == 0)
    }
  }

  @Test("one port accepts both carriers over TLS: one by ALPN, the other by its first byte")
  func bothCarriers() throws {
    try inWorld { world in
      let collector = try TestCollector(in: world, tls: try certificates.server())
      let own = try client(of: collector, in: world, carrier: .flotilla, protocols: [])
      let reply = try world.call(try client(of: collector, in: world), .health)
      #expect(try world.call(own, .health) == reply)
      #expect(collector.counters[.connections] == 2)
    }
  }

  @Test("a client that agreed on h2 and sends another carrier's frames is refused")
  func brokenAgreement() throws {
    try inWorld { world in
      let collector = try TestCollector(in: world, tls: try certificates.server())
      let liar = try client(of: collector, in: world, carrier: .flotilla)
      let error = #expect(throws: RPCClient.CallError.self) { try world.call(liar, .health) }
      #expect(error?.status.code == .unavailable)
      #expect(collector.counters[.protocolErrors] == 1)
    }
  }

  @Test("a TLS server without h2 is distinguished from one with it")
  func noAgreement() throws {
    try inWorld { world in
      let collector = try TestCollector(in: world, tls: try certificates.server([]))
      let client = try client(of: collector, in: world)
      let error = #expect(throws: RPCClient.CallError.self) { try world.call(client, .health) }
      #expect(error?.status.code == .unavailable)
      #expect(error?.status.text.contains("did not accept HTTP/2") == true)
    }
  }

  @Test(
    "a request says https over TLS and http in the clear, and a retry its number",
    arguments: [true, false])
  func requestHead(isSecured: Bool) throws {
    try inWorld { world in
      let receiver = Recorder()
      let accept = { (stream: any ByteStream) in
        stream.receiver = receiver
        stream.startReading()
        world.keep(stream)
      }
      let endpoint = Endpoint(host: "127.0.0.1", port: 0)
      let listener =
        isSecured
        ? try world.loop.listenSecurely(
          on: endpoint, try certificates.server(), mayBegin: { true }, accept)
        : try world.loop.listen(on: endpoint, takesTurns: true, accept)
      let link = try world.loop.openCarrier(
        .grpc, to: try Address(Endpoint(host: "127.0.0.1", port: listener.port)),
        dial: isSecured
          ? TLSDial(client: try certificates.client([.h2]), host: "127.0.0.1") : nil,
        metadata: [], tag: 1, owner: SilentOwner())
      for previous in [0, 0, 2] {
        _ = link.call(.upload, [], timeout: nil, previousAttempts: previous)
      }
      world.settle()
      let heads = HTTP2.frames(in: Array(receiver.bytes.dropFirst(HTTP2.preface.count)))
        .filter { $0.kind == .headers }.map(\.body)
      try #require(heads.count == 3)
      // :method POST, and :scheme, as fields of the static table (RFC 7541, appendix A).
      for head in heads { #expect(head.prefix(2) == [0x83, isSecured ? 0x87 : 0x86]) }
      // The second repeats the first; the third has a name of 26 letters more.
      #expect(heads[2].count > heads[1].count + 15)
      link.close(reset: true)
      listener.close()
    }
  }

  private final class Recorder: ByteStreamReceiver {
    var bytes: [UInt8] = []
    func streamReceived(_ received: UnsafeMutableRawBufferPointer) { bytes += received }
    func streamDrained() {}
    func streamEnded(_ end: LinkError) {}
  }

  @Test(
    "uploads pass, however connections are shared; resumed handshakes are part of connect, too",
    arguments: [.perUpload, .perPhone, .pooled(4)] as [ConnectionUse])
  func uploads(use: ConnectionUse) throws {
    try inWorld(latency: .milliseconds(10)) { world in
      let collector = try TestCollector(in: world, tls: try certificates.server())
      let client = try certificates.client([.h2])
      let fleet = try TestFleet(in: world, to: collector.endpoint, use) {
        $0.carrier = .grpc
        $0.tls = client
        $0.resumedShare = 0.5
      }
      fleet.dispatcher.submit(
        try TestFleet.jobs(
          200, from: world.now, over: .seconds(20), phones: 20, registering: true))
      let report = fleet.wait(for: 200, in: world)
      #expect(report.acknowledged == 200)
      report.checkParts()
      let secured = report.completions.compactMap(\.handshake)
      #expect(!secured.isEmpty && secured.allSatisfy { $0.lasted >= .milliseconds(20) })
      for entry in report.completions {
        if let handshake = entry.handshake { #expect(handshake.lasted <= entry.connect) }
      }
      let counters = fleet.dispatcher.counters()
      switch use {
      case .perUpload:
        #expect(counters[.handshakesFull] + counters[.handshakesResumed] == 200)
        // Of 180 connections after each phone's first.
        #expect((60...120).contains(counters[.handshakesResumed]))
      case .perPhone: #expect(counters[.handshakesFull] == 20)
      case .pooled(let count): #expect(counters[.handshakesFull] == count)
      }
      #expect(collector.counters[.protocolErrors] == 0 && collector.counters[.inFlightBytes] == 0)
    }
  }

  @Test("a server that drains over TLS loses no call, and none is answered twice")
  func drain() throws {
    try inWorld(latency: .milliseconds(5)) { world in
      let server = try certificates.server()
      let collector = try TestCollector(in: world, tls: server)
      collector.onCall = { collector, call, method, _ in
        collector.after(.milliseconds(50)) { collector.acknowledge(call, method) }
      }
      let client = try certificates.client([.h2])
      let fleet = try TestFleet(in: world, to: collector.endpoint, .pooled(2)) {
        $0.carrier = .grpc
        $0.tls = client
      }
      fleet.dispatcher.submit(
        try TestFleet.jobs(400, from: world.now, over: .milliseconds(400)))
      world.advance(by: .milliseconds(200))
      collector.server.drain(within: .seconds(10)) {}
      #expect(world.run { collector.counters[.connections] == 0 })
      let other = try TestCollector(in: world, port: collector.port, tls: server)
      #expect(fleet.wait(for: 400, in: world).acknowledged == 400)
      let uploads = { (one: TestCollector) in one.received.withLock { $0.count } }
      #expect(uploads(collector) + uploads(other) == 400)
    }
  }
}

/// Ignores all events of a connection.
private final class SilentOwner: ClientCarrierOwner {
  func connected(_ connection: Int, at instant: WallInstant) {}
  func received(_ call: ClientCall, _ message: UnsafeRawBufferPointer) {}
  func ended(_ call: ClientCall, _ status: CallStatus) {}
  func maySend(_ connection: Int) {}
  func goesAway(_ connection: Int) {}
  func ended(_ connection: Int, _ end: LinkError, open: [ClientCall]) {}
}
