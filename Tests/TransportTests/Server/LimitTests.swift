import Foundation
import SimulationCore
import Synchronization
import Testing
import Wire

@testable import Transport

@Suite("Limits of a server", .serialized)
struct LimitTests {
  /// The status of one call against a server with the given limits.
  private func status(
    _ limits: ServerLimits, message: [UInt8] = [1], path: CollectorMethod = .health,
    _ check: (ServerCounters) -> Void
  ) throws -> CallStatus? {
    let collector = try TestCollector(limits: limits)
    let loop = EventLoop(name: "client")
    loop.start()
    let client = RPCClient(loop: loop, to: collector.endpoint)
    var status: CallStatus?
    do throws(RPCClient.CallFailure) {
      _ = try client.callBlocking(path, message, deadline: .seconds(60))
    } catch {
      status = error.status
    }
    check(collector.counters())
    client.close()
    loop.stopAndWait()
    collector.stop()
    return status
  }

  @Test("a message over the limit is RESOURCE_EXHAUSTED")
  func messageBytes() throws {
    var limits = ServerLimits()
    limits.messageBytesMax = 100
    let status = try status(limits, message: Array(repeating: 0, count: 101)) {
      #expect($0.messageBytesMaxHits == 1)
    }
    #expect(status?.code == .resourceExhausted)
  }

  @Test("too many bytes in flight are shed with a pushback")
  func inFlightBytes() throws {
    var limits = ServerLimits()
    limits.inFlightBytesMax = 10
    let status = try status(limits, message: Array(repeating: 0, count: 11)) {
      #expect($0.inFlightBytesMaxHits == 1)
      #expect($0.inFlightBytes == 0)
    }
    #expect(status?.code == .resourceExhausted)
    #expect(status?.pushbackMilliseconds == limits.pushbackMilliseconds)
  }

