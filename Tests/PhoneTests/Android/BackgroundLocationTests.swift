import Core
import PhoneSupport
@testable import Phone
import Scenarios
import TestSupport
import Testing

@Suite("Locations in the background", .quick)
struct BackgroundLocationTests {
  /// An app without a service, which asks for locations by a pending intent, on a ride of 3 h.
  static func life(_ change: (inout AndroidSetup) -> Void = { _ in }) -> PhoneLife {
    PhoneLife.android {
      $0.way = [.stay(.minutes(5)), .ride(.hours(3), metersPerSecond: 8), .stay(.hours(9))]
      $0.use.backgroundLocations = true
      change(&$0)
    }
  }

  @Test("ABL1, ABL6: an app behind gets a location each 20 min, and is started for it")
  func rate() {
    let life = Self.life { $0.rules.backgroundEvery = .minutes(20) }
    life.advance(until: .minutes(50))
    #expect(life.fixes(.imprecise).count == 2)
    life.kill()
    life.advance(until: .minutes(185))
    let fixes = life.fixes(.imprecise)
    #expect(fixes.count == 9 && life.launches == [.user, .location])
    let gaps = zip(fixes, fixes.dropFirst()).map { $1 - $0 }
    #expect(gaps.allSatisfy { $0 >= .minutes(20) - .seconds(1) && $0 < .minutes(21) }, "\(gaps)")
  }

  @Test("ABL2: a batched request brings positions of each minute, as rarely as others")
  func batch() {
    let life = Self.life {
      $0.rules.backgroundEvery = .minutes(20)
      $0.use.batch = .minutes(1)
    }
    life.advance(until: .minutes(185))
    let times = life.positions(.imprecise).map(\.time.instant)
    let gaps = zip(times, times.dropFirst()).map { $1 - $0 }
    #expect(gaps.filter { $0 == .minutes(1) }.count > 140)
    #expect(Set(life.fixes(.imprecise)).count == 9)
  }

  @Test("ABL3: a phone at rest gets one location of its new place, and no more")
  func atRest() {
    let life = Self.life { $0.rules.backgroundEvery = .minutes(20) }
    life.advance(until: .minutes(185))
    let mark = life.mark
    life.advance(until: .hours(11))
    #expect(life.fixes(since: mark).count == 1)
    let resting = Self.life { $0.way = [.stay(.hours(9))] }
    resting.advance(until: .hours(9))
    #expect(resting.fixes(.imprecise).isEmpty && resting.wakes == 0)
  }

  @Test("ABL5: with While In Use an app behind gets no location", arguments: [true, false])
  func whileInUse(isAlways: Bool) {
    let life = Self.life { $0.user = isAlways ? .always : .whenInUse }
    life.advance(until: .hours(4))
    #expect(life.fixes(.imprecise).isEmpty == !isAlways && (life.wakes == 0) == !isAlways)
  }

  @Test("ABT3: in Battery Saver only an app with a service locates behind")
  func batterySaver() {
    let without = Self.life { $0.world.owner.lowPower = 1 }
    without.advance(until: .hours(4))
    #expect(without.fixes(.imprecise).isEmpty)
    let with = Self.life {
      $0.world.owner.lowPower = 1
      $0.use.service = .always
      $0.app = DeviceTests.careful(.startStandard(.background))
    }
    with.advance(until: .minutes(30))
    #expect(with.fixes(.standard).count > 300)
  }

  @Test("AFG1, ABL1: without a service the standard service gives an app behind nothing")
  func standard() {
    let life = Self.life { $0.app = DeviceTests.careful(.startStandard(.background)) }
    life.advance(until: .hours(3))
    #expect(life.fixes(.standard).isEmpty && !life.fixes(.imprecise).isEmpty)
  }
}
