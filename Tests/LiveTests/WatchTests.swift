import Foundation
import LiveSupport
import TestSupport
import Testing

@Suite("watch", .live, .timeLimit(.minutes(10)))
struct WatchTests {
  let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  @Test(
    "watch reports a killed collector, retries, and ends with q",
    .needs(.tmux))
  func restarted() async throws {
    let port = try FreePort.next()
    let options = ["--store-path", folder["store.sqlite"].path]
    let first = try await OwnCollector(options, listen: "127.0.0.1:\(port)")
    let command = "'\(Program.url.path)' watch 127.0.0.1:\(port)"
    try await Pane.hold(
      command, environment: "CI= TERM=xterm-256color LC_ALL=C LANG=C", columns: 60, rows: 15
    ) { pane in
      let before = try await pane.modes
      try pane.start()
      try await pane.shows("Serving - no run is open yet.", "q quit")
      #expect(await pane.screen.unicodeScalars.allSatisfy { $0.isASCII })
      first.process.signal(SIGKILL)
      try await pane.shows("No answer - figures ", "s old, retrying in")
      let second = try await OwnCollector(options, listen: "127.0.0.1:\(port)")
      try await pane.shows("Serving - no run is open yet.", "the collector answers again")
      withExtendedLifetime(second) {}
      try await pane.type("q")
      try await pane.shows("left=0")
      let modes = try await pane.modes
      #expect(modes == before)
    }
  }
}
