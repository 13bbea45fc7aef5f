import Core
@testable import Phone
@testable import Scenarios
import TestSupport
import Testing

/// Energy into and out of a battery, and charging habits.
@Suite("Battery", .quick)
struct BatteryTests {
  static let clock = World.town.clock

  static func conditions(
    seed: UInt64 = 7, _ profile: EnergyProfile = .standard,
    _ change: (inout PhoneMix) -> Void = { _ in }
  ) -> BatteryConditions {
    var mix = PhoneMix.standard
    change(&mix)
    return BatteryConditions(seed: seed, mix: mix, clock: clock, EnergyPrices(profile))
  }

  // MARK: Laws

  @Test("a charge is between zero and the capacity, and every microjoule is accounted for")
  func conservation() {
    var draw = Draw(seed: 1, phone: 0, .battery)
    for number in 0..<2_000 {
      let conditions = Self.conditions(seed: UInt64(number))
      var battery = conditions.battery(of: World.phone(number), at: World.monday)
      #expect(battery.charge >= 0 && battery.charge <= conditions.capacity(battery))
      var now = World.monday
      var sum: Int64 = battery.charge
      for _ in 0..<20 {
        if draw.chance(0.3) { battery.flags.formSymmetricDifference(.plugged) }
        if draw.chance(0.2) { battery.flags.formSymmetricDifference(.lowPower) }
        let next = now + SimDuration(seconds: draw.uniform(1, 40_000))
        // Never more than the charge, as a phone that reads its battery in time does.
        let used = Int64(Double(battery.charge) * draw.uniform(0, 0.2))
        let flow = battery.pass(
          from: now, to: next, used: used, isOn: draw.chance(0.9), conditions
        ) { _, _ in }
        sum += flow.charged - flow.others - used
        #expect(battery.charge == sum)
        #expect(battery.charge >= 0 && battery.charge <= conditions.capacity(battery))
        #expect(battery.isPlugged || flow.charged == 0)
        now = next
      }
    }
  }

  @Test("a night on a charger ends the same, in one piece or in many")
  func divided() {
    let conditions = Self.conditions()
    var whole = conditions.battery(of: World.phone(1), at: World.monday)
    whole.charge = conditions.capacity(whole) / 10
    whole.flags.insert(.plugged)
    var parts = whole
    let end = World.monday + .hours(9)
    _ = whole.pass(from: World.monday, to: end, used: 0, isOn: true, conditions) { _, _ in }
    var now = World.monday
    while now < end {
      let next = min(end, now + .minutes(7))
      _ = parts.pass(from: now, to: next, used: 0, isOn: true, conditions) { _, _ in }
      now = next
    }
    #expect(abs(whole.charge - parts.charge) < 1_000)
  }

  @Test("each full hour is reported once, with the charge of that hour")
  func hours() {
    let conditions = Self.conditions()
    var battery = conditions.battery(of: World.phone(1), at: World.monday)
    battery.charge = conditions.capacity(battery)
    var hours: [Int] = []
    var charges: [Int] = []
    _ = battery.pass(
      from: World.monday + .minutes(30), to: World.monday + .hours(24) + .minutes(1), used: 0,
      isOn: true, conditions
    ) { hour, percent in
      hours.append(hour)
      charges.append(percent)
    }
    #expect(hours == Array(5...23) + Array(0...4))
    #expect(charges == charges.sorted(by: >) && charges[0] > charges[23])
    // The phone is unused from 23 to 6 h.
    #expect(charges[23] == charges[19])
  }

  @Test("a day's use is that of the owner's hours with the screen on, and of other apps by day")
  func usage() {
    let conditions = Self.conditions {
      $0.battery.screenTime = .minutes(255)
      $0.battery.screenTimeSigma = 0
      $0.battery.demanding = 0
    }
    let battery = conditions.battery(of: World.phone(1), at: World.monday)
    // A quarter of 17 h at 800 mW, and 60 mW all the time.
    #expect(battery.usage == 260)
    #expect(conditions.usage(battery, at: 12 * BatteryConditions.hour) == 260_000)
    #expect(conditions.usage(battery, at: 3 * BatteryConditions.hour) == 0)
    var saving = battery
    saving.flags.insert(.lowPower)
    #expect(conditions.usage(saving, at: 12 * BatteryConditions.hour) == 156_000)
  }

  @Test("health, first charge and use are spread over phones as in the people's file")
  func spread() {
    let conditions = Self.conditions { $0.battery.demanding = 0 }
    let batteries = (0..<4_000).map { conditions.battery(of: World.phone($0), at: World.monday) }
    let healths = batteries.map { Double($0.health) }
    #expect(healths.min() == 80 && healths.max() == 100)
    let health = healths.reduce(0, +) / 4_000
    #expect(abs(health - 90) < 0.5)
    let charges = batteries.map { Double($0.charge) / Double(conditions.capacity($0)) }
    #expect(charges.allSatisfy { 0.3 <= $0 && $0 <= 1 })
    let kept = Double(batteries.count { $0.isInLowPowerMode }) / 4_000
    #expect(abs(kept - 0.06) < 0.01)
    // The median owner: 220 min of screen in 17 h.
    let usages = batteries.map(\.usage).sorted()
    let median = Double(usages[2_000])
    let expected: Double = 60 + 800 * 220 / 1_020
    #expect(abs(median - expected) < 12)
  }

