import Foundation
import SimulationCore
import Synchronization
import Testing
import Wire

@testable import Transport

/// The server looks once a second at what takes too long: these tests take about as long.
@Suite("A server's patience with strangers and slow peers")
struct PatienceTests {
  private func with(
    _ change: (inout ServerLimits) -> Void,
    answering onCall: ((TestCollector, ServerCall, CollectorMethod, [UInt8]) -> Void)? = nil,
    _ body: (TestCollector, RawPeer) throws -> Void
  ) throws {
    var limits = ServerLimits()
    change(&limits)
    let collector = try TestCollector(limits: limits)
    collector.onCall = onCall
    let peer = RawPeer(collector.port)
    peer.send { FrameEncoder.preface(into: &$0) }
    try body(collector, peer)
    peer.close()
    collector.stop()
  }

  /// Waits for what the server's counters show.
  private func wait(
    _ collector: TestCollector, _ isTrue: (ServerCounters) -> Bool
  ) -> ServerCounters {
    let end = MonotonicClock.now + .seconds(20)
    while MonotonicClock.now < end {
      let counters = collector.counters()
      if isTrue(counters) { return counters }
      usleep(2_000)
    }
    return collector.counters()
  }

  @Test("HEADERS alone are no call: without a whole one a stranger has to leave")
  func firstCallTime() throws {
    try with {
      $0.firstCallTime = .milliseconds(100)
    } _: { collector, peer in
      peer.call(1, declared: 10, sent: 3)
      #expect(peer.untilEnd().isEmpty)
      #expect(collector.counters().firstCallTimeHits == 1)
      #expect(collector.counters().inFlightBytes == 0)
    }
  }

  @Test("a message that does not come to its end is DEADLINE_EXCEEDED; the connection lives on")
  func messageTime() throws {
    try with {
      $0.messageTime = .milliseconds(100)
    } _: { collector, peer in
      peer.call(1)
      peer.call(3, declared: 10, sent: 3)
      let ended = wait(collector) { $0.messageTimeHits == 1 }
      #expect(ended.streams == 0)
      peer.call(5)
      peer.send { RawPeer.frame(.goAway, 0, length: 5, into: &$0) }
      peer.send([0, 0, 0, 0, 0])
      let ends = peer.untilEnd().filter { $0.endsCall }
      #expect(ends.map(\.stream) == [1, 3, 5])
      #expect(ends.map(\.code) == [.ok, .deadlineExceeded, .ok])
    }
  }

  @Test("a frame that does not come to its end costs its connection, however slowly it grows")
  func messageTimeOfFrame() throws {
    try with {
      $0.messageTime = .milliseconds(100)
    } _: { collector, peer in
      peer.call(1)
      peer.send { RawPeer.frame(.ping, 0, length: 8, into: &$0) }
      // Byte after byte: each read finds a part of a frame, and none a whole one.
      for _ in 0..<4 {
        peer.send([0])
        usleep(20_000)
      }
      let answers = peer.untilEnd()
      #expect(answers.last?.type == .goAway)
      #expect(answers.last?.code == .deadlineExceeded)
      #expect(collector.counters().messageTimeHits == 1)
    }
  }

  @Test("a connection without calls is told to go away")
  func idleTime() throws {
    try with {
      $0.idleTime = .milliseconds(100)
    } _: { collector, peer in
      peer.call(1)
      let answers = peer.untilEnd()
      #expect(answers.last?.type == .goAway && answers.last?.code == .unavailable)
      #expect(collector.counters().idleTimeHits == 1)
    }
  }

  @Test("a reader that takes nothing loses its connection, and with it what waited for it")
  func answerTime() throws {
    let message = [UInt8](repeating: 1, count: 1 << 20)
    try with {
      $0.answerTime = .milliseconds(100)
    } answering: { collector, call, _, _ in
      for _ in 0..<7 {
        _ = message.withUnsafeBytes { call.send($0) }
      }
    } _: { collector, peer in
      peer.call(1, .pushes)
      let counters = wait(collector) { $0.answerTimeHits == 1 }
      #expect(counters.answerTimeHits == 1)
      #expect(counters.connections == 0 && counters.streams == 0)
    }
  }