  @Test("a connection too many is told to go away")
  func connections() throws {
    var limits = ServerLimits()
    limits.connectionsMax = 0
    let status = try status(limits) { #expect($0.connectionsMaxHits >= 1) }
    #expect(status?.code == .resourceExhausted || status?.code == .unavailable)
  }

  /// What a server answers to frames that break one of its limits.
  private func answers(
    _ limits: ServerLimits = .init(), holding: Bool = false, to encode: (inout ByteBuffer) -> Void,
    _ check: (ServerCounters) -> Void
  ) throws -> [RawPeer.Answer] {
    let collector = try TestCollector(limits: limits)
    if holding { collector.onCall = { _, _, _, _ in } }
    let peer = RawPeer(collector.port)
    peer.send { buffer in
      FrameEncoder.preface(into: &buffer)
      encode(&buffer)
      // The client has said what it wanted, and is waited for no longer than that takes.
      RawPeer.frame(.goAway, 0, length: 0, into: &buffer)
    }
    let answers = peer.untilEnd()
    check(collector.counters())
    peer.close()
    collector.stop()
    return answers
  }

  @Test("a frame of 4 GiB costs its connection at its first bytes")
  func frameBody() throws {
    let answers = try answers { buffer in
      RawPeer.frame(.data, 1, length: Int(UInt32.max), into: &buffer)
    } _: {
      #expect($0.frameBodyBytesMaxHits == 1 && $0.protocolErrors == 1)
      #expect($0.inFlightBytes == 0)
    }
    #expect(answers.map(\.type) == [.goAway] && answers[0].code == .resourceExhausted)
  }

  @Test("a message of 4 GiB costs its call")
  func messageOf4GiB() throws {
    let answers = try answers { buffer in
      FrameEncoder.headers(
        stream: 1, path: CollectorMethod.upload.path, timeoutMilliseconds: 0, into: &buffer)
      RawPeer.frame(.data, 1, length: 5, into: &buffer)
      FrameEncoder.prefix(length: Int(UInt32.max), into: &buffer)
    } _: {
      #expect($0.messageBytesMaxHits == 1 && $0.inFlightBytes == 0)
    }
    #expect(answers.map(\.code) == [.resourceExhausted])
  }

  @Test("a call too many on a connection is refused, the open ones go on")
  func streams() throws {
    var limits = ServerLimits()
    limits.streamsMax = 1
    let answers = try answers(limits) { buffer in
      FrameEncoder.headers(
        stream: 1, path: CollectorMethod.health.path, timeoutMilliseconds: 0, into: &buffer)
      RawPeer.call(3, into: &buffer)
      RawPeer.frame(.data, 1, length: 5, flags: 1, into: &buffer)
      FrameEncoder.prefix(length: 0, into: &buffer)
    } _: {
      #expect($0.streamsMaxHits == 1)
    }
    let ends = answers.filter { $0.endsCall }
    #expect(ends.map(\.stream) == [3, 1])
    #expect(ends.map(\.code) == [.resourceExhausted, .ok])
  }

  @Test("who sends more than the window allows is in breach")
  func window() throws {
    var limits = ServerLimits()
    limits.windowBytes = 1_000
    limits.messageBytesMax = 1_000
    let answers = try answers(limits, holding: true) { buffer in
      for call in 0..<100 as Range<UInt32> {
        RawPeer.call(2 * call + 1, declared: 1_000, into: &buffer)
      }
    } _: {
      #expect($0.windowBytesHits == 1 && $0.protocolErrors == 1)
    }
    #expect(answers.last?.type == .goAway)
  }

  @Test("more than ten pings in a second are a breach")
  func pings() throws {
    let answers = try answers { buffer in
      // Twice as many, so that one of two seconds has too many.
      for _ in 0..<21 { FrameEncoder.ping(7, isAnswer: false, into: &buffer) }
    } _: {
      #expect($0.pingsPerSecondMaxHits == 1)
    }
    #expect(answers.last?.type == .goAway)
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
      #expect($0.metadataBytesMaxHits == 2)
    }
    #expect(
      answers.filter { $0.endsCall }.map(\.code)
        == [.resourceExhausted, .resourceExhausted])
  }

  /// What a server does with raw bytes: everything it answers until it closes or `limit` passes.
  private func raw(_ bytes: [UInt8], to port: UInt16) -> [UInt8] {
    let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    defer { close(descriptor) }
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
    let connected = withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
      }
    }
    #expect(connected == 0)
    // A peer that closed already costs an error, not a SIGPIPE: the loops ignore that.
    _ = bytes.withUnsafeBytes { send(descriptor, $0.baseAddress, $0.count, 0) }
    shutdown(descriptor, Int32(SHUT_WR))
    var answer: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 4_096)
    while case let count = recv(descriptor, &buffer, buffer.count, 0), count > 0 {
      answer += buffer[..<count]
    }
    return answer
  }

  @Test("strangers and junk cost their connection and nothing else")
  func junk() throws {
    let collector = try TestCollector()
    #expect(raw(Array("GET / HTTP/1.1\r\n\r\n".utf8), to: collector.port).isEmpty)
    var draw = Draw(seed: 1, phone: 0, Purpose(rawValue: 9_200))
    for _ in 0..<200 {
      let junk = (0..<60).map { _ in UInt8(truncatingIfNeeded: draw.next()) & 0x0f }
      _ = raw(Array("FLOTLA/1".utf8) + junk, to: collector.port)
    }
    #expect(collector.counters().protocolErrors > 0)
    let loop = EventLoop(name: "client")
    loop.start()
    let client = RPCClient(loop: loop, to: collector.endpoint)
    _ = try client.callBlocking(.health, [], deadline: .seconds(60))
    client.close()
    loop.stopAndWait()
    collector.stop()
  }

  @Test("an unknown method is UNIMPLEMENTED")
  func unknownMethod() throws {
    let collector = try TestCollector()
    var buffer = ByteBuffer()
    FrameEncoder.preface(into: &buffer)
    FrameEncoder.headers(
      stream: 1, path: "/flotilla.v1.Collector/Nothing", timeoutMilliseconds: 0, into: &buffer)
    let answer = raw(buffer.copyBytes(), to: collector.port)
    #expect(answer.count > 10 && answer[4] == FrameType.status.rawValue)
    #expect(answer[10] == StatusCode.unimplemented.rawValue)
    collector.stop()
  }

  @Test("a stream whose reader is slow hears that its queue is full")
  func slowReader() throws {
    var limits = ServerLimits()
    limits.writeQueueBytesMax = 100_000
    let collector = try TestCollector(limits: limits)
    let outcome = Box(Mutex<[StreamSend]>([]))
    collector.onCall = { collector, call, _, _ in
      let message = [UInt8](repeating: 1, count: 50_000)
      for _ in 0..<200 {
        let sent = message.withUnsafeBytes { call.send($0) }
        outcome.value.withLock { $0.append(sent) }
      }
    }
    // A peer that subscribes and never reads.
    let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = collector.port.bigEndian
    address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
    _ = withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
      }
    }
    var buffer = ByteBuffer()
    FrameEncoder.preface(into: &buffer)
    FrameEncoder.headers(
      stream: 1, path: CollectorMethod.pushes.path, timeoutMilliseconds: 0, into: &buffer)
    FrameEncoder.message(
      stream: 1, UnsafeRawBufferPointer(start: nil, count: 0), endOfStream: true, into: &buffer)
    let bytes = buffer.copyBytes()
    _ = bytes.withUnsafeBytes { send(descriptor, $0.baseAddress, $0.count, 0) }
    let end = MonotonicClock.now + .seconds(60)
    while outcome.value.withLock({ $0.count }) < 200, MonotonicClock.now < end { usleep(1_000) }
    let seen = outcome.value.withLock { $0 }
    #expect(seen.first == .queued)
    #expect(seen.last == .full)
    #expect(collector.counters().writeQueueBytesMaxHits > 0)
    close(descriptor)
    collector.stop()
  }
}
