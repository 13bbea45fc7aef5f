import Foundation
import LiveSupport
import TestSupport
import Testing

@Suite("Watching", .timeLimit(.minutes(10)))
struct WatchTests {
  let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  @Test("a collector somewhere else is shown once, in ASCII where the locale has nothing else")
  func once() async throws {
    let collector = try await OwnCollector(["--store-path", folder["store.sqlite"].path])
    let ended = try await Program.line(
      "LC_ALL=C $FLOTILLA watch \(collector.address) --once --size 60x15")
    #expect(ended.code == 0 && ended.errorOutput.isEmpty)
    #expect(ended.text.hasPrefix(" flotilla collect  no run yet  \(collector.address)"))
    #expect(ended.text.contains("Serving - no run is open yet."))
    #expect(ended.output.allSatisfy { $0 < 128 })
    let json = try await Program.run(["watch", collector.address, "--once", "--ui", "json"])
    let object = try JSONSerialization.jsonObject(with: json.output) as? [String: Any]
    #expect(object?["type"] as? String == "interval")
  }

  @Test("a wrong token, and a port where no collector answers, end with 69 and say why")
  func unreachable() async throws {
    try Data("right-token".utf8).write(to: folder["right"])
    try Data("wrong-token".utf8).write(to: folder["wrong"])
    let collector = try await OwnCollector([
      "--store", "none", "--token-file", folder["right"].path,
    ])
    for file in ["", "--token-file \(folder["wrong"].path)"] {
      let ended = try await Program.line("$FLOTILLA watch \(collector.address) --once \(file)")
      #expect(ended.code == 69 && ended.text.isEmpty)
      #expect(ended.errorOutput.contains("wants its token; give it with --token-file"))
      #expect(!ended.errorOutput.contains("wrong-token"))
    }
    let right = try await Program.run([
      "watch", collector.address, "--once", "--token-file", folder["right"].path,
    ])
    #expect(right.code == 0)
    let port = try FreePort.next()
    let nobody = try await Program.run(["watch", "127.0.0.1:\(port)", "--once"])
    #expect(nobody.code == 69)
    #expect(nobody.errorOutput.contains("no collector answers"))
    #expect(nobody.errorOutput.contains("connection refused"))
  }

  @Test(
    "a collector that is killed while it is watched is told, asked again, and left with q",
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
      try await pane.shows("No answer - figures are", "s old, next try in")
      let second = try await OwnCollector(options, listen: "127.0.0.1:\(port)")
      try await pane.shows("Serving - no run is open yet.", "it answers again")
      withExtendedLifetime(second) {}
      try await pane.type("q")
      try await pane.shows("left=0")
      let modes = try await pane.modes
      #expect(modes == before)
    }
  }
}
