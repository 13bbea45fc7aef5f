import Foundation
import LiveSupport
import TestSupport
import Testing

extension Alone {
  /// A live run compared with a simulation of the same scenario.
  @Suite("A load with run.twin", .live, .timeLimit(.minutes(10)))
  struct TwinTests {
    let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    @Test("the difference is in the record and in the final lines")
    func twin() async throws {
      let trial = Trial(phones: 400, duration: "28min")
      let out = folder["twin"]
      let ended = try await Program.run(
        ["load"] + trial.options(out: out) + ["--set", "run.twin=true"])
      #expect([0, 98, 99].contains(ended.code), "\(ended.text)\(ended.errorOutput)")
      let record = try RunFiles(folder: out).record
      let alike = try record.number("agreement.phonesAlike")
      #expect(alike > 0.5 && alike <= 1)
      let live = try record.count("agreement.uploadsLive")
      let virtual = try record.count("agreement.uploadsSimulated")
      #expect(virtual > 50)
      #expect(abs(live - virtual) * 10 < virtual, "\(live) and \(virtual)")
      let low = try record.number("agreement.answeredDifference.low")
      let high = try record.number("agreement.answeredDifference.high")
      #expect(low <= 0.05 && high >= -0.05, "\(low) to \(high)")
      #expect(ended.text.contains("of the phones behaved identically in both"))
      let page = try String(contentsOf: out.appendingPathComponent("report.html"), encoding: .utf8)
      #expect(page.contains("Live run and simulation compared"))
    }
  }
}
