internal import Core
internal import TestSupport
internal import Testing

@testable internal import Scenarios

@Suite("Quantities with their units", .quick)
struct QuantityTests {
  @Test(
    "a duration is read and shown in the largest unit that keeps it whole",
    arguments: [
      ("10s", 10_000_000, "10s"), ("5min", 300_000_000, "5min"), ("2h", 7_200_000_000, "2h"),
      ("300ms", 300_000, "300ms"), ("1.5h", 5_400_000_000, "90min"), ("60 s", 60_000_000, "1min"),
      ("0h", 0, "0s"), ("24h", 86_400_000_000, "1d"), ("1.5us", 2, "2us"),
    ] as [(String, Int64, String)])
  func durations(text: String, microseconds: Int64, shown: String) throws {
    let scenario = try read(smallest, settings: ["warmStart=\(text)"])
    #expect(scenario.warmStart.microseconds == microseconds)
    #expect(scenario.text.contains("warmStart: \(shown)\n"))
  }

  @Test(
    "an error about a missing or wrong unit lists the units",
    arguments: [
      ("warmStart=10", "'10' has no unit; write a duration from 0s to 14d with its unit: us, ms"),
      ("warmStart=10m", "'m' is not a unit"),
      ("warmStart=-1s", "out of range"),
      ("warmStart=15d", "out of range"),
      ("warmStart=1e3s", "is not a unit"),
      ("warmStart=nans", "is not a number"),
      ("city.radius=12", "with its unit: m or km"),
      ("city.radius=12s", "'s' is not a unit"),
      ("push.rate=600000", "with its unit: /s, /min, /h or /d"),
      ("push.holdout=130%", "a share from 0% to 100%"),
      ("push.holdout=inf", "is not a share"),
      ("speed=0x10", "is not a number"),
      ("speed=nan", "is not a number"),
      ("fleet.phones=1.5", "a whole number from 1 to"),
      ("fleet.phones=0", "0 is out of range"),
      ("seed=-1", "is not a whole number"),
      ("connections=pooled", "'pooled' needs its number"),
      ("connections=pooled(0)", "0 is out of range"),
      ("connections=per-phones", "Did you mean 'per-phone'?"),
      ("start=2026-02-30T07:30", "is not a date and time"),
      ("start=07:30", "is not a date and time"),
      ("city.utcOffset=1h", "is not an offset"),
      ("city.centre=[52]", "a list of 2"),
      ("city.centre=[89, 13]", "a latitude outside"),
      ("collector.store=sqlit", "Did you mean 'sqlite'?"),
      ("collector.count=2", "2 collectors cannot share 'store: sqlite'; write store: postgresql."),
      ("collector.url=postgresql://db/fleet", "with 'store: sqlite'; write store: postgresql."),
      ("collector.url=mysql://db/fleet", "is not the address of a PostgreSQL database"),
      ("collector.url=postgresql://me:secret@db/fleet", "use PGPASSWORD or ~/.pgpass"),
    ])
  func units(setting: String, message: String) {
    let found = diagnostics(in: smallest, settings: [setting])
    #expect(found.count == 1 && found[0].contains(message), "\(found)")
  }

  @Test("shares, rates and distances read back as exactly the same numbers")
  func exactness() throws {
    for thousandth in stride(from: 0, through: 1_000, by: 7) {
      let share = Double(thousandth) / 1_000
      var scenario = try read(smallest)
      scenario.push.holdout = share
      scenario.push.rate = Rate(perSecond: share * 7)
      scenario.city.radius = .meters(500 + share * 3)
      scenario.push.accuracyLimit = .meters(1 + share * 1e-7)
      #expect(try read(scenario.text) == scenario)
    }
  }
}
