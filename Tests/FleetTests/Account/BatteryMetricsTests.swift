import Core
import Phone
import TestSupport
import Testing

@testable import Fleet
@testable import Scenarios

@Suite("Batteries of a fleet", .quick)
struct BatteryMetricsTests {
  /// Two cohorts, one with batteries that do not last the night.
  static func scenario(_ change: (inout Scenario) -> Void = { _ in }) -> Scenario {
    FleetEnergyTests.scenario(phones: 80) {
      $0.warmStart = .hours(8)
      $0.duration = .hours(16)
      var small = $0.fleet.cohorts[0]
      small.name = "small"
      small.share = 0.5
      small.energy.value.batteryWattHours = 3
      $0.fleet.cohorts[0].share = 0.5
      $0.fleet.cohorts.append(small)
      $0.fleet.phone.battery.chargesWhenLow = 0.2
      change(&$0)
    }
  }

  @Test("one shard and three count the same batteries, and the phones do the same")
  func shardsDoNotMatter() {
    let one = FleetEnergyTests.lived(Self.scenario(), threads: 1)
    let three = FleetEnergyTests.lived(Self.scenario(), threads: 3)
    #expect(one.metrics().batteries == three.metrics().batteries)
    #expect(one.digest() == three.digest())
    #expect(one.metrics().batteries[1].emptied > 10)
  }

  @Test("charged energy equals used plus remaining energy, within a millijoule a stretch")
  func conservation() {
    let scenario = Self.scenario { $0.warmStart = .zero }
    let context = FleetContext(scenario)
    var before: [Int64] = [0, 0]
    for number in 0..<80 {
      let cohort = context.cohort(of: number)
      before[cohort] +=
        context.battery(cohort).battery(of: PhoneID(rawValue: UInt32(number)), at: scenario.start)
        .charge
    }
    let fleet = FleetEnergyTests.lived(scenario)
    var after: [Int64] = [0, 0]
    fleet.inOrder { shard in
      for i in 0..<shard.count {
        after[Int(shard.phones[i].cohort)] += shard.phones[i].battery.charge
      }
    }
    let metrics = fleet.metrics()
    for cohort in 0..<2 {
      let used = context.prices(cohort).bill(metrics.energy.cohorts[cohort]).total
      let battery = metrics.batteries[cohort]
      let expected = before[cohort] + battery.charged - battery.others - used
      // Each stretch of a phone's account is cut to whole microjoules.
      #expect(abs(after[cohort] - expected) < 1_000_000, "\(after[cohort]) of \(expected) µJ")
    }
  }

  @Test("BT3: phones that run empty disappear from the server, and their silence has that cause")
  func silence() {
    let fleet = FleetEnergyTests.lived(
      Self.scenario {
        $0.fleet.phone.chargesAtNight = 0
        $0.fleet.phone.battery.chargesAtWork = 0
        $0.fleet.phone.battery.chargesInCar = 0
        $0.fleet.phone.battery.chargesWhenLow = 0
      })
    let metrics = fleet.metrics()
    #expect(metrics.stale[.batteryEmpty] > .hours(40))
    #expect(fleet.census()[.switchedOff] >= 35)
    let shares = metrics.freshness.cohorts.map { $0.fresh.seconds / $0.total.seconds }
    #expect(shares[1] < 0.8 * shares[0], "\(shares)")
    // Nothing charges them, so that empty phones stay empty.
    #expect(metrics.batteries[1].phonesEmptied == metrics.batteries[1].emptied)
    #expect(metrics.batteries.allSatisfy { $0.charged == 0 })
  }

  @Test("the battery curve falls by day, and rises at night for phones that charge")
  func curve() throws {
    let fleet = FleetEnergyTests.lived(
      Self.scenario {
        $0.warmStart = .hours(24)
        $0.duration = .hours(24)
        $0.fleet.phone.chargesAtNight = 1
      })
    let battery = fleet.metrics().batteries[0]
    let hours = try (0..<24).map { try #require(battery.charge(at: $0)) }
    // If nearly all are full, the mean is below the 5th percentile.
    #expect(hours.allSatisfy { $0.p5 <= $0.p95 && 0 <= $0.mean && $0.mean <= 100 })
    #expect(hours.allSatisfy { 0 <= $0.p5 && $0.p95 <= 100 })
    #expect(hours[6].mean > 95 && hours[22].mean < hours[8].mean - 10)
    #expect(hours[2].mean > hours[22].mean + 10)
  }

  // MARK: Hours to empty

  @Test("hours to empty treat charged phones as censored")
  func kaplanMeier() {
    var metrics = BatteryMetrics()
    #expect(metrics.hoursToEmpty(share: 0.5) == nil && metrics.discharges == 0)
    // Of ten two are empty after 5 h, four are charged after 8 h, four empty after 12 h.
    for _ in 0..<2 { metrics.noteDischarge(.minutes(5 * 60 + 20), ranEmpty: true) }
    for _ in 0..<4 { metrics.noteDischarge(.minutes(8 * 60 + 20), ranEmpty: false) }
    #expect(metrics.hoursToEmpty(share: 0.5) == nil)
    for _ in 0..<4 { metrics.noteDischarge(.minutes(12 * 60 + 20), ranEmpty: true) }
    #expect(metrics.discharges == 10)
    #expect(metrics.hoursToEmpty(share: 0.05) == 5.5)
    #expect(metrics.hoursToEmpty(share: 0.2) == 5.5)
    #expect(metrics.hoursToEmpty(share: 0.5) == 12.5)
    #expect(metrics.hoursToEmpty(share: 0.95) == 12.5)
  }
}
