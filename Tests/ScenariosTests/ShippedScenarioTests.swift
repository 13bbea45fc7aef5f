internal import Core
internal import Foundation
internal import TestSupport
internal import Testing

@testable internal import Scenarios

/// The repository's `scenarios` folder.
let shipped = ScenarioLibrary(folders: [
  URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent().appendingPathComponent("scenarios").path
])

@Suite("Shipped scenarios and policies", .quick)
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
    #expect(outage.cohorts == [0])
    #expect(city.slo.responseP99 == .milliseconds(50))
    #expect(city.network == .standard)
    #expect(city.remarks.isEmpty)
  }

  @Test("each shipped scenario asks a question, and names the kind of its answer")
  func answers() throws {
    let kinds = try shipped.names.map { name in
      let scenario = try shipped.load(name)
      #expect(scenario.question.contains("?"), "\(name)")
      #expect(scenario.remarks.isEmpty, "\(name): \(scenario.remarks)")
      return "\(name) \(scenario.answers)"
    }
    #expect(
      Set(kinds).isSuperset(of: [
        "city capacity", "night wake", "stadium storm", "push-storm storm", "refresh-off cohorts",
      ]))
  }

  @Test("the flagship stores what it acknowledges, and its pushes fall into its hour")
  func flagship() throws {
    let metropolis = try shipped.load("metropolis")
    #expect(metropolis.fleet.phones == 1_000_000 && metropolis.collector.store == .sqlite)
    let push = metropolis.push
    #expect(push.scheduler != .none)
    // A phone that falls silent when the counting begins is pushed, and has time to answer.
    #expect(push.silentAfter + push.sweep + push.within < metropolis.duration)
    #expect(push.spacing <= metropolis.duration && push.silentAfter < metropolis.warmStart)
  }

  @Test("storms are simulated in real time, with time before and after")
  func storms() throws {
    for name in ["stadium", "push-storm"] {
      let scenario = try shipped.load(name)
      #expect(scenario.speed == 1 && scenario.duration <= .minutes(20))
      let first = try #require(scenario.faults.map(\.at).min())
      let last = try #require(scenario.faults.map { $0.at + $0.lasts }.max())
      #expect(first >= scenario.start + .minutes(5), "\(name): minutes to tell what is normal")
      #expect(last <= scenario.measureEnd - .minutes(4), "\(name): minutes to drain")
    }
    let storm = try shipped.load("push-storm")
    #expect(storm.push.jitter == .zero)
    #expect(
      storm.faults[0].kind == .serverOutage && storm.faults[0].lasts >= storm.push.silentAfter)
    let stadium = try shipped.load("stadium")
    let event = try #require(stadium.city.event)
    #expect(stadium.start > event.from && stadium.measureEnd > event.until)
  }

  @Test("the cohorts of refresh-off differ in the switch alone, within each pair")
  func refreshOff() throws {
    let scenario = try shipped.load("refresh-off")
    let cohorts = scenario.fleet.cohorts
    #expect(cohorts.count == 4)
    for (on, off) in [(cohorts[0], cohorts[1]), (cohorts[2], cohorts[3])] {
      var same = off
      same.name = on.name
      same.phone?.refreshOff = 0
      #expect(same == on && off.phone?.refreshOff == 1)
    }
    #expect(!cohorts[1].os.value.system.rules.refreshOffBlocksLocationWakes)
    #expect(cohorts[3].os.value.system.rules.refreshOffBlocksLocationWakes)
  }

  @Test("hybrid.yaml spells out the policy of a scenario without files (section 6, row d)")
  func hybridIsTheStandard() throws {
    var hybrid = try shipped.load("city").policies[0]
    hybrid.description = ""
    hybrid.androidPolicy = nil
    #expect(hybrid == .standard)
  }

  @Test("every shipped scenario shows as text that reads back equal", arguments: shipped.names)
  func showsAndReadsBack(name: String) throws {
    let scenario = try shipped.load(name)
    #expect(try read(scenario.text) == scenario)
  }
}
