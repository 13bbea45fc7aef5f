import Core
import PhoneSupport
@testable import Phone
@testable import Scenarios
import TestSupport
import Testing

/// Effects of the charge on a phone and its app.
@Suite("A phone and its charge", .quick)
struct BatteryLifeTests {
  /// Significant changes, started again whenever the app starts.
  static func life(
    _ number: UInt32 = 0, wattHours: Double, _ change: (inout PushWorld) -> Void = { _ in }
  ) -> PhoneLife {
    let life = PhoneLife(
      number,
      pushes: {
        $0.energy.batteryWattHours = wattHours
        change(&$0)
      },
      app: { event in
        if case .launched = event { return [.startSignificantChange, .startVisits] }
        return event.isActivation
          ? [.requestAuthorization(.always), .startSignificantChange, .startVisits] : []
      })
    life.open()
    life.leave()
    return life
  }

  /// Hours since birth of each step.
  static func when(_ step: BatteryStep, in life: PhoneLife) -> SimDuration? {
    life.steps.first { $0.step == step }.map { $0.at - World.monday }
  }

  @Test("BT3: a phone at rest switches itself off when its charge is used up, to the minute")
  func hoursToEmpty() throws {
    // 40 mW all the time and 60 mW from 6 to 23 h, of 99 % of a watt-hour: 4 h to 6 h, then on.
    let life = Self.life(wattHours: 1) { $0.energy.wakeMillijoules = 0 }
    life.advance(until: .hours(24))
    let empty = try #require(Self.when(.runsEmpty, in: life))
    let joules = Double(life.drawn) / 1e6
    #expect(abs(joules - 3_564) < 1, "\(joules) J")
    // Wakes and Wi-Fi scans shorten the 11.1 h that idling alone would last.
    #expect(empty > .hours(9) && empty < .minutes(11 * 60 + 10), "\(empty.seconds / 3_600) h")
    #expect(life.phone.isOff(at: life.now) && life.state == .notRunning)
  }

  @Test("BT3: an empty phone receives no location and no push, and draws nothing")
  func empty() throws {
    let life = Self.life(wattHours: 0.3)
    life.advance(until: .hours(5))
    let hours = try #require(Self.when(.runsEmpty, in: life))
    #expect(hours < .hours(5))
    let (before, drawn) = (life.mark, life.drawn)
    life.push()
    life.advance(until: .hours(20))
    #expect(life.mark == before && life.drawn == drawn)
    #expect(life.pushSteps.last == .failed(isSwitchedOff: true))
    #expect(life.phone.draw == [] && life.phone.due[.significantChange] == .distantFuture)
  }

  @Test("BT2: the system warns at 20 %, and only an owner who chose it has Low Power Mode")
  func warning() throws {
    for (share, steps) in [(1.0, [BatteryStep.lowPowerBegins]), (0, [])] {
      let life = Self.life(wattHours: 1) { $0.owner.battery.lowPowerWhenLow = share }
      life.advance(until: .hours(10))
      #expect(life.batterySteps == steps && life.phone.battery.isLow)
      let percent = life.context.battery.percent(life.phone.battery)
      #expect(percent < 20 && percent > 5)
    }
    let saving = Self.life(wattHours: 1) { $0.owner.battery.lowPowerWhenLow = 1 }
    let plain = Self.life(wattHours: 1)
    for life in [saving, plain] { life.advance(until: .hours(24)) }
    let longer = try #require(Self.when(.runsEmpty, in: saving))
    #expect(try longer > #require(Self.when(.runsEmpty, in: plain)))
  }

  @Test("BT12: a phone with Adaptive Power turns on Low Power Mode without its owner")
  func adaptivePower() {
    for (share, steps) in [(1.0, [BatteryStep.lowPowerBegins]), (0, [])] {
      let life = Self.life(wattHours: 1) {
        $0.owner.battery.lowPowerWhenLow = 0
        $0.owner.battery.adaptivePower = share
      }
      life.advance(until: .hours(10))
      #expect(life.batterySteps == steps)
    }
  }

  @Test("BT2: Low Power Mode closes the gate of silent pushes until the charge is restored")
  func lowPowerGate() throws {
    let life = Self.life(wattHours: 1.8) {
      $0.owner.battery.lowPowerWhenLow = 1
      $0.owner.chargesAtNight = 1
    }
    life.push()
    #expect(life.pushSteps.last == .woke)
    life.advance(until: .hours(17))
    #expect(life.phone.battery.isInLowPowerMode)
    life.push()
    #expect(life.pushSteps.last == .stopped(.lowPower))
    life.advance(until: .hours(20))
    let ends = try #require(Self.when(.lowPowerEnds, in: life))
    // The charger is connected from 23 h on, and needs minutes for so small a battery.
    #expect(ends > .hours(19) && ends < .hours(20))
    life.push()
    #expect(life.pushSteps.last == .woke)
  }

