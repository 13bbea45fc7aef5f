import Core
import PhoneSupport
import Scenarios
import TestSupport
import Testing
@testable import Phone

@Suite("Updates of the app", .quick)
struct UpdateHabitsTests {
  static let clock = CivilClock(utcOffset: .hours(1))

  static func habits(chargesAtNight: Double = 1, _ updates: AppUpdates = .standard) -> UpdateHabits
  {
    var mix = PhoneMix.standard
    mix.chargesAtNight = chargesAtNight
    mix.nights.spread = .zero
    mix.updates = updates
    return UpdateHabits(
      seed: 7, mix: mix,
      BatteryConditions(seed: 7, mix: mix, clock: clock, EnergyPrices(.standard)))
  }

  /// When a phone installs versions in the year from Monday on.
  static func installations(_ habits: UpdateHabits, _ number: UInt32) -> [SimInstant] {
    var all: [SimInstant] = []
    var t = World.monday
    while true {
      t = habits.next(after: t, phone: PhoneID(rawValue: number))
      guard t < World.monday + .hours(24 * 365) else { return all }
      all.append(t)
    }
  }

  @Test("LC15: most of the year's versions are installed, each in a night")
  func nights() {
    let habits = Self.habits()
    for number in 0..<20 as Range<UInt32> {
      let all = Self.installations(habits, number)
      #expect((18...25).contains(all.count), "versions that come soon after another are one")
      for at in all {
        let time = Self.clock.timeOfDay(at: at)
        #expect(time >= .hours(23) || time < .hours(6))
      }
    }
  }

  @Test("LC15: a phone that is never charged at night, or an app without versions, is not updated")
  func never() {
    let phone = PhoneID(rawValue: 3)
    #expect(
      Self.habits(chargesAtNight: 0).next(after: World.monday, phone: phone) == .distantFuture)
    #expect(Self.habits(.none).next(after: World.monday, phone: phone) == .distantFuture)
  }

  @Test("LC15: an attempt that fails is made again in another night")
  func again() {
    let habits = Self.habits()
    let phone = PhoneID(rawValue: 3)
    let first = habits.next(after: World.monday, phone: phone)
    let second = habits.again(after: first, phone: phone)
    #expect(second > first + .hours(12) && second < first + .hours(36))
  }

  @Test("LC15: an update ends the process; services and permission stay, an event starts the app")
  func timeline() throws {
    let life = PhoneLife(.way(Stretch.rides)) { event in
      event.isActivation
        ? [.requestAuthorization(.always), .startSignificantChange, .startStandard(.background)]
        : []
    }
    life.open()
    life.leave()
    life.advance(until: .minutes(20))
    let tokens = life.phone.pushes.budget.tokens
    life.update()
    #expect(life.state == .notRunning && life.phone.process.ending == .update)
    #expect(life.phone.authorization == .always && life.phone.services.significantChangeIsOn)
    #expect(life.phone.pushes.budget.tokens == tokens)
    let mark = life.mark
    life.advance(until: .minutes(75))
    #expect(life.delivered(since: mark).first?.isLaunch == true)
    #expect(life.phone.process.ending == .none)
  }

  @Test("LC15: a push held for such an app waits for its owner, without a due time")
  func heldPush() {
    let life = PhoneLife(
      .way(Stretch.rides), pushes: { $0.limits.holds = true },
      app: { $0.isActivation ? [.requestAuthorization(.always)] : [] })
    life.open()
    life.leave()
    life.update(needsOpening: true)
    life.push()
    #expect(life.pushSteps.last == .stored(.throttled))
    #expect(life.phone.due[.pushGate] == .distantFuture)
    life.advance(.minutes(10))
    life.open()
    #expect(life.pushSteps.last == .discarded && life.pushesDelivered.count == 1)
  }

  @Test("LC15: if the new version needs opening, neither a location nor a push starts it before")
  func needsOpening() {
    let life = PhoneLife(.way(Stretch.rides)) { event in
      event.isActivation ? [.requestAuthorization(.always), .startSignificantChange] : []
    }
    life.open()
    life.leave()
    life.update(needsOpening: true)
    #expect(life.phone.process.ending == .update, "it keeps a suspended app from its next wake")
    let mark = life.mark
    life.advance(until: .minutes(75))
    life.push()
    #expect(life.delivered(since: mark).isEmpty && life.state == .notRunning)
    life.open()
    life.leave()
    #expect(life.phone.process.ending == .none && life.launches.last == .user)
    life.push()
    #expect(life.pushesDelivered.count == 1)
  }
}
