import Foundation
import LiveSupport
import Testing

@Suite("Signals to a live run", .timeLimit(.minutes(2)))
struct InterruptTests {
  let folder: TemporaryFolder
  let files: RunFiles

  init() throws {
    folder = try TemporaryFolder()
    files = RunFiles(folder: folder["run"])
  }

  private func started(_ settings: String...) async throws -> (RunningProcess, Int32) {
    var trial = Trial.open()
    trial.settings += settings
    let load = try Program.start(["load"] + trial.options(out: files.folder))
    try await load.says(" measure ")
    return (load, try await load.collector())
  }

  @Test("Ctrl-C drains, reports, and exits with 130")
  func interrupt() async throws {
    let (load, collector) = try await started()
    load.signal(SIGINT)
    try await expectInterrupted(load, collector)
  }

  @Test("SIGTERM does the same; with run.proof=false the store is not read")
  func terminate() async throws {
    let (load, collector) = try await started("run.proof=false")
    try await load.acknowledges()
    try FileManager.default.removeItem(at: files.store)
    load.signal(SIGTERM)
    try await expectInterrupted(load, collector)
    #expect(try !files.log.contains("read the store of"))
  }

  @Test("options and a file for a build server come from the environment, also if interrupted")
  func environment() async throws {
    let junit = folder["junit.xml"]
    let trial = Trial.open()
    // A collector that read them would refuse to start, or listen where the page does.
    let load = try RunningProcess(
      Program.url, ["load"] + trial.options(out: files.folder),
      environment: [
        "FLOTILLA_JUNIT": junit.path, "FLOTILLA_WEB": "127.0.0.1:0", "FLOTILLA_ADMIN": "nowhere",
        "FLOTILLA_LISTEN": "nowhere", "FLOTILLA_STORE": "nowhere", "GITHUB_ACTIONS": "true",
      ])
    try await load.says(" measure ")
    #expect(try String(contentsOf: junit, encoding: .utf8).contains("The run has not ended."))
    #expect(load.text.contains("\nweb      http://127.0.0.1:"))
    load.signal(SIGTERM)
    let ended = try await load.end()
    ended.expectInterrupted()
    let text = try String(contentsOf: junit, encoding: .utf8)
    #expect(text.contains("name=\"verdict\"") && text.contains("Stopped at 2026-03-02T"))
    #expect(!text.contains("The run has not ended."))
    #expect(ended.text.contains("\n::error title=flotilla load city%3A verdict::"))
  }

  private func expectInterrupted(_ load: RunningProcess, _ collector: Int32) async throws {
    let ended = try await load.end()
    ended.expectInterrupted()
    #expect(try await !ProcessTable.isAlive(collector))
    let record = try files.record
    #expect(try ["interrupted", "invalid"].contains(record.verdict))
    #expect(try record.reasons.contains { $0.hasPrefix("Stopped at 2026-03-02T") })
    try record.expectClosedLedger()
    try record.expectNothingLost()
  }

  @Test("Ctrl-C twice quits immediately, even if the collector hangs")
  func interruptTwice() async throws {
    // Without responses, the drain waits for requests in flight, longer than this test.
    let (load, collector) = try await started("network.deadline=10min")
    kill(collector, SIGSTOP)
    try await load.hasUploadsUnderWay()
    load.signal(SIGINT)
    try await eventually("the first one is heard") {
      load.errorOutput.contains("again to quit immediately")
    }
    load.signal(SIGINT)
    #expect(try await load.end().code == 130)
    try await eventually("the collector ends") { try await !ProcessTable.isAlive(collector) }
  }
}
