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

  // MARK: Sets of the model's parameters

  private struct VariedRecord: Decodable {
    struct Candidate: Decodable { var ensemble: Figures? }
    struct Figures: Decodable, Equatable {
      var done: Int
      var figures: [String: [String: Double]]
      var differences: [String: [String: Double]]?
    }
    struct Confirmation: Decodable { var phones: Int }
    var candidates: [Candidate]
    var winner: Int
    var ensemble: Figures?
    var better: [Int]?
    var confirmation: Confirmation?

    init(_ folder: URL) throws {
      self = try JSONDecoder().decode(
        Self.self, from: Data(contentsOf: folder.appendingPathComponent("tune.json")))
    }

    var winners: Figures? { candidates[winner].ensemble }
  }

  @Test("--ensemble prints intervals and the winner's gain, the second time from the cache")
  func ensemble() async throws {
    let folder = try TemporaryFolder()
    let words =
      Self.small + ["--ensemble", "4", "--set", "run.cache=\(folder["cache"].path)", "--out"]
    let ended = await flotilla(words + [folder["a"].path])
    #expect(ended.code == 0, "\(ended.errorOutput)")
    let sentence = "60 % intervals over the model’s parameters: 4 sets of 90 phones"
    #expect(ended.text.contains("\n\(sentence)\n"), "\(ended.text)")
    #expect(ended.text.contains("\nDifference from original settings at the same sets"))
    #expect(ended.text.contains(#/better than the original settings by fresh in \d of 4, /#))
    let kept = try FileManager.default.contentsOfDirectory(atPath: folder["cache"].path)
    #expect(!kept.isEmpty && kept.allSatisfy { $0.hasSuffix(".figures") }, "\(kept)")
    let again = await flotilla(words + [folder["b"].path])
    #expect(again.code == 0)
    let (first, second) = try (VariedRecord(folder["a"]), VariedRecord(folder["b"]))
    #expect(first.winners?.differences?["reachable-fresh"] != nil)
    #expect(first.ensemble != nil && first.ensemble == second.ensemble)
    #expect(first.winners == second.winners && first.better == second.better)
    let report = try String(contentsOf: folder["a/report.html"], encoding: .utf8)
    #expect(report.contains("id=\"model\""))
  }

  @Test("a dry run prints the runs of --ensemble; too few sets are an error")
  func ensembleUsage() async throws {
    let dry = await flotilla(Self.small + ["--ensemble", "8", "--dry-run"])
    let sentence =
      #/then the front and the original settings with 8 sets of 90 phones, \S+ phone-days at most/#
    #expect(dry.code == 0 && dry.text.contains(sentence), "\(dry.text)")
    let few = await flotilla(Self.small + ["--ensemble", "3"])
    #expect(few.code == 2 && few.errorOutput.contains("--ensemble"), "\(few.errorOutput)")
  }

  @Test("after Ctrl-C, --ensemble reports the search and the finished sets")
  func stoppedEnsemble() async throws {
    let folder = try TemporaryFolder()
    let ended = await flotilla(
      Self.small + [
        "--ui", "plain", "--ensemble", "1000", "--set", "run.cache=off", "--set",
        "run.threads=1", "--out", folder["t"].path,
      ], stoppedWhen: { $0.contains(#/set ([5-9]|\d\d+) of 1000/#) })
    #expect(ended.code == 130, "\(ended.errorOutput)")
    #expect(ended.text.contains(#/Stopped after \d+ of 1000 sets; the intervals/#), "\(ended.text)")
    #expect(ended.text.contains("Best: ") && !ended.text.contains("stopped early"))
    let record = try VariedRecord(folder["t"])
    #expect(record.confirmation != nil)
    #expect((4..<1_000).contains(try #require(record.ensemble).done))
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
