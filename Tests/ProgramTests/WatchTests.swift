import Foundation
import LiveSupport
import TestSupport
import Testing

@Suite("Watching", .quick)
struct WatchTests {
  let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  @Test(
    "what is neither a run nor an address is refused with 65",
    arguments: [("", "run.json: the run record cannot be read"), ("/none", "there is no such run")])
  func noRun(path: String, message: String) async throws {
    let ended = await flotilla(["watch", folder.url.path + path, "--once"])
    #expect(ended.code == 65)
    #expect(ended.errorOutput.contains(message), "\(ended.errorOutput)")
  }

  @Test("a simulated run is played to its end, a line a row, and its last frame is a page")
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
    #expect(page.text.contains("Recorded — its verdict was"))
    #expect(page.text.split(separator: "\n").count <= 24)
  }
}
