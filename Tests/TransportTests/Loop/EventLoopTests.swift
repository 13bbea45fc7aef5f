import Core
import Foundation
import Synchronization
import TestSupport
import Testing

@testable import Transport
@testable import TransportSupport

@Suite("Event loop", .serialized, .quick)
struct EventLoopTests {
  @Test("posted work runs in order, and many items cost few wake-ups")
  func postsInOrder() {
    let loop = EventLoop(name: "order")
    let seen = Box(Mutex<[Int]>([]))
    loop.start()
    for index in 0..<10_000 { loop.post { seen.value.withLock { $0.append(index) } } }
    loop.sync {}
    let isOrdered = seen.value.withLock { $0 == Array(0..<10_000) }
    #expect(isOrdered)
    loop.stopAndWait()
  }

  @Test("on a manual clock timers ring at their instants and in their order, and at no other time")
  func manualClock() {
    let clock = ManualClock()
    let loop = EventLoop(name: "manual", clock: .manual(clock))
    let start = clock.now
    var rung: [(Int, WallDuration)] = []
    var again: LoopTimer?
    let timers = [30, 10, 20].map { wait in
      let timer = LoopTimer(on: loop) {
        rung.append((wait, clock.now - start))
        // Armed while others ring.
        if wait == 20 { again?.arm(at: clock.now + .milliseconds(5)) }
      }
      timer.arm(at: start + .milliseconds(Int64(wait)))
      return timer
    }
    again = LoopTimer(on: loop) { rung.append((0, clock.now - start)) }
    loop.advance(by: .milliseconds(9))
    #expect(rung.isEmpty && loop.now == start + .milliseconds(9))
    loop.advance(by: .milliseconds(16))
    #expect(rung.map(\.0) == [10, 20, 0])
    #expect(rung.map(\.1) == [.milliseconds(10), .milliseconds(20), .milliseconds(25)])
    timers[0].disarm()
    loop.advance(by: .seconds(1))
    #expect(rung.count == 3)
  }

  @Test("a timer due within a tenth of a millisecond of a ring shares the next, never early")
  func closeInstants() {
    let clock = ManualClock()
    let loop = EventLoop(name: "close", clock: .manual(clock))
    let start = clock.now
    var rung: [Int64] = []
    let waits: [Int64] = [1_000, 1_030, 1_090, 1_150, 5_000]
    let timers = waits.map { wait in
      let timer = LoopTimer(on: loop) { rung.append((clock.now - start).microseconds) }
      timer.arm(at: start + .microseconds(wait))
      return timer
    }
    loop.advance(by: .milliseconds(10))
    #expect(rung == [1_000, 1_100, 1_100, 1_200, 5_000])
    // An overdue timer does not wait for anything.
    timers[0].arm(at: start + .microseconds(10_010))
    clock.advance(to: start + .microseconds(10_010))
    loop.runReady()
    timers[1].arm(at: start + .microseconds(9_000))
    loop.runReady()
    #expect(rung.suffix(2) == [10_010, 10_010])
  }

  @Test("a stopped loop accepts nothing more and closes its handles")
  func stops() {
    let loop = EventLoop(name: "stop")
    loop.start()
    loop.stopAndWait()
    loop.post { Issue.record("ran after the end") }
    loop.stop()
  }

  @Test("events come in the order of their instants, ties in the order they were pushed")
  func heapOrder() {
    var heap = DueHeap<Int>()
    var draw = Draw(seed: 3, phone: 0, Purpose(rawValue: 9_100))
    var expected: [(Int64, Int)] = []
    for index in 0..<2_000 {
      let at = Int64(draw.uniform() * 300)
      heap.push(index, at: WallInstant(microseconds: at))
      expected.append((at, index))
    }
    expected.sort { $0 < $1 }
    var seen: [Int] = []
    while let entry = heap.pop(at: .distantFuture) { seen.append(entry) }
    #expect(seen == expected.map(\.1))
  }

  @Test("the order holds if most are pushed in order, some before the others, and some between")
  func heapOrderOfDeadlines() {
    var heap = DueHeap<Int>()
    var draw = Draw(seed: 4, phone: 0, Purpose(rawValue: 9_100))
    var waiting: [(at: Int64, index: Int)] = []
    for index in 0..<5_000 {
      let isLate = draw.uniform() < 0.1
      let at = Int64(index / 3) + (isLate ? Int64(draw.uniform() * 400) - 200 : 100)
      heap.push(index, at: WallInstant(microseconds: at))
      waiting.append((at, index))
      // At times more are taken than pushed, until none is left.
      for _ in 0..<Int(draw.uniform() * (index / 500 % 2 == 0 ? 1.6 : 3)) {
        let first = waiting.min { $0 < $1 }
        #expect(heap.next?.microseconds == first?.at && heap.first == first?.index)
        #expect(heap.pop(at: .distantFuture) == first?.index)
        waiting.removeAll { $0.index == first?.index }
        #expect(heap.count == waiting.count && heap.isEmpty == waiting.isEmpty)
      }
    }
    #expect(heap.pop(at: WallInstant(microseconds: -1_000)) == nil)
  }
}
