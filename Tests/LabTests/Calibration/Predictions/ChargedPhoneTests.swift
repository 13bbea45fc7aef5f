import Core
import Fleet
import Phone
import TestSupport
import Testing
@testable import flotilla_lab

/// Uses fleets of the test; judges no claim.
@Suite("Battery readings", .quick)
struct ChargedPhoneTests {
  static func live(_ plan: FleetPlan) throws -> [LivedPhone] {
    let library = ClaimRunTests.bench(threads: 1).library
    return LivedPhone.all(
      of: plan.live(try ClaimWorld.fleet(plan).scenario(library, seed: 11)))
  }

  static func morning(_ phone: [String]) throws -> [LivedPhone] {
    try live(
      FleetPlan(policy: PushMeasures.quiet, system: "ios15").with {
        $0.phones = 4
        $0.start = "2026-03-03T07:00"
        $0.warmStart = "0s"
        $0.duration = "3h"
        $0.phone = FleetPlan.uncharged + phone
        $0.metersEvery = .hours(1)
      })
  }

  @Test("without a charger, the charge falls at each reading, faster with more screen time")
  func falls() throws {
    let hours = try ["1h", "12h"].map { time -> Double in
      let phones = try Self.morning(["battery.screenTime=\(time)", "battery.screenTimeSigma=0"])
      for phone in phones {
        let shares = phone.fleet.charges.map { $0[phone.number].share }
        #expect(shares.count == 4 && shares == shares.sorted(by: >) && shares[0] > 0.99)
      }
      return try #require(Sample.median(phones.flatMap(\.hoursToEmpty.values)))
    }
    #expect(hours[1] < hours[0] / 2, "\(hours)")
  }

  @Test("without a tracker, a phone uses only idle power, screen and other apps")
  func dayUse() throws {
    for phone in try Self.morning([]) {
      let (dark, back) = (phone.dayUse.screenDark, phone.dayUse.inBackground)
      // The owner is awake for the three hours.
      let watts = dark.whole / 1_000
      let gone = phone.dischargePercent.values[0] / 100 * phone.prices.batteryJoules
      #expect(abs(watts * 3 * 3_600 - gone) < 0.02 * gone, "\(watts) W, \(gone) J")
      #expect(dark.part < dark.whole && back.part < back.whole && back.whole == dark.whole)
    }
  }

  @Test("a push delivered by opening the app is not a wake")
  func openings() throws {
    let plan = FleetPlan(policy: PushMeasures.quiet, system: "ios15").with {
      $0.phones = 8
      $0.push = PushMeasures.every("1h", within: "1h")
      $0.phone = ["lowPower=100%", "sessionsPerDay=12"]
    }
    let phones = try Self.live(plan)
    let taken = phones.map { $0.woken(within: 3_600) }
    #expect(taken.reduce(0) { $0 + $1.part } > 8)
    #expect(phones.allSatisfy { $0.wokenInBackground(within: 3_600).part == 0 })
  }
}
