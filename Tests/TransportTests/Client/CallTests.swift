import Core
import Synchronization
import TestSupport
import Testing
import Wire

@testable import Transport
@testable import TransportSupport

@Suite("Calls", .quick)
struct CallTests {
  /// A client of a collector, in a world.
  private func withClient(
    collectorToken: String? = nil, token: String? = nil, latency: WallDuration = .zero,
    _ body: (World, TestCollector, RPCClient) throws -> Void
  ) throws {
    try inWorld(latency: latency) { world in
      let collector = try TestCollector(in: world, token: collectorToken)
      let client = RPCClient(loop: world.loop, to: collector.endpoint, token: token)
      world.keep(client)
      try body(world, collector, client)
    }
  }

  @Test("a unary call is answered, after the way there and back")
  func unary() throws {
    try withClient(latency: .milliseconds(20)) { world, _, client in
      let start = world.now
      let reply = try world.call(client, .health)
      #expect(
        try MessageCodec().decode(HealthReply.self, from: reply)
          == HealthReply(serving: true, detail: "fine"))
      #expect(world.now - start == .milliseconds(40))
    }
  }

  @Test(
    "after one good call the next of its kind repeat its headers: fifteen bytes and the message")
  func repeatedHeaders() throws {
    let message = [UInt8](repeating: 7, count: 100)
    /// Bytes sent by a connection of such calls.
    func bytes(of methods: [CollectorMethod]) throws -> Int {
      var bytes = 0
      try withClient { world, collector, client in
        for method in methods { _ = try world.call(client, method, message) }
        client.close()
        world.settle()
        #expect(collector.counters[.connections] == 0)
        #expect(collector.received.withLock { $0 } == methods)
        bytes = collector.counters[.bytesRead]
      }
      return bytes
    }
    let headers = 10 + 6 + CollectorMethod.health.path.utf8CodeUnitCount
    #expect(try bytes(of: [.health]) == 8 + headers + 115)
    #expect(try bytes(of: [.health, .health, .health]) == 8 + headers + 3 * 115)
    let snapshot = 10 + 6 + CollectorMethod.snapshot.path.utf8CodeUnitCount
    #expect(
      try bytes(of: [.health, .snapshot, .snapshot]) == 8 + headers + snapshot + 3 * 115)
  }

  @Test("a refused token is not repeated")
  func refusedHeaders() throws {
    try withClient(collectorToken: "secret", token: "wrong") { world, collector, client in
      for _ in 0..<3 {
        let error = #expect(throws: RPCClient.CallError.self) {
          try world.call(client, .health)
        }
        #expect(error?.status.code == .unauthenticated)
      }
      #expect(collector.counters[.protocolErrors] == 0)
    }
  }

  @Test("a message of megabytes goes there and back through flow control")
  func largeMessages() throws {
    try withClient { world, collector, client in
      collector.onCall = { _, call, _, message in call.reply(message) }
      let message = (0..<4_000_000).map { UInt8(truncatingIfNeeded: $0 &* 7) }
      for _ in 0..<4 {
        let reply = try world.call(client, .snapshot, message)
        #expect(reply == message)
      }
    }
  }

  @Test("a call without an answer ends at its deadline, to the microsecond")
  func deadline() throws {
    try withClient { world, collector, client in
      collector.onCall = { collector, call, _, _ in collector.held.append(call) }
      let start = world.now
      let error = #expect(throws: RPCClient.CallError.self) {
        try world.call(client, .health, deadline: .milliseconds(60))
      }
      #expect(error?.status.code == .deadlineExceeded)
      #expect(world.now - start == .milliseconds(60))
      world.settle()
      #expect(collector.counters[.cancelled] == 1)
    }
  }

  @Test("a stream delivers its messages in order and then its end")
  func stream() throws {
    try withClient { world, collector, client in
      collector.onCall = { _, call, _, _ in
        for index in 0..<100 as Range<UInt8> {
          let sent = [index, 1, 2].withUnsafeBytes { call.send($0) }
          #expect(sent == .queued)
        }
        call.finish()
      }
      let seen = Box(Mutex<[UInt8]>([]))
      let ended = Box(Mutex<CallStatus?>(nil))
      client.subscribe(
        .pushes, [],
        onMessage: { message in seen.value.withLock { $0.append(message[0]) } },
        onEnd: { status in ended.value.withLock { $0 = status } })
      world.settle()
      #expect(seen.value.withLock { $0 } == Array(0..<100))
      #expect(ended.value.withLock { $0?.code } == .ok)
    }
  }

  @Test("without the token a call is UNAUTHENTICATED, with it OK")
  func token() throws {
    try withClient(collectorToken: "secret", token: "secret") { world, _, client in
      _ = try world.call(client, .health)
    }
    try withClient(collectorToken: "secret", token: "secreT") { world, _, client in
      let error = #expect(throws: RPCClient.CallError.self) {
        try world.call(client, .health)
      }
      #expect(error?.status.code == .unauthenticated)
    }
  }

  @Test("a lost connection is reported, and the next call connects again")
  func reconnects() throws {
    try inWorld { world in
      let first = try TestCollector(in: world)
      let losses = Box(Mutex<[LinkError]>([]))
      let client = RPCClient(loop: world.loop, to: first.endpoint) { end in
        losses.value.withLock { $0.append(end) }
      }
      world.keep(client)
      _ = try world.call(client, .health)
      world.network.cut(port: first.port)
      #expect(throws: RPCClient.CallError.self) { try world.call(client, .health) }
      _ = try TestCollector(in: world, port: first.port)
      _ = try world.call(client, .health)
      #expect(
        losses.value.withLock { $0 } == [.failed(reason: "connection reset by peer")])
    }
  }

  @Test("a port in use is reported as such")
  func portInUse() throws {
    try inWorld { world in
      let port = try TestCollector(in: world).port
      #expect(throws: TransportError.addressInUse(host: "127.0.0.1", port: port)) {
        _ = try TestCollector(in: world, port: port)
      }
    }
  }

  @Test("a drain finishes open calls and sends GOAWAY to the others")
  func drain() throws {
    try withClient { world, collector, client in
      collector.onCall = { collector, call, _, _ in collector.held.append(call) }
      let reply = Box(Mutex<RPCClient.Reply?>(nil))
      client.call(.health, [], deadline: .seconds(60)) { result in
        reply.value.withLock { $0 = result }
      }
      world.settle()
      let isDrained = Box(Mutex(false))
      collector.server.drain(within: .seconds(60)) { isDrained.value.withLock { $0 = true } }
      world.advance(by: .seconds(20))
      #expect(reply.value.withLock { $0 } == nil)
      for call in collector.held { call.reply([1, 2, 3]) }
      world.settle()
      #expect(reply.value.withLock { $0 } == .success([1, 2, 3]))
      #expect(isDrained.value.withLock { $0 })
      #expect(throws: RPCClient.CallError.self) {
        try world.call(client, .health, deadline: .seconds(1))
      }
    }
  }

  @Test("a drain that takes too long ends at its limit")
  func drainLimit() throws {
    try withClient { world, collector, client in
      collector.onCall = { collector, call, _, _ in collector.held.append(call) }
      let reply = Box(Mutex<RPCClient.Reply?>(nil))
      client.call(.health, [], deadline: .seconds(600)) { result in
        reply.value.withLock { $0 = result }
      }
      world.settle()
      let isDrained = Box(Mutex(false))
      collector.server.drain(within: .seconds(60)) { isDrained.value.withLock { $0 = true } }
      world.advance(by: .milliseconds(59_999))
      #expect(!isDrained.value.withLock { $0 })
      world.advance(by: .milliseconds(1))
      #expect(isDrained.value.withLock { $0 })
      // An answer to a call of a closed connection is dropped.
      for call in collector.held { call.reply([1, 2, 3]) }
      guard case .failure(let failure) = reply.value.withLock({ $0 }) else {
        Issue.record("the call did not fail")
        return
      }
      #expect(failure.status.code == .unavailable)
    }
  }
}
