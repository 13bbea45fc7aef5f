import TestSupport
import Testing
@testable import Core

@Suite("Timing wheel", .quick)
struct TimingWheelTests {
  static let start = SimInstant(microseconds: 1_772_433_000_123_457)

  /// Waits for each place of an event: overdue and at once, within a slot, within level 0, within
  /// level 1, and beyond it.
  private static func wait(_ draw: inout Draw) -> SimDuration {
    let reach = [0, 0.000_2, 0.05, 5, 3_000, 200_000][Int(draw.uniform() * 6)]
    return SimDuration(seconds: draw.uniform(-0.05 * reach, reach))
  }

  @Test(
    "events come in the order of (instant, owner, sequence), as from a sorted list",
    arguments: [1, 2, 3, 4] as [UInt64], [1, 1_000, 40_000] as [Int64])
  func totalOrder(seed: UInt64, slotMicroseconds: Int64) {
    var draw = Draw(seed: seed, phone: 0, .sample)
    var wheel = TimingWheel(slotWidth: .microseconds(slotMicroseconds), start: Self.start)
    var model: [PendingEvent] = []
    var now = Self.start
    var sequence: UInt32 = 0
    for _ in 0..<90 {
      for _ in 0..<Int(draw.uniform() * 40) {
        sequence += 1
        // Several at one instant, of several owners, filed in the wrong order.
        let event = PendingEvent(
          at: now + Self.wait(&draw), owner: UInt32(draw.uniform() * 9), sequence: ~sequence)
        wheel.insert(event)
        model.append(event)
      }
      model.sort()
      #expect(wheel.count == model.count)
      now += SimDuration(seconds: draw.chance(0.1) ? draw.uniform(0, 900) : draw.uniform(0, 0.1))
      var due = model.prefix { $0.at < now }[...]
      model.removeFirst(due.count)
      if draw.chance(0.3) { due = due.prefix(Int(draw.uniform() * 40)) }
      var isInOrder = true
      for expected in due { isInOrder = wheel.next(before: now) == expected && isInOrder }
      #expect(isInOrder)
      // Events that are drained together come in no order, but all come.
      var rest: [PendingEvent] = []
      wheel.drain(before: now) { rest.append($0) }
      #expect(wheel.count == model.count)
      #expect(rest.allSatisfy { $0.at < now })
    }
    var last: [PendingEvent] = []
    while let event = wheel.next() { last.append(event) }
    #expect(last == model)
  }

  @Test("events at one instant come in the order of their owners")
  func crowd() {
    var wheel = TimingWheel(slotWidth: .milliseconds(1), start: Self.start)
    for owner in (0..<5_000 as Range<UInt32>).reversed() {
      wheel.insert(PendingEvent(at: Self.start + .seconds(1), owner: owner))
    }
    #expect(wheel.next(before: Self.start + .seconds(1)) == nil)
    var owners: [UInt32] = []
    while let event = wheel.next() { owners.append(event.owner) }
    #expect(owners == Array(0..<5_000))
  }

  @Test("an event filed for the slot being drained comes in its order")
  func filedMeanwhile() {
    var wheel = TimingWheel(slotWidth: .seconds(1), start: Self.start)
    for owner in 0..<50 as Range<UInt32> {
      wheel.insert(PendingEvent(at: Self.start + .milliseconds(Int64(owner)), owner: owner))
    }
    var order: [UInt32] = []
    while let event = wheel.next() {
      order.append(event.owner)
      // Each of the first has a follower half-way to the next, and one at the same instant.
      guard event.owner < 50 else { continue }
      wheel.insert(PendingEvent(at: event.at + .microseconds(500), owner: event.owner + 200))
      wheel.insert(PendingEvent(at: event.at, owner: event.owner + 100))
    }
    var expected: [UInt32] = []
    for owner in 0..<50 as Range<UInt32> { expected += [owner, owner + 100, owner + 200] }
    #expect(order == expected)
  }

  @Test("events that are filed again reuse their memory")
  func steadyState() {
    var draw = Draw(seed: 7, phone: 0, .sample)
    var wheel = TimingWheel(slotWidth: .milliseconds(1), start: Self.start)
    for owner in 0..<1_000 as Range<UInt32> {
      wheel.insert(
        PendingEvent(at: Self.start + SimDuration(seconds: draw.uniform()), owner: owner))
    }
    func hold(_ steps: Int) {
      for _ in 0..<steps {
        guard let event = wheel.next() else { return }
        let wait = SimDuration(seconds: draw.uniform(0, 2))
        wheel.insert(
          PendingEvent(at: event.at + wait, owner: event.owner, sequence: event.sequence + 1))
      }
    }
    hold(20_000)
    let bytes = wheel.bytes
    hold(20_000)
    #expect(wheel.count == 1_000)
    #expect(wheel.bytes <= bytes + bytes / 8)
  }
}
