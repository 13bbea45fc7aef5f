import TestSupport
import Testing
@testable import Core

/// The wheel, compared with the simplest equivalent: one instant an owner, searched whole.
private struct WheelAndModel {
  var wheel: DueWheel
  var model: [Int64?]

  init(owners: Int, slotWidth: SimDuration, start: SimInstant) {
    wheel = DueWheel(owners: owners, slotWidth: slotWidth, start: start)
    model = Array(repeating: nil, count: owners)
  }

  mutating func schedule(_ owner: Int, at instant: SimInstant) {
    wheel.schedule(owner, at: instant)
    model[owner] = instant < .distantFuture ? instant.microseconds : nil
  }

  /// Owners due before `horizon` according to each, in order.
  mutating func drain(before horizon: SimInstant) -> (wheel: [Int32], model: [Int32]) {
    var taken: [Int32] = []
    wheel.drain(before: horizon, into: &taken)
    var expected: [Int32] = []
    for owner in model.indices {
      guard let due = model[owner], due < horizon.microseconds else { continue }
      expected.append(Int32(owner))
      model[owner] = nil
    }
    return (taken.sorted(), expected)
  }
}

@Suite("Due wheel", .quick)
struct DueWheelTests {
  static let start = SimInstant(microseconds: 1_772_433_000_123_457)

  @Test(
    "no owner is lost, early or doubled by any filing, moving and draining",
    arguments: [1, 2, 3, 4] as [UInt64])
  func bruteForce(seed: UInt64) {
    var draw = Draw(seed: seed, phone: 0, .sample)
    // Slots of 1 ms: level 0 turns in 4 s, level 1 in 4.7 h.
    var both = WheelAndModel(owners: 60, slotWidth: .milliseconds(1), start: Self.start)
    var now = Self.start
    for _ in 0..<300 {
      for _ in 0..<draw.below(40) {
        let owner = draw.below(60)
        both.schedule(owner, at: draw.chance(0.1) ? .distantFuture : now + draw.wait())
      }
      now += SimDuration(seconds: draw.chance(0.1) ? draw.uniform(0, 60) : draw.uniform(0, 3))
      let due = both.drain(before: now)
      #expect(due.wheel == due.model)
    }
    let left = both.drain(before: now + .hours(1))
    #expect(left.wheel == left.model)
  }

  @Test("a horizon inside a slot takes what is before it and leaves the rest")
  func horizonInsideASlot() {
    var both = WheelAndModel(owners: 3, slotWidth: .seconds(1), start: Self.start)
    for owner in 0..<3 { both.schedule(owner, at: Self.start + .milliseconds(Int64(owner) * 10)) }
    #expect(both.drain(before: Self.start + .milliseconds(10)).wheel == [0])
    #expect(both.drain(before: Self.start + .milliseconds(10)).wheel.isEmpty)
    #expect(both.drain(before: Self.start + .microseconds(10_001)).wheel == [1])
    #expect(both.drain(before: Self.start + .seconds(1)).wheel == [2])
  }

  @Test("an overdue owner is taken at the next drain")
  func overdue() {
    var both = WheelAndModel(owners: 1, slotWidth: .milliseconds(500), start: Self.start)
    _ = both.drain(before: Self.start + .hours(3))
    both.schedule(0, at: Self.start)
    #expect(both.drain(before: Self.start + .hours(3)).wheel == [0])
  }

  @Test("an instant beyond both levels is due on time")
  func farFuture() {
    var both = WheelAndModel(owners: 3, slotWidth: .milliseconds(1), start: Self.start)
    // One turn of level 1 is 4,096 × 4.096 s.
    let turn = SimDuration.milliseconds(4_096 * 4_096)
    let dues = [turn - .seconds(3), turn + .seconds(1), turn + .seconds(9)].map { Self.start + $0 }
    for owner in 0..<3 { both.schedule(owner, at: dues[owner]) }
    for owner in 0..<3 {
      #expect(both.drain(before: dues[owner]).wheel.isEmpty)
      #expect(both.drain(before: dues[owner] + .microseconds(1)).wheel == [Int32(owner)])
    }
  }

  @Test("an owner that is moved is due once, at its newest instant")
  func moved() {
    var both = WheelAndModel(owners: 2, slotWidth: .milliseconds(500), start: Self.start)
    for minute in [300, 1, 90, 2] as [Int64] { both.schedule(1, at: Self.start + .minutes(minute)) }
    #expect(both.drain(before: Self.start + .minutes(2)).wheel.isEmpty)
    #expect(both.drain(before: Self.start + .hours(9)).wheel == [1])
  }
}

extension Draw {
  fileprivate mutating func below(_ n: Int) -> Int { Int(uniform() * Double(n)) }

  /// Overdue, within a slot, within level 0, within level 1.
  fileprivate mutating func wait() -> SimDuration {
    let reach = [0.002, 2, 30, 3_600][below(4)]
    return SimDuration(seconds: uniform(-0.1 * reach, reach))
  }
}
