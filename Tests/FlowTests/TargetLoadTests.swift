import Foundation
import LiveSupport
import TestSupport
import Testing

/// A fleet against a third-party backend.
@Suite("load --target", .timeLimit(.minutes(2)))
struct TargetLoadTests {
  @Test(
    "fixes are registered, sent within the rate limit and read back, with current times",
    .needs(.python))
  func stores() async throws {
    let backend = try await TargetBackend("ok")
    let ended = try await backend.start(["--set", "run.rateLimit=100/s", "--phones", "800"]).end()
    ended.expectRun()
    #expect(ended.text.contains("Verified by read-back"))
    let record = try backend.run.record
    try record.expectTargetBalance()
    let counts = try await backend.counts()
    let stored = try record.count("target.fixes.stored")
    #expect(stored > 20)
    #expect(Double(stored) == counts["fixes"])
    #expect(try record.count("target.readback.confirmed") == stored)
    #expect(try record.count("target.readback.missing") == 0)
    // The server's own counts.
    #expect(try record.number("target.server.coresUsed") >= 0)
    #expect(try record.number("target.server.residentBytesMax") > 1_000_000)
    // The scenario is in March; uploaded times are of today.
    #expect(abs(counts["newestAge"] ?? .infinity) < 60)
    #expect((counts["devices"] ?? 0) > 10)
    // Includes ramp and drain, and what one second may add.
    let seconds = try record.number("timing.liveWallSeconds") + 1
    #expect((counts["requests"] ?? 0) + (counts["devices"] ?? 0) <= 100 * seconds)
    // The token is in no file and no output of the run.
    for name in ["run.json", "log.txt", "summary.md", "report.html", "timeline.csv"] {
      #expect(try !backend.run.text(name).contains(TargetBackend.secret), "\(name)")
    }
    #expect(!(ended.text + ended.errorOutput).contains(TargetBackend.secret))
  }

  @Test(
    "over gRPC, messages have the server's types, and losses are found",
    .needs(.grpcio), .needs(.protoc))
  func overGRPC() async throws {
    let (ended, record) = try await BeaconServer.load(answers: "loses")
    #expect(ended.code == 97, "\(ended.text)\(ended.errorOutput)")
    #expect(try record.count("target.readback.missing") > 10)
  }
}
