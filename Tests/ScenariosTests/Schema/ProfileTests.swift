internal import Core
internal import Foundation
internal import TestSupport
internal import Testing

@testable internal import Scenarios

@Suite("Profiles by name, in files and inline", .quick)
struct ProfileTests {
  static func scenario(_ keys: String, profiles: String = "") -> String {
    """
    scenario: one
    \(profiles)
    fleet:
      cohorts:
        - { name: all, share: 1, mobility: homebody, policy: hybrid, \(keys) }
    """
  }

  static func cohort(_ keys: String, profiles: String = "") throws -> Cohort {
    try read(scenario(keys, profiles: profiles), files: shipped.folders).fleet.cohorts[0]
  }

  @Test(
    "LC5, LC10, BR1, AU2: each generation has the flags of section 0",
    arguments: ["ios7", "ios8", "ios12", "ios15", "ios17", "ios26", "ios27"])
  func generations(name: String) throws {
    let os = try shipped.osProfile(name)
    #expect(!os.description.isEmpty)
    let isOld = ["ios7", "ios8", "ios12"].contains(name)
    #expect(os.value.system.rules.backgroundTaskBudget == .seconds(isOld ? 180 : 30))
    #expect(os.value.system.rules.refreshOffBlocksLocationWakes == isOld)
    #expect(os.value.system.rules.defersUpdates == isOld)
    #expect(os.value.system.rules.hasProvisionalAlways == !isOld)
    #expect(os.value.system.rules.hasProcessingTasks == !isOld)
    let isNew = ["ios26", "ios27"].contains(name)
    #expect(os.value.system.rules.relaunchesAfterForceQuit == !(isNew || name == "ios7"))
    #expect(os.value.system.rules.monitorNeedsSession == isNew)
    #expect(os.value.system.rules.hasConditionMonitor == (isNew || name == "ios17"))
    #expect(os.value.system.rules.requiresRequest == (name != "ios7"))
    #expect(os.value.system.rules.suspendsHiddenStandard == (isNew || name == "ios17"))
    let legacy = try shipped.significantChangeProfile("legacy").value
    #expect((os.value.significantChange == legacy) == (name == "ios7"))
  }

  @Test("a cohort has its OS's significant-change service unless it names another")
  func service() throws {
    let old = try Self.cohort("os: ios7")
    #expect(old.significantChange.name == "legacy")
    #expect(old.os.value.significantChange == old.significantChange.value)
    let mixed = try Self.cohort("os: ios7, significantChange: modern, energy: legacy2015")
    #expect(mixed.significantChange.name == "modern")
    #expect(mixed.os.value.significantChange == .standard)
    #expect(mixed.energy.value.batteryWattHours == 7.45)
    #expect(try Self.cohort("").os.name == "ios17")
  }

  @Test("an override keeps its base's values for everything else, and shows in full")
  func overrides() throws {
    let cohort = try Self.cohort(
      "os: { base: ios15, pauseTrap: recoverable }, "
        + "energy: { base: modern2022, wifi: { tailSeconds: 1 } }"
    )
    var expected = try shipped.osProfile("ios15").value
    expected.system.rules.pauseTrap = .recoverable
    #expect(cohort.os.name == "ios15*" && cohort.os.value == expected)
    var energy = EnergyProfile.standard
    energy.wifi.tailSeconds = 1
    #expect(cohort.energy.name == "modern2022*" && cohort.energy.value == energy)
    let scenario = try read(
      Self.scenario("os: { base: ios15, pauseTrap: recoverable }"), files: shipped.folders)
    #expect(try read(scenario.text) == scenario)
  }

  @Test("a scenario's own profile overrides a file of its name")
  func own() throws {
    let profiles = "profiles: { significantChange: [{ base: modern, name: modern, gapMin: 9min }] }"
    let cohort = try Self.cohort("os: ios15", profiles: profiles)
    #expect(cohort.significantChange.value.gapMin == .minutes(9))
    #expect(cohort.os.value.significantChange.gapMin == .minutes(9))
  }

  @Test("a sensor profile beside a scenario is read, also where nobody names it")
  func sensors() throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent(
      "flotilla-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: folder) }
    let profiles = folder.appendingPathComponent("profiles/sensors")
    try FileManager.default.createDirectory(at: profiles, withIntermediateDirectories: true)
    try Data("name: standard\nsatellites: { open: 4.5m }\n".utf8).write(
      to: profiles.appendingPathComponent("standard.yaml"))
    func open(_ settings: String...) throws -> Double {
      try read(smallest, settings: settings, files: [folder.path]).sensors.value
        .satellites.open
    }
    #expect(try read(smallest).sensors.value == .standard)
    #expect(try read(smallest, files: shipped.folders).sensors.value == .standard)
    #expect(try open() == 4.5)
    #expect(try open("sensors.cell=300m") == 4.5)
    #expect(try open("sensors.satellites.open=2m") == 2)
    let scenario = try read(smallest, files: [folder.path])
    #expect(try read(scenario.text, files: shipped.folders) == scenario)
    try Data("name: standard\nsatellites: { open: far }\n".utf8).write(
      to: profiles.appendingPathComponent("standard.yaml"))
    #expect(
      diagnostics(in: smallest, files: [folder.path]).contains { $0.contains("standard.yaml:2") })
  }

  @Test("an unknown profile lists the existing ones")
  func unknown() {
    let found = diagnostics(
      in: Self.scenario("os: ios127, energy: modern2O22, significantChange: legcy"),
      files: shipped.folders)
    #expect(found.count == 3)
    #expect(
      found[0].contains(
        "unknown OS profile 'ios127'. Did you mean 'ios12'? Known: android10, android11, "
          + "android12, android13, android14, android14-huawei, android14-motorola, "
          + "android14-oppo, android14-samsung, android14-vivo, android14-xiaomi, android15, "
          + "android16, android8, android9, ios12, ios15, ios17, ios26, ios27, ios7, ios8; "
          + "looked in \(shipped.folders[0])/profiles/os."), "\(found)")
    #expect(found[1].contains("unknown energy profile") && found[1].contains("'modern2022'?"))
    #expect(found[2].contains("unknown significant-change profile"))
  }
}
