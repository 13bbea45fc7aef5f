internal import Core
internal import TestSupport
internal import Testing

@testable internal import Scenarios

@Suite("--set", .quick)
struct SettingTests {
  @Test("any key can be set, in the order given, whether the file has it or not")
  func sets() throws {
    let scenario = try read(
      smallest,
      settings: [
        "fleet.phones=7", "fleet.phones=20000", "push.silentAfter=2h", "slo.lost=0",
        "fleet.cohorts[0].name=everybody", "fleet.cohorts[everybody].os=ios17",
        "fleet.cohorts[0].policy={ base: plain, send: { interval: 60s } }",
      ])
    #expect(scenario.fleet.phones == 20_000)
    #expect(scenario.push.silentAfter == .hours(2))
    #expect(scenario.slo.lost == 0)
    #expect(scenario.fleet.cohorts[0].os.name == "ios17")
    #expect(scenario.policies.map(\.name) == ["plain", "plain*"])
    #expect(scenario.policies[1].settings.send.interval == .seconds(60))
  }

  @Test(
    "a setting that fits no key is explained by its own text",
    arguments: [
      ("fleet.phoens=1", "--set fleet.phoens=1: unknown key 'phoens' in fleet"),
      ("fleet.phoens=1", "Did you mean 'phones'?"),
      ("phones=1", "Did you mean 'fleet.phones'?"),
      ("seed", "has no '='"),
      ("=1", "is not a path"),
      ("fleet..phones=1", "is not a path"),
      ("fleet.cohorts[=1", "is not a path"),
      ("seed=", "has no value after '='"),
      ("seed=[", "not YAML"),
      ("scenario.name=x", "there is 'small', not a map"),
      ("fleet[0]=x", "not a list"),
      ("fleet.cohorts[3].share=1", "the list has 1 items"),
      ("fleet.cohorts[al].share=1", "Did you mean 'all'?"),
      ("duration=30", "--set duration=30: duration: '30' has no unit"),
      ("fleet.cohorts[0].share=50%", "the shares of the cohorts sum to 50%"),
    ])
  func explains(setting: String, message: String) {
    let found = diagnostics(in: smallest, settings: [setting])
    #expect(found.contains { $0.contains(message) }, "\(found)")
  }
}
