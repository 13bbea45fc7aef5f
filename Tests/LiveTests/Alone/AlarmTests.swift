import Core
import Foundation
import Synchronization
import TestSupport
import Testing

@testable import Transport
@testable import TransportSupport

extension Alone {
  @Suite("Alarms of a loop", .serialized, .live, .timeLimit(.minutes(10)))
  struct AlarmTests {
    @Test("an alarm fires within a fraction of a millisecond, and never early")
    func alarmIsPrecise() {
      let loop = EventLoop(name: "alarm")
      let late = Box(Mutex<[Int64]>([]))
      let rung = DispatchSemaphore(value: 0)
      // Made before the loop runs, when this thread may use it.
      let timers = (0..<40 as Range<Int64>).map { index in
        let due = MonotonicClock.now + .microseconds(20_000 + index * 730)
        let timer = LoopTimer(on: loop) {
          late.value.withLock { $0.append((MonotonicClock.now - due).microseconds) }
          rung.signal()
        }
        timer.arm(at: due)
        return timer
      }
      loop.start()
      for _ in timers { rung.wait() }
      let seen = late.value.withLock { $0.sorted() }
      #expect(seen.count == 40)
      #expect((seen.first ?? -1) >= 0)
      // The best of them, since a busy machine may delay most.
      #expect((seen.dropFirst(seen.count / 10).first ?? .max) < 1_000)
      loop.stopAndWait()
    }
  }
}