  @Test("who leaves answers unread gets no more calls in, until they are read")
  func unread() throws {
    // 20 MB in all; what the kernel takes for a socket on loopback is a few megabytes.
    let text = String(repeating: "x", count: 20_000)
    try with {
      _ in
    } answering: { collector, call, _, _ in
      call.fail(CallStatus(.internal, text))
    } _: { collector, peer in
      for call in 0..<1_000 as Range<UInt32> { peer.call(2 * call + 1) }
      usleep(200_000)
      let before = collector.counters().calls
      #expect(before < 1_000)
      peer.send { RawPeer.frame(.goAway, 0, length: 5, into: &$0) }
      peer.send([0, 0, 0, 0, 0])
      #expect(peer.untilEnd().count { $0.endsCall } == 1_000)
    }
  }

  @Test("half a message counts as in flight, by what has come and not by what was declared")
  func halfMessage() throws {
    try with {
      $0.inFlightBytesMax = 10_000
    } _: { collector, peer in
      peer.call(1, declared: 4_000_000, sent: 6_000)
      let half = wait(collector) { $0.inFlightBytes > 6_000 }
      #expect(half.inFlightBytes < 6_100)
      peer.call(3, declared: 4_000_000, sent: 6_000)
      let counters = wait(collector) { $0.inFlightBytesMaxHits > 0 }
      #expect(counters.inFlightBytesMaxHits == 1)
      #expect(counters.statuses[Int(StatusCode.resourceExhausted.rawValue)] == 1)
      peer.close()
      let after = wait(collector) { $0.connections == 0 }
      #expect(after.connections == 0 && after.inFlightBytes == 0)
    }
  }

  @Test("parts of frames count as in flight too, over all connections")
  func halfFrames() throws {
    try with {
      $0.inFlightBytesMax = 10_000
    } _: { collector, peer in
      let other = RawPeer(collector.port)
      other.send { FrameEncoder.preface(into: &$0) }
      for (index, each) in [peer, other].enumerated() {
        each.send { buffer in
          FrameEncoder.headers(
            stream: 1, path: CollectorMethod.health.path, timeoutMilliseconds: 0, into: &buffer)
          RawPeer.frame(.data, 1, length: 60_000, into: &buffer)
          buffer.append([UInt8](repeating: 0, count: 6_000))
        }
        if index == 0 { _ = wait(collector) { $0.inFlightBytes > 6_000 } }
      }
      #expect(other.untilEnd().last?.code == .resourceExhausted)
      #expect(collector.counters().inFlightBytesMaxHits == 1)
      #expect(collector.counters().inFlightBytes < 6_100)
      other.close()
    }
  }

  @Test("a client that asked for a thousand answers is read no faster than one that asks for one")
  func turns() throws {
    let order = Box(Mutex<[UInt32]>([]))
    try with {
      _ in
    } answering: { collector, call, _, _ in
      order.value.withLock { $0.append(call.slot) }
      call.reply([])
    } _: { collector, greedy in
      let modest = RawPeer(collector.port)
      modest.send { FrameEncoder.preface(into: &$0) }
      _ = wait(collector) { $0.connections == 2 }
      // Both write while the loop is busy; then it finds them at once.
      let (busy, go) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
      collector.loop.post {
        busy.signal()
        go.wait()
      }
      busy.wait()
      greedy.send { buffer in
        for call in 0..<1_000 as Range<UInt32> {
          RawPeer.call(2 * call + 1, declared: 20, into: &buffer)
        }
      }
      modest.call(1)
      go.signal()
      _ = wait(collector) { $0.statuses[0] == 1_001 }
      let seen = order.value.withLock { $0 }
      let place = try #require(seen.firstIndex(of: 1))
      // One share of a turn is 4 KiB: some fifty of these calls.
      #expect(place <= TCPStream.bytesPerTurnMax / 80 + 1)
      modest.close()
    }
  }

  @Test("a server that refuses most of what comes reads the more of it a turn, within its memory")
  func turnsOfRefusals() throws {
    try with { _ in
    } _: { collector, _ in
      for (share, bytes) in [(0.75, 16_384), (0.5, 8_192), (1, 65_536), (0, 4_096)] {
        let read = collector.loop.sync {
          collector.server.expectRefusals(of: share)
          return collector.loop.bytesPerTurn
        }
        #expect(read == bytes, "\(share) refused")
      }
    }
  }
}
