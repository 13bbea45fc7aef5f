import Core
@testable import Scenarios
import Phone
import PhoneSupport
import TestSupport
import Testing

@testable import Fleet

@Suite("Energy of a fleet", .quick)
struct FleetEnergyTests {
  /// Phones in order, so that nothing but the tracker and the way home differ.
  static func scenario(
    phones: Int = 60, _ change: (inout Scenario) -> Void = { _ in }
  ) -> Scenario {
    var scenario = Scenario.standard(phones: phones)
    scenario.warmStart = .hours(6)
    scenario.duration = .hours(3)
    scenario.fleet.phone.always = 1
    scenario.fleet.phone.switchedOff = 0
    scenario.fleet.phone.offline = 0
    scenario.fleet.phone.forceQuit = 0
    scenario.fleet.phone.battery.chargeLeast = 1
    scenario.fleet.phone.weakSignal = 0
    scenario.fleet.phone.newRadio = 0
    change(&scenario)
    return scenario
  }

  static func lived(_ scenario: Scenario, threads: Int = 2) -> PhoneFleet {
    var morning = VirtualMorning(scenario, threads: threads)
    morning.time.drain()
    return morning.fleet
  }

  @Test("one shard and three meter the same, to the microsecond")
  func shardsDoNotMatter() {
    let one = Self.lived(Self.scenario(), threads: 1)
    let three = Self.lived(Self.scenario(), threads: 3)
    #expect(one.metrics().energy == three.metrics().energy)
    #expect(one.energies() == three.energies())
  }

  @Test("a phone that is on is metered for exactly the counted part")
  func idleTimeIsExact() {
    let scenario = Self.scenario()
    let meter = Self.lived(scenario).metrics().energy.cohorts[0]
    #expect(meter.idle == 60 * scenario.duration.microseconds)
    #expect(meter.satellites > 0)
    #expect(meter.satellites < meter.idle)
    let off = Self.lived(Self.scenario { $0.fleet.phone.switchedOff = 0.3 })
    #expect(off.metrics().energy.cohorts[0].idle < meter.idle * 9 / 10)
  }

  @Test("the energy of the phones' trackers sums to that of their cohorts")
  func phonesSumToCohorts() {
    let fleet = Self.lived(
      Self.scenario {
        var second = $0.fleet.cohorts[0]
        second.share = 0.5
        second.energy = Named(name: "legacy2015", value: .legacy2015)
        $0.fleet.cohorts[0].share = 0.5
        $0.fleet.cohorts.append(second)
      })
    let energies = fleet.energies()
    for (n, meter) in fleet.metrics().energy.cohorts.enumerated() {
      let phones = fleet.context.cohortStarts[n]..<fleet.context.cohortStarts[n + 1]
      let bill = fleet.context.prices(n).bill(meter)
      let tracking = energies[phones].reduce(0) { $0 + $1.tracking }
      let sending = energies[phones].reduce(0) { $0 + $1.transmission }
      // Each stretch of a phone's account is cut to whole microjoules.
      #expect(abs(tracking - bill.tracking) < 100_000)
      #expect(abs(sending - bill.transmission) < 100_000)
      #expect(bill.tracking > 1_000_000)
    }
  }

  @Test("AC1: the same days cost no more when the tracker requests less accuracy")
  func monotoneInAccuracy() {
    let energies = DesiredAccuracy.allCases.map { accuracy in
      let meter = Self.lived(
        Self.scenario {
          $0.policies[0].settings.background.service.accuracy = accuracy
          $0.policies[0].settings.foreground.service.accuracy = accuracy
          // Sends follow fixes, and fixes the accuracy: only positioning is compared.
        }
      ).metrics().energy.cohorts[0]
      let bill = EnergyPrices(.standard).bill(meter)
      return bill[.satellites] + bill[.coarse] + bill[.scans]
    }
    #expect(energies[0] > energies[2])
    #expect(energies[2] > energies[3])
    #expect(energies[4] <= energies[3] * 11 / 10)
  }

  @Test("sends that are closer together share their radio tails")
  func batchingSavesTails() {
    let meters = [SimDuration.zero, .minutes(30)].map { interval in
      Self.lived(Self.scenario { $0.policies[0].settings.send.interval = interval })
        .metrics().energy.cohorts[0]
    }
    #expect(meters[0].cellular.sends > meters[1].cellular.sends)
    #expect(meters[0].cellular.promotion > meters[1].cellular.promotion)
    #expect(meters[0].cellular.tail <= meters[0].cellular.sends * 10_000_000)
    #expect(meters.allSatisfy { $0.cellular.promotion <= $0.cellular.sends * 260_100 })
    #expect(meters.allSatisfy { $0.wifi.promotion == $0.wifi.sends * 79_000 })
  }
}
