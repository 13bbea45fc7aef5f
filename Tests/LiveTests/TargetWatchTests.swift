import Foundation
import LiveSupport
import TestSupport
import Testing

@Suite("Viewers over WebSocket", .live, .timeLimit(.minutes(10)), .needs(.websockets))
struct TargetWatchTests {
  /// Owners who look at the app all the time.
  private static let watched = [
    "viewers={share: 10%, sees: 2, every: 1s}", "fleet.phone.sessionsPerDay=1000",
    "fleet.phone.daysUnopened=0%", "fleet.phone.sessionLength=1h", "fleet.phone.unopened=0%",
  ].flatMap { ["--set", $0] }

  private static func start(_ url: String, in folder: TemporaryFolder) throws -> RunningProcess {
    try Program.start(
      [
        "load", "city", "--target", "websocket-example", "--target-url", url, "--phones", "300",
        "--duration", "10s", "--set", "warmStart=10min", "--set", "start=2026-03-02T08:00",
        "--set", "faults=[]", "--set", "slo={}",
        "--set", "fleet.cohorts[0].policy=radar-continuous",
        "--set", "fleet.cohorts[1].policy=radar-continuous",
        "--ui", "plain", "--out", folder["run"].path,
      ] + watched)
  }

  @Test("each stored upload reaches the viewers whose owners look at the app")
  func sees() async throws {
    let folder = try TemporaryFolder()
    let server = try await WebSocketServer()
    let ended = try await Self.start("ws://\(server.address)", in: folder).end()
    ended.expectRun()
    let record = try RunFiles(folder: folder["run"]).record
    try record.expectTargetBalance()
    let messages = try record.count("target.views.messages")
    let viewers = try record.count("target.views.viewers")
    #expect(try (10...50).contains(viewers) && record.count("target.views.sessions") > viewers / 2)
    // A position to each viewer for each upload, and an empty message a second.
    #expect(messages > viewers * 5, "\(ended.text)")
    #expect(try record.count("target.views.empty") < messages)
    #expect(try record.count("target.views.bytes") > messages * 4)
    #expect(try record.count("target.views.failed") == 0, "\(ended.text)")
    #expect(try record.number("target.views.perUpload") > 1)
    #expect(try (0...700).contains(record.number("target.views.age.p50")))
    #expect(ended.text.contains(#/\d messages to \d+ viewers in [0-9,]+ looks at the app/#))
    #expect(try RunFiles(folder: folder["run"]).text("report.html").contains("messages to"))
  }

  @Test("a server that dies leaves failed connections and an ended run")
  func dies() async throws {
    let folder = try TemporaryFolder()
    let server = try await WebSocketServer()
    let load = try Self.start("ws://\(server.address)", in: folder)
    try await load.says("answered uploads") { $0.contains(#/acked=[1-9]/#) }
    server.process.signal(SIGKILL)
    let ended = try await load.end()
    ended.expectRun([98, 99])
    #expect(try RunFiles(folder: folder["run"]).record.count("target.views.failed") > 0)
  }

  @Test("target try opens a viewer's WebSocket, target show prints it, and demand counts messages")
  func trial() async throws {
    let server = try await WebSocketServer()
    let ended = try await Program.run([
      "target", "try", "websocket-example", "--target-url", "ws://\(server.address)",
    ])
    #expect(ended.code == 0, "\(ended.text)\(ended.errorOutput)")
    #expect(
      ended.text.contains("view       OPEN ws://\(server.address)\n  open\n"), "\(ended.text)")
    let shown = try await Program.run(["target", "show", "websocket-example"])
    #expect(
      shown.text.contains("# view, by a viewer\nGET ws://127.0.0.1:8765/watch"), "\(shown.text)")
    let demand = try await Program.run(
      [
        "demand", "city", "--target", "websocket-example", "--phones", "2000", "--duration", "1h",
      ] + Self.watched)
    #expect(demand.text.contains("messages to viewers"), "\(demand.text)\(demand.errorOutput)")
  }
}
