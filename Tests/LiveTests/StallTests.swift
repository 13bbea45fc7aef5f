import Foundation
import LiveSupport
import Testing

@Suite("Stalls, and who is to blame", .timeLimit(.minutes(10)))
struct StallTests {
  /// Enough uploads that more than one in a hundred falls into the stall.
  private func load(fault: String) async throws -> (Ended, RecordFile) {
    let folder = try TemporaryFolder()
    let trial = Trial(
      phones: 4_000, settings: ["slo.responseP99=500ms", "faults=[{ at: 07:37, \(fault) }]"])
    // The generator must keep up by itself, so nothing else of this suite runs beside it.
    let ended = try await Seats.hold(Seats.all) {
      try await Program.run(["load"] + trial.options(out: folder["run"]))
    }
    return (ended, try RunFiles(folder: folder["run"]).record)
  }

  @Test("a collector that stalls for 1.4 s shows in response and service: missed, not invalid")
  func collectorStall() async throws {
    let (ended, record) = try await load(fault: "for: 1400ms, kind: collector-stall")
    let reasons = try record.reasons.joined(separator: "\n")
    // A generator that others leave no processor is late, but by less than the stall; and where
    // they keep both waiting for long the run is theirs.
    let isOthers =
      reasons.hasPrefix("The generator was late") || reasons.contains("that others used")
    #expect(try record.verdict == (isOthers ? "invalid" : "slo-missed"), "\(reasons)")
    #expect(ended.code == (isOthers ? 98 : 99))
    #expect(try record.count("latency.generatorLag.p99") < 1_000_000)
    #expect(try record.count("latency.response.max") >= 1_300_000)
    #expect(try record.count("latency.service.max") >= 1_300_000)
    // Where others keep the collector from catching up, it may lie beyond the uploads' deadline.
    let p99 =
      try (try? record.count("latency.response.p99"))
      ?? record.count("latency.response.beyond.p99")
    #expect(p99 >= 500_000)
    #expect(reasons.contains("responseP99 is "))
    try record.expectClosedLedger()
    try record.expectNothingLost()
  }

  @Test("a generator that stalls for 2 s is invalid and says why")
  func generatorStall() async throws {
    let (ended, record) = try await load(fault: "for: 2s, kind: generator-stall")
    #expect(try record.verdict == "invalid")
    #expect(ended.code == 98)
    // What else runs here may have kept both waiting as well; it is told first.
    let own = try record.reasons.filter { !$0.contains("that others used") }
    #expect(own.first?.contains("generator") == true)
    #expect(try record.count("latency.generatorLag.max") >= 1_800_000)
    try record.expectClosedLedger()
    try record.expectNothingLost()
  }
}
