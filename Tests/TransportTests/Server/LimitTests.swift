import Core
import Synchronization
import TestSupport
import Testing
import Wire

@testable import Transport
@testable import TransportSupport

@Suite("Limits of a server", .quick)
struct LimitTests {
  /// The status of one call against a server with the given limits.
  private func status(
    _ limits: ServerLimits, message: [UInt8] = [1], path: CollectorMethod = .health,
    _ check: (ServerCounters) -> Void
  ) throws -> CallStatus? {
    try inWorld { world in
      let collector = try TestCollector(in: world, limits: limits)
      let client = RPCClient(loop: world.loop, to: collector.endpoint)
      world.keep(client)
      defer { check(collector.counters) }
      do throws(RPCClient.CallError) {
        _ = try world.call(client, path, message)
        return nil
      } catch {
        return error.status
      }
    }
  }

  @Test("a message over the limit is RESOURCE_EXHAUSTED")
  func messageBytes() throws {
    var limits = ServerLimits()
    limits.messageBytesMax = 100
    let status = try status(limits, message: Array(repeating: 0, count: 101)) {
      #expect($0.hits(.messageBytesMax) == 1)
    }
    #expect(status?.code == .resourceExhausted)
  }

  @Test("too many bytes in flight are shed with a pushback")
  func inFlightBytes() throws {
    var limits = ServerLimits()
    limits.inFlightBytesMax = 10
    let status = try status(limits, message: Array(repeating: 0, count: 11)) {
      #expect($0.hits(.inFlightBytesMax) == 1)
      #expect($0[.inFlightBytes] == 0)
    }
    #expect(status?.code == .resourceExhausted)
    #expect(status?.pushbackMilliseconds == limits.pushbackMilliseconds)
  }

  @Test("a connection over the limit gets GOAWAY")
  func connections() throws {
    var limits = ServerLimits()
    limits.connectionsMax = 1
    try inWorld { world in
      let collector = try TestCollector(in: world, limits: limits)
      let first = try RawPeer(in: world, to: collector.port)
      let second = try RawPeer(in: world, to: collector.port)
      let answers = second.untilEnd()
      #expect(answers.map(\.type) == [.goAway] && answers.map(\.code) == [.resourceExhausted])
      #expect(collector.counters.hits(.connectionsMax) == 1)
      #expect(collector.counters[.connections] == 1 && !first.isEnded)
    }
  }

  @Test("connections without descriptors get GOAWAY, and are counted as such")
  func descriptors() throws {
    var limits = ServerLimits()
    limits.leave(descriptors: 20_000)
    #expect(limits == ServerLimits())
    limits.leave(descriptors: 1)
    try inWorld { world in
      let collector = try TestCollector(in: world, limits: limits)
      let first = try RawPeer(in: world, to: collector.port)
      let second = try RawPeer(in: world, to: collector.port)
      #expect(second.untilEnd().map(\.code) == [.resourceExhausted] && !first.isEnded)
      #expect(collector.counters.hits(.descriptors) == 1)
      #expect(collector.counters.hits(.connectionsMax) == 0)
    }
  }

  /// A server's answer to frames that break one of its limits.
  private func answers(
    _ limits: ServerLimits = .init(), holding: Bool = false, to encode: (inout ByteBuffer) -> Void,
    _ check: (ServerCounters) -> Void
  ) throws -> [Frames.Answer] {
    try inWorld { world in
      let collector = try TestCollector(in: world, limits: limits)
      if holding { collector.onCall = { _, _, _, _ in } }
      let peer = try RawPeer(in: world, to: collector.port)
      peer.send { buffer in
        FrameEncoder.preface(into: &buffer)
        encode(&buffer)
        Frames.goAway(into: &buffer)
      }
      let answers = peer.untilEnd()
      check(collector.counters)
      return answers
    }
  }

  @Test("a frame of 4 GiB costs its connection at its first bytes")
  func frameBody() throws {
    let answers = try answers { buffer in
      Frames.frame(.data, 1, length: Int(UInt32.max), into: &buffer)
    } _: {
      #expect($0.hits(.frameBodyBytesMax) == 1 && $0[.protocolErrors] == 1)
      #expect($0[.inFlightBytes] == 0)
    }
    #expect(answers.map(\.type) == [.goAway] && answers[0].code == .resourceExhausted)
  }

  @Test("a message of 4 GiB costs its call")
  func messageOf4GiB() throws {
    let answers = try answers { buffer in
      FrameEncoder.headers(
        stream: 1, path: CollectorMethod.upload.path, timeoutMilliseconds: 0, into: &buffer)
      Frames.frame(.data, 1, length: 5, into: &buffer)
      FrameEncoder.prefix(length: Int(UInt32.max), into: &buffer)
    } _: {
      #expect($0.hits(.messageBytesMax) == 1 && $0[.inFlightBytes] == 0)
    }
    #expect(answers.map(\.code) == [.resourceExhausted])
  }

