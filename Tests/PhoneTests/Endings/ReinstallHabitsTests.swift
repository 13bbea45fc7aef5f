import Core
import PhoneSupport
import TestSupport
import Testing

@testable import Phone
@testable import Scenarios

@Suite("Reinstalled apps", .quick)
struct ReinstallHabitsTests {
  static let clock = CivilClock(utcOffset: .hours(1))

  static func habits(perYear: Double) -> ReinstallHabits {
    var mix = PhoneMix.standard
    mix.reinstalls.perYear = perYear
    return ReinstallHabits(seed: 7, mix: mix, clock: clock)
  }

  /// The times without the app in the year from Monday on.
  static func windows(perYear: Double, _ number: UInt32) -> [Window] {
    let habits = habits(perYear: perYear)
    let phone = PhoneID(rawValue: number)
    var all: [Window] = []
    var t = World.monday
    while true {
      let window = habits.next(after: t, phone: phone)
      guard window.start < World.monday + .hours(24 * 365) else { return all }
      all.append(window)
      t = window.start
    }
  }

  @Test("LC16: reinstalls match the scenario's yearly rate, by day, and never overlap")
  func rate() {
    let all = (0..<1_000 as Range<UInt32>).map { Self.windows(perYear: 0.45, $0) }
    #expect((380...520).contains(all.reduce(0) { $0 + $1.count }))
    for window in all.joined() {
      #expect(window.start < window.end)
      for at in [window.start, window.end] {
        let time = Self.clock.timeOfDay(at: at)
        #expect(time >= .hours(6) && time < .hours(23))
      }
    }
  }

  @Test("LC16: a deletion is found again at its own instant, whatever slot it was drawn in")
  func foundAgain() {
    for number in 0..<50 as Range<UInt32> {
      let habits = Self.habits(perYear: 365)
      for window in Self.windows(perYear: 365, number).prefix(60) {
        let phone = PhoneID(rawValue: number)
        #expect(habits.next(after: window.start - .microseconds(1), phone: phone) == window)
      }
    }
  }

  @Test("LC16: the system deletes the app's permission, services and held push")
  func removed() {
    let life = PhoneLife(
      .way(Stretch.rides), pushes: { $0.limits.holds = true },
      app: { event in
        event.isActivation
          ? [.requestAuthorization(.always), .startSignificantChange, .startVisits] : []
      })
    life.open()
    life.leave()
    life.advance(until: .minutes(20))
    life.remove()
    let mark = life.mark
    #expect(life.state == .notRunning && life.phone.authorization == .notDetermined)
    #expect(!life.phone.services.significantChangeIsOn && !life.phone.services.visitsAreOn)
    life.advance(until: .minutes(75))
    #expect(life.delivered(since: mark).isEmpty && life.fixes(since: mark).isEmpty)
    life.open()
    #expect(life.phone.authorization == .always, "asked anew")
  }
}
