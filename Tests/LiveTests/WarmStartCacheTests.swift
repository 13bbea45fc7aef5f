import Foundation
import LiveSupport
import TestSupport
import Testing

@Suite("Warm-start cache", .live, .timeLimit(.minutes(10)))
struct WarmStartCacheTests {
  private static let fleet = [
    "simulate", "city", "--phones", "300", "--duration", "30min", "--set", "warmStart=3h",
    "--ui", "plain", "--set", "slo={ lost: 0 }",
  ]

  private struct Timing: Decodable {
    struct Inner: Decodable { var warmStartFromCache: Bool }
    var timing: Inner
  }

  private static func isCached(_ folder: URL) throws -> Bool {
    let data = try Data(contentsOf: folder.appendingPathComponent("run.json"))
    return try JSONDecoder().decode(Timing.self, from: data).timing.warmStartFromCache
  }

  @Test("a second run uses the cache, also after a killed run, and prints so")
  func secondRun() async throws {
    let folder = try TemporaryFolder()
    let cache = ["--set", "run.cache=\(folder["cache"].path)"]
    // A run killed at any moment leaves nothing that the next one would accept.
    let killed = try RunningProcess(
      Program.url, Self.fleet + cache + ["--out", folder["killed"].path])
    try await eventually("it writes, or is over") {
      FileManager.default.fileExists(atPath: folder["cache"].path) || !killed.isAlive
    }
    killed.signal(SIGKILL)
    let first = try await Program.run(Self.fleet + cache + ["--out", folder["a"].path])
    let second = try await Program.run(Self.fleet + cache + ["--out", folder["b"].path])
    let without = try await Program.run(
      Self.fleet + ["--set", "run.cache=off", "--out", folder["c"].path])
    #expect([first, second, without].allSatisfy { $0.code == 0 })
    #expect(second.text.contains("warm start from the cache: "))
    #expect(try Self.isCached(folder["b"]) && !Self.isCached(folder["c"]))
    let files = try FileManager.default.contentsOfDirectory(atPath: folder["cache"].path)
    #expect(files.filter { $0.hasSuffix(".life") }.count == 1 && files.count == 1)
    let log = try String(contentsOf: folder["b"].appendingPathComponent("log.txt"), encoding: .utf8)
    #expect(log.contains(files[0]))
  }
}