  @Test("a call over the limit of a connection is refused, the open ones continue")
  func streams() throws {
    var limits = ServerLimits()
    limits.streamsMax = 1
    let answers = try answers(limits) { buffer in
      FrameEncoder.headers(
        stream: 1, path: CollectorMethod.health.path, timeoutMilliseconds: 0, into: &buffer)
      Frames.call(3, into: &buffer)
      Frames.frame(.data, 1, length: 5, flags: 1, into: &buffer)
      FrameEncoder.prefix(length: 0, into: &buffer)
    } _: {
      #expect($0.hits(.streamsMax) == 1)
    }
    let ends = answers.filter { $0.endsCall }
    #expect(ends.map(\.stream) == [3, 1])
    #expect(ends.map(\.code) == [.resourceExhausted, .ok])
  }

  @Test("sending more than the window allows is a violation")
  func window() throws {
    var limits = ServerLimits()
    limits.windowBytes = 1_000
    limits.messageBytesMax = 1_000
    let answers = try answers(limits, holding: true) { buffer in
      for call in 0..<100 as Range<UInt32> {
        Frames.call(2 * call + 1, declared: 1_000, into: &buffer)
      }
    } _: {
      #expect($0.hits(.windowBytes) == 1 && $0[.protocolErrors] == 1)
    }
    #expect(answers.last?.type == .goAway)
  }

  @Test("more than ten pings in a second are a violation; ten are answered, second after second")
  func pings() throws {
    try inWorld { world in
      let collector = try TestCollector(in: world)
      let peer = try RawPeer(in: world, to: collector.port)
      peer.send { FrameEncoder.preface(into: &$0) }
      for _ in 0..<3 {
        peer.send { buffer in
          for _ in 0..<10 { FrameEncoder.ping(7, isAnswer: false, into: &buffer) }
        }
        world.advance(by: .seconds(1))
      }
      #expect(peer.answers.count { $0.type == .ping && $0.flags == .acknowledgement } == 30)
      peer.send { buffer in
        for _ in 0..<11 { FrameEncoder.ping(7, isAnswer: false, into: &buffer) }
      }
      #expect(peer.untilEnd().last?.type == .goAway)
      #expect(collector.counters.hits(.pingsPerSecondMax) == 1)
    }
  }

  @Test("metadata over its limit, in bytes or in number, costs its call")
  func metadata() throws {
    let answers = try answers { buffer in
      FrameEncoder.headers(
        stream: 1, path: CollectorMethod.health.path, timeoutMilliseconds: 0,
        metadata: [("k", [UInt8](repeating: 65, count: 8_192))], into: &buffer)
      FrameEncoder.headers(
        stream: 3, path: CollectorMethod.health.path, timeoutMilliseconds: 0,
        metadata: (0..<33).map { _ in ("k", [65]) }, into: &buffer)
    } _: {
      #expect($0.hits(.metadataBytesMax) == 2)
    }
    #expect(
      answers.filter { $0.endsCall }.map(\.code)
        == [.resourceExhausted, .resourceExhausted])
  }

  @Test("unauthenticated clients and junk cost their connection and nothing else")
  func junk() throws {
    try inWorld { world in
      let collector = try TestCollector(in: world)
      let unknownPeer = try RawPeer(in: world, to: collector.port)
      unknownPeer.send(Array("EHLO test\r\n".utf8))
      #expect(unknownPeer.isEnded && unknownPeer.bytes.isEmpty)
      var draw = Draw(seed: 1, phone: 0, Purpose(rawValue: 9_200))
      for _ in 0..<200 {
        let junk = (0..<60).map { _ in UInt8(truncatingIfNeeded: draw.next()) & 0x0f }
        let peer = try RawPeer(in: world, to: collector.port)
        peer.send(Array("FLOTLA/1".utf8) + junk)
        peer.close()
      }
      world.settle()
      #expect(collector.counters[.protocolErrors] > 0)
      #expect(collector.counters[.connections] == 0 && collector.counters[.inFlightBytes] == 0)
      let client = RPCClient(loop: world.loop, to: collector.endpoint)
      world.keep(client)
      _ = try world.call(client, .health)
    }
  }

  @Test("an unknown method is UNIMPLEMENTED")
  func unknownMethod() throws {
    let answers = try answers { buffer in
      FrameEncoder.headers(
        stream: 1, path: "/flotilla.v1.Collector/Nothing", timeoutMilliseconds: 0, into: &buffer)
    } _: { _ in
    }
    #expect(answers.map(\.type) == [.status] && answers.map(\.code) == [.unimplemented])
  }

  @Test("a stream with a slow reader is told that its queue is full")
  func slowReader() throws {
    var limits = ServerLimits()
    limits.writeQueueBytesMax = 100_000
    try inWorld { world in
      let collector = try TestCollector(in: world, limits: limits)
      let outcome = Box(Mutex<[StreamSend]>([]))
      collector.onCall = { _, call, _, _ in
        let message = [UInt8](repeating: 1, count: 50_000)
        for _ in 0..<200 {
          let sent = message.withUnsafeBytes { call.send($0) }
          outcome.value.withLock { $0.append(sent) }
        }
      }
      let peer = try RawPeer(in: world, to: collector.port, reads: false)
      peer.send { FrameEncoder.preface(into: &$0) }
      peer.call(1, .pushes)
      let seen = outcome.value.withLock { $0 }
      #expect(seen.count == 200 && seen.first == .queued && seen.last == .full)
      #expect(collector.counters.hits(.writeQueueBytesMax) > 0)
    }
  }
}
