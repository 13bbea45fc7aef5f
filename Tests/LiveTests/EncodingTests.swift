import Foundation
import LiveSupport
import Testing

@Suite("How phones write their batches", .timeLimit(.minutes(10)))
struct EncodingTests {
  let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  @Test(
    "a run in columns or rows keeps the ledger, and its store is verified and exported",
    arguments: ["columns", "rows-gzip", "rows-zstd"])
  func wholeWay(encoding: String) async throws {
    var trial = Trial()
    trial.phones = 100
    let run = folder[encoding]
    let ended = try await Seats.hold {
      try await Program.run(
        ["load"] + trial.options(out: run) + ["--set", "encoding=\(encoding)"])
    }
    // Levels and validity hang on how busy the machine is; what is stored does not.
    #expect([0, 98, 99].contains(ended.code), "\(ended.text)\(ended.errorOutput)")
    let record = try RunFiles(folder: run).record
    #expect(try record.count("ledger.fixes.acknowledged") > 0)
    #expect(try record.count("ledger.fixes.lost") == 0)
    #expect(try record.count("ledger.fixes.rejected") == 0)

    let store = run.appendingPathComponent("collector.sqlite").path
    let verified = try await Program.run(["verify", store])
    #expect(verified.code == 0, "\(verified.text)\(verified.errorOutput)")
    let exported = try await Program.run(["export", store, "--format", "csv"])
    // RFC 4180 ends its lines in CR LF, which is one character here.
    let rows = exported.text.split(whereSeparator: \.isNewline).count - 1
    #expect(try rows == record.count("ledger.fixes.distinct"))
  }
}
