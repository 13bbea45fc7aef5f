import Foundation
import LiveSupport
import TestSupport
import Testing

@Suite("Pushes during restarts and GOAWAYs", .live, .timeLimit(.minutes(10)))
struct PushStormTests {
  /// `FLOTILLA_PUSHES=50000` sends that many pushes; the short form is for every day.
  private static var pushes: Int {
    ProcessInfo.processInfo.environment["FLOTILLA_PUSHES"].flatMap { Int($0) } ?? 2_000
  }

  @Test(
    "no push is lost or duplicated during GOAWAYs and a restart",
    .needs(.aioapns), .needs(.openssl))
  func storm() async throws {
    let folder = try TemporaryFolder()
    let key = try await PushEndpoint.key(folder, "AuthKey.p8")
    let authority = try await Authority()
    try await authority.sign("push")
    // aioapns opens streams before it has read the limit, and waits for ever for refused ones: a
    // thousand from the first on.
    let arguments = [
      "--auth", "TEAM000001:KEY0000001:\(key)", "--phones", "1000", "--per-phone", "0",
      "--streams-at-first", "1000", "--goaway-after", "\(Self.pushes / 10)",
    ]
    // Both have the same certificate, as behind one name.
    let first = try await PushEndpoint(arguments + authority.serving("push"), in: folder)
    let script = Program.root.appendingPathComponent("Tests/LiveTests/Python/push_storm.py")
    let sender = try RunningProcess(
      PythonScript.python,
      [
        script.path, first.url, authority.path("ca.pem"), folder["tokens.csv"].path, key,
        "\(Self.pushes)", folder["restarted"].path,
      ])
    try await sender.says("half")
    let before = try await first.report()
    let port = try #require(first.url.split(separator: ":").last)
    let second = try await PushEndpoint(
      arguments + authority.serving("push"), in: folder, listen: "127.0.0.1:\(port)")
    // A quick sender beside a busy test would otherwise be done before the restart.
    try Data().write(to: folder["restarted"])
    let ended = try await sender.end()
    #expect(ended.code == 0, "\(ended.errorOutput)")
    #expect(ended.text.hasSuffix("\(Self.pushes) 200\n"), "\(ended.text)")
    let after = try await second.report()
    #expect(before.accepted + after.accepted == Self.pushes, "\(before) \(after)")
    #expect(before.accepted >= Self.pushes / 2 && after.accepted > 0)
    #expect(before.refused.isEmpty && after.refused.isEmpty)
    #expect(before.connections + after.connections > 8, "\(before) \(after)")
  }
}