  @Test("BT8: games and the camera draw more than reading, and owners differ in them")
  func demandingUse() {
    func usages(_ share: Double) -> [Double] {
      let conditions = Self.conditions {
        $0.battery.screenTime = .minutes(255)
        $0.battery.screenTimeSigma = 0
        $0.battery.demanding = share
      }
      return (0..<1_000).map {
        Double(conditions.battery(of: World.phone($0), at: World.monday).usage)
      }
    }
    // The screen takes 800 to 2,400 mW in a quarter of 17 h, and other apps 60 mW all the time.
    #expect(Set(usages(0)) == [260] && Set(usages(1)) == [660])
    let mixed = usages(0.2)
    #expect(abs(mixed.mean - 340) < 5, "\(mixed.mean)")
    #expect(mixed.allSatisfy { 260 <= $0 && $0 <= 420 } && Set(mixed).count > 100)
  }

  // MARK: BT1

  @Test("BT1: phones are charged at night at home, at work and in the car, by their shares")
  func chargers() {
    let segments = (0..<300).flatMap { number in
      World.segments(UInt32(number)).map { (phone: World.phone(number), segment: $0) }
    }
    func share(
      _ conditions: BatteryConditions, of isMeant: (Segment) -> Bool,
      at instant: (Segment) -> SimInstant
    ) -> Double {
      let meant = segments.filter { isMeant($0.segment) }
      let charged = meant.count {
        conditions.hasCharger(at: instant($0.segment), $0.segment, phone: $0.phone)
      }
      return Double(charged) / Double(meant.count)
    }
    let conditions = Self.conditions()
    func middle(_ segment: Segment) -> SimInstant {
      segment.start + .microseconds(segment.duration.microseconds / 2)
    }
    let noon = Self.clock.midnight(of: Self.clock.day(at: World.monday)) + .hours(12)
    let work = share(conditions, of: { !$0.isMoving && $0.place == 1 }, at: middle)
    #expect(abs(work - 0.32) < 0.09, "\(work) at work")
    let car = share(conditions, of: { $0.isMoving && $0.mode == .car }, at: middle)
    #expect(abs(car - 0.45) < 0.09, "\(car) in the car")
    let walk = share(conditions, of: { $0.isMoving && $0.mode == .walk }, at: middle)
    #expect(walk == 0)
    let isHome: (Segment) -> Bool = { !$0.isMoving && $0.place == 0 }
    let night = share(
      conditions, of: { isHome($0) && $0.start < World.monday }, at: { _ in World.monday })
    #expect(abs(night - 0.64) < 0.09, "\(night) at night")
    #expect(share(conditions, of: isHome, at: { _ in noon }) == 0)
    let nobody = Self.conditions {
      $0.chargesAtNight = 0
      $0.battery.chargesAtWork = 0
      $0.battery.chargesInCar = 0
    }
    #expect(share(nobody, of: { _ in true }, at: middle) == 0)
  }

  @Test(
    "BT1: a low phone is plugged in on its share of stays at home or at work, an empty one on all")
  func pluggedWhenLow() {
    let conditions = Self.conditions { $0.battery.chargesWhenLow = 0.5 }
    var low = conditions.battery(of: World.phone(0), at: World.monday)
    low.flags = .low
    var empty = low
    empty.flags = [.low, .empty]
    let segments = (0..<200).flatMap { World.segments(UInt32($0)) }
    let stays = segments.filter { !$0.isMoving && $0.place < 2 }
    let plugged = stays.count {
      conditions.isPluggedWhenLow(low, $0, phone: World.phone(0))
    }
    let share = Double(plugged) / Double(stays.count)
    #expect(abs(share - 0.5) < 0.07)
    #expect(stays.allSatisfy { conditions.isPluggedWhenLow(empty, $0, phone: World.phone(0)) })
    #expect(
      segments.allSatisfy {
        !$0.isMoving && $0.place < 2
          || !conditions.isPluggedWhenLow(empty, $0, phone: World.phone(0))
      })
  }

  // MARK: BT5

  @Test(
    "BT5: a phone is first unlocked within minutes by day, and in the morning if it starts at night"
  )
  func firstUnlock() {
    let conditions = Self.conditions()
    let midnight = Self.clock.midnight(of: Self.clock.day(at: World.monday))
    let waits = (0..<2_000).map { number in
      (conditions.firstUnlock(after: midnight + .hours(12), phone: World.phone(number))
        - (midnight + .hours(12))).seconds
    }
    let mean = waits.reduce(0, +) / 2_000
    let expected: Double = 17 * 3_600 / 99
    #expect(abs(mean - expected) < 60)
    for (hour, wakes) in [(Int64(2), Int64(6)), (23, 30)] {
      let at = conditions.firstUnlock(after: midnight + .hours(hour), phone: World.phone(3))
      #expect(at >= midnight + .hours(wakes) && at < midnight + .hours(wakes + 3))
    }
  }
}
