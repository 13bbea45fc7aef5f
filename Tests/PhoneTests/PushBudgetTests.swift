import Core
import PhoneSupport
import TestSupport
import Testing

@testable import Phone
@testable import Scenarios

@Suite("Push budget and related habits", .quick)
struct PushBudgetTests {
  static let now = World.monday
  static let clock = World.town.clock

  static func steady(_ factor: Double = 1) -> (SimInstant) -> RefillPace {
    { RefillPace(factor: factor, until: $0 + .hours(1)) }
  }

  static let drip: PhonePushSettings = {
    var push = PhonePushSettings.standard
    push.budget = .drip
    return push
  }()

  static func empty() -> PushBudget { PushBudget(capacity: 0, now: now) }

  @Test("the next token comes at the predicted instant and not before", arguments: [0.25, 1, 2])
  func nextGrant(factor: Double) {
    var budget = Self.empty()
    budget.charge(run: .seconds(20), satellites: true, day: 0, Self.drip)
    let pace = Self.steady(factor)
    let next = budget.nextGrant(after: Self.now, Self.drip, pace: pace)
    let hours = (next - Self.now).seconds / 3_600
    #expect(abs(hours * 2.5 * 0.9 * factor - 1) < 0.05)
    var early = budget
    let before: SimInstant = next - .seconds(1)
    let isEarly = early.take(now: before, day: 0, Self.drip, pace: pace)
    let isGranted = budget.take(now: next, day: 0, Self.drip, pace: pace)
    #expect(!isEarly && isGranted)
  }

  @Test("heavy runs multiply the refill down to the floor, and their effect decays")
  func penalty() {
    let push = Self.drip
    func wait(_ runs: Int, after: SimDuration = .zero) -> Double {
      var budget = Self.empty()
      for _ in 0..<runs {
        budget.charge(run: .seconds(11), satellites: false, day: 0, push)
      }
      // A full bucket, so that only the penalty delays the time.
      budget.tokens = 3
      let later: SimInstant = Self.now + after
      for _ in 0..<3 { _ = budget.take(now: later, day: 1, push, pace: Self.steady()) }
      let next = budget.nextGrant(after: later, push, pace: Self.steady())
      return (next - later).seconds / 3_600 * 2.5
    }
    #expect(abs(wait(0) - 1) < 0.01)
    #expect(abs(wait(1) - 1 / 0.9) < 0.02)
    #expect(abs(wait(3) - 1 / 0.729) < 0.04)
    #expect(abs(wait(100) - 1 / 0.4) < 0.02)
    #expect(abs(wait(3, after: .hours(24 * 7)) - 1) < 0.01)
    var light = Self.empty()
    light.charge(run: .seconds(9), satellites: false, day: 0, push)
    #expect(light.heavyRuns == 0)
  }

  @Test("processor time or bytes use up a day's allowance, and the next day starts new")
  func day() {
    let push = PhonePushSettings.standard
    var budget = Self.empty()
    for _ in 0..<39 { budget.charge(run: .seconds(30), satellites: false, day: 7, push) }
    #expect(!budget.isUsedUp(7, push))
    budget.charge(run: .seconds(31), satellites: false, day: 7, push)
    #expect(budget.isUsedUp(7, push) && !budget.isUsedUp(8, push))
    budget.charge(bytes: 4_999_999, day: 8)
    #expect(!budget.isUsedUp(8, push))
    budget.charge(bytes: 1, day: 8)
    #expect(budget.isUsedUp(8, push))
  }

  @Test("SP11: a run that the system ends costs 20 wakes, of which an opening brings back four")
  func unfinishedRun() {
    var push = PhonePushSettings.standard
    push.penaltyFactor = 1
    var budget = PushBudget(capacity: 4, now: Self.now)
    let isGranted = budget.take(now: Self.now, day: 0, push, pace: Self.steady())
    budget.charge(run: push.runTime, satellites: false, day: 0, push)
    func hours() -> Double {
      (budget.nextGrant(after: Self.now, push, pace: Self.steady()) - Self.now).seconds / 3_600
    }
    // 4 - 1 - 20 wakes are five windows of four, one each 90 min.
    #expect(isGranted && abs(hours() - 7.5) < 0.01, "\(hours())")
    budget.openWindow(at: Self.now, interest: 1, push, pace: Self.steady())
    #expect(abs(hours() - 6) < 0.01, "\(hours())")
    for (run, next) in [(push.runTime - .seconds(1), 0.0), (push.runTime, 7.5)] {
      budget = PushBudget(capacity: 4, now: Self.now)
      _ = budget.take(now: Self.now, day: 0, push, pace: Self.steady())
      budget.charge(run: run, satellites: false, day: 0, push)
      #expect(abs(hours() - next) < 0.01, "\(hours())")
    }
  }

  // MARK: Habits

  static func habits(_ change: (inout PhoneMix) -> Void = { _ in }) -> PowerHabits {
    var mix = PhoneMix.standard
    change(&mix)
    return PowerHabits(seed: 7, mix: mix, clock: clock)
  }

