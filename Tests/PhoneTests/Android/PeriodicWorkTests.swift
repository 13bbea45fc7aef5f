import Core
import PhoneSupport
@testable import Phone
import Scenarios
import TestSupport
import Testing

@Suite("Periodic work", .quick)
struct PeriodicWorkTests {
  static func life(_ change: (inout AndroidSetup) -> Void = { _ in }) -> PhoneLife {
    PhoneLife.android {
      $0.use.work = .minutes(15)
      change(&$0)
    }
  }

  @Test(
    "AWM1, ALC10: work runs once in each period, also for an app that has ended or was updated",
    arguments: [false, true])
  func period(isUpdate: Bool) {
    let life = Self.life { $0.rules.neverDoze() }
    life.advance(until: .minutes(61))
    if isUpdate { life.update(needsOpening: false) } else { life.kill() }
    life.advance(until: .hours(8))
    #expect(life.workRuns == (0..<32).map { .minutes(15 * $0) })
    #expect(life.launches == [.user, .refresh])
  }

  @Test("AWM1, ABL1: a run takes a position, as often as an app behind gets one")
  func position() {
    let life = Self.life {
      $0.rules.neverDoze()
      $0.rules.backgroundEvery = .minutes(20)
    }
    life.advance(until: .hours(4))
    let ages = life.fixes(.imprecise).map { $0 - life.truth.birth }
    #expect(ages == (0..<8).map { .minutes(30 * $0) })
  }

  @Test("AWM1, AWM3: a period that the phone spends switched off is not made up")
  func missed() {
    let life = Self.life { $0.rules.neverDoze() }
    life.advance(until: .minutes(65))
    life.turnOff(for: .hours(2))
    life.advance(until: .hours(4))
    #expect(
      life.workRuns == [0, 15, 30, 45, 60, 195, 210, 225].map { .minutes($0) },
      "off from 65 to 185 min")
  }

  /// The runs of a phone that lies still, until it is used: at windows of light Doze, and then at
  /// those of deep Doze, 1, 2 and 4 h apart.
  static let atWindows = [0, 17, 33, 49, 125, 250, 495].map { SimDuration.minutes($0) }

  @Test("AWM2, ADZ4: work waits for windows, which are 1, 2 and 4 h apart in deep Doze, or for use")
  func windows() {
    let life = Self.life()
    let use = life.nextUse.start
    life.advance(until: use + .seconds(1))
    #expect(life.workRuns == Self.atWindows + [use - life.truth.birth])
  }

  @Test("ADZ8: the work of an exempt app waits for the same windows")
  func exempt() {
    let life = Self.life {
      $0.use.asksExemption = true
      $0.rules.exempt = 1
    }
    life.advance(until: .minutes(500))
    #expect(life.workRuns == Self.atWindows)
  }

  @Test("AWM2: motion ends the wait for a window of deep Doze")
  func motion() {
    let life = Self.life {
      $0.way = [.stay(.hours(3)), .ride(.minutes(30), metersPerSecond: 8), .stay(.hours(9))]
    }
    life.advance(until: .minutes(194))
    // The window of light Doze after the first minute of the ride.
    #expect(life.workRuns == Self.atWindows.prefix(5) + [.minutes(193)])
  }

  @Test("AWM2: a charger ends the wait for a window, and with it work runs in each period")
  func charger() {
    let life = Self.life { $0.world.owner.chargesAtNight = 1 }
    // Left at 20 h, it waits from 22:20 on for the window at 0:10.
    life.advance(until: .minutes(12 * 60 + 30))
    life.open()
    life.leave()
    let (begin, end) = (SimDuration.minutes(15 * 60 + 30), SimDuration.minutes(22 * 60 + 30))
    life.advance(until: end)
    let runs = life.workRuns.filter { $0 > begin - .minutes(50) }
    #expect(runs == (0..<28).map { begin + .minutes(15 * $0) })
  }

  @Test("AWM2, ADZ9: in Battery Saver work waits for windows of deep Doze from the first minute on")
  func batterySaver() {
    let life = Self.life { $0.world.owner.lowPower = 1 }
    life.advance(until: .hours(3))
    #expect(life.workRuns == [.zero, .minutes(61)])
  }
}
