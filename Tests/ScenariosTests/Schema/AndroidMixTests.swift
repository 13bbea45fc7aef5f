internal import Core
internal import TestSupport
internal import Testing

@testable internal import Scenarios

@Suite("A share of Android phones in any fleet", .quick)
struct AndroidMixTests {
  static func city(_ settings: String...) throws -> Scenario {
    try shipped.load("city", settings: settings.map { ScenarioChange($0) })
  }

  static func mistakes(_ settings: String..., in name: String = "city") -> [String] {
    do throws(ScenarioError) {
      _ = try shipped.load(name, settings: settings.map { ScenarioChange($0) })
      return []
    } catch {
      return error.diagnostics.map(\.description)
    }
  }

  @Test("each cohort of iPhones is split, and its Android phones follow it")
  func split() throws {
    let mixed = try Self.city("fleet.android={ share: 45%, os: { android14: 100% } }")
    #expect(
      mixed.fleet.cohorts.map(\.name) == [
        "commuters", "commuters-android14", "cyclists", "cyclists-android14", "at-home",
        "at-home-android14",
      ])
    #expect(mixed.fleet.cohorts.map(\.share) == [0.385, 0.315, 0.11, 0.09, 0.055, 0.045])
    let android = mixed.fleet.cohorts[1]
    #expect(android.os.value.system.isAndroid && android.os.name == "android14")
    #expect(android.energy.name == "android2022")
    #expect(android.mobility == mixed.fleet.cohorts[0].mobility)
    #expect(mixed.systems == ["Android", "iOS"])
    #expect(mixed.remarks.isEmpty, "\(mixed.remarks)")
  }

  @Test("a share alone stands for the makers of phones shipped to Europe")
  func makers() throws {
    let mixed = try Self.city("fleet.android=50%")
    #expect(mixed.fleet.cohorts.count == 12)
    let samsung = mixed.fleet.cohorts.filter { $0.os.name == "android14-samsung" }
    #expect(abs(samsung.reduce(0) { $0 + $1.share } - 0.24) < 1e-9)
  }

  @Test("Android phones have the counterpart that a policy names, or the policy of the key")
  func policies() throws {
    func names(_ settings: String...) throws -> [String] {
      let mixed = try shipped.load(
        "city", settings: (settings).map { ScenarioChange($0) })
      return mixed.fleet.cohorts.map { mixed.policies[$0.policy].name }
    }
    let own = try names("fleet.android={ share: 45%, os: { android14: 1 } }")
    #expect(
      own == [
        "hybrid", "hybrid-android", "motion-gated", "transistorsoft-android", "significant-change",
        "owntracks-android-significant",
      ])
    let one = try names("fleet.android={ share: 45%, os: { android14: 1 }, policy: worker-15min }")
    #expect(one.filter { $0 == "worker-15min" }.count == 3)
  }

  @Test("a policy without a counterpart is kept, and a remark says what has no effect")
  func withoutCounterpart() throws {
    let mixed = try Self.city(
      "fleet.android=45%", "fleet.cohorts[0].policy=foreground-correction")
    let policy = mixed.policies[mixed.fleet.cohorts[1].policy]
    #expect(policy.name == "foreground-correction")
    #expect(mixed.remarks.count == 1, "\(mixed.remarks)")
    #expect(mixed.remarks[0].contains("'significantChange'"))
    #expect(mixed.remarks[0].contains("no effect on android14-samsung, android14-xiaomi"))
  }

  @Test("faults and rollouts of a cohort concern its iPhones and its Android phones")
  func faults() throws {
    let mixed = try Self.city(
      "fleet.android=45%",
      "rollouts=[{ at: 08:00, policy: owntracks-move }, "
        + "{ at: 08:10, policy: places, cohort: cyclists }]")
    #expect(mixed.faults.map(\.cohorts) == [[0, 1, 2, 3]])
    let names = mixed.rollouts.map { mixed.policies[$0.policy].name }
    #expect(names[0] == "owntracks-move" && names[10] == "places" && names.count == 14)
    #expect(names[1...9].allSatisfy { $0 == "owntracks-android-move" })
    #expect(names[11...].allSatisfy { $0 == "places-android" })
    let cohorts = mixed.rollouts.map { $0.cohort ?? -1 }
    #expect(cohorts == [-1, 1, 2, 3, 5, 6, 7, 9, 10, 11, 4, 5, 6, 7])
  }

  @Test("without the key nothing changes, and 0% and 100% leave no empty cohorts")
  func ends() throws {
    let city = try Self.city()
    let none = try Self.city("fleet.android=0%")
    #expect(none == city && none.text == city.text && !city.text.contains("android: "))
    let all = try Self.city("fleet.android={ share: 100%, os: { android14: 1 } }")
    #expect(all.systems == ["Android"] && all.fleet.cohorts.count == 3)
  }

  @Test("the text of a mixed scenario names the cohorts and reads as the same scenario")
  func text() throws {
    let mixed = try Self.city("fleet.android=45%")
    #expect(try read(mixed.text, files: shipped.folders) == mixed)
  }

  @Test("cohorts of Android phones stay as they are")
  func mixedAlready() throws {
    let plain = try shipped.load("mixed-city")
    let mixed = try shipped.load("mixed-city", settings: [ScenarioChange("fleet.android=50%")])
    #expect(mixed.fleet.cohorts.suffix(4) == plain.fleet.cohorts.suffix(4))
    #expect(mixed.fleet.cohorts[0].share == 0.135)
  }

  @Test("a study gives Android phones the counterpart of its policy")
  func study() throws {
    let scenario = try shipped.load(
      "mixed-city", policy: "owntracks-move", origin: "the first policy")
    #expect(scenario.policies.map(\.name) == ["owntracks-move", "owntracks-android-move"])
    #expect(scenario.fleet.cohorts.map(\.policy) == [0, 1, 1, 1, 1])
  }

  @Test(
    "a wrong value says what to write",
    arguments: [
      ("fleet.android=45", "'45' is out of range; write a share from 0% to 100%"),
      ("fleet.android={ os: { android14: 1 } }", "the key 'share' is missing"),
      ("fleet.android={ share: 45%, os: { android14: 60% } }", "sum to 60%; they must sum to 100%"),
      ("fleet.android={ share: 45%, os: { ios17: 100% } }", "'ios17' is not a profile of Android"),
      ("fleet.android={ share: 45%, os: { andriod14: 1 } }", "Did you mean 'android14'?"),
      ("fleet.android={ share: 45%, policy: hybird }", "Did you mean 'hybrid'?"),
      ("fleet.android={ shares: 45% }", "unknown key 'shares'"),
    ])
  func mistakes(setting: String, message: String) {
    let found = Self.mistakes(setting)
    #expect(found.contains { $0.contains(message) }, "\(found)")
  }

  @Test("a fleet without iPhones, or with the name of a new cohort, is a mistake at the key")
  func impossible() throws {
    let android = diagnostics(
      in: smallest.replacing(
        "  cohorts:", with: "  android: 45%\n  cohorts:"
      ).replacing("policy: plain }", with: "policy: plain, os: android14 }"),
      files: shipped.folders)
    #expect(android.count == 1 && android[0].contains("no cohort has iPhones"), "\(android)")
    #expect(android.first?.hasPrefix("test.yaml:3:12") == true, "\(android)")
    let twice = Self.mistakes(
      "fleet.android=45%", "fleet.cohorts[1].name=commuters-android14")
    #expect(twice.count == 1 && twice[0].contains("a second cohort named"), "\(twice)")
  }
}
