import Foundation
import LiveSupport
import TestSupport
import Testing

@Suite("Viewers of a target", .live, .timeLimit(.minutes(10)))
struct TargetViewTests {
  private static let view = """
    view:
      method: GET
      path: /track
      query: { id: $id }
      rows: /points
      time: /at
      timeUnit: ms
      latitude: /lat
      longitude: /lon

    """

  /// A load whose owners look at the app all the time, with a view of one position a second.
  private static func watched(
    _ backend: TargetBackend, _ arguments: [String] = [], view: String = view, seconds: Int = 12
  ) throws -> RunningProcess {
    let file = backend.folder["acme.yaml"]
    let text = try String(contentsOf: file, encoding: .utf8)
    try (text + view).write(to: file, atomically: true, encoding: .utf8)
    return try backend.start(
      [
        "--phones", "200", "--set", "viewers={share: 50%, sees: 2, every: 1s}",
        "--set", "fleet.phone.sessionsPerDay=1000", "--set", "fleet.phone.daysUnopened=0%",
        "--set", "fleet.phone.sessionLength=1h", "--set", "fleet.phone.unopened=0%",
      ] + arguments, seconds: seconds)
  }

  @Test("viewers read what phones have sent, on their own connections", .needs(.python))
  func reads() async throws {
    let backend = try await TargetBackend("ok")
    let ended = try await Self.watched(backend).end()
    ended.expectRun()
    let record = try backend.run.record
    try record.expectTargetBalance()
    let reads = try record.count("target.views.reads")
    #expect(reads > 300, "\(ended.text)")
    #expect(try record.count("target.views.failed") == 0)
    #expect(try record.count("target.views.empty") < reads)
    #expect(try record.count("target.views.unchanged") > 0)
    #expect(try (60...140).contains(record.count("target.views.viewers")))
    // A position is at most as old as the run, plus the time that it waited on the phone.
    #expect(try (0...700).contains(record.number("target.views.age.p50")))
    let rows = try record.rows("target.answers").filter { $0["request"] as? String == "view" }
    #expect(rows.compactMap { $0["count"] as? Int }.reduce(0, +) == reads)
    #expect(ended.text.contains(#/\d reads by \d+ viewers in [0-9,]+ looks at the app/#))
  }

  @Test("viewers of a public map read all phones at once", .needs(.python))
  func map() async throws {
    let backend = try await TargetBackend("ok")
    let view = Self.view.replacing("path: /track\n  query: { id: $id }", with: "path: /map")
      .replacing("  rows:", with: "  device: /id\n  rows:")
    let ended = try await Self.watched(backend, ["--set", "viewers.sees=all"], view: view).end()
    ended.expectRun()
    let record = try backend.run.record
    let (reads, viewers) = try (
      record.count("target.views.reads"), record.count("target.views.viewers")
    )
    // A read a second and viewer, each with the positions of many phones.
    #expect(reads > viewers * 5 && reads <= viewers * 14, "\(ended.text)")
    let seen = try record.count("target.views.age.count")
    #expect(try record.count("target.views.failed") == 0 && seen > reads * 5, "\(ended.text)")
    #expect(try (1..<seen).contains(record.count("target.views.unchanged")))
  }

  @Test("target try reads as a viewer would, and target show prints the request", .needs(.python))
  func trial() async throws {
    let backend = try await TargetBackend("ok")
    let file = backend.folder["acme.yaml"]
    try (String(contentsOf: file, encoding: .utf8) + Self.view)
      .write(to: file, atomically: true, encoding: .utf8)
    let ended = try await Program.run([
      "target", "try", file.path, "--target-url", backend.url,
    ])
    #expect(ended.code == 0, "\(ended.text)\(ended.errorOutput)")
    #expect(
      ended.text.contains(#/view +GET http.*\n.*\n  200, 2 rows, 0 unreadable/#), "\(ended.text)")
    let shown = try await Program.run(["target", "show", file.path])
    #expect(shown.text.contains("# view, by a viewer"), "\(shown.text)")
  }

  @Test("a server that dies leaves failed reads and an ended run", .needs(.python))
  func dies() async throws {
    let backend = try await TargetBackend("ok")
    let load = try Self.watched(backend, seconds: 15)
    try await load.says("answered uploads") { $0.contains(#/acked=[1-9]/#) }
    backend.server.signal(SIGKILL)
    let ended = try await load.end()
    ended.expectRun([98, 99])
    #expect(try backend.run.record.count("target.views.failed") > 0)
  }
}
