import Core
import PhoneSupport
import Scenarios
import TestSupport
import Testing
@testable import Phone

/// A phone between its start and the first unlock.
@Suite("Before the first unlock", .quick)
struct FirstUnlockTests {
  /// A day that begins at half past seven: two rides in a car by day, and one at night.
  static let way: [Stretch] = [
    .stay(.hours(1)), .ride(.hours(1), metersPerSecond: 15), .stay(.hours(13)),
    .ride(.hours(1), metersPerSecond: 15), .stay(.hours(30)),
  ]

  /// Significant changes, visits and a region, and a restart each hour on average.
  static func life(
    restartsPerYear: Double, _ change: (inout PushWorld) -> Void = { _ in }
  ) -> PhoneLife {
    let life = PhoneLife(
      .way(way),
      pushes: {
        $0.owner.battery.restartsPerYear = restartsPerYear
        $0.owner.battery.unlocksPerDay = 1_000
        $0.limits.holds = true
        change(&$0)
      },
      app: { event in
        let services: [OSCommand] = [
          .startSignificantChange, .startVisits, DeviceTests.homeRegion,
        ]
        if case .launched = event { return services }
        return event.isActivation ? [.requestAuthorization(.always)] + services : []
      })
    life.open()
    life.leave()
    return life
  }

  @Test("BU1: a phone restarts as often as its habit says, and its app dies with it")
  func restarts() {
    let never = Self.life(restartsPerYear: 0)
    never.advance(.hours(40))
    #expect(!never.batterySteps.contains(.restarts))
    let life = Self.life(restartsPerYear: 365 * 8)
    life.advance(.hours(40))
    let restarts = life.batterySteps.count { $0 == .restarts }
    // One in each slot of three hours, except at night, which is one locked time.
    #expect((7...14).contains(restarts), "\(restarts)")
    for (step, next) in zip(life.steps, life.steps.dropFirst()) where step.step == .restarts {
      #expect(next.step == .firstUnlock && next.at > step.at)
    }
  }

  /// Locked at ten past eleven, with twenty minutes of the ride remaining, and unlocked after six.
  static func lockedAtNight(_ change: (inout PushWorld) -> Void = { _ in }) -> PhoneLife {
    let life = Self.life(restartsPerYear: 0, change)
    life.advance(until: .hours(15) + .minutes(40))
    life.act { phone, context, out in
      phone.restart(context, &out)
      phone.scheduleBattery(life.now, context)
    }
    return life
  }

  @Test("BU1: before the first unlock a significant change launches an app that does nothing")
  func significantChange() throws {
    let life = Self.lockedAtNight()
    #expect(life.phone.battery.isLocked && life.state == .notRunning)
    let (received, woken) = (life.mark, life.wakeCount)
    life.advance(until: .hours(17))
    #expect(life.phone.battery.isLocked, "it is half past midnight")
    // The ride of 54 km.
    #expect(life.wakeCount > woken && life.launchCount > 1 && life.state == .notRunning)
    #expect(life.mark == received, "no region, no visit, nothing that the app could act on")
    life.advance(until: .hours(24))
    #expect(!life.phone.battery.isLocked)
  }

  @Test("SP8, SP5: pushes before the first unlock wake no app, and the newest is delivered with it")
  func pushes() throws {
    let life = Self.lockedAtNight()
    for _ in 0..<3 {
      life.advance(.minutes(20))
      life.push()
    }
    #expect(life.pushSteps == Array(repeating: .stored(.beforeFirstUnlock), count: 3))
    life.advance(until: .hours(24))
    let unlocked = try #require(life.steps.first { $0.step == .firstUnlock })
    #expect(life.pushesDelivered == [unlocked.at + .milliseconds(1)])
    #expect(life.pushSteps.suffix(2) == [.released, .woke])
  }

  @Test("SP9: a push from before the first unlock is delivered five minutes after it")
  func closedAfterStart() throws {
    let life = Self.lockedAtNight { $0.limits.closedAfterStart = .minutes(5) }
    life.push()
    life.advance(until: .hours(24))
    let unlocked = try #require(life.steps.first { $0.step == .firstUnlock })
    #expect(life.pushesDelivered == [unlocked.at + .minutes(5)])
  }
}

extension PhoneLife {
  fileprivate var wakeCount: Int {
    effectsInTime.count { if case .woken = $0.effect { true } else { false } }
  }

  fileprivate var launchCount: Int {
    effectsInTime.count { if case .launched = $0.effect { true } else { false } }
  }
}
