import Foundation
import LiveSupport
import TestSupport
import Testing

/// The shipped targets of three SDKs, against receivers as strict as those SDKs' backends.
@Suite(
  "Targets of SDKs", .live, .timeLimit(.minutes(10)), .needs(.python))
struct TargetReceiverTests {
  @Test("a fleet with the Radar target sends its backlog as replays, and all fixes arrive")
  func replays() async throws {
    let folder = try TemporaryFolder()
    let (server, url) = try await SDKReceivers.server()
    defer { server.signal(SIGKILL) }
    let target = try SDKReceivers.file(SDKReceivers.clients[1], in: folder)
    let ended = try await Program.run([
      "load", "city", "--target", target, "--target-url", url, "--phones", "200",
      "--duration", "3s", "--set", "warmStart=10min", "--set", "start=2026-03-02T08:00",
      "--set", "faults=[]", "--set", "slo={}",
      "--set", "fleet.cohorts[0].policy=hybrid", "--ui", "plain", "--out", folder["run"].path,
    ])
    ended.expectRun()
    let record = try RunFiles(folder: folder["run"]).record
    let stored = try record.count("target.fixes.stored")
    #expect(stored > 20, "\(ended.text)")
    #expect(try record.count("target.readback.confirmed") == stored)
    #expect(try record.count("target.readback.missing") == 0)
    let text = try RunFiles(folder: folder["run"]).text("run.json")
    #expect(text.contains(#/"request"\s*:\s*"backlog"/#))
  }
}
