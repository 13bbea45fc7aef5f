import Core
import Foundation
import Synchronization
import TestSupport
import Testing
import Wire

@testable import Transport
@testable import TransportSupport

/// Properties that only system sockets have. Nothing here sleeps: each test waits for events.
@Suite("Real sockets", .serialized, .quick)
struct SocketTests {
  /// A client on a separate running loop.
  private func withClient(
    to endpoint: Endpoint, onLoss: @escaping @Sendable (LinkError) -> Void = { _ in },
    _ body: (RPCClient) throws -> Void
  ) rethrows {
    let loop = EventLoop(name: "client")
    loop.start()
    let client = RPCClient(loop: loop, to: endpoint, onLoss: onLoss)
    try body(client)
    client.close()
    loop.stopAndWait()
  }

  @Test("a plain thread waits for its call's answer, over TCP and two loops")
  func callBlocking() throws {
    let collector = try TestCollector(socket: 0)
    try withClient(to: collector.endpoint) { client in
      let reply = try client.callBlocking(
        .health, HealthRequest(), deadline: .seconds(60), as: HealthReply.self)
      #expect(reply == HealthReply(serving: true, detail: "fine"))
    }
    collector.stop()
  }

  @Test("a message of megabytes passes the kernel's buffers there and back")
  func largeMessages() throws {
    let collector = try TestCollector(socket: 0)
    collector.onCall = { _, call, _, message in call.reply(message) }
    try withClient(to: collector.endpoint) { client in
      let message = (0..<4_000_000).map { UInt8(truncatingIfNeeded: $0 &* 7) }
      let reply = try client.callBlocking(.snapshot, message, deadline: .seconds(60))
      #expect(reply == message)
    }
    collector.stop()
  }

