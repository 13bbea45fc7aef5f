import Core
import Figures
import Fleet
import Foundation
import TestSupport
import Testing

@testable import Run
@testable import Scenarios
@testable import RunSupport

@Suite("A fleet with both systems", .quick)
struct SystemRecordTests {
  private static let library = ScenarioLibrary(folders: [
    URL(filePath: #filePath).appending(path: "../../../../scenarios").standardized.path
  ])

  /// Two hours of 300 phones of the city after a warm start of six.
  private static func run(
    _ settings: String..., change: (inout Scenario) -> Void = { _ in }
  ) throws -> RunOutcome {
    var scenario = try library.load(
      "city",
      settings: (["fleet.phones=300", "duration=2h", "warmStart=6h"] + settings).map {
        ScenarioChange($0)
      })
    change(&scenario)
    var simulation = Simulation(RunPlan.test(scenario))
    simulation.keepsTrace = true
    return simulation.run(progress: { _ in }, shouldStop: { false })
  }

  @Test("the figures of both systems add up to those of the fleet")
  func sums() throws {
    let record = try Self.run("fleet.android=50%").record
    let systems = try #require(record.systems)
    #expect(
      systems.map(\.name) == [
        "iOS", "Android", "android14-samsung", "android14-xiaomi", "android14",
      ])
    let both = systems.filter { $0.profile == nil }
    #expect(both.reduce(0) { $0 + $1.phones } == 300)
    #expect(both.reduce(0) { $0 + $1.uploads } == record.offered.batches)
    #expect(both.allSatisfy { $0.uploads > 0 && $0.fresh != nil })
    for (cause, minutes) in record.stale {
      let sum = both.reduce(0) { $0 + ($1.stale[cause] ?? 0) }
      #expect(abs(sum - minutes) < 1e-6, "\(cause)")
    }
    let makers = systems.filter { $0.profile != nil }
    #expect(makers.reduce(0) { $0 + $1.uploads } == both[1].uploads)
    let battery = both.reduce(0) { $0 + ($1.batteryPercentPerDay ?? 0) * Double($1.phones) } / 300
    #expect(abs(battery - (record.energy.perPhoneDay?.percentOfBattery ?? 0)) < 1e-9)
    #expect(both.reduce(0) { $0 + ($1.pushes?.requested ?? 0) } == record.wake.requested)
    #expect(record.systemSentence?.contains("with Android") == true)
  }

  @Test("a fleet of iPhones has no figures by system")
  func iPhones() throws {
    let record = try Self.run().record
    #expect(record.systems == nil && record.systemSentence == nil)
  }

  @Test("the iPhones of a mixed fleet behave as in the fleet without Android phones")
  func sameLives() throws {
    // Without pushes no phone depends on another.
    let plain = try Self.run { $0.push.scheduler = .none }
    let mixed = try Self.run("fleet.android=50%") { $0.push.scheduler = .none }
    let (before, after) = (plain.account?.behaviour ?? [], mixed.account?.behaviour ?? [])
    #expect(before.count == 300 && after.count == 300)
    // Half of 210 commuters, of 60 cyclists and of 30 at home are iPhones.
    let iPhones = [0..<105, 210..<240, 270..<285]
    for range in iPhones { #expect(before[range] == after[range], "\(range)") }
    #expect(before[105..<210] != after[105..<210])
  }
}
