import Foundation
import LiveSupport
import TestSupport
import Testing

@Suite("simulate --sweep", .quick)
struct SweepCommandTests {
  private static let small = [
    "simulate", "city", "--phones", "20", "--duration", "1h", "--set", "warmStart=1h", "--ui",
    "plain", "--sweep", "push.silentAfter=15min..45min:2",
  ]

  @Test("prints answer and table, writes its files, and is rendered again from them")
  func files() async throws {
    let folder = try TemporaryFolder()
    let ended = await flotilla(
      Self.small + ["--sweep", "push.scheduler=none,fixed", "--out", folder["a"].path])
    #expect(ended.code == 0, "\(ended.errorOutput)")
    #expect(ended.text.contains("\nsilentAfter  scheduler"))
    #expect(ended.text.contains("report   \(folder["a"].path)/report.html"))
    for name in ["sweep.json", "sweep.csv", "report.html", "summary.md"] {
      #expect(FileManager.default.fileExists(atPath: folder["a/\(name)"].path), "\(name)")
    }
    let report = try Data(contentsOf: folder["a/report.html"])
    let again = await flotilla([
      "report", folder["a"].path, "--out", folder["again"].path,
    ])
    #expect(again.code == 0, "\(again.errorOutput)")
    #expect(try Data(contentsOf: folder["again/report.html"]) == report)
  }

  @Test("with --ui json, standard output is only JSON, the sweep one line")
  func json() async throws {
    let folder = try TemporaryFolder()
    let ended = await flotilla(
      Self.small + ["--ui", "json", "--out", folder["run"].path])
    #expect(ended.code == 0, "\(ended.errorOutput)")
    let types = try ended.text.split(separator: "\n").map { line in
      let json = try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any]
      return json?["type"] as? String
    }
    #expect(types.last == "sweep")
  }

  @Test("errors are one line each, and nothing runs or is written")
  func diagnostics() async throws {
    let folder = try TemporaryFolder()
    let ended = await flotilla(
      Self.small + [
        "--sweep", "push.scheduler=fixd,none", "--sweep", "push.within=1min",
        "--out", folder["run"].path,
      ])
    #expect(ended.code == 65)
    #expect(ended.errorOutput.split(separator: "\n").count == 2, "\(ended.errorOutput)")
    #expect(ended.errorOutput.contains("Did you mean 'fixed'?"))
    #expect(!FileManager.default.fileExists(atPath: folder["run"].path))
  }

  @Test("a dry run prints points, phones and hours")
  func dryRun() async throws {
    let ended = await flotilla(Self.small + ["--dry-run"])
    #expect(ended.code == 0)
    #expect(
      ended.text.hasPrefix("Would simulate 2 points and 1 run without pushes: 20 phones for 1 h"))
  }

  @Test("Ctrl-C exits with 130 and reports the finished part")
  func interrupt() async throws {
    let folder = try TemporaryFolder()
    let ended = await flotilla(
      [
        "simulate", "city", "--phones", "20", "--duration", "2h", "--set", "warmStart=1h",
        "--ui", "plain", "--set", "run.threads=1", "--sweep", "push.silentAfter=1h..40h:40",
        "--out", folder["run"].path,
      ], stoppedWhen: { $0.contains(#/([4-9]|[1-3]\d) of 40/#) })
    #expect(ended.code == 130, "\(ended.errorOutput)")
    #expect(ended.text.contains("of 40 points; these are reported"))
    #expect(FileManager.default.fileExists(atPath: folder["run/sweep.json"].path))
  }
}
