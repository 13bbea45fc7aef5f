import Core
import TestSupport
import Testing

@testable import Collector

/// A queue with a fixed service rate behind an admission; time advances by the millisecond.
private struct Server {
  /// Calls a millisecond.
  let capacity: Double
  var admission = Admission()
  var now = WallInstant(microseconds: 1_000_000)
  var queue = 0.0
  /// Calls left over by a step's rounding.
  private var offered = 0.0

  init(capacity: Double) { self.capacity = capacity }

  struct Outcome {
    var served = 0.0
    var offered = 0
    var refused = 0
    var worst = WallDuration.zero
    var worstAfterSecond = WallDuration.zero
  }

  var delay: WallDuration { .microseconds(Int64(queue / capacity * 1_000)) }

  /// Offers `load` times the capacity, from connections of one call each.
  mutating func run(_ load: Double, for time: WallDuration) -> Outcome {
    var outcome = Outcome()
    let start = now
    while now - start < time {
      offered += load * capacity
      while offered >= 1 {
        offered -= 1
        outcome.offered += 1
        if admission.admits(rate: 1) { queue += 1 } else { outcome.refused += 1 }
      }
      let done = min(queue, capacity)
      queue -= done
      outcome.served += done
      now += .milliseconds(1)
      if admission.isDue(at: now) { admission.update(delay: delay, at: now) }
      outcome.worst = max(outcome.worst, delay)
      if now - start > .seconds(1) {
        outcome.worstAfterSecond = max(outcome.worstAfterSecond, delay)
      }
    }
    return outcome
  }
}

@Suite("Admission by measured queueing delay", .quick)
struct AdmissionTests {
  @Test("below capacity nothing is refused")
  func belowCapacity() {
    var server = Server(capacity: 20)
    #expect(server.run(0.9, for: .seconds(2)).refused == 0)
  }

  @Test(
    "clients that do not slow down are limited within a second, and the server stays busy",
    arguments: [1.2, 1.5, 3, 10])
  func overload(load: Double) {
    var server = Server(capacity: 20)
    _ = server.run(0.5, for: .seconds(1))
    let outcome = server.run(load, for: .seconds(5))
    #expect(outcome.served > 0.97 * 20 * 5_000)
    #expect(outcome.worst < .seconds(1))
    #expect(outcome.worstAfterSecond < .milliseconds(200))
    // The target, doubled for random noise.
    #expect(server.delay < .milliseconds(30))
  }

  @Test("an overload that ended is forgotten within two seconds")
  func forgets() {
    var server = Server(capacity: 20)
    _ = server.run(3, for: .seconds(4))
    let after = server.run(0.8, for: .seconds(2))
    #expect(after.worst < .milliseconds(50))
    #expect(server.admission.dropProbability == 0)
    #expect(server.run(0.8, for: .seconds(2)).refused == 0)
  }

  @Test("the share also falls while no call arrives")
  func silence() {
    var server = Server(capacity: 20)
    _ = server.run(3, for: .seconds(5))
    #expect(server.admission.dropProbability > 0.5)
    server.queue = 0
    server.now += .seconds(3)
    server.admission.update(delay: .zero, at: server.now)
    #expect(server.admission.dropProbability == 0)
  }

  @Test("one long turn of the loop refuses no call")
  func hiccup() {
    var server = Server(capacity: 20)
    server.queue = 20 * 40
    #expect(server.run(0.5, for: .seconds(1)).refused == 0)
  }

  @Test("a stalled server refuses every call, and requests the longest waits")
  func standstill() {
    var admission = Admission()
    var now = WallInstant(microseconds: 0)
    for step in 1...200 {
      now += .milliseconds(15)
      admission.update(delay: .milliseconds(Int64(15 * step)), at: now)
    }
    #expect(admission.dropProbability == 1)
    #expect((0..<100).allSatisfy { _ in !admission.admits(rate: 1) })
    #expect((0..<100).allSatisfy { _ in admission.pushbackMilliseconds() == 10_000 })
  }

