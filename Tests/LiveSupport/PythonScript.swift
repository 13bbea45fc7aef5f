package import Foundation
internal import Testing

/// A collector alone, and scripts in another language that connect to it.
package enum PythonScript {
  package static let python = Program.root.appendingPathComponent(".build/python/bin/python")

  /// Runs `name` against a collector that keeps nothing and requires a token.
  ///
  /// - Parameters:
  ///   - serving: options of the collector.
  ///   - environment: of the collector, added to the test's.
  package static func run(
    _ name: String, _ arguments: [String] = [], of program: URL = Program.url,
    serving: [String] = [], environment: [String: String] = [:]
  ) async throws -> Ended {
    let folder = try TemporaryFolder()
    let token = "conformance-token"
    try Data("\(token)\n".utf8).write(to: folder["token"])
    let collector = try RunningProcess(
      program,
      [
        "collect", "--listen", "127.0.0.1:0", "--store", "none", "--ui", "plain", "--token-file",
        folder["token"].path,
      ] + serving, environment: environment)
    try await collector.says("its port") { $0.contains(#/listening on .*:\d+\n/#) }
    let port = try #require(collector.text.firstMatch(of: #/listening on .*:(\d+)\n/#)).1
    let script = Program.root.appendingPathComponent("Tests/LiveTests/Python/\(name)")
    let client = try RunningProcess(
      python,
      [script.path, "127.0.0.1", String(port), "--token", token, "--pid", "\(collector.pid)"]
        + arguments)
    let ended = try await client.end()
    collector.signal(SIGTERM)
    _ = try await collector.end()
    return ended
  }
}
