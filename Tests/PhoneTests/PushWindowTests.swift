import Core
import PhoneSupport
import Scenarios
import TestSupport
import Testing
@testable import Phone

@Suite("Windows in which a phone grants wakes for silent pushes", .quick)
struct PushWindowTests {
  /// Opened once and left at four in the morning; its app runs for a push until it returns.
  static func life(
    _ budget: PhonePushSettings.Budget = .windows, _ change: (inout PushWorld) -> Void = { _ in }
  ) -> PhoneLife {
    PushTimelineTests.life {
      $0.limits.budget = budget
      change(&$0)
    }
  }

  /// Pushes at even spacing, and when the app ran for one, in minutes from now.
  static func wakes(_ life: PhoneLife, every spacing: SimDuration, for time: SimDuration)
    -> [Double]
  {
    let (begin, mark) = (life.now, life.pushesDelivered.count)
    while life.now < begin + time {
      life.push()
      life.advance(spacing)
    }
    return life.pushesDelivered.dropFirst(mark).map { ($0 - begin).seconds / 60 }
  }

  @Test("SP4: of pushes each minute the first few wake, and then none for a long time")
  func burst() {
    let life = Self.life()
    life.advance(until: .hours(6))
    let wakes = Self.wakes(life, every: .minutes(1), for: .hours(4))
    #expect((3...6).contains(wakes.count { $0 < 6 }) && wakes.count { $0 < 6 } == 4)
    #expect(!wakes.contains { 6 <= $0 && $0 < 26 })
    // 10:00, 11:30 and 13:00.
    #expect(wakes.count == 12 && wakes[4] >= 90 && wakes[4] < 92, "\(wakes)")
    let drip = Self.life(.drip)
    drip.advance(until: .hours(6))
    let drops = Self.wakes(drip, every: .minutes(1), for: .hours(4))
    let gaps = zip(drops.dropFirst(4), drops.dropFirst(3)).map { $0 - $1 }
    #expect(gaps.allSatisfy { (23...26).contains($0) }, "\(gaps)")
  }

  @Test(
    "SP4: two pushes an hour are granted in either model",
    arguments: [
      PhonePushSettings.Budget.windows, .drip,
    ])
  func twoAnHour(budget: PhonePushSettings.Budget) {
    let life = Self.life(budget) { $0.limits.dayRunTime = .zero }
    #expect(Self.wakes(life, every: .minutes(30), for: .hours(24)).count >= 44)
  }

  @Test("SP4: the time to the next window is constant, or exponential with the same mean")
  func spacing() {
    for spacing in [PushWindow.Spacing.fixed, .exponential] {
      let life = Self.life {
        $0.limits.dayRunTime = .zero
        $0.limits.window.grants = 1
        $0.limits.window.spacing = spacing
        $0.energy.batteryWattHours = 1_000
        $0.limits.holds = true
      }
      let wakes = Self.wakes(life, every: .minutes(1), for: .hours(600))
      let gaps = zip(wakes.dropFirst(), wakes).map { $0 - $1 }
      #expect(abs(gaps.mean / 90 - 1) < 0.15, "\(gaps.mean)")
      #expect(((gaps.max() ?? 0) - (gaps.min() ?? 0) > 60) == (spacing == .exponential))
    }
  }

  @Test("SP4: opening the app opens a window, on phones that do so", arguments: [true, false])
  func opened(opensOnUse: Bool) {
    let life = Self.life { $0.limits.window.opensOnUse = opensOnUse }
    #expect(Self.wakes(life, every: .minutes(1), for: .minutes(10)).count == 4)
    life.open()
    life.leave()
    life.advance(.minutes(1))
    #expect(Self.wakes(life, every: .minutes(1), for: .minutes(10)).count == (opensOnUse ? 4 : 0))
  }

  @Test("SP4, SP7: a charger opens a window, and the next one comes sooner on it")
  func charger() {
    let life = Self.life { $0.owner.chargesAtNight = 1 }
    life.advance(until: .hours(18))
    #expect(Self.wakes(life, every: .minutes(1), for: .minutes(58)).count == 4)
    life.advance(.minutes(3))
    #expect(life.batterySteps.last == .plugged)
    // 23:01, and at twice the pace 45 minutes later.
    let wakes = Self.wakes(life, every: .minutes(1), for: .hours(1))
    #expect(wakes.count == 8 && wakes[4] >= 44 && wakes[4] < 48, "\(wakes)")
    let other = Self.life {
      $0.owner.chargesAtNight = 1
      $0.limits.window.opensOnCharger = false
    }
    other.advance(until: .hours(18))
    _ = Self.wakes(other, every: .minutes(1), for: .minutes(61))
    #expect(Self.wakes(other, every: .minutes(1), for: .minutes(10)).isEmpty)
  }

  @Test("SP5: nine refused pushes are one wake when the window opens")
  func held() {
    let life = Self.life { $0.limits.holds = true }
    #expect(Self.wakes(life, every: .minutes(1), for: .minutes(13)).count == 4)
    life.advance(.hours(2))
    #expect(life.pushesDelivered.count == 5 && life.pushSteps.suffix(2) == [.released, .woke])
    let gap = (life.pushesDelivered[4] - life.pushesDelivered[0]).seconds
    #expect(abs(gap - 90 * 60) < 1, "\(gap)")
  }

