import Core
import PhoneSupport
import TestSupport
import Testing

@testable import Phone
@testable import Scenarios

/// The energy that a phone uses for cells and connections.
@Suite("A phone and its cells", .quick)
struct CellRuleTests {
  /// An app in the foreground that keeps a fix and sends it, 30 times.
  static func life(
    _ link: Link, every seconds: Int64 = 20, energy: EnergyProfile = .standard
  ) -> PhoneLife {
    let life = PhoneLife(
      .way([.stay(.hours(9))]),
      pushes: {
        $0.link = link
        $0.energy = energy
      }
    ) { _ in [] }
    life.open()
    for number in 1...30 as ClosedRange<UInt32> {
      life.act { phone, context, out in
        let fix = Fix(
          coordinate: Coordinate(latitudeE6: 0, longitudeE6: 0), time: FixTime(out.now),
          accuracyMeters: 10, speedDecimetersPerSecond: -1, courseDegrees: -1)
        phone.keep(fix, context, &out)
        phone.sendBatch(number, 1, context, &out)
      }
      life.advance(.seconds(seconds))
    }
    return life
  }

  static func meter(_ life: PhoneLife) -> EnergyMeter {
    var meter = EnergyMeter()
    life.act { phone, context, out in phone.handle(.meterRead, at: out.now, context, &out) }
    for (_, effect) in life.effectsInTime {
      if case .drew(let draw, let time, let scans, let fixes) = effect {
        meter += EnergyMeter(draw, for: time, scans: scans, fixes: Int64(fixes))
      }
      if case .sent(let use, let radio) = effect { meter += EnergyMeter(use, over: radio) }
    }
    return meter
  }

  @Test("BT9: with a weak signal a phone searches for a better cell all the time, also on Wi-Fi")
  func search() {
    let weak = Self.meter(Self.life([.wifi, .weakSignal]))
    #expect(weak.search == weak.idle && weak.search == 600_000_000)
    #expect(Self.meter(Self.life(.wifi)).search == 0)
  }

  @Test("BT10: a phone with 5G sends over Wi-Fi if it can, else over 5G where available")
  func newRadio() {
    let next = Self.meter(Self.life(.newRadio))
    #expect(next.newRadio.sends == 30 && next.cellular.sends == 0)
    let old = Self.meter(Self.life(.newRadio, energy: .legacy2015))
    #expect(old.newRadio.sends == 0 && old.cellular.sends == 30)
    #expect(Self.meter(Self.life([.newRadio, .wifi])).wifi.sends == 30)
  }

  @Test("BT11: a connection serves the sends that follow within a minute, and every fix is counted")
  func connections() {
    let often = Self.meter(Self.life([]))
    #expect(often.cellular.connections == 1 && often.cellular.sends == 30)
    #expect(often.fixes == 30)
    let seldom = Self.meter(Self.life([], every: 90))
    #expect(seldom.cellular.connections == 30)
  }
}
