import Core
import TestSupport
import Testing

@testable import Phone
@testable import Scenarios

/// Days around the night in which the clocks change.
@Suite("People and the change of the clocks", .quick)
struct SummerTimeTests {
  /// Berlin in the autumn of 2026.
  static let change = SimInstant(microseconds: 1_792_890_000_000_000)
  static let sunday: Int32 = 20_751

  static func town(_ change: (inout Scenario.City) -> Void) -> Town {
    var city = Fixture.city
    change(&city)
    return Town(seed: 42, city: city)
  }

  static let berlin = town {
    $0.summerTime = Scenario.SummerTime(
      shift: .hours(1), from: SimInstant(microseconds: 1_774_746_000_000_000), until: change)
  }

  @Test("TZ1: people leave at the same local time before and after the change")
  func departures() {
    let standard = Self.town { _ in }
    let summer = Self.town { $0.utcOffset = .hours(2) }
    var working = 0
    for phone in 0..<200 as Range<UInt32> {
      for (day, fixed) in [(Self.sunday - 2, summer), (Self.sunday + 1, standard)] {
        let plan = DayPlanner.plan(Life(town: Self.berlin, phone: phone, kind: .commuter), day: day)
        let same = DayPlanner.plan(Life(town: fixed, phone: phone, kind: .commuter), day: day)
        #expect(plan.count == same.count)
        guard plan.count > 0 else { continue }
        #expect(plan.departure == same.departure && plan.homecoming == same.homecoming)
        working += 1
      }
    }
    #expect(working > 250)
  }

  @Test("TZ1: on the day of the change the agenda is that of any Sunday, by local time")
  func dayOfTheChange() {
    let standard = Self.town { _ in }
    for phone in 0..<200 as Range<UInt32> {
      let life = Life(town: Self.berlin, phone: phone, kind: .commuter)
      let plan = DayPlanner.plan(life, day: Self.sunday)
      let same = DayPlanner.plan(
        Life(town: standard, phone: phone, kind: .commuter), day: Self.sunday)
      guard plan.count > 0, same.count > 0 else { continue }
      #expect(
        Self.berlin.clock.timeOfDay(at: plan.departure)
          == standard.clock.timeOfDay(at: same.departure))
    }
  }

  @Test("TZ1: the day of 25 hours has one night, and segments tile it")
  func tiling() {
    for phone in 0..<100 as Range<UInt32> {
      let life = Life(town: Self.berlin, phone: phone, kind: .commuter)
      var segment = life.segment(at: Self.change - .hours(40))
      while segment.end < Self.change + .hours(40) {
        let next = life.segment(after: segment)
        #expect(next.start == segment.end && next.start < next.end)
        segment = next
      }
      let before = life.segment(at: Self.change - .minutes(1))
      let after = life.segment(at: Self.change + .minutes(1))
      if !before.isMoving, before.place == 0, before.end > Self.change {
        #expect(after.start == before.start, "the night at home is one stay")
      }
    }
  }
}
