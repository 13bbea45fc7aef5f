import Foundation
import LiveSupport
import TestSupport
import Testing

@Suite("Watching", .quick)
struct WatchTests {
  let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  @Test(
    "an argument that is neither a run nor an address exits with 65",
    arguments: [
      ("", "run.json: cannot read the run record"), ("/none", "neither a run nor HOST:PORT"),
    ])
  func noRun(path: String, message: String) async throws {
    let ended = await flotilla(["watch", folder.url.path + path, "--once"])
    #expect(ended.code == 65)
    #expect(ended.errorOutput.contains(message), "\(ended.errorOutput)")
  }

  @Test("a simulated run is played with one line per row, and ends with one frame")
  func replay() async throws {
    let run = folder["run"]
    _ = await flotilla(["simulate"] + Trial(phones: 60).options(out: run) + ["--ui", "none"])
    let rows =
      try String(contentsOf: run.appendingPathComponent("timeline.csv"), encoding: .utf8)
      .split(separator: "\n").count - 1
    let played = await flotilla(["watch", run.path, "--ui", "plain", "--speed", "10000"])
    #expect(played.code == 0)
    #expect(played.text.split(separator: "\n").count == rows)
    let page = await flotilla(["watch", run.path, "--once"])
    #expect(page.text.contains("Recorded — verdict "))
    #expect(page.text.split(separator: "\n").count <= 24)
  }
}
