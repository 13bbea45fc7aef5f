import Core
import PhoneSupport
import Scenarios
import TestSupport
import Testing
@testable import Phone

/// The sums of the energy model are exact.
@Suite("Energy", .quick)
struct EnergyTests {
  static let legacy = EnergyPrices(.legacy2015)
  static let modern = EnergyPrices(.standard)

  static func milliwatts(_ draw: EnergyDraw, _ prices: EnergyPrices) -> Double {
    Double(prices.microwatts(draw)) / 1_000
  }

  /// Returns the percentage of a full battery that a power uses in an hour.
  static func percentPerHour(_ milliwatts: Double, _ prices: EnergyPrices) -> Double {
    100 * milliwatts * 3.6 / prices.batteryJoules
  }

  static func joules(_ use: RadioUse, _ radio: WritableKeyPath<EnergyMeter, RadioUse>)
    -> (legacy: Double, modern: Double)
  {
    var meter = EnergyMeter()
    meter[keyPath: radio] = use
    return (
      Double(legacy.bill(meter).total) / 1e6, Double(modern.bill(meter).total) / 1e6
    )
  }

  static func loneSend(_ bytes: Int, _ radio: RadioProfile) -> RadioUse {
    var tail = SimInstant.distantPast
    return RadioUse(sending: bytes, at: World.monday, over: radio, tailUntil: &tail)
  }

