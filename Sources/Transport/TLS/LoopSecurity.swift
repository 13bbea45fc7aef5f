internal import CUV
package import Core
internal import Foundation

package struct TLSHandshake: Equatable, Sendable {
  package var isResumed: Bool
  package var reaching: WallDuration
  package var securing: WallDuration
}

/// Counts of a loop's handshakes. All counts are totals except the gauge `underWay`.
package struct TLSCounters: Equatable, Sendable {
  package var full: UInt64 = 0
  package var resumed: UInt64 = 0
  /// The numbers of failed handshakes by kind, in the order of `TLSError.Kind`.
  package var failed = [UInt64](repeating: 0, count: TLSError.Kind.allCases.count)
  /// The number of handshakes under way now.
  package var underWay = 0
  package var cpuMicroseconds: Int64 = 0

  package init() {}

  package func failed(_ kind: TLSError.Kind) -> UInt64 {
    zip(TLSError.Kind.allCases, failed).first { $0.0 == kind }?.1 ?? 0
  }

  mutating func count(_ failure: TLSError) {
    if let place = TLSError.Kind.allCases.firstIndex(of: failure.kind) { failed[place] += 1 }
  }
}

/// The shared state of a loop's secured connections: decryption memory, handshake counters and
/// timeouts. All timeouts are equal, so handshakes expire in the order in which they began.
final class LoopSecurity {
  var counters = TLSCounters()
  /// The buffer for decrypted data. A record has at most 16 KiB.
  let plain = UnsafeMutableRawBufferPointer.allocate(byteCount: 65_536, alignment: 16)
  private unowned(unsafe) let loop: EventLoop
  private var streams: [UInt64: TLSStream] = [:]
  private var dues = WaitingLine<(number: UInt64, at: WallInstant)>()
  private var last: UInt64 = 0
  private var timer: LoopTimer?

  init(on loop: EventLoop) { self.loop = loop }

  deinit { plain.deallocate() }

  func begin(_ stream: TLSStream, due: WallInstant) -> UInt64 {
    last += 1
    streams[last] = stream
    counters.underWay += 1
    dues.append((last, due))
    if dues.count == 1 { setTimer() }
    return last
  }

  /// Records the end of a handshake. Returns false if the handshake had ended already.
  @discardableResult
  func end(_ number: UInt64) -> Bool {
    guard streams.removeValue(forKey: number) != nil else { return false }
    counters.underWay -= 1
    dropEnded()
    return true
  }

  private func dropEnded() {
    while let due = dues.first, streams[due.number] == nil { dues.popFirst() }
  }

  private func setTimer() {
    guard let due = dues.first else { return }
    if timer == nil { timer = LoopTimer(on: loop) { [unowned self] in expire() } }
    timer?.arm(at: due.at)
  }

  private func expire() {
    let now = loop.now
    while let due = dues.first, due.at <= now {
      streams[due.number]?.timePassed(at: now)
      // The call removes a number that the stream has left. No due number may stay at the head.
      end(due.number)
    }
    dropEnded()
    setTimer()
  }

  func timing<Value>(_ work: () -> Value) -> Value {
    let before = EventLoop.threadNanoseconds
    defer { nanoseconds += EventLoop.threadNanoseconds - before }
    return work()
  }

  private var nanoseconds: Int64 = 0 {
    didSet { counters.cpuMicroseconds = nanoseconds / 1_000 }
  }

}

extension EventLoop {
  package static var threadNanoseconds: Int64 {
    var time = timespec()
    // The call cannot fail, since every supported system has this clock.
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
    return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
  }
}
