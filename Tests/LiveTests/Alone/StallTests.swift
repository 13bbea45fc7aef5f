import Foundation
import LiveSupport
import TestSupport
import Testing

extension Alone {
  @Suite("Stalls and their cause", .live, .timeLimit(.minutes(10)))
  struct StallTests {
    /// Enough uploads that more than one in a hundred falls into the stall.
    private func load(fault: String) async throws -> (Ended, RecordFile) {
      let folder = try TemporaryFolder()
      let trial = Trial(
        phones: 4_000, settings: ["slo.responseP99=500ms", "faults=[{ at: 07:37, \(fault) }]"])
      let ended = try await Program.run(["load"] + trial.options(out: folder["run"]))
      return (ended, try RunFiles(folder: folder["run"]).record)
    }

    @Test("a collector stall of 1.4 s shows in response and service time: SLO not met, run valid")
    func collectorStall() async throws {
      let (ended, record) = try await load(fault: "for: 1400ms, kind: collector-stall")
      let reasons = try record.reasons.joined(separator: "\n")
      // Needs processors that no other program uses; else the run is invalid, and says so.
      #expect(try record.verdict == "slo-missed", "\(reasons)")
      #expect(ended.code == 99)
      #expect(try record.count("latency.generatorLag.p99") < 1_000_000)
      #expect(try record.count("latency.response.max") >= 1_300_000)
      #expect(try record.count("latency.service.max") >= 1_300_000)
      #expect(try record.count("latency.response.p99") >= 500_000)
      #expect(reasons.contains("responseP99 is "))
      try record.expectClosedLedger()
      try record.expectNothingLost()
    }

    @Test("a generator stall of 2 s makes the run invalid, with the reason")
    func generatorStall() async throws {
      let (ended, record) = try await load(fault: "for: 2s, kind: generator-stall")
      #expect(try record.verdict == "invalid")
      #expect(ended.code == 98)
      #expect(try record.reasons.first?.contains("generator") == true)
      #expect(try record.count("latency.generatorLag.max") >= 1_800_000)
      try record.expectClosedLedger()
      try record.expectNothingLost()
    }
  }
}
