import Core
import TestSupport
import Testing
import Wire

@testable import Transport
@testable import TransportSupport

@Suite("A server's timeouts for unauthenticated and slow peers", .quick)
struct PatienceTests {
  private func with(
    inFlightBytesMax: Int = ServerLimits().inFlightBytesMax, reads: Bool = true,
    answering onCall: ((TestCollector, ServerCall, CollectorMethod, [UInt8]) -> Void)?,
    _ body: (World, TestCollector, RawPeer) throws -> Void
  ) throws {
    var limits = ServerLimits()
    limits.inFlightBytesMax = inFlightBytesMax
    try inWorld { world in
      let collector = try TestCollector(in: world, limits: limits)
      collector.onCall = onCall
      let peer = try RawPeer(in: world, to: collector.port, reads: reads)
      peer.send { FrameEncoder.preface(into: &$0) }
      try body(world, collector, peer)
    }
  }

  @Test("HEADERS alone are no call: without a whole one the peer gets GOAWAY")
  func firstCallTime() throws {
    try with(answering: nil) { world, collector, peer in
      peer.call(1, declared: 10, sent: 3)
      world.advance(by: .seconds(10))
      #expect(!peer.isEnded)
      // The server checks once a second.
      world.advance(by: .seconds(1) + .milliseconds(50))
      #expect(peer.isEnded && peer.answers.isEmpty)
      #expect(collector.counters.hits(.firstCallTime) == 1)
      #expect(collector.counters[.inFlightBytes] == 0)
    }
  }

  @Test("an incomplete message is DEADLINE_EXCEEDED; the connection continues")
  func messageTime() throws {
    try with(answering: nil) { world, collector, peer in
      peer.call(1)
      peer.call(3, declared: 10, sent: 3)
      world.advance(by: .seconds(30))
      #expect(collector.counters[.streams] == 1)
      world.advance(by: .seconds(1) + .milliseconds(50))
      #expect(collector.counters.hits(.messageTime) == 1 && collector.counters[.streams] == 0)
      peer.call(5)
      peer.send { Frames.goAway(into: &$0) }
      let ends = peer.untilEnd().filter { $0.endsCall }
      #expect(ends.map(\.stream) == [1, 3, 5])
      #expect(ends.map(\.code) == [.ok, .deadlineExceeded, .ok])
    }
  }

  @Test("an incomplete frame costs its connection, however slowly it grows")
  func messageTimeOfFrame() throws {
    try with(answering: nil) { world, collector, peer in
      peer.call(1)
      peer.send { Frames.frame(.ping, 0, length: 8, into: &$0) }
      // Byte after byte: each read finds a part of a frame, and none a whole one.
      for _ in 0..<6 {
        world.advance(by: .seconds(5))
        peer.send([0])
      }
      #expect(!peer.isEnded)
      world.advance(by: .seconds(1) + .milliseconds(50))
      #expect(peer.isEnded)
      #expect(peer.answers.last?.type == .goAway)
      #expect(peer.answers.last?.code == .deadlineExceeded)
      #expect(collector.counters.hits(.messageTime) == 1)
    }
  }

  @Test("a connection without calls gets GOAWAY")
  func idleTime() throws {
    try with(answering: nil) { world, collector, peer in
      peer.call(1)
      world.advance(by: .seconds(300))
      #expect(!peer.isEnded)
      world.advance(by: .seconds(1) + .milliseconds(50))
      #expect(peer.isEnded)
      #expect(peer.answers.last?.type == .goAway && peer.answers.last?.code == .unavailable)
      #expect(collector.counters.hits(.idleTime) == 1)
    }
  }

