import Core
import PhoneSupport
@testable import Phone
@testable import Scenarios
import TestSupport
import Testing

@Suite("Alarms", .quick)
struct AlarmTests {
  static func life(
    every time: SimDuration = .minutes(15), exact: Bool = false, whileIdle: Bool = false,
    _ change: (inout AndroidSetup) -> Void = { _ in }
  ) -> PhoneLife {
    PhoneLife.android {
      $0.use.alarm = AlarmUse(every: time, exact: exact, whileIdle: whileIdle)
      $0.rules.exactAlarms = 1
      change(&$0)
    }
  }

  @Test("AAL1: an alarm waits for the windows of Doze, also one of an app that has ended")
  func windows() {
    for ends in [false, true] {
      let life = Self.life()
      if ends { life.kill() }
      life.advance(until: .minutes(500))
      #expect(life.workRuns == [17, 33, 49, 125, 250, 495].map { .minutes($0) })
    }
  }

  @Test("AAL1: alarms are 6 min apart in the working set, 30 min in frequent, an hour in rare")
  func buckets() {
    let life = Self.life(every: .minutes(5)) { $0.rules.neverDoze() }
    life.advance(until: .hours(72))
    let runs = life.workRuns
    let gaps: [(hours: Int64, gap: SimDuration)] = [
      (0, .minutes(5)), (12, .minutes(6)), (24, .minutes(30)), (48, .hours(1)), (72, .zero),
    ]
    for (now, next) in zip(gaps, gaps.dropFirst()) {
      let here = zip(runs, runs.dropFirst()).filter {
        $0.0 >= .hours(now.hours) && $0.1 < .hours(next.hours)
      }
      #expect(here.count > 20 && here.allSatisfy { $1 - $0 == now.gap }, "\(now)")
    }
  }

  @Test("AAL1: a start of the phone removes an alarm, until the app sets it again")
  func restarted() {
    for startsOnBoot in [false, true] {
      let life = Self.life {
        AndroidStartTests.often(&$0)
        $0.rules.neverDoze()
        $0.use.startsOnBoot = startsOnBoot
      }
      life.advance(until: .minutes(20))
      life.restart()
      life.advance(until: .hours(8))
      #expect((life.workRuns == [.minutes(15)]) == !startsOnBoot)
      let count = life.workRuns.count
      life.open()
      life.leave()
      life.advance(.minutes(16))
      #expect(life.workRuns.count > count)
    }
  }

  @Test("AAL1: a force stop removes an alarm, and a swipe that is none does not")
  func stopped() {
    for stops in [false, true] {
      let life = Self.life {
        $0.rules.neverDoze()
        $0.rules.swipeStops = stops
      }
      life.advance(until: .minutes(10))
      life.swipeAway()
      life.open()
      life.leave()
      life.advance(until: .minutes(24))
      #expect(life.workRuns == (stops ? [] : [.minutes(15)]))
      life.advance(until: .minutes(26))
      #expect(life.workRuns.last == .minutes(stops ? 25 : 15))
    }
  }

  @Test("AAL2: in Doze an alarm while idle fires 7 times an hour, and an exact one 72 times")
  func whileIdle() {
    func count(exact: Bool, whileIdle: Bool = true) -> Int {
      let life = Self.life(every: .seconds(10), exact: exact, whileIdle: whileIdle)
      life.advance(until: .minutes(125))
      return life.workRuns.count { $0 >= .minutes(65) }
    }
    #expect((6...8).contains(count(exact: false)))
    #expect((71...73).contains(count(exact: true)))
    #expect(count(exact: true, whileIdle: false) <= 1)
  }

  @Test("AAL3: an alarm is exact only on phones that permit it, from Android 14 on few")
  func permitted() throws {
    let exact = (0..<200).map { number in
      let life = Self.life(every: .seconds(10), exact: true, whileIdle: true) {
        $0.number = UInt32(number)
        $0.rules.exactAlarms = 0.5
      }
      // The first idle time of light Doze lasts from 1 to 6 min.
      life.advance(until: .minutes(6))
      return life.workRuns.contains { $0 > .minutes(2) }
    }
    #expect((0.38...0.62).contains(exact.share { $0 }))
    let older = try shipped.osProfile("android13").value.system.android
    #expect(older?.exactAlarms == 1 && AndroidRules.standard.exactAlarms < 0.5)
  }

  @Test("AFG4: an exact alarm lets an app start its service in the background")
  func service() {
    for exact in [false, true] {
      let life = Self.life(exact: exact) {
        $0.rules.neverDoze()
        $0.use.service = .always
      }
      life.kill()
      life.advance(until: .minutes(16))
      #expect(life.launches == [.user, exact ? .system : .refresh])
      #expect(life.phone.android.hasService == exact)
    }
  }
}
