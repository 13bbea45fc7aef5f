internal import Foundation
internal import SimulationCore
internal import Testing

@testable internal import Scenarios

/// The repository's own `scenarios` folder.
let shipped = ScenarioLibrary(folders: [
  URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent().appendingPathComponent("scenarios").path
])

@Suite("Shipped scenarios and policies")
struct ShippedScenarioTests {
  @Test("the city is read with its units resolved, its policies found and its defaults filled in")
  func city() throws {
    let city = try shipped.load("city")
    #expect(city.fleet.phones == 5_000)
    #expect(city.duration == .hours(1))
    #expect(city.fleet.cohorts.map(\.share) == [0.7, 0.2, 0.1])
    #expect(city.policies.map(\.name) == ["hybrid", "motion-gated", "significant-change"])
    #expect(city.fleet.cohorts.map(\.policy) == [0, 1, 2])
    #expect(city.push.rate == Rate(perSecond: 10_000))
    #expect(city.clock.timeOfDay(at: city.start) == .minutes(450))
    #expect(city.clock.weekday(of: city.clock.day(at: city.start)) == 0)
    let outage = try #require(city.faults.first)
    #expect(outage.at - city.start == .minutes(35))
    #expect(outage.lasts == .minutes(3))
    #expect(outage.cohort == 0)
    #expect(city.slo.responseP99 == .milliseconds(50))
    #expect(city.network == .standard)
    #expect(city.remarks.isEmpty)
  }

  @Test("hybrid.yaml spells out the policy that a scenario without files uses (section 6, row d)")
  func hybridIsTheStandard() throws {
    var hybrid = try shipped.load("city").policies[0]
    hybrid.description = ""
    #expect(hybrid == .standard)
  }

  @Test("every shipped scenario shows as text that reads back equal", arguments: shipped.names)
  func showsAndReadsBack(name: String) throws {
    let scenario = try shipped.load(name)
    #expect(try read(scenario.text) == scenario)
  }
}
