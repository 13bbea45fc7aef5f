internal import Core
internal import TestSupport
internal import Testing

@testable internal import Scenarios

@Suite("Instants in the city's local time", .quick)
struct InstantTests {
  @Test(
    "a local date and time becomes the instant of its offset, and shows as it was written",
    arguments: [
      ("1971-01-01T00:00", "+00:00", 31_536_000), ("2026-03-02T07:30", "+01:00", 1_772_433_000),
      ("2026-03-02T07:30", "-05:30", 1_772_456_400),
      ("2024-02-29T23:59:30", "+00:00", 1_709_251_170),
      ("2100-03-01T00:00", "+00:00", 4_107_542_400),
    ] as [(String, String, Int64)])
  func instants(text: String, offset: String, seconds: Int64) throws {
    let scenario = try read(
      smallest, settings: ["start=\(text)", "city.utcOffset='\(offset)'"])
    #expect(scenario.start.microseconds == seconds * 1_000_000)
    #expect(CivilText.text(scenario.start, scenario.clock) == text)
  }

  @Test(
    "a start outside of the supported years is refused, with these years",
    arguments: ["1970-01-01T00:00", "1970-12-31T23:59", "2106-01-01T00:00", "2199-12-31T20:00"])
  func otherYears(text: String) {
    let found = diagnostics(in: smallest, settings: ["start=\(text)"])
    #expect(found.count == 1 && found[0].contains("from 1971 to 2105"), "\(found)")
  }

  @Test("sweeps of a second are refused from 2038 on, where their numbers end")
  func numbers() throws {
    let found = diagnostics(
      in: smallest, settings: ["start=2040-01-01T00:00", "push.sweep=1s"])
    #expect(found.count == 1 && found[0].contains("at least 2s from 2038 on"), "\(found)")
    #expect(
      try read(smallest, settings: ["start=2037-01-01T00:00", "push.sweep=1s"]).start
        > SimInstant(microseconds: 0))
    #expect(
      try read(smallest, settings: ["start=2105-12-31T00:00", "push.sweep=2s"]).start
        > SimInstant(microseconds: 0))
  }

  @Test(
    "a fault's time of day is the first one at or after the start",
    arguments: [
      ("08:05", 35), ("07:30", 0), ("07:29", 24 * 60 - 1), ("2026-03-02T09:00", 90),
    ] as [(String, Int64)])
  func timesOfDay(text: String, minutes: Int64) throws {
    let fault = "faults=[{ kind: network-outage, at: '\(text)', for: 3min }]"
    let scenario = try read(
      smallest, settings: ["start=2026-03-02T07:30", "city.utcOffset='+01:00'", fault])
    #expect(scenario.faults[0].at - scenario.start == .minutes(minutes))
    #expect(try read(scenario.text) == scenario)
  }

  @Test("a fault after the end is a remark, since a shorter run is no mistake")
  func remarks() throws {
    let short = try shipped.load("city", settings: ["duration=30min"])
    #expect(short.remarks.count == 1)
    #expect(short.remarks[0].contains("it never happens"))
  }
}
