import Foundation
import LiveSupport
import TestSupport
import Testing

@Suite("sensitivity", .quick)
struct SensitivityCommandTests {
  private static let small = [
    "sensitivity", "city", "--phones", "20", "--duration", "1h", "--set", "warmStart=1h",
    "--trajectories", "2", "--points", "20", "--vary",
    "profiles.energy[modern2022].wakeMillijoules,fleet.phone.always",
  ]

  @Test("prints tables, writes its files, is rendered again, and extends a run's report")
  func files() async throws {
    let folder = try TemporaryFolder()
    let ended = await flotilla(Self.small + ["--out", folder["study"].path])
    #expect(ended.code == 0, "\(ended.errorOutput)")
    #expect(ended.text.contains("Varied 2 of "))
    #expect(ended.text.contains("profiles.energy[modern2022].wakeMillijoules"))
    #expect(ended.text.contains("report   \(folder["study"].path)/report.html"))
    #expect(ended.errorOutput.contains("s left"))
    for name in ["sensitivity.json", "sensitivity.csv", "report.html", "summary.md"] {
      #expect(FileManager.default.fileExists(atPath: folder["study/\(name)"].path), "\(name)")
    }
    let report = try Data(contentsOf: folder["study/report.html"])
    let again = await flotilla(["report", folder["study"].path, "--out", folder["b"].path])
    #expect(again.code == 0, "\(again.errorOutput)")
    #expect(try Data(contentsOf: folder["b/report.html"]) == report)

    let run = await flotilla([
      "simulate", "city", "--phones", "20", "--duration", "1h", "--set", "warmStart=1h",
      "--quiet", "--out", folder["run"].path,
    ])
    #expect([0, 99].contains(run.code), "\(run.errorOutput)")
    let before = try String(contentsOf: folder["run/report.html"], encoding: .utf8)
    #expect(before.contains(" --ensemble 32</code>"))
    let sure = await flotilla([
      "report", folder["run"].path, "--sensitivity", folder["study"].path,
    ])
    #expect(sure.code == 0, "\(sure.errorOutput)")
    let after = try String(contentsOf: folder["run/report.html"], encoding: .utf8)
    #expect(after.contains("From a sensitivity study of"))
  }

  @Test("as JSON, standard output is only the record, with or without progress")
  func json() async throws {
    let folder = try TemporaryFolder()
    let ended = await flotilla(
      Self.small + ["--json", "--quiet", "--out", folder["study"].path])
    #expect(ended.code == 0, "\(ended.errorOutput)")
    #expect(ended.output == (try Data(contentsOf: folder["study/sensitivity.json"])))
    let object = try JSONSerialization.jsonObject(with: ended.output) as? [String: Any]
    let figures = object?["figures"] as? [[String: Any]]
    #expect(figures?.compactMap { $0["name"] as? String }.count == 5)
    #expect(!ended.errorOutput.contains("s left"))
  }

  @Test("a dry run prints the number of runs")
  func dryRun() async throws {
    let ended = await flotilla(Self.small + ["--dry-run"])
    #expect(ended.code == 0)
    #expect(
      ended.text.hasPrefix("Would simulate 29 runs of 20 phones for 1 h after a warm start of 1 h"))
    #expect(ended.text.contains("Varying 2 of "))
  }

  @Test(
    "wrong values exit with 2 and name the allowed ones",
    arguments: [
      ("--of fresh", "one of freshness, answered, answered-of-silent, battery, batches"),
      ("--of battery,battery", "is repeated"),
      ("--of ,", "contains an empty name"),
      ("--vary profiles.enrgy", "ranges exist for "),
      ("--trajectories 0 --points 0", "leave nothing to run"),
      ("--points many", "a whole number from 0 to 10000"),
    ])
  func wrong(words: String, message: String) async throws {
    let ended = await flotilla(
      ["sensitivity", "city"] + words.split(separator: " ").map(String.init))
    #expect(ended.code == 2)
    #expect(ended.errorOutput.contains(message), "\(ended.errorOutput)")
    #expect(ended.errorOutput.split(separator: "\n").count == 1)
  }

  @Test("a study of another scenario is rejected")
  func otherScenario() async throws {
    let folder = try TemporaryFolder()
    let study = await flotilla(
      Self.small + ["--trajectories", "0", "--set", "scenario=town", "--out", folder["s"].path])
    #expect(study.code == 0, "\(study.errorOutput)")
    let run = await flotilla([
      "simulate", "city", "--phones", "20", "--duration", "1h", "--set", "warmStart=1h",
      "--quiet", "--out", folder["run"].path,
    ])
    #expect([0, 99].contains(run.code))
    let ended = await flotilla([
      "report", folder["run"].path, "--sensitivity", folder["s"].path,
    ])
    #expect(ended.code == 65)
    #expect(ended.errorOutput.contains("is a study of the scenario 'town'"))
  }

  @Test("Ctrl-C exits with 130 and reports the finished part")
  func interrupt() async throws {
    let folder = try TemporaryFolder()
    let ended = await flotilla(
      [
        "sensitivity", "city", "--phones", "20", "--duration", "2h", "--set", "warmStart=1h",
        "--set", "run.threads=1", "--trajectories", "0", "--points", "60", "--out",
        folder["run"].path,
      ], stoppedWhen: { $0.contains(#/run ([4-9]|[1-2]\d) of 61/#) })
    #expect(ended.code == 130, "\(ended.errorOutput)")
    #expect(ended.text.contains("of 61 runs; these are reported"))
    #expect(
      FileManager.default.fileExists(atPath: folder["run/sensitivity.json"].path))
  }
}
