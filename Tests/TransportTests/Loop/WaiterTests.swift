import Core
import Foundation
import Synchronization
import TestSupport
import Testing

@testable import Transport
@testable import TransportSupport

@Suite("Waiter", .quick)
struct WaiterTests {
  @Test("a thread continues when its condition holds")
  func wakesForAnEvent() {
    let waiter = Waiter()
    let isThere = Box(Mutex(false))
    let wasThere = Awaited<Bool>()
    Thread.detachNewThread {
      wasThere.set(waiter.wait { isThere.value.withLock { $0 } })
    }
    isThere.value.withLock { $0 = true }
    waiter.wake()
    #expect(wasThere.wait() == [true])
  }

  @Test("a wait ends at its instant, not before, and reports a timeout")
  func endsWhenDue() {
    let due = MonotonicClock.now + .milliseconds(20)
    #expect(!Waiter().wait(until: due) { false })
    #expect(MonotonicClock.now >= due)
    #expect(!Waiter().wait(until: .distantPast) { false })
    #expect(Waiter().wait(until: .distantPast) { true })
  }

  @Test("a wake-up between a check and the wait after it is not lost")
  func keepsAWakeUp() {
    let waiter = Waiter()
    var turns = 0
    waiter.takeTurns {
      turns += 1
      // As another thread would, right after the check.
      waiter.wake()
      return turns < 1_000 ? .distantFuture : nil
    }
    #expect(turns == 1_000)
  }

  @Test("a turn begins at the instant that the one before has named")
  func takesTurnsWhenDue() {
    var dues: [WallInstant] = []
    Waiter().takeTurns {
      let now = MonotonicClock.now
      #expect(dues.last.map { now >= $0 } ?? true)
      dues.append(now + .milliseconds(2))
      return dues.count < 5 ? dues.last : nil
    }
    #expect(dues.count == 5)
  }

  @Test("a condition without wake-up is polled")
  func looksAgain() {
    var looks = 0
    let isDone = Waiter().wait(every: .microseconds(100)) {
      looks += 1
      return looks == 50
    }
    #expect(isDone)
    #expect(looks == 50)
  }

  @Test("an error of a turn ends them")
  func passesErrorsOn() {
    struct StopError: Error {}
    #expect(throws: StopError.self) {
      try Waiter().takeTurns { () throws(StopError) in throw StopError() }
    }
  }

  @Test("one wake-up reaches every thread, and each checks its own condition")
  func wakesMany() {
    let waiter = Waiter()
    let count = Box(Mutex(0))
    let ends = Awaited<Int>(16)
    for number in 0..<16 {
      Thread.detachNewThread {
        waiter.wait { count.value.withLock { $0 } > number }
        ends.set(number, at: number)
      }
    }
    for _ in 0..<16 {
      count.value.withLock { $0 += 1 }
      waiter.wake()
    }
    #expect(ends.wait() == Array(0..<16))
  }

  @Test("two threads that wait for each other lose no turn")
  func alternates() {
    let waiter = Waiter()
    let turn = Box(Mutex(0))
    let ends = Awaited<Int>(2)
    for side in 0..<2 {
      Thread.detachNewThread {
        for _ in 0..<2_000 {
          waiter.wait { turn.value.withLock { $0 } % 2 == side }
          turn.value.withLock { $0 += 1 }
          waiter.wake()
        }
        ends.set(side, at: side)
      }
    }
    #expect(ends.wait() == [0, 1])
    #expect(turn.value.withLock { $0 } == 4_000)
  }
}
