internal import Core
internal import Foundation
internal import TestSupport
internal import Testing

@testable internal import Scenarios

@Suite("Policies by name, in files and inline", .quick)
struct PolicyTests {
  static let folder = shipped.folders[0]

  static func scenario(policy: String) -> String {
    """
    scenario: one
    fleet:
      cohorts:
        - { name: all, share: 1, mobility: homebody, policy: \(policy) }
    """
  }

  @Test("significant-change is row c of section 6: no burst, EF1's filter, a send for each fix")
  func significantChange() throws {
    let policy = try read(
      Self.scenario(policy: "significant-change"), files: [Self.folder]
    ).policies[0]
    #expect(policy.settings.background.service.pattern == .off)
    #expect(
      policy.settings.background.filter.rule == .minimum(time: .seconds(60), distance: .meters(100))
    )
    #expect(policy.settings.send.interval == .zero && policy.settings.send.backgroundTask)
    #expect(
      policy.settings.regionRadius == nil && !policy.settings.visits
        && policy.settings.significantChange)
  }

  @Test("an override keeps its base's values for everything else")
  func overrides() throws {
    let scenario = try read(
      Self.scenario(policy: "{ base: hybrid, send: { interval: 60s }, onPush: cached }"),
      files: [Self.folder])
    var expected = Policy.standard
    expected.name = "hybrid*"
    expected.description = scenario.policies[0].description
    expected.settings.send.interval = .seconds(60)
    expected.settings.onPush = .cached
    expected.androidPolicy = "hybrid-android"
    #expect(scenario.policies == [expected])
  }

  @Test("equal overrides are one policy, different ones are separate")
  func overridesAreNumbered() throws {
    func cohort(_ name: String, _ share: String, _ interval: String) -> String {
      let policy = "{ base: hybrid, send: { interval: \(interval) } }"
      return "{ name: \(name), share: \(share), mobility: cyclist, policy: \(policy) }"
    }
    let cohorts = [
      cohort("a", "50%", "1min"), cohort("b", "30%", "60s"), cohort("c", "20%", "2min"),
    ]
    let scenario = try read(
      "scenario: s\nfleet: { cohorts: [\(cohorts.joined(separator: ", "))] }",
      files: [Self.folder])
    #expect(scenario.policies.map(\.name) == ["hybrid*", "hybrid*2"])
    #expect(scenario.fleet.cohorts.map(\.policy) == [0, 0, 1])
    #expect(try read(scenario.text) == scenario)
  }

  @Test("an unknown policy names the nearest and the folders that were searched")
  func unknown() {
    let found = diagnostics(in: Self.scenario(policy: "hybird"), files: [Self.folder])
    #expect(found.count == 1)
    #expect(found[0].hasPrefix("test.yaml:4:58: fleet.cohorts[0].policy: unknown policy 'hybird'."))
    #expect(found[0].contains("Did you mean 'hybrid'?"))
    #expect(found[0].contains("looked in \(Self.folder)/policies"))
  }

  @Test("a name cannot lead out of the policies' folder", arguments: ["../city", ".hidden", "a/b"])
  func names(name: String) {
    let found = diagnostics(in: Self.scenario(policy: name), files: [Self.folder])
    #expect(found.count == 1 && found[0].contains("unknown policy"), "\(found)")
  }

  @Test("RG1: a region of less than 100 m is a mistake")
  func regions() {
    let found = diagnostics(
      in: Self.scenario(policy: "{ base: hybrid, regionRadius: 50m }"), files: [Self.folder])
    #expect(found.count == 1 && found[0].contains("a distance from 100m to 50km"), "\(found)")
  }

  @Test("mistakes in a policy's file are reported at that file, once; a circle of bases ends")
  func files() throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent(
      "flotilla-\(ProcessInfo.processInfo.processIdentifier)-files")
    let policies = folder.appendingPathComponent("policies")
    try FileManager.default.createDirectory(at: policies, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    func write(_ name: String, _ text: String) throws {
      try Data(text.utf8).write(to: policies.appendingPathComponent("\(name).yaml"))
    }
    try write("broken", "visits: maybe\n")
    try write("misnamed", "name: other\n")
    try write("tick", "base: tock\n")
    try write("tock", "base: tick\n")
    func found(_ policy: String) -> [String] {
      diagnostics(in: Self.scenario(policy: policy), files: [folder.path])
    }
    #expect(
      found("broken") == [
        "\(policies.path)/broken.yaml:1:9: visits: 'maybe' is unknown; write one of true, false."
      ])
    #expect(found("misnamed")[0].contains("the name is 'other' but the file is 'misnamed.yaml'"))
    #expect(found("tick").contains { $0.contains("more than 4 levels deep") })
  }
}
