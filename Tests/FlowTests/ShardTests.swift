import Foundation
import LiveSupport
import Testing

@Suite("Merging of shards", .timeLimit(.minutes(2)))
struct ShardTests {
  let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  /// Runs two shards against one collector.
  private func shards(of trial: Trial) async throws -> (ended: [Ended], held: Double) {
    let (collector, ended) = try await Trial.together { start in
      let store = folder["\(UUID().uuidString).sqlite"].path
      let collector = try await OwnCollector(["--store-path", store])
      let shards = try (1...2).map { number in
        try Program.start(
          ["load"] + trial.options(out: folder["\(number)"]) + [
            "--collector", collector.address, "--shard", "\(number)/2", "--set",
            "run.startAt=\(start)",
          ])
      }
      return (collector, shards)
    }
    return (ended, try collector.metric("flotilla_batches_accepted_total"))
  }

  @Test("two processes load one collector at the same time; merged, they are one complete run")
  func load() async throws {
    let trial = Trial(
      phones: 120, speed: 240, duration: "12min", settings: ["warmStart=2h"])
    let (ended, held) = try await shards(of: trial)
    for end in ended { end.expectRun() }
    let merged = try await Program.run(
      ["report", "--merge", folder["2"].path, folder["1"].path, "--out", folder["all"].path])
    merged.expectRun()
    let all = RunFiles(folder: folder["all"])
    let parts = try (1...2).map { try RunFiles(folder: folder["\($0)"]).record }
    try all.record.expectClosedLedger()
    try all.record.expectNothingLost()
    #expect(try all.record.count("scenario.phones") == 120)
    for figure in ["ledger.fixes.generated", "ledger.fixes.acknowledged"] {
      let sum = try parts.map { try $0.count(figure) }.reduce(0, +)
      #expect(try all.record.count(figure) == sum && sum > 0)
    }
    #expect(try all.record.count("ledger.batches.distinct") == Int(held))
    // The shared collector pushes the silent phones of each.
    let pushed = try parts.map { try $0.count("wake.requested") }
    #expect(
      try pushed.allSatisfy { $0 > 0 } && all.record.count("wake.requested") == pushed.reduce(0, +))
    // Phones behave as in one process.
    let free = try await Program.run(["simulate"] + trial.options(out: folder["free"]))
    #expect([0, 99].contains(free.code), "\(free.errorOutput)")
    #expect(
      try all.record.string("digest.plan")
        == RunFiles(folder: folder["free"]).record.string("digest.plan"))
    let rows = try all.text("timeline.csv").split(separator: "\n").count
    #expect(
      try rows > 2
        && RunFiles(folder: folder["1"]).text("timeline.csv").split(separator: "\n").count == rows)
    #expect(FileManager.default.fileExists(atPath: folder["all/report.html"].path))
  }
}