  @Test("a port in use is reported as such")
  func portInUse() throws {
    let collector = try TestCollector(socket: 0)
    let port = collector.port
    #expect(throws: TransportError.addressInUse(host: "127.0.0.1", port: port)) {
      _ = try TestCollector(socket: port)
    }
    collector.stop()
  }

  @Test("without a listener an upload fails after its attempts")
  func refused() throws {
    let collector = try TestCollector(socket: 0)
    let endpoint = collector.endpoint
    collector.stop()
    let fleet = try TestFleet(socketTo: endpoint) {
      $0.retry = RetryPolicy(attemptsMax: 3, base: .milliseconds(2), cap: .milliseconds(5))
    }
    fleet.dispatcher.submit(try TestFleet.jobs(20, from: MonotonicClock.now))
    let report = fleet.wait(for: 20)
    #expect(report.completions.allSatisfy { $0.outcome == .failed(.unavailable) })
    #expect(report.completions.allSatisfy { $0.attempts == 3 })
    report.checkParts()
    fleet.stop()
  }

  @Test(
    "two thousand uploads pass, however connections are shared",
    arguments: [.perUpload, .perPhone, .pooled(4)] as [ConnectionUse])
  func uploads(use: ConnectionUse) throws {
    let collector = try TestCollector(socket: 0)
    let fleet = try TestFleet(socketTo: collector.endpoint, use)
    fleet.dispatcher.submit(
      try TestFleet.jobs(
        2_000, from: MonotonicClock.now, over: .milliseconds(300), phones: 500))
    let report = fleet.wait(for: 2_000)
    #expect(report.acknowledged == 2_000)
    report.checkParts()
    fleet.stop()
    collector.stop()
  }

  @Test("a peer that resets its connection fails its calls")
  func reset() throws {
    let collector = try TestCollector(socket: 0)
    let (came, went) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
    collector.onCall = { _, _, _, _ in came.signal() }
    collector.onCancel = { went.signal() }
    let peer = SocketPeer(collector.port)
    peer.send { buffer in
      FrameEncoder.preface(into: &buffer)
      Frames.call(1, into: &buffer)
    }
    came.wait()
    peer.reset()
    went.wait()
    #expect(collector.counters[.cancelled] == 1 && collector.counters[.connections] == 0)
    collector.stop()
  }

  @Test("a server that ends is a lost connection to its client, which finds the next one")
  func restart() throws {
    let first = try TestCollector(socket: 0)
    let port = first.port
    let lost = DispatchSemaphore(value: 0)
    try withClient(to: first.endpoint, onLoss: { _ in lost.signal() }) { client in
      _ = try client.callBlocking(.health, [], deadline: .seconds(60))
      first.stop()
      lost.wait()
      let second = try TestCollector(socket: port)
      _ = try client.callBlocking(.health, [], deadline: .seconds(60))
      second.stop()
    }
  }

  @Test("foreign bytes end their connection, and a plain peer's frames are answered")
  func unknownPeers() throws {
    let collector = try TestCollector(socket: 0)
    let unknownPeer = SocketPeer(collector.port)
    unknownPeer.send { $0.append(utf8: "GET / HTTP/1.1\r\n\r\n") }
    #expect(unknownPeer.answers().isEmpty)
    let peer = SocketPeer(collector.port)
    peer.send { buffer in
      FrameEncoder.preface(into: &buffer)
      Frames.call(1, into: &buffer)
      Frames.goAway(into: &buffer)
    }
    #expect(peer.answers().map(\.code) == [.ok])
    unknownPeer.close()
    peer.close()
    collector.stop()
  }

  @Test("a client that requested a thousand answers is read no faster than one that requested one")
  func turns() throws {
    let order = Box(Mutex<[UInt32]>([]))
    let all = DispatchSemaphore(value: 0)
    let collector = try TestCollector(socket: 0)
    let (greedy, modest) = (SocketPeer(collector.port), SocketPeer(collector.port))
    for peer in [greedy, modest] {
      peer.send { buffer in
        FrameEncoder.preface(into: &buffer)
        Frames.call(1, into: &buffer)
      }
      #expect(peer.answers(1).map(\.code) == [.ok])
    }
    collector.loop.sync {
      collector.onCall = { _, call, _, _ in
        let count = order.value.withLock { order in
          order.append(call.slot)
          return order.count
        }
        call.reply([])
        if count == 1_001 { all.signal() }
      }
    }
    // Both write while the loop is busy; then it finds them at once.
    let (busy, go) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
    collector.loop.post {
      busy.signal()
      go.wait()
    }
    busy.wait()
    greedy.send { buffer in
      for call in 1...1_000 as ClosedRange<UInt32> {
        Frames.call(2 * call + 1, declared: 20, into: &buffer)
      }
    }
    modest.send { Frames.call(3, into: &$0) }
    go.signal()
    all.wait()
    let seen = order.value.withLock { $0 }
    let place = try #require(seen.firstIndex(of: 1))
    // One share of a turn is 4 KiB: some fifty of these calls.
    #expect(place <= TCPStream.bytesPerTurnMax / 80 + 1)
    greedy.close()
    modest.close()
    collector.stop()
  }

  @Test("the fault proxy relays between sockets, and resets clients of a missing target")
  func proxy() throws {
    let collector = try TestCollector(socket: 0)
    for (target, acknowledged) in [
      (collector.endpoint, 50), (Endpoint(host: "127.0.0.1", port: 1), 0),
    ] {
      let loop = EventLoop(name: "test proxy")
      loop.start()
      let proxy = try FaultProxy(loop: loop, FaultPlan(seed: 3, faults: []), to: target)
      let endpoint = Endpoint(host: "127.0.0.1", port: try proxy.listen())
      let fleet = try TestFleet(socketTo: endpoint) {
        $0.retry = RetryPolicy(attemptsMax: 2, base: .milliseconds(2), cap: .milliseconds(5))
      }
      fleet.dispatcher.submit(try TestFleet.jobs(50, from: MonotonicClock.now))
      #expect(fleet.wait(for: 50).acknowledged == acknowledged)
      #expect((proxy.counters().refused > 0) == (acknowledged == 0))
      fleet.stop()
      loop.stopAndWait()
    }
    collector.stop()
  }
}