  @Test("AC3, AC4: best, best with a filter, worst with a filter and no app draw as in the chart")
  func chart() {
    let best: EnergyDraw = [.idle, .satellites, .callbacks]
    let filtered: EnergyDraw = [.idle, .satellites, .filteredCallbacks]
    let worst: EnergyDraw = [.idle, .coarse, .filteredCallbacks]
    #expect(
      [best, filtered, worst, .idle].map { Self.milliwatts($0, Self.legacy) }
        == [450, 412, 110, 40])
    #expect(
      [best, filtered, worst, .idle].map { Self.milliwatts($0, Self.modern) }
        == [230, 212, 110, 40])
  }

  @Test("AC1: a coarser accuracy never draws more, whatever else is on")
  func coarserIsCheaper() {
    for prices in [Self.legacy, Self.modern] {
      for others in 0..<16 as Range<UInt16> {
        let rest = EnergyDraw(rawValue: others | (others & 1) << 7)
        let powers = DesiredAccuracy.allCases.map {
          prices.microwatts(rest.union(.positioning($0)))
        }
        #expect(powers == powers.sorted(by: >))
        #expect(powers.first != powers.last)
      }
    }
  }

  @Test("a lone small LTE send costs 12.5 J in 2015 and 5.3 J in 2022, nearly all of it tail")
  func loneCellularSend() {
    let old = Self.joules(Self.loneSend(300, EnergyProfile.legacy2015.cellular), \.cellular)
    let new = Self.joules(Self.loneSend(300, EnergyProfile.standard.cellular), \.cellular)
    #expect(abs(old.legacy - 12.59) < 0.01)
    #expect(abs(new.modern - 5.32) < 0.01)
  }

  @Test("a small send over Wi-Fi costs 0.45 J in 2015 and 0.3 J in 2022")
  func wifiSend() {
    let old = Self.joules(Self.loneSend(500, EnergyProfile.legacy2015.wifi), \.wifi)
    let new = Self.joules(Self.loneSend(500, EnergyProfile.standard.wifi), \.wifi)
    #expect(abs(old.legacy - 0.45) < 0.01)
    #expect(abs(new.modern - 0.30) < 0.01)
  }

  @Test("EF3: the best accuracy and a send every fix over LTE empty the battery in 4.9 hours")
  func emptyInHours() {
    var meter = EnergyMeter()
    meter.add([.idle, .satellites, .callbacks], for: .hours(1))
    var tail = SimInstant.distantPast
    for second in 0..<3_600 as Range<Int64> {
      meter.cellular += RadioUse(
        sending: 60, at: World.monday + .seconds(second),
        over: EnergyProfile.legacy2015.cellular, tailUntil: &tail)
    }
    #expect(meter.cellular.promotion == 260_100)
    let watts = Double(Self.legacy.bill(meter).total) / 1e6 / 3_600
    #expect(abs(watts - 1.51) < 0.02)
    #expect(abs(Self.legacy.batteryJoules / watts / 3_600 - 4.9) < 0.1)
  }

  @Test("DC7: the duty cycle takes 2.3 % an hour, and 4.9 % with an upload a cycle")
  func dutyCycle() {
    // DC1 with a time to first fix of 3 s: on for 13 s of each 63 s; the app runs throughout.
    var cycle = EnergyMeter()
    cycle.add([.idle, .satellites, .callbacks], for: .seconds(13))
    cycle.add([.idle, .callbacks], for: .seconds(50))
    func percent(_ meter: EnergyMeter) -> Double {
      let milliwatts = Double(Self.legacy.bill(meter).total) / 1_000 / 63
      return Self.percentPerHour(milliwatts, Self.legacy)
    }
    #expect(abs(percent(cycle) - 2.3) < 0.05)
    cycle.cellular = Self.loneSend(300, EnergyProfile.legacy2015.cellular)
    #expect(abs(percent(cycle) - 4.95) < 0.1)
    // C7: more than significant changes, less than the service left on.
    let always = Self.milliwatts([.idle, .satellites, .callbacks], Self.legacy)
    #expect(abs(Self.percentPerHour(always, Self.legacy) - 6.0) < 0.1)
  }

  @Test("a send within a running tail costs only the tail's extension")
  func coalescing() {
    let radio = EnergyProfile.standard.cellular
    var tail = SimInstant.distantPast
    let start = World.monday
    let first = RadioUse(sending: 0, at: start, over: radio, tailUntil: &tail)
    #expect(first.promotion == 260_100)
    #expect(first.tail == 10_000_000)
    #expect(tail == start + .microseconds(10_260_100))
    let second = RadioUse(sending: 0, at: start + .seconds(4), over: radio, tailUntil: &tail)
    #expect(second.promotion == 0)
    #expect(second.tail == 3_739_900)
    #expect(tail == start + .seconds(14))
    let late = RadioUse(sending: 0, at: start + .seconds(14), over: radio, tailUntil: &tail)
    #expect(late.promotion == 260_100)
  }

  @Test("BT9: with a weak signal a send takes three times as long, and its tail does not")
  func weakSignal() {
    let profile = EnergyProfile.standard
    func send(isWeak: Bool) -> RadioUse {
      var account = EnergyAccount()
      return account.send(
        bytes: 50_000, over: .cellular, isWeak: isWeak, connects: false, profile, now: World.monday)
    }
    let (strong, weak) = (send(isWeak: false), send(isWeak: true))
    #expect(strong.airtime == 80_000 && weak.airtime == 240_000)
    #expect(strong.promotion == 260_100 && weak.promotion == 780_300)
    #expect(strong.tail == weak.tail)
    var account = EnergyAccount()
    let wifi = account.send(
      bytes: 50_000, over: .wifi, isWeak: true, connects: false, profile, now: World.monday)
    #expect(wifi.airtime == 20_000, "cells do not slow Wi-Fi down")
  }

  @Test("BT9: looking for a better cell draws 300 mW, which is the idle phone's and no tracker's")
  func search() {
    #expect(Self.milliwatts(.search, Self.modern) == 300)
    var meter = EnergyMeter()
    meter.add([.idle, .search], for: .seconds(10))
    let bill = Self.modern.bill(meter)
    #expect(bill[.idle] == 3_400_000 && bill.tracking == 0)
    #expect(Self.modern.bill(meter.negated)[.idle] == -3_400_000)
  }

  @Test("BT10: a lone small send over 5G costs two to three times one over LTE")
  func newRadio() {
    let profile = EnergyProfile.standard
    var (lte, next) = (EnergyMeter(), EnergyMeter())
    lte.cellular = Self.loneSend(300, profile.cellular)
    next.newRadio = Self.loneSend(300, profile.newRadio)
    let ratio = Double(Self.modern.bill(next).total) / Double(Self.modern.bill(lte).total)
    #expect((2...3).contains(ratio), "\(ratio)")
    #expect(Self.modern.bill(next)[.cellular] == Self.modern.bill(next).tracking)
    #expect(profile.hasNewRadio && !EnergyProfile.legacy2015.hasNewRadio)
  }

  @Test("BT11: a new connection costs 0.1 J of processor and 0.3 s of radio")
  func handshake() {
    let profile = EnergyProfile.standard
    func bill(connects: Bool) -> Int64 {
      var (account, meter) = (EnergyAccount(), EnergyMeter())
      meter.wifi = account.send(
        bytes: 500, over: .wifi, isWeak: false, connects: connects, profile, now: World.monday)
      return Self.modern.bill(meter).total
    }
    let power = profile.wifi.baseMilliwatts + 20 * profile.wifi.perMegabitUpMilliwatts
    let expected = 100_000 + 300 * power
    #expect(abs(Double(bill(connects: true) - bill(connects: false)) - expected) < 2)
  }

  @Test("BT11: each kept fix costs 15 mJ, in the app's share")
  func fixes() {
    let meter = EnergyMeter([], for: .zero, scans: 0, fixes: 200)
    let bill = Self.modern.bill(meter)
    #expect(bill[.callbacks] == 3_000_000 && bill.tracking == 3_000_000)
  }

  @Test("the bill does not depend on the division of time or the order of addition")
  func exactSums() {
    var draw = Draw(seed: 3, phone: 1, Purpose(rawValue: 9_001))
    var whole = EnergyMeter()
    whole.add([.idle, .satellites, .callbacks], for: .hours(24))
    var parts: [EnergyMeter] = []
    var rest = SimDuration.hours(24)
    while rest > .zero {
      let part = min(rest, SimDuration(microseconds: 1 + Int64(draw.uniform() * 9e8)))
      var meter = EnergyMeter()
      meter.add([.idle, .satellites, .callbacks], for: part)
      parts.append(meter)
      rest = SimDuration(microseconds: rest.microseconds - part.microseconds)
    }
    var forwards = EnergyMeter()
    for part in parts { forwards += part }
    var backwards = EnergyMeter()
    for part in parts.reversed() { backwards += part }
    #expect(forwards == whole)
    #expect(backwards == whole)
    #expect(Self.modern.bill(forwards).total == 230_000 * 86_400)
  }

  @Test("a day of a million phones does not overflow")
  func largeFleet() {
    var meter = EnergyMeter()
    let phoneDays: Int64 = 1_000_000
    meter.screen = phoneDays * 86_400_000_000
    #expect(Self.legacy.bill(meter)[.screen] == phoneDays * 86_400 * 900_000)
  }

  @Test("a tracker's energy excludes idle phone and lit screen; a battery screen adds the screen")
  func whoPays() {
    var meter = EnergyMeter()
    meter.add([.idle, .screen, .satellites], for: .seconds(10))
    meter.wakes = 1
    let bill = Self.modern.bill(meter)
    #expect(bill.tracking == 1_500_000 + 1_000_000)
    #expect(bill.app == bill.tracking + 8_000_000)
    #expect(bill.total == bill.app + 400_000)
  }

  @Test("BT6: a battery screen shows the app's share of all use, 100 % at most")
  func screenShare() {
    var meter = EnergyMeter()
    meter.add([.idle, .screen, .satellites], for: .seconds(10))
    let bill = Self.modern.bill(meter)
    #expect(bill.screenShare(others: bill.total) == Double(bill.app) / Double(2 * bill.total))
    #expect(bill.screenShare(others: 0) < 1 && EnergyBill().screenShare(others: 0) == 0)
  }
}
