import Foundation
import LiveSupport
import TestSupport
import Testing

@Suite("Limits of the machine", .live, .timeLimit(.minutes(10)))
struct MachineLimitTests {
  let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  @Test("a collector at its limit of open files reports it in log, /readyz and verdict")
  func collectorDescriptors() async throws {
    let collector = try await OwnCollector(
      ["--store", "none"], limits: "ulimit -n 80")
    defer { collector.process.signal(SIGTERM) }
    // They send every minute, two thousand connections a second.
    let trial = Trial(
      phones: 2_000, duration: "12min",
      settings: [
        "connections=per-phone", "network.deadline=20s",
        "fleet.cohorts[0].policy=radar-continuous",
      ])
    let ended = try await Program.start(
      ["load"] + trial.options(out: folder["run"]) + ["--collector", collector.address]
    ).end()
    #expect(ended.code == 98, "\(ended.text)\(ended.errorOutput)")
    let reasons = try RunFiles(folder: folder["run"]).record.reasons
    #expect(
      reasons.contains { $0.hasPrefix("The collector ran out of descriptors") }, "\(reasons)")
    #expect(collector.events.contains("limit.descriptors"), "\(collector.process.errorOutput)")
    let page = try collector.page("/readyz")
    #expect(page.body.contains("the limit of open files is 80,"), "\(page.body)")
    #expect(try collector.metric("flotilla_ready") == 0)
  }
}
