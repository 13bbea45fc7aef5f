import Core
import Synchronization
import TestSupport
import Testing
import Wire

@testable import Transport
@testable import TransportSupport

@Suite("gRPC calls on HTTP/2", .quick)
struct GRPCCallTests {
  /// A client of a collector, in a world.
  private func withClient(
    collectorToken: String? = nil, token: String? = nil, latency: WallDuration = .zero,
    _ body: (World, TestCollector, RPCClient) throws -> Void
  ) throws {
    try inWorld(latency: latency) { world in
      let collector = try TestCollector(in: world, token: collectorToken)
      let client = RPCClient(
        loop: world.loop, to: collector.endpoint, carrier: .grpc, token: token)
      world.keep(client)
      try body(world, collector, client)
    }
  }

  @Test("a unary call is answered, after the way there and back")
  func unary() throws {
    try withClient(latency: .milliseconds(20)) { world, collector, client in
      let start = world.now
      let reply = try world.call(client, .health)
      #expect(
        try MessageCodec().decode(HealthReply.self, from: reply)
          == HealthReply(serving: true, detail: "fine"))
      #expect(world.now - start == .milliseconds(40))
      #expect(collector.counters.statuses[0] == 1 && collector.counters[.protocolErrors] == 0)
    }
  }

  @Test("one port accepts both carriers, and their calls are the same to the handler")
  func bothCarriers() throws {
    try withClient { world, collector, client in
      let own = RPCClient(loop: world.loop, to: collector.endpoint)
      world.keep(own)
      let reply = try world.call(client, .health)
      #expect(try world.call(own, .health) == reply)
      #expect(collector.counters[.connections] == 2)
      #expect(collector.received.withLock { $0 } == [.health, .health])
    }
  }

  @Test("a failure keeps its code, its text in any script, and its pushback")
  func failures() throws {
    try withClient { world, collector, client in
      let status = CallStatus(
        .resourceExhausted, "100 % voll: ☺ 😈\t\r\n", pushbackMilliseconds: 1_500)
      collector.onCall = { _, call, _, _ in call.fail(status) }
      let error = #expect(throws: RPCClient.CallError.self) { try world.call(client, .health) }
      #expect(error?.status == status)
    }
  }

  @Test("a call without the token is refused, with it is accepted")
  func tokens() throws {
    try withClient(collectorToken: "secret", token: "wrong") { world, _, client in
      let error = #expect(throws: RPCClient.CallError.self) { try world.call(client, .health) }
      #expect(error?.status.code == .unauthenticated)
    }
    try withClient(collectorToken: "secret", token: "secret") { world, _, client in
      _ = try world.call(client, .health)
    }
  }

  @Test("a message of megabytes goes there and back through flow control")
  func largeMessages() throws {
    try withClient { world, collector, client in
      collector.onCall = { _, call, _, message in call.reply(message) }
      var message = [UInt8](repeating: 0, count: 4_000_000)
      var state: UInt32 = 1
      for place in message.indices {
        state = state &* 1_664_525 &+ 1_013_904_223
        message[place] = UInt8(truncatingIfNeeded: state >> 24)
      }
      for _ in 0..<3 {
        let reply = try world.call(client, .snapshot, message)
        #expect(reply == message)
      }
      #expect(collector.counters[.inFlightBytes] == 0)
    }
  }

  @Test("an answer worth compressing comes compressed, and whole")
  func compressedAnswer() throws {
    try withClient { world, collector, client in
      collector.onCall = { _, call, _, _ in call.reply([UInt8](repeating: 7, count: 200_000)) }
      let reply = try world.call(client, .snapshot)
      #expect(reply == [UInt8](repeating: 7, count: 200_000))
      client.close()
      world.settle()
      #expect(collector.counters[.bytesWritten] < 1_000)
    }
  }

  @Test("a message longer than the limit is refused as such, and the connection continues")
  func tooLong() throws {
    try withClient { world, collector, client in
      let message = [UInt8](repeating: 1, count: Carrier.messageBytesMax + 1)
      let error = #expect(throws: RPCClient.CallError.self) {
        try world.call(client, .snapshot, message)
      }
      #expect(error?.status.code == .resourceExhausted)
      _ = try world.call(client, .health)
      #expect(collector.counters[.accepted] == 1 && collector.counters.hits(.messageBytesMax) == 1)
    }
  }

  @Test("a stream brings its messages in order, and its cancel reaches the handler")
  func streams() throws {
    try withClient { world, collector, client in
      let seen = Box(Mutex<[[UInt8]]>([]))
      let cancelled = Box(Mutex(0))
      collector.onCall = { _, call, _, _ in
        for number in 0..<100 {
          #expect([UInt8(number)].withUnsafeBytes { call.send($0) } == .queued)
        }
        collector.held.append(call)
      }
      collector.onCancel = { cancelled.value.withLock { $0 += 1 } }
      client.subscribe(
        .pushes, [], onMessage: { message in seen.value.withLock { $0.append(message) } },
        onEnd: { _ in })
      #expect(world.run { seen.value.withLock { $0.count } == 100 })
      #expect(seen.value.withLock { $0 } == (0..<100).map { [UInt8($0)] })
      client.close()
      #expect(world.run { cancelled.value.withLock { $0 } == 1 })
    }
  }

  @Test("the server receives the deadline, and a client cancels a call past it")
  func deadlines() throws {
    try withClient { world, collector, client in
      let asked = Box(Mutex<WallInstant?>(nil))
      collector.onCall = { _, call, _, _ in asked.value.withLock { $0 = call.deadline } }
      let start = world.now
      let error = #expect(throws: RPCClient.CallError.self) {
        try world.call(client, .health, deadline: .milliseconds(700))
      }
      #expect(error?.status.code == .deadlineExceeded)
      #expect(asked.value.withLock { $0 } == start + .milliseconds(700))
      world.settle()
      #expect(collector.counters[.cancelled] == 1 && collector.counters[.streams] == 0)
    }
  }

  @Test(
    "two thousand uploads are all acknowledged, however they share connections",
    arguments: [.perUpload, .perPhone, .pooled(4)] as [ConnectionUse])
  func uploads(use: ConnectionUse) throws {
    try inWorld { world in
      let collector = try TestCollector(in: world)
      let fleet = try TestFleet(in: world, to: collector.endpoint, use) { $0.carrier = .grpc }
      let jobs = try TestFleet.jobs(
        2_000, from: world.now, over: .milliseconds(300), phones: 500, registering: true)
      fleet.dispatcher.submit(jobs)
      let report = fleet.wait(for: 2_000, in: world)
      #expect(report.acknowledged == 2_000)
      report.checkParts()
      let counters = fleet.dispatcher.counters()
      switch use {
      case .perUpload: #expect(counters[.connects] == 2_000 && counters[.openConnections] == 0)
      case .perPhone: #expect(counters[.connects] == 500)
      case .pooled(let count): #expect(counters[.connects] == UInt64(count))
      }
      #expect(collector.counters[.protocolErrors] == 0 && collector.counters[.inFlightBytes] == 0)
    }
  }

  @Test("without a free stream on a shared connection an upload waits, and the wait is hold")
  func streamsMax() throws {
    try inWorld { world in
      var limits = ServerLimits()
      limits.streamsMax = 4
      let collector = try TestCollector(in: world, limits: limits)
      collector.onCall = { collector, call, method, _ in
        collector.after(.milliseconds(10)) { collector.acknowledge(call, method) }
      }
      let fleet = try TestFleet(in: world, to: collector.endpoint, .pooled(1)) {
        $0.carrier = .grpc
      }
      // The first shows how many streams the server accepts.
      fleet.dispatcher.submit(try TestFleet.jobs(1, from: world.now))
      _ = fleet.wait(for: 1, in: world)
      fleet.dispatcher.submit(try TestFleet.jobs(40, from: world.now))
      let report = fleet.wait(for: 41, in: world)
      #expect(report.acknowledged == 41)
      report.checkParts()
      #expect(
        collector.counters.hits(.streamsMax) == 0 && fleet.dispatcher.counters()[.connects] == 1)
      #expect(report.completions.count { $0.hold >= .milliseconds(10) } == 36)
      #expect(report.completions.map(\.hold).max()! >= .milliseconds(90))
    }
  }

  @Test(
    "UNAVAILABLE is tried again, after the pushback if there is one; a negative one is final")
  func pushback() throws {
    for (pushback, isFinal) in [(Int32?.none, false), (2_000, false), (-1, true)] {
      try inWorld { world in
        let collector = try TestCollector(in: world)
        collector.onCall = { collector, call, method, _ in
          guard collector.received.withLock({ $0.count }) == 1 else {
            return collector.acknowledge(call, method)
          }
          call.fail(CallStatus(.unavailable, "not yet", pushbackMilliseconds: pushback))
        }
        let fleet = try TestFleet(in: world, to: collector.endpoint) { $0.carrier = .grpc }
        fleet.dispatcher.submit(try TestFleet.jobs(1, from: world.now))
        let report = fleet.wait(for: 1, in: world)
        let completion = try #require(report.completions.first)
        #expect(completion.attempts == (isFinal ? 1 : 2))
        #expect(report.acknowledged == (isFinal ? 0 : 1))
        if let pushback, pushback > 0 {
          #expect(completion.hold >= .milliseconds(Int64(pushback)))
        }
      }
    }
  }

  /// Answers any first bytes with fixed bytes.
  private final class Proxy: ByteStreamReceiver {
    private let answer: [UInt8]
    private var stream: (any ByteStream)?

    init(_ answer: [UInt8]) { self.answer = answer }

    func use(_ stream: any ByteStream) {
      self.stream = stream
      stream.receiver = self
      stream.startReading()
    }

    func streamReceived(_ bytes: UnsafeMutableRawBufferPointer) {
      guard let stream = exchange(&stream, with: nil) else { return }
      _ = answer.withUnsafeBytes { stream.write($0) }
    }
    func streamDrained() {}
    func streamEnded(_ end: LinkError) {}
  }

  @Test(
    "a proxy's page is no message: the call ends as its HTTP status says",
    arguments: [
      ("502", StatusCode.unavailable), ("503", .unavailable), ("401", .unauthenticated),
      ("404", .unimplemented), ("200", .unknown),
    ])
  func proxyPages(http: String, code: StatusCode) throws {
    try inWorld { world in
      let fields = HTTP2.block([(":status", http), ("content-type", "text/html")])
      let proxy = Proxy(
        HTTP2.frame(.settings) + HTTP2.frame(.headers, stream: 1, flags: 4, fields)
          + HTTP2.frame(.data, stream: 1, flags: 1, Array("<html>Bad gateway".utf8)))
      let listener = try world.loop.listen(
        on: Endpoint(host: "127.0.0.1", port: 0), takesTurns: true
      ) { stream in
        world.keep(stream)
        proxy.use(stream)
      }
      let client = RPCClient(
        loop: world.loop, to: Endpoint(host: "127.0.0.1", port: listener.port), carrier: .grpc)
      let error = #expect(throws: RPCClient.CallError.self) { try world.call(client, .upload) }
      #expect(error?.status.code == code, "\(error as Any)")
      client.close()
      world.settle()
      listener.close()
    }
  }

  @Test("a draining server answers its calls, and later ones go elsewhere")
  func drain() throws {
    try inWorld(latency: .milliseconds(5)) { world in
      let collector = try TestCollector(in: world)
      collector.onCall = { collector, call, method, _ in
        collector.after(.milliseconds(50)) { collector.acknowledge(call, method) }
      }
      let fleet = try TestFleet(in: world, to: collector.endpoint, .pooled(2)) {
        $0.carrier = .grpc
      }
      fleet.dispatcher.submit(
        try TestFleet.jobs(400, from: world.now, over: .milliseconds(400)))
      world.advance(by: .milliseconds(200))
      let isDrained = Box(Mutex(false))
      collector.server.drain(within: .seconds(10)) { isDrained.value.withLock { $0 = true } }
      #expect(world.run { isDrained.value.withLock { $0 } })
      let other = try TestCollector(in: world, port: collector.port)
      let report = fleet.wait(for: 400, in: world)
      #expect(report.acknowledged == 400)
      report.checkParts()
      // No call was answered by both.
      let uploads = { (one: TestCollector) in one.received.withLock { $0.count } }
      #expect(uploads(collector) + uploads(other) == 400)
    }
  }
}
