import Foundation
import SimulationCore
import Synchronization
import Testing
import Wire

@testable import Transport

@Suite("Calls", .serialized)
struct CallTests {
  private func withClient(
    _ collector: TestCollector, token: String? = nil, _ body: (RPCClient) throws -> Void
  ) throws {
    let loop = EventLoop(name: "client")
    loop.start()
    let client = RPCClient(loop: loop, to: collector.endpoint, token: token)
    try body(client)
    client.close()
    loop.stopAndWait()
    collector.stop()
  }

  @Test("a unary call is answered")
  func unary() throws {
    try withClient(try TestCollector()) { client in
      let reply = try client.callBlocking(
        .health, HealthRequest(), deadline: .seconds(60), as: HealthReply.self)
      #expect(reply == HealthReply(serving: true, detail: "fine"))
    }
  }

  @Test(
    "after one good call the next of its kind repeat its headers: fifteen bytes and the message")
  func repeatedHeaders() throws {
    let message = [UInt8](repeating: 7, count: 100)
    /// What a connection of such calls sends.
    func bytes(of methods: [CollectorMethod]) throws -> UInt64 {
      let collector = try TestCollector()
      var counters = ServerCounters()
      try withClient(collector) { client in
        for method in methods {
          _ = try client.callBlocking(method, message, deadline: .seconds(60))
        }
        client.close()
        repeat { counters = collector.counters() } while counters.connections > 0
        #expect(collector.received.withLock { $0 } == methods)
      }
      return counters.bytesRead
    }
    let headers = UInt64(10 + 6 + CollectorMethod.health.path.utf8CodeUnitCount)
    #expect(try bytes(of: [.health]) == 8 + headers + 115)
    #expect(try bytes(of: [.health, .health, .health]) == 8 + headers + 3 * 115)
    let snapshot = UInt64(10 + 6 + CollectorMethod.snapshot.path.utf8CodeUnitCount)
    #expect(
      try bytes(of: [.health, .snapshot, .snapshot]) == 8 + headers + snapshot + 3 * 115)
  }

  @Test("a refused token is not repeated")
  func refusedHeaders() throws {
    let collector = try TestCollector(token: "secret")
    try withClient(collector, token: "wrong") { client in
      for _ in 0..<3 {
        let error = #expect(throws: RPCClient.CallFailure.self) {
          try client.callBlocking(.health, [], deadline: .seconds(60))
        }
        #expect(error?.status.code == .unauthenticated)
      }
      #expect(collector.counters().protocolErrors == 0)
    }
  }

  @Test("a message of megabytes goes there and back through flow control")
  func largeMessages() throws {
    let collector = try TestCollector()
    collector.onCall = { collector, call, _, message in call.reply(message) }
    try withClient(collector) { client in
      let message = (0..<4_000_000).map { UInt8(truncatingIfNeeded: $0 &* 7) }
      for _ in 0..<4 {
        let reply = try client.callBlocking(.snapshot, message, deadline: .seconds(60))
        #expect(reply == message)
      }
    }
  }

  @Test("a call without an answer ends at its deadline")
  func deadline() throws {
    let collector = try TestCollector()
    collector.onCall = { collector, call, _, _ in collector.held.append(call) }
    try withClient(collector) { client in
      let start = MonotonicClock.now
      #expect(throws: RPCClient.CallFailure.self) {
        try client.callBlocking(.health, [], deadline: .milliseconds(60))
      }
      let took = MonotonicClock.now - start
      #expect(took >= .milliseconds(60) && took < .seconds(30))
    }
  }

  @Test("a stream delivers its messages in order and then its end")
  func stream() throws {
    let collector = try TestCollector()
    collector.onCall = { collector, call, _, _ in
      for index in 0..<100 as Range<UInt8> {
        let sent = [index, 1, 2].withUnsafeBytes { call.send($0) }
        #expect(sent == .queued)
      }
      call.finish()
    }
    try withClient(collector) { client in
      let seen = Box(Mutex<[UInt8]>([]))
      let ended = Box(Mutex<CallStatus?>(nil))
      let done = DispatchSemaphore(value: 0)
      client.subscribe(
        .pushes, [],
        onMessage: { message in seen.value.withLock { $0.append(message[0]) } },
        onEnd: { status in
          ended.value.withLock { $0 = status }
          done.signal()
        })
      #expect(done.wait(timeout: .now() + 60) == .success)
      #expect(seen.value.withLock { $0 } == Array(0..<100))
      #expect(ended.value.withLock { $0?.code } == .ok)
    }
  }

  @Test("without the token a call is UNAUTHENTICATED, with it OK")
  func token() throws {
    let collector = try TestCollector(token: "secret")
    try withClient(collector, token: "secret") { client in
      _ = try client.callBlocking(.health, [], deadline: .seconds(60))
    }
    let other = try TestCollector(token: "secret")
    try withClient(other, token: "secreT") { client in
      do throws(RPCClient.CallFailure) {
        _ = try client.callBlocking(.health, [], deadline: .seconds(60))
        Issue.record("a wrong token was let in")
      } catch {
        #expect(error.status.code == .unauthenticated)
      }
    }
  }

  @Test("a lost connection is reported, and the next call connects again")
  func reconnects() throws {
    let first = try TestCollector()
    let loop = EventLoop(name: "client")
    loop.start()
    let losses = Box(Mutex(0))
    let client = RPCClient(loop: loop, to: first.endpoint) { _ in
      losses.value.withLock { $0 += 1 }
    }
    _ = try client.callBlocking(.health, [], deadline: .seconds(60))
    let port = first.port
    first.stop()
    #expect(throws: RPCClient.CallFailure.self) {
      _ = try client.callBlocking(.health, [], deadline: .seconds(60))
    }
    let second = try TestCollector(port: port)
    _ = try client.callBlocking(.health, [], deadline: .seconds(60))
    #expect(losses.value.withLock { $0 } >= 1)
    client.close()
    loop.stopAndWait()
    second.stop()
  }

  @Test("a port in use is named as that")
  func portInUse() throws {
    let collector = try TestCollector()
    let port = collector.port
    #expect(throws: TransportError.addressInUse(host: "127.0.0.1", port: port)) {
      _ = try TestCollector(port: port)
    }
    collector.stop()
  }

  @Test("a drain finishes what is open and tells the rest to go away")
  func drain() throws {
    let collector = try TestCollector()
    collector.onCall = { collector, call, _, _ in collector.held.append(call) }
    try withClient(collector) { client in
      let reply = Box(Mutex<RPCClient.Reply?>(nil))
      let answered = DispatchSemaphore(value: 0)
      client.call(.health, [], deadline: .seconds(60)) { result in
        reply.value.withLock { $0 = result }
        answered.signal()
      }
      while collector.received.withLock({ $0.isEmpty }) { usleep(500) }
      let drained = DispatchSemaphore(value: 0)
      collector.server.drain(within: .seconds(60)) { drained.signal() }
      usleep(20_000)
      collector.loop.post {
        for call in collector.held { call.reply([1, 2, 3]) }
      }
      #expect(answered.wait(timeout: .now() + 60) == .success)
      #expect(reply.value.withLock { $0 } == .success([1, 2, 3]))
      #expect(drained.wait(timeout: .now() + 60) == .success)
      #expect(throws: RPCClient.CallFailure.self) {
        try client.callBlocking(.health, [], deadline: .seconds(1))
      }
    }
  }
}
