internal import Core
internal import Foundation
internal import TestSupport
internal import Testing

@testable internal import Scenarios

@Suite("Files of policies and profiles, used or not", .quick)
struct DataFileTests {
  @Test("every shipped policy and profile is valid, has a description, and is read")
  func shippedFiles() throws {
    let files = shipped.dataFiles
    #expect(files.count { $0.kind == .policy } >= 2)
    #expect(files.filter { $0.kind == .os }.count == 22)
    for file in files {
      let outline = try shipped.check(file)
      #expect(!outline.description.isEmpty, "\(file.path) has no description")
    }
  }

  @Test("a name means a scenario first; a path is classified by its folder, else by its keys")
  func kinds() throws {
    #expect(shipped.dataFile("city") == nil)
    #expect(shipped.dataFile("hybrid")?.kind == .policy)
    #expect(shipped.dataFile("ios12")?.kind == .os)
    #expect(shipped.dataFile("legacy")?.kind == .significantChange)
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent(
      "flotilla-\(ProcessInfo.processInfo.processIdentifier)-kinds")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    func kind(_ text: String) throws -> FileKind? {
      let path = folder.appendingPathComponent("mine.yaml").path
      try Data(text.utf8).write(to: URL(fileURLWithPath: path))
      return shipped.dataFile(path)?.kind
    }
    #expect(try kind("name: mine\nvisits: true\nonPush: burst\n") == .policy)
    #expect(try kind("wakeGrace: 5s\n") == .os)
    #expect(try kind("gapMin: 5min\n") == .significantChange)
    #expect(try kind("batteryWattHours: 10\n") == .energy)
    #expect(try kind("scenario: mine\n") == nil)
  }

  @Test("every mistake of an unused policy is found, and its base in the same folder is read")
  func unused() throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent(
      "flotilla-\(ProcessInfo.processInfo.processIdentifier)-unused")
    let policies = folder.appendingPathComponent("policies")
    try FileManager.default.createDirectory(at: policies, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    func write(_ name: String, _ text: String) throws -> DataFile {
      let path = policies.appendingPathComponent("\(name).yaml")
      try Data(text.utf8).write(to: path)
      return try #require(shipped.dataFile(path.path))
    }
    _ = try write("ground", "visits: false\n")
    let good = try write("good", "base: ground\ndescription: stands on its neighbour\n")
    #expect(try shipped.check(good).description == "stands on its neighbour")
    let bad = try write("bad", "vists: true\nregionRadius: 50m\nonPush: sing\n")
    let fault = #expect(throws: ScenarioError.self) { try shipped.check(bad) }
    let texts = (fault?.diagnostics ?? []).map(\.description)
    #expect(texts.count == 3)
    #expect(texts.allSatisfy { $0.hasPrefix("\(bad.path):") }, "\(texts)")
    #expect(texts.first?.contains("Did you mean 'visits'?") == true)
  }

  @Test(
    "AU2, AU8, AU10, LC5, DC6: effects of a policy's flaws on its phones are reported",
    arguments: [
      ("app: { backgroundMode: false }", "crashes", "AU8"),
      (
        "app: { motionDescription: false }, background: { rest: { sign: { motion: [cycling] } } }",
        "motion activity", "AU10"
      ),
      ("app: { alwaysDescription: false }", "no prompt", "AU2"),
      ("background: { standard: { burst: { for: 60s } } }", "ios15, ios17, ios26", "LC5"),
      ("background: { standard: { dutyCycle: { on: 10s } } }", "off for 50s", "DC6"),
      (
        "background: { standard: continuous, distanceFilter: 10m }", "ios17, ios26",
        "since iOS 16.4"
      ),
      (
        "app: { allowsBackgroundUpdates: false }, background: { standard: continuous }",
        "leaves the foreground", "AU7"
      ),
      (
        "significantChange: false, background: { standard: continuous, liveUpdates: true }",
        "leaves the foreground", "LU1"
      ),
    ])
  func remarks(keys: String, part: String, rule: String) throws {
    let scenario = try read(PolicyKeysTests.scenario(keys))
    let systems = try ["ios7", "ios12", "ios15", "ios17", "ios26"].map { try shipped.osProfile($0) }
    let remarks = scenario.policies[0].remarks(on: systems)
    #expect(remarks.count == 1, "\(remarks)")
    #expect(remarks.first?.contains(part) == true && remarks.first?.contains(rule) == true)
  }

  @Test("a scenario's remarks mention only the systems of its cohorts")
  func scenarioRemarks() throws {
    let text = PolicyKeysTests.scenario("background: { standard: { burst: { for: 60s } } }")
    #expect(try read(text).remarks.contains { $0.contains("policy 'p'") && $0.contains("ios17") })
    let old = text.replacing("policy: p", with: "policy: p, os: ios12")
    #expect(try read(old, files: shipped.folders).remarks.isEmpty)
  }
}
