import Foundation
import LiveSupport
import Testing

@Suite("A collector that is killed", .timeLimit(.minutes(2)))
struct CollectorDeathTests {
  @Test("it restarts on its store; phones resend, and nothing is lost")
  func restarted() async throws {
    let folder = try TemporaryFolder()
    let files = RunFiles(folder: folder["run"])
    let trial = Trial.open(phones: 200, "network.deadline=4s", "encoding=rows-zstd")
    let load = try Program.start(["load"] + trial.options(out: files.folder))
    try await load.acknowledges()
    let collector = try await load.collector()
    // Stopped first, so that uploads are in flight when it is killed.
    kill(collector, SIGSTOP)
    try await load.hasUploadsUnderWay()
    kill(collector, SIGKILL)
    try await load.says("the collector is back")
    let printed = load.text.prefix(
      upTo: try #require(load.text.firstRange(of: "is back")?.lowerBound))
    try await load.acknowledges(after: printed.count)
    load.signal(SIGINT)
    try await load.end().expectInterrupted()
    let record = try files.record
    try record.expectClosedLedger()
    try record.expectNothingLost()
    #expect(try record.count("errors.retries") > 0)
    #expect(try files.log.contains("the collector is back"))
    try await files.expectExported()
  }
}