  @Test("SP6: a launch is pending for two seconds, unless the push is urgent or the app in use")
  func pendingLaunch() {
    func wait(priority: Int, isForeground: Bool) -> SimDuration {
      let life = Self.life {
        $0.limits.pendingLaunch = .seconds(2)
        $0.request.priority = priority
      }
      return life.context.push.launchWait(isForeground: isForeground)
    }
    #expect(wait(priority: 5, isForeground: false) == .seconds(2))
    #expect(wait(priority: 5, isForeground: true) == .zero)
    #expect(wait(priority: 10, isForeground: false) == .zero)
  }

  @Test("SP9: after an hour without network no push launches the app for a quarter of an hour")
  func afterOutage() {
    for (outage, closed) in [(SimDuration.hours(1), 15.0), (.minutes(10), 0)] {
      for loses in [PhoneLife.loseConnection, PhoneLife.fly] {
        let life = Self.life { $0.limits.closedAfterOutage = .minutes(15) }
        life.advance(until: .hours(6))
        loses(life)(outage)
        life.advance(outage + .milliseconds(1))
        let first = Self.wakes(life, every: .minutes(1), for: .minutes(30)).first
        #expect(first == closed, "\(outage.seconds) s")
      }
    }
  }

  @Test("SP9: after a phone is switched on no push launches the app for five minutes")
  func afterStart() {
    let life = Self.life { $0.limits.closedAfterStart = .minutes(5) }
    life.advance(until: .hours(6))
    life.turnOff(for: .hours(1))
    life.advance(.hours(1) + .milliseconds(1))
    #expect(Self.wakes(life, every: .minutes(1), for: .minutes(30)).first == 5)
  }

  @Test("SP10: at night a phone on battery launches apps after 20 min, then after twice as long")
  func nightSlots() {
    let life = Self.life {
      $0.limits.nightSlot = .minutes(20)
      $0.limits.holds = true
      $0.limits.window.grants = 100
    }
    // Born at four in the morning: 19 h later it is 23:00. A push is always held at the slot.
    life.advance(until: .hours(19) + .minutes(5))
    let wakes = Self.wakes(life, every: .minutes(10), for: .hours(8)).map { $0.rounded() }
    #expect(wakes.filter { $0 < 415 } == [15, 55, 135, 295], "\(wakes)")
    #expect(wakes.filter { $0 >= 415 }.prefix(3) == [415, 420, 430], "\(wakes)")
  }

  @Test("SP10: a phone on its charger is pushed at night as by day")
  func nightOnCharger() {
    let life = Self.life {
      $0.limits.nightSlot = .minutes(20)
      $0.limits.window.grants = 100
      $0.owner.chargesAtNight = 1
    }
    life.advance(until: .hours(20))
    #expect(Self.wakes(life, every: .minutes(10), for: .hours(2)).count == 12)
  }

  @Test("SP10: a phone that is taken along at night is pushed as by day")
  func nightOnTheWay() {
    let way: [Stretch] = [
      .stay(.hours(16)), .ride(.hours(1), metersPerSecond: 10), .stay(.hours(9)),
    ]
    let life = DeviceTests.installed(
      PhoneLife(
        .way(way),
        pushes: {
          $0.limits.nightSlot = .minutes(20)
          $0.limits.holds = true
        }, app: PushTimelineTests.app()))
    // 23:25, five minutes after the first slot and before the ride.
    life.advance(until: .minutes(15 * 60 + 55))
    life.push()
    life.advance(.minutes(4))
    #expect(life.pushesDelivered.isEmpty)
    life.advance(.minutes(2))
    #expect(life.pushesDelivered.count == 1)
  }

  @Test("SP11: an app that never finishes its runs gets one push in twenty")
  func unfinished() {
    func share(_ cost: Double) -> Double {
      let life = Self.life {
        $0.limits.unfinishedCost = cost
        $0.limits.dayRunTime = .zero
      }
      let wakes = Self.wakes(life, every: .minutes(30), for: .hours(24 * 5))
      return Double(wakes.count) / Double(24 * 2 * 5)
    }
    #expect(share(0) > 0.9)
    #expect((0.02...0.13).contains(share(20)), "\(share(20))")
  }

  @Test("SP12: the wakes of an app that is not opened decay, half every 42 hours")
  func unopened() {
    let life = Self.life {
      $0.limits.unopenedHalfLife = .hours(42)
      $0.limits.dayRunTime = .zero
      $0.limits.chargingFactor = 1
      $0.limits.window.opensOnCharger = false
      $0.owner.chargesAtNight = 1
    }
    let days = (0..<8).map { _ in
      Self.wakes(life, every: .minutes(10), for: .hours(24)).count
    }
    #expect(days[0] > 30 && days[7] < 8, "\(days)")
    #expect(zip(days, days.dropFirst()).allSatisfy { $0 >= $1 }, "\(days)")
    life.open()
    life.leave()
    #expect(Self.wakes(life, every: .minutes(10), for: .hours(24)).count > 30)
  }
}