  @Test("BT7: Low Power Mode delays no position of any service, and stops silent pushes alone")
  func lowPowerLocates() {
    let lives = [1.0, 0].map { share in
      let life = PhoneLife(
        .way([.stay(.hours(1)), .ride(.hours(1), metersPerSecond: 8), .stay(.hours(2))]),
        pushes: { $0.owner.lowPower = share },
        app: { event in
          event.isActivation
            ? [.requestAuthorization(.always), .startSignificantChange, .startVisits] : []
        })
      life.open()
      life.ask(
        .monitorRegion(centre: life.place, radius: .meters(100)),
        .startStandard(.background))
      life.leave()
      life.advance(until: .hours(4))
      life.push()
      return life
    }
    #expect(lives[0].phone.battery.isInLowPowerMode && !lives[1].phone.battery.isInLowPowerMode)
    for manager in [Manager.standard, .imprecise] {
      let (saving, plain) = (lives[0].fixes(manager), lives[1].fixes(manager))
      #expect(saving == plain && !plain.isEmpty, "\(saving.count) of \(plain.count)")
    }
    let (saving, plain) = (lives[0].visits.count, lives[1].visits.count)
    #expect(saving == plain && plain > 0)
    let exits = lives.map { life in
      life.count { if case .regionExited = $0 { true } else { false } }
    }
    #expect(exits[0] == exits[1] && exits[1] > 0)
    #expect(lives.map(\.pushSteps.last) == [.stopped(.lowPower), .woke])
  }

  @Test("BT4, BT5: an empty phone that is charged starts, and no app runs before its first unlock")
  func restart() throws {
    let life = Self.life(wattHours: 1.2) {
      $0.owner.chargesAtNight = 1
      $0.owner.battery.unlocksPerDay = 1_000
    }
    life.advance(until: .hours(24 + 1))
    #expect(life.batterySteps.prefix(3) == [.plugged, .unplugged, .runsEmpty])
    let empty = try #require(Self.when(.runsEmpty, in: life))
    let starts = try #require(Self.when(.starts, in: life))
    #expect(empty < .hours(19) && starts > .hours(19) && starts < .minutes(19 * 60 + 10))
    #expect(life.phone.battery.isLocked && !life.phone.isOff(at: life.now))
    let before = life.mark
    life.push()
    #expect(life.mark == before && life.pushSteps.last == .stopped(.beforeFirstUnlock))
    life.advance(until: .hours(24 + 24))
    let unlocked = try #require(Self.when(.firstUnlock, in: life))
    #expect(unlocked >= .hours(26) && unlocked < .hours(27))
    // From then on locations launch the app again.
    let relaunch = life.delivered.first {
      if case .launched(.location) = $0.event { $0.at > World.monday + starts } else { false }
    }
    #expect(try #require(relaunch).at >= World.monday + unlocked)
  }

  @Test("BT5: opening the app unlocks the phone")
  func openedWhileLocked() {
    let life = Self.life(wattHours: 1.2) { $0.owner.chargesAtNight = 1 }
    life.advance(until: .hours(24))
    #expect(life.phone.battery.isLocked)
    life.open()
    #expect(!life.phone.battery.isLocked && life.state == .foreground)
  }

  @Test("a phone that leaves its charger full is timed until it is empty or charged")
  func discharges() {
    let empties = Self.life(wattHours: 1.2) { $0.owner.chargesAtNight = 1 }
    empties.advance(until: .hours(24))
    // The phone starts full, and on its charger.
    #expect(empties.discharges.map(\.ranEmpty) == [false, true])
    let never = Self.life(wattHours: 1)
    never.advance(until: .hours(24))
    #expect(never.discharges.map(\.ranEmpty) == [true])
    let lasts = Self.life(wattHours: 5) { $0.owner.chargesAtNight = 1 }
    lasts.advance(until: .hours(24))
    #expect(lasts.discharges.map(\.ranEmpty) == [false, false])
    let hours = lasts.discharges.dropFirst().map { $0.time.seconds / 3_600 }
    #expect(hours.allSatisfy { $0 > 16.9 && $0 < 19 }, "\(hours)")
  }
}

extension PhoneLife {
  var steps: [(at: SimInstant, step: BatteryStep)] {
    effectsInTime.compactMap { entry in
      if case .battery(let step) = entry.effect { (entry.at, step) } else { nil }
    }
  }

  fileprivate var discharges: [(time: SimDuration, ranEmpty: Bool)] {
    effectsInTime.compactMap { entry in
      if case .discharged(let time, let ranEmpty) = entry.effect { (time, ranEmpty) } else { nil }
    }
  }

  /// Energy taken from the battery without having been charged, in microjoules.
  fileprivate var drawn: Int64 {
    context.battery.capacity(phone.battery) - phone.battery.charge
  }
}
