internal import Core
internal import TestSupport
internal import Testing

@testable internal import Scenarios

@Suite("The keys under city", .quick)
struct CityTests {
  static func scenario(city: String, mobility: String = "spectator") -> String {
    """
    scenario: match
    city: \(city)
    fleet:
      cohorts:
        - { name: all, share: 100%, mobility: \(mobility), policy: plain }
    policies:
      - { name: plain }
    """
  }

  @Test("an event's times are local times of the city, and the rest has defaults")
  func event() throws {
    let scenario = try read(
      Self.scenario(
        city: """
          { event: { from: 2026-03-07T15:30, until: 2026-03-07T17:20 }, utcOffset: "+02:00" }
          """))
    let event = try #require(scenario.city.event)
    #expect(scenario.clock.timeOfDay(at: event.from) == .minutes(15 * 60 + 30))
    #expect(event.until - event.from == .minutes(110))
    #expect(event.place == nil && event.radius == .meters(150))
    #expect(try read(scenario.text) == scenario)
  }

  @Test("TZ1: dst puts the city's clocks forward between two instants of standard time")
  func summerTime() throws {
    let summer = "{ from: 2026-03-29T02:00, until: 2026-10-25T02:00 }"
    let scenario = try read(
      "start: 2026-10-24T07:50\n"
        + Self.scenario(
          city: "{ utcOffset: \"+01:00\", dst: \(summer) }", mobility: "commuter"))
    let clock = scenario.clock
    #expect(clock.timeOfDay(at: scenario.start) == .minutes(470))
    #expect(clock.offset(at: scenario.start) == .hours(2))
    #expect(clock.offset(at: scenario.start + .hours(24)) == .hours(1))
    #expect(clock.timeOfDay(at: scenario.start + .hours(25)) == .minutes(470))
    #expect(try read(scenario.text) == scenario)
  }

  @Test(
    "an impossible summer time is a mistake",
    arguments: [
      ("{ from: 2026-03-29T02:00 }", "'until' is missing"),
      ("{ from: 2026-03-29T02:00, until: 2026-03-29T03:00 }", "must be more than a day after"),
      ("{ from: 2026-03-29T02:00, until: 2026-10-24T23:30 }", "a day would repeat"),
    ])
  func impossibleSummer(dst: String, message: String) {
    let found = diagnostics(
      in: Self.scenario(city: "{ dst: \(dst) }", mobility: "commuter"))
    #expect(found.count == 1 && found[0].contains(message), "\(found)")
  }

  @Test("spectators need a place to go")
  func nowhere() {
    let found = diagnostics(in: Self.scenario(city: "{ radius: 5km }"))
    #expect(found.count == 1 && found[0].contains("spectators need an event"))
    #expect(diagnostics(in: Self.scenario(city: "{ radius: 5km }", mobility: "commuter")).isEmpty)
  }

  @Test(
    "an impossible event is a mistake",
    arguments: [
      ("{ from: 2026-03-07T17:00, until: 2026-03-07T16:00 }", "must be later than"),
      ("{ from: 2026-03-07T22:00, until: 2026-03-08T01:30 }", "leave after 01:00"),
      ("{ from: 2026-03-07T06:30, until: 2026-03-07T09:00 }", "arrive before 06:00"),
      ("{ from: 2026-03-07T15:00, until: 2026-03-07T17:00, place: [48.1, 11.5] }", "too far from"),
      ("{ from: 2026-03-07T15:00 }", "'until' is missing"),
    ])
  func impossible(event: String, message: String) {
    let found = diagnostics(in: Self.scenario(city: "{ event: \(event) }"))
    #expect(found.count == 1 && found[0].contains(message), "\(found)")
  }

  @Test("an event outside the simulated time is remarked on")
  func elsewhen() throws {
    let scenario = try read(
      Self.scenario(city: "{ event: { from: 2027-03-07T15:30, until: 2027-03-07T17:20 } }"))
    #expect(scenario.remarks.contains { $0.contains("city.event is outside") })
  }
}
