import Foundation
import LiveSupport
import TestSupport
import Testing

@Suite("A collector that is killed", .live, .timeLimit(.minutes(10)))
struct CollectorDeathTests {
  let folder: TemporaryFolder
  let files: RunFiles

  init() throws {
    folder = try TemporaryFolder()
    files = RunFiles(folder: folder["run"])
  }

  private func trial(_ settings: String...) -> Trial {
    var trial = Trial.endless
    trial.phones = 1_000
    trial.settings = ["network.deadline=4s"] + settings
    return trial
  }

  /// Stops it first, so that uploads are in flight when it dies.
  private func murder(_ pid: Int32, of load: RunningProcess) async throws {
    kill(pid, SIGSTOP)
    let printed = load.text.count
    try await load.says("uploads under way") { $0.dropFirst(printed).contains(#/inflight=[1-9]/#) }
    kill(pid, SIGKILL)
  }

  private func loadWithDeath(_ trial: Trial) async throws -> Ended {
    let load = try Program.start(["load"] + trial.options(out: files.folder))
    try await load.says("acknowledged, measured batches") { $0.contains(Self.acknowledgement) }
    try await murder(load.collector(), of: load)
    try await load.says("batches acknowledged by the second collector") {
      let parts = $0.split(separator: "the collector is back", maxSplits: 1)
      return parts.count == 2 && parts[1].contains(Self.acknowledgement)
    }
    load.signal(SIGINT)
    return try await load.end()
  }

  private static var acknowledgement: Regex<Substring> { #/ measure .*acked=[1-9]/# }

  @Test("without a store, the run exits with 97 and names what is missing")
  func withoutStore() async throws {
    let ended = try await loadWithDeath(trial("collector.store=none"))
    #expect(ended.code == 97, "\(ended.text)\(ended.errorOutput)")
    let record = try files.record
    #expect(try record.verdict == "loss")
    #expect(try record.count("ledger.batches.lost") > 0)
    #expect(try record.count("ledger.fixes.lost") > 0)
    let missing = try record.count("ledger.batches.lost")
    let reason = try #require(try record.reasons.first { $0.contains("are missing from") })
    #expect(reason.hasPrefix("\(missing) acknowledged batches"))
    #expect(reason.contains("phone "))
  }

  @Test("an external collector that stays away exits with 97, without a hang")
  func foreign() async throws {
    let collector = try await OwnCollector(["--store-path", folder["store.sqlite"].path])
    let load = try Program.start(
      ["load"] + trial().options(out: files.folder) + ["--collector", collector.address])
    try await load.says("acknowledged, measured batches") { $0.contains(Self.acknowledgement) }
    collector.process.signal(SIGKILL)
    _ = try await collector.process.end()
    try await load.says("uploads that failed") { $0.contains(#/failed=[1-9]/#) }
    load.signal(SIGINT)
    let ended = try await load.end()
    #expect(ended.code == 97, "\(ended.text)\(ended.errorOutput)")
    let record = try files.record
    let acknowledged = try record.count("ledger.fixes.acknowledged")
    #expect(acknowledged > 0)
    #expect(try record.count("ledger.fixes.lost") == acknowledged)
    #expect(try record.reasons.first?.contains("could be shown to be stored") == true)
  }

}
