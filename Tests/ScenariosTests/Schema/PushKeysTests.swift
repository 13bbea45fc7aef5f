import Core
import TestSupport
import Testing

@testable import Scenarios

@Suite("Keys of silent pushes", .quick)
struct PushKeysTests {
  private static func city(_ settings: [ScenarioChange]) throws -> Scenario {
    try shipped.load("city", settings: settings)
  }

  @Test("request, provider and phone are scenario data, and omitted keys have defaults")
  func nested() throws {
    let push = try Self.city([
      "push.request.type=location", "push.provider.leastSpacing=5s", "push.phone.dayData=2M",
      "push.backoff.after=4",
    ]).push
    #expect(push.request.kind == .location && push.request.priority == 5)
    #expect(push.provider.leastSpacing == .seconds(5) && push.provider.keepsNewest == 0.95)
    #expect(push.phone.dayData == ByteCount(bytes: 2_000_000) && push.phone.bucketCapacity == 3)
    #expect(push.backoff.after == 4 && push.backoff.factor == 2)
  }

  @Test("a cohort's phones differ from the fleet's only if the cohort says so")
  func cohortPhones() throws {
    let scenario = try Self.city(["fleet.cohorts[1].phone.refreshOff=100%"])
    var mix = scenario.fleet.phone
    mix.refreshOff = 1
    #expect(scenario.fleet.cohorts[1].phone == mix)
    #expect(scenario.fleet.cohorts[0].phone == nil)
    #expect(scenario.text.contains("refreshOff: 100%"))
  }
}
