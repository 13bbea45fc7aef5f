import Foundation
import LiveSupport
import TestSupport
import Testing

@Suite("tune", .quick)
struct TuneCommandTests {
  private static let small = [
    "tune", "city", "--phones", "90", "--duration", "1h", "--set", "warmStart=1h", "--policy",
    "hybrid", "--vary", "policy.send.interval=1min,5min", "--vary", "push.silentAfter=15min,45min",
    "--maximize", "fresh", "--subject", "battery<=9%/day", "--subject", "pushes≤40/day",
  ]

  private struct Record: Decodable {
    struct Cost: Decodable { var search: Double, grid: Double }
    var cost: Cost
    var winner: Int?
    var front: [Int]
  }

  @Test("finds a winner at half the cost of a grid; its policy is valid")
  func winner() async throws {
    let folder = try TemporaryFolder()
    let ended = await flotilla(Self.small + ["--out", folder["t"].path])
    #expect(ended.code == 0, "\(ended.errorOutput)")
    #expect(ended.text.contains("Best: ") && ended.text.contains("With 2 other seeds"))
    #expect(ended.errorOutput.contains("rung 1 of 2"))
    let record = try JSONDecoder().decode(
      Record.self, from: Data(contentsOf: folder["t/tune.json"]))
    #expect(record.cost.search <= record.cost.grid / 2)
    #expect(record.winner.map { record.front.contains($0) } == true)
    let policy = folder["t/policies/hybrid-tuned.yaml"].path
    for file in [policy, folder["t/city-tuned.yaml"].path] {
      let checked = await flotilla(["scenario", "check", file])
      #expect(checked.code == 0, "\(checked.errorOutput)")
      #expect(checked.text.contains("valid"))
    }
    let report = try Data(contentsOf: folder["t/report.html"])
    let again = await flotilla(["report", folder["t"].path, "--out", folder["b"].path])
    #expect(again.code == 0, "\(again.errorOutput)")
    #expect(try Data(contentsOf: folder["b/report.html"]) == report)
    #expect(String(decoding: report, as: UTF8.self).contains("fresh against battery"))
  }

  @Test("a dry run prints the search; wrong options are errors")
  func usage() async throws {
    let dry = await flotilla(Self.small + ["--dry-run"])
    #expect(dry.code == 0 && dry.text.contains("4 candidates with"), "\(dry.text)")
    let wrong: [([String], Int32, String)] = [
      (["--maximize", "fresh"], 2, "requires --vary"),
      (["--vary", "push.silentAfter=15min,1h"], 2, "requires a goal"),
      (["--vary", "push.silentAfter=15min,1h", "--maximize", "joy"], 2, "one of fresh"),
      (
        ["--vary", "push.silentAfter=15min,1h", "--maximize", "fresh", "--subject", "battery"], 2,
        "battery<=2%/day"
      ),
      (["--vary", "push.silentAfter=15min,1h", "--maximize", "fresh"], 2, "--policy"),
    ]
    for (words, code, sentence) in wrong {
      let ended = await flotilla(["tune", "city"] + words)
      #expect(ended.code == code && ended.errorOutput.contains(sentence), "\(ended.errorOutput)")
    }
  }

  @Test("Ctrl-C reports the finished rungs, and exits with 130")
  func interrupted() async throws {
    let folder = try TemporaryFolder()
    let ended = await flotilla(
      [
        "tune", "city", "--phones", "500", "--duration", "12h", "--policy", "hybrid", "--set",
        "warmStart=1h", "--vary", "push.silentAfter=15min,30min,45min,1h", "--maximize", "fresh",
        "--out", folder["t"].path,
      ], stoppedWhen: { $0.contains("rung 2 of 2") })
    #expect(ended.code == 130, "\(ended.errorOutput)")
    #expect(ended.text.contains("stopped early"), "\(ended.text)")
    let report = try Data(contentsOf: folder["t/report.html"])
    #expect(String(decoding: report, as: UTF8.self).contains("stopped early"))
    let checked = await flotilla([
      "scenario", "check", folder["t/policies/hybrid-tuned.yaml"].path,
    ])
    #expect(checked.code == 0, "\(checked.errorOutput)")
  }
}