  @Test("a reader that reads nothing loses its connection, and with it its queued answers")
  func answerTime() throws {
    let message = [UInt8](repeating: 1, count: 1 << 20)
    try with(
      reads: false,
      answering: { _, call, _, _ in
        for _ in 0..<7 {
          _ = message.withUnsafeBytes { call.send($0) }
        }
      }
    ) { world, collector, peer in
      peer.call(1, .pushes)
      world.advance(by: .seconds(30))
      #expect(collector.counters[.connections] == 1)
      world.advance(by: .seconds(3))
      #expect(collector.counters.hits(.answerTime) == 1)
      #expect(collector.counters[.connections] == 0 && collector.counters[.streams] == 0)
    }
  }

  @Test("a client with unread answers can start no more calls until they are read")
  func unread() throws {
    // 20 MB in all; the connection accepts one.
    let text = String(repeating: "x", count: 20_000)
    try with(
      reads: false, answering: { _, call, _, _ in call.fail(CallStatus(.internal, text)) }
    ) { world, collector, peer in
      for call in 0..<1_000 as Range<UInt32> { peer.call(2 * call + 1) }
      world.settle()
      #expect(collector.counters[.calls] < 200)
      peer.send { Frames.goAway(into: &$0) }
      #expect(peer.untilEnd().count { $0.endsCall } == 1_000)
    }
  }

  @Test("half a message counts as in flight, by its received bytes and not by its declared length")
  func halfMessage() throws {
    try with(inFlightBytesMax: 10_000, answering: nil) { world, collector, peer in
      /// 6,000 bytes of a message of 4 MB, in two frames that each come with one read.
      func halfCall(_ stream: UInt32) {
        peer.call(stream, declared: 4_000_000, sent: 3_000)
        peer.send { buffer in
          Frames.frame(.data, stream, length: 3_000, into: &buffer)
          buffer.append([UInt8](repeating: 0, count: 3_000))
        }
      }
      halfCall(1)
      #expect(collector.counters[.inFlightBytes] == 6_005)
      halfCall(3)
      #expect(collector.counters[.inFlightBytes] == 6_005)
      #expect(collector.counters.hits(.inFlightBytesMax) == 1)
      #expect(collector.counters.statuses[Int(StatusCode.resourceExhausted.rawValue)] == 1)
      peer.close()
      world.settle()
      #expect(collector.counters[.connections] == 0 && collector.counters[.inFlightBytes] == 0)
    }
  }

  @Test("a frame that comes in two reads counts once, not as a part and as a message")
  func frameInParts() throws {
    try with(inFlightBytesMax: 10_000, answering: { _, _, _, _ in }) { world, collector, peer in
      // A read is 4 KiB: the first finds two thirds of the frame.
      peer.call(1, declared: 6_100)
      #expect(collector.counters[.inFlightBytes] == 6_100)
      #expect(collector.counters.hits(.inFlightBytesMax) == 0)
    }
  }

  @Test("parts of frames count as in flight too, over all connections")
  func halfFrames() throws {
    try with(inFlightBytesMax: 10_000, answering: nil) { world, collector, peer in
      let other = try RawPeer(in: world, to: collector.port)
      other.send { FrameEncoder.preface(into: &$0) }
      for each in [peer, other] {
        each.send { buffer in
          FrameEncoder.headers(
            stream: 1, path: CollectorMethod.health.path, timeoutMilliseconds: 0, into: &buffer)
          Frames.frame(.data, 1, length: 60_000, into: &buffer)
          buffer.append([UInt8](repeating: 0, count: 6_000))
        }
      }
      #expect(other.isEnded && other.answers.last?.code == .resourceExhausted)
      #expect(!peer.isEnded)
      #expect(collector.counters.hits(.inFlightBytesMax) == 1)
      #expect(collector.counters[.inFlightBytes] < 6_100)
    }
  }

  @Test("a server that refuses most calls reads more per turn, within its memory")
  func turnsOfRefusals() throws {
    try with(answering: nil) { world, collector, _ in
      for (share, bytes) in [(0.75, 16_384), (0.5, 8_192), (1, 65_536), (0, 4_096)] {
        collector.server.expectRefusals(of: share)
        #expect(world.loop.bytesPerTurn == bytes, "\(share) refused")
      }
    }
  }
}
