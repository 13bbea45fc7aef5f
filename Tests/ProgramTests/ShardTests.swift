import Foundation
import LiveSupport
import TestSupport
import Testing

@Suite("Merging of shards", .quick)
struct ShardTests {
  let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  @Test("three merged shards have the run.json and timeline of one process")
  func simulate() async throws {
    let trial = Trial(phones: 120, duration: "20min", settings: ["warmStart=1h"])
    func simulate(_ name: String, _ extra: [String] = []) async throws {
      let ended = await flotilla(["simulate"] + trial.options(out: folder[name]) + extra)
      #expect([0, 99].contains(ended.code), "\(ended.text)\(ended.errorOutput)")
    }
    try await simulate("one")
    for number in 1...3 { try await simulate("\(number)", ["--shard", "\(number)/3"]) }
    let merged = await flotilla(
      ["report", "--merge"] + [3, 1, 2].map { folder["\($0)"].path }
        + ["--out", folder["all"].path])
    #expect([0, 99].contains(merged.code), "\(merged.text)\(merged.errorOutput)")
    let (one, all) = (RunFiles(folder: folder["one"]), RunFiles(folder: folder["all"]))
    let blocks: Set = ["command", "machine", "timing"]
    let lines = try one.record.lines(without: blocks)
    #expect(try lines == all.record.lines(without: blocks) && lines.count > 100)
    #expect(try one.text("timeline.csv") == all.text("timeline.csv"))
    #expect(FileManager.default.fileExists(atPath: folder["all/report.html"].path))

    let missing = await flotilla(
      ["report", "--merge", folder["1"].path, folder["3"].path, "--out", folder["no"].path])
    #expect(missing.code == 65 && missing.errorOutput.contains("shard 2 of 3 is missing"))
  }

  @Test("the merged demand of two shards equals that of one process in every second")
  func demand() async throws {
    let trial = Trial(phones: 100, duration: "10min", settings: ["warmStart=1h"])
    func demand(_ name: String, _ extra: [String] = []) async throws {
      let ended = await flotilla(["demand"] + trial.options(out: folder[name]) + extra)
      #expect(ended.code == 0, "\(ended.text)\(ended.errorOutput)")
    }
    try await demand("one")
    for number in 1...2 { try await demand("\(number)", ["--shard", "\(number)/2"]) }
    let merged = await flotilla(
      ["report", "--merge", folder["1"].path, folder["2"].path, "--out", folder["all"].path])
    #expect(merged.code == 0, "\(merged.text)\(merged.errorOutput)")
    let (one, all) = (RunFiles(folder: folder["one"]), RunFiles(folder: folder["all"]))
    let blocks: Set = ["command", "machine", "timing"]
    let lines = try one.record.lines(without: blocks)
    #expect(try lines == all.record.lines(without: blocks) && lines.count > 100)
    #expect(try one.text("demand.csv") == all.text("demand.csv"))
    #expect(FileManager.default.fileExists(atPath: folder["all/report.html"].path))
  }

  @Test(
    "the batch system determines the shard number",
    arguments: [
      (["SLURM_PROCID": "1", "SLURM_NTASKS": "3"], "auto"),
      (["JOB_COMPLETION_INDEX": "1"], "auto/3"),
    ])
  func environment(_ environment: [String: String], word: String) async throws {
    let trial = Trial(phones: 90, duration: "10min", settings: ["warmStart=1h"])
    let ended = await flotilla(
      ["simulate"] + trial.options(out: folder["run"]) + ["--shard", word],
      environment: environment)
    #expect([0, 99].contains(ended.code), "\(ended.text)\(ended.errorOutput)")
    let share = try RecordFile(Data(contentsOf: folder["run/share.json"]))
    #expect(try share.count("number") == 1 && share.count("count") == 3)
    #expect(try RunFiles(folder: folder["run"]).record.count("scenario.phones") == 30)
  }
}
