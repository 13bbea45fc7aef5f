import Foundation
import LiveSupport
import TestSupport
import Testing

@Suite("A dictionary for batches", .live, .timeLimit(.minutes(10)))
struct DictionaryTests {
  let folder: TemporaryFolder
  var store: String { folder["run/collector.sqlite"].path }
  var file: String { folder["city.dict"].path }

  init() throws { folder = try TemporaryFolder() }

  private func load(_ arguments: [String]) async throws -> Ended {
    var trial = Trial()
    trial.phones = 200
    return try await Program.run(["load"] + trial.options(out: folder["run"]) + arguments)
  }

  @Test("is trained, used by a run, and needed to read the run's store")
  func wholeWay() async throws {
    let trained = try await Program.run(
      [
        "dictionary", "train", "city", "--phones", "120", "--duration", "6h", "--policies",
        "duty-cycle", "--kib", "8", "--out", file, "--json",
      ], of: Program.lab)
    #expect(trained.code == 0, "\(trained.errorOutput)")
    let table = try RecordFile(trained.output)
    #expect(try table.count("bytes") <= 8_192)
    let id = try table.count("dictionary")

    // Only batches of many fixes become smaller by a dictionary.
    let ended = try await load([
      "--set", "fleet.cohorts[0].policy=duty-cycle", "--set", "encoding=columns", "--set",
      "run.dictionary=\(file)",
    ])
    // SLOs and validity depend on the machine's load; the store does not.
    #expect([0, 98, 99].contains(ended.code), "\(ended.text)\(ended.errorOutput)")
    let record = try RunFiles(folder: folder["run"]).record
    #expect(try record.count("ledger.fixes.lost") == 0)
    #expect(try record.count("ledger.fixes.rejected") == 0)

    let verified = try await Program.run(["verify", store, "--dictionary", file])
    #expect(verified.code == 0, "\(verified.text)\(verified.errorOutput)")
    let blind = try await Program.run(["verify", store])
    #expect(blind.code == 97)
    #expect(blind.errorOutput.contains("the dictionary \(id)"), "\(blind.errorOutput)")
  }
}
