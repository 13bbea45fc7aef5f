import Core
import PhoneSupport
@testable import Phone
@testable import Scenarios
import TestSupport
import Testing

@Suite("Uses of a phone", .quick)
struct PhoneUseTests {
  static let clock = CivilClock(utcOffset: .hours(1))

  /// - Parameter isLate: whether many owners go to bed long after midnight.
  static func owners(unlocks: Double, isLate: Bool) -> (use: PhoneUse, nights: NightHabits) {
    var mix = PhoneMix.standard
    mix.battery.unlocksPerDay = unlocks
    if isLate {
      mix.nights.begin = .hours(24)
      mix.nights.spread = .hours(6)
    }
    let battery = BatteryConditions(seed: 7, mix: mix, clock: clock, EnergyPrices(.standard))
    return (battery.use, mix.nights)
  }

  @Test(
    "the last use and the next one agree, and nothing is between them",
    arguments: [1, 7, 99], [false, true])
  func neighbours(unlocks: Double, isLate: Bool) {
    let use = Self.owners(unlocks: unlocks, isLate: isLate).use
    var draw = Draw(seed: 1, phone: 0, .sample)
    for number in 0..<1_000 {
      let phone = World.phone(number)
      let now = World.monday + SimDuration(seconds: draw.uniform(0, 7 * 86_400))
      let last = use.last(notAfter: now, phone: phone, screenShare: 0.2)
      let next = use.next(after: now, phone: phone, screenShare: 0.2)
      #expect(last.start <= now && now < next.start)
      #expect(use.next(after: last.start, phone: phone, screenShare: 0.2) == next)
      #expect(use.last(notAfter: next.start, phone: phone, screenShare: 0.2) == next)
      #expect(
        use.last(notAfter: next.start - .microseconds(1), phone: phone, screenShare: 0.2) == last)
    }
  }

  @Test("an owner uses the phone as often as they unlock it, and not at night", arguments: [1, 40])
  func perDay(unlocks: Double) {
    let (use, nights) = Self.owners(unlocks: unlocks, isLate: false)
    let first = Self.clock.day(at: World.monday)
    for number in 0..<20 {
      let phone = World.phone(number)
      func night(_ day: Int32) -> Window {
        nights.window(of: first + day, Self.clock, seed: 7, phone: phone)
      }
      var now = night(0).end
      var uses = 0
      while true {
        let next = use.next(after: now, phone: phone, screenShare: 0)
        guard next.start < night(7).end else { break }
        now = next.start
        uses += 1
        #expect(!(0...7).contains { night($0).contains(now) })
      }
      #expect(uses == 7 * Int(unlocks))
    }
  }

  @Test("the screen is on for the owner's share of the waking day")
  func share() {
    let (use, nights) = Self.owners(unlocks: 40, isLate: false)
    let phone = World.phone(3)
    let day = Self.clock.day(at: World.monday)
    let begin = nights.window(of: day - 1, Self.clock, seed: 7, phone: phone).end
    let end = nights.window(of: day, Self.clock, seed: 7, phone: phone).start
    let first = use.next(after: begin - .microseconds(1), phone: phone, screenShare: 0.25)
    #expect(abs((first.end - first.start).seconds - 0.25 * (end - begin).seconds / 40) < 0.001)
  }
}