  @Test("the requested wait grows with the overload, and spreads calls refused together")
  func pushback() {
    var (mild, hard) = (Server(capacity: 20), Server(capacity: 20))
    _ = mild.run(1.2, for: .seconds(4))
    _ = hard.run(10, for: .seconds(4))
    let few = (0..<200).map { _ in mild.admission.pushbackMilliseconds() }
    let many = (0..<200).map { _ in hard.admission.pushbackMilliseconds() }
    #expect(few.allSatisfy { (100...600).contains($0) })
    #expect(many.reduce(0, +) > 5 * few.reduce(0, +))
    #expect(Set(few).count > 50)
  }

  @Test("equal measurements give equal decisions")
  func deterministic() {
    var (one, other) = (Server(capacity: 20), Server(capacity: 20))
    #expect(one.run(3, for: .seconds(2)).refused == other.run(3, for: .seconds(2)).refused)
  }

  @Test("a connection within its fair share is refused last")
  func fairness() {
    var fair = FairRate()
    // One pool of fifty calls at a time, and fifty connections of one.
    for number in 0..<400 as Range<UInt64> {
      fair.note(number % 8 < 4 ? 50 : 1, number: number * 4)
    }
    fair.settle(share: 0.4)
    #expect(fair.chance(of: 1) == 0)
    #expect(abs(fair.chance(of: 50) - 0.8) < 0.01)
    // Beyond the largest connection's excess, all give up a part.
    fair.settle(share: 0.9)
    #expect(abs((fair.chance(of: 1) + fair.chance(of: 50)) / 2 - 0.9) < 0.01)
    #expect(fair.chance(of: 1) < fair.chance(of: 50))
    fair.settle(share: 1)
    #expect(fair.chance(of: 1) > 0.999)
    fair.settle(share: 0)
    #expect(fair.chance(of: 50) == 0)
  }

  @Test("single calls are admitted although a pool offers three times the capacity")
  func greedyPool() {
    var server = Server(capacity: 20)
    var (singles, refused, greedy) = (0, 0, 0)
    for step in 0..<4_000 {
      // A pool with sixty calls a millisecond, some 6,000 in a tenth of a second, and four phones.
      for call in 0..<64 {
        let isSingle = call % 16 == 0
        let isIn = server.admission.admits(rate: isSingle ? 1 : 6_000)
        if isIn { server.queue += 1 }
        guard step > 1_000 else { continue }
        if isSingle {
          singles += 1
          refused += isIn ? 0 : 1
        } else {
          greedy += isIn ? 1 : 0
        }
      }
      server.queue -= min(server.queue, server.capacity)
      server.now += .milliseconds(1)
      if server.admission.isDue(at: server.now) {
        server.admission.update(delay: server.delay, at: server.now)
      }
    }
    #expect(Double(refused) < 0.01 * Double(singles))
    // The pool has the rest.
    #expect(Double(greedy) > 0.95 * 16 * 3_000)
  }

  @Test("the disk's own time is not queueing; time beyond it is")
  func storeQueue() {
    var queue = StoreQueue(groupDelay: .milliseconds(2))
    let now = WallInstant(microseconds: 5_000_000)
    // A slow disk: 20 ms per fsync, one batch at a time, each after the one before.
    for _ in 0..<20 {
      queue.committed(records: 1, took: .milliseconds(20), worst: .milliseconds(20))
      #expect(queue.delay(waiting: 1, oldest: now - .milliseconds(15), at: now) == .zero)
    }
    queue.committed(records: 900, took: .milliseconds(90), worst: .milliseconds(82))
    #expect(queue.delay(waiting: 900, oldest: nil, at: now) == .milliseconds(60))
    // A commit that hangs shows as the age of the records that wait behind it.
    #expect(queue.delay(waiting: 900, oldest: now - .seconds(2), at: now) > .seconds(1))
    #expect(queue.delay(waiting: 0, oldest: nil, at: now) == .zero)
  }
}