  static func share(
    at hour: Double, of mix: (inout PhoneMix) -> Void,
    _ holds: (PowerHabits, SimInstant, PhoneID) -> Bool
  ) -> Double {
    let habits = Self.habits(mix)
    let midnight = clock.midnight(of: clock.day(at: now) + 1)
    let t: SimInstant = midnight + SimDuration(seconds: hour * 3_600)
    return Double((0..<2_000).count { holds(habits, t, World.phone($0)) }) / 2_000
  }

  @Test("phones save power from 23 to 6 h in their share of nights")
  func nights() {
    for (hour, share) in [(-1.1, 0), (-0.9, 0.7), (5.9, 0.7), (6.1, 0), (12, 0)] {
      let restricted = Self.share(
        at: hour,
        of: { ($0.restricted, $0.restrictedAtNight, $0.nights.spread) = (0, 0.7, .zero) }
      ) {
        $0.restrictedUntil($1, phone: $2) != nil
      }
      #expect(abs(restricted - share) < 0.035)
    }
    let byHour = (0..<24).map { hour in
      Self.share(at: Double(hour) + 0.5, of: { ($0.restricted, $0.restrictedAtNight) = (0.2, 0) }) {
        $0.restrictedUntil($1, phone: $2) != nil
      }
    }
    #expect(abs(byHour.mean - 0.2) < 0.02)
  }

  @Test("nights begin and end at different times on different phones, and last equally long")
  func ownNights() {
    let mix = PhoneMix.standard
    let day = Self.clock.day(at: Self.now)
    let nights = (0..<5_000).map {
      mix.nights.window(of: day, Self.clock, seed: 7, phone: World.phone($0))
    }
    let usual = Self.clock.instant(of: day, at: .hours(23))
    let begins = nights.map { ($0.start - usual).seconds / 60 }
    #expect(abs(begins.mean) < 4)
    let deviation = begins.map { $0 * $0 }.mean.squareRoot()
    #expect((65...75).contains(deviation), "\(deviation) min")
    #expect(nights.allSatisfy { $0.end - $0.start == .hours(7) })
    let noon = Self.clock.instant(of: day, at: .hours(36))
    #expect(nights.allSatisfy { $0.end <= noon })
  }

  @Test("SP7: the budget fills faster on a charger, and not below 20 %")
  func pace() {
    let habits = Self.habits()
    for (isCharging, isLow, factor) in [
      (false, false, 1), (true, false, 2), (false, true, 0), (true, true, 0.0),
    ] {
      var phone = PushSituation()
      phone.isCharging = isCharging
      phone.isLow = isLow
      let pace = habits.refillPace(at: Self.now, phone, .standard)
      #expect(pace.factor == factor)
      #expect(pace.until > Self.now && pace.until <= Self.now + .hours(1))
    }
  }

  @Test(
    "TZ1: a phone's day of pushes resets once a local day at its own hour, 25 h later in autumn")
  func pushDayOverTheChange() {
    let change = SimInstant(microseconds: 1_792_890_000_000_000)
    let clock = CivilClock(
      utcOffset: .hours(1), summerShift: .hours(1), from: change - .hours(24 * 210), until: change)
    let habits = PowerHabits(seed: 1, mix: .standard, clock: clock)
    for number in 0..<100 {
      let phone = World.phone(number)
      let first = habits.pushDay(at: change - .hours(30), phone: phone)
      let second = habits.pushDay(at: first.ends, phone: phone)
      let third = habits.pushDay(at: second.ends, phone: phone)
      #expect(second.number == first.number + 1 && third.number == first.number + 2)
      #expect(clock.timeOfDay(at: first.ends) == clock.timeOfDay(at: third.ends))
      #expect(third.ends - first.ends == .hours(49))
    }
  }

  @Test("TZ1: on the day of the change a battery counts hours of local time")
  func hoursOverTheChange() {
    let change = SimInstant(microseconds: 1_792_890_000_000_000)
    let clock = CivilClock(
      utcOffset: .hours(1), summerShift: .hours(1), from: change - .hours(24 * 210), until: change)
    let conditions = BatteryConditions(
      seed: 1, mix: .standard, clock: clock, EnergyPrices(.standard))
    var battery = conditions.battery(of: World.phone(0), at: change - .hours(4))
    var hours: [Int] = []
    _ = battery.pass(
      from: change - .minutes(210), to: change + .minutes(150), used: 0, isOn: true, conditions
    ) { hour, _ in hours.append(hour) }
    #expect(hours == [0, 1, 2, 2, 3, 4])
  }

  @Test("each phone's day of pushes begins at a different hour")
  func pushDay() {
    let habits = Self.habits()
    var hours: Set<Int> = []
    for number in 0..<300 {
      let phone = World.phone(number)
      let day = habits.pushDay(at: Self.now, phone: phone)
      #expect(day.ends > Self.now && day.ends <= Self.now + .hours(24))
      let next = habits.pushDay(at: day.ends, phone: phone)
      #expect(next.number == day.number + 1)
      hours.insert(Int(Self.clock.timeOfDay(at: day.ends).seconds / 3_600))
    }
    #expect(hours.count == 24)
  }
}
