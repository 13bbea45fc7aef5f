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

  @Test("SP6: by day a push for another app brings a waiting one along, and never at night")
  func rideAlong() {
    func waits(_ perHour: Double, _ hour: Int64, priority: Int = 5) -> [Double] {
      let life = Self.life {
        $0.limits.rideAlong = perHour
        $0.limits.inUse = 0
        $0.request.priority = priority
      }
      let at: SimInstant = life.now + .hours(hour)
      return (1...2_000 as ClosedRange<UInt64>).map {
        life.context.push.groupingWait(
          $0, at: at, phone: life.phone.id, isForeground: false, isCharging: false
        ).seconds
      }
    }
    let alone = waits(0, 6)
    #expect(abs(alone.mean - 300) < 15)
    // The lesser of an even wait of up to T and an exponential one of mean m is m − m²/T · (1 −
    // e^(−T/m)) on average: with m = 360 s and T = 600 s that is 184.8 s.
    #expect(abs(waits(10, 6).mean - 184.8) < 10, "\(waits(10, 6).mean)")
    #expect(waits(10, 23) == waits(0, 23))
    #expect(waits(10, 6, priority: 10).allSatisfy { $0 == 0 })
  }
}
