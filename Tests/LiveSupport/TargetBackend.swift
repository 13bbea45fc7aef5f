internal import Foundation
internal import Testing

/// A backend that is not Flotilla's, `receiver.py`, and its target file.
package final class TargetBackend {
  package let folder: TemporaryFolder
  package let server: RunningProcess
  package let url: String

  package init(_ answers: String) async throws {
    folder = try TemporaryFolder()
    let script = Program.root.appendingPathComponent("Tests/LiveTests/Python/receiver.py")
    server = try RunningProcess(
      try #require(Program.tool("python3")),
      [script.path, "--stay", "--answers", answers, "--token", Self.secret])
    try await server.says("its address") { $0.contains(#/listening on .*:\d+\n/#) }
    url = "http://\(server.text.dropFirst("listening on ".count).dropLast())"
    try Data(Self.secret.utf8).write(to: folder["token"])
    let metrics = "metrics: \(url)/metrics\n"
    // Only a server that never answers has to be given up.
    let deadline = answers == "silent" ? "2s" : "20s"
    let text = Self.target(deadline: deadline) + metrics
    try Data(text.utf8).write(to: folder["acme.yaml"])
  }

  /// Its own counts.
  package func counts() async throws -> [String: Double] {
    let ask =
      "import sys, urllib.request as r; "
      + "sys.stdout.write(r.urlopen(sys.argv[1]).read().decode())"
    let answer = try await Program.runTool("python3", ["-c", ask, "\(url)/counts"])
    return try JSONDecoder().decode([String: Double].self, from: answer.output)
  }

  package func start(
    _ arguments: [String] = [], seconds: Int = 4, out: String = "run"
  ) throws -> RunningProcess {
    try Program.start(
      [
        "load", "city", "--target", folder["acme.yaml"].path, "--target-url", url,
        "--phones", "2000", "--duration", "\(seconds)s", "--set", "warmStart=10min",
        "--set", "start=2026-03-02T08:00", "--set", "faults=[]", "--set", "slo={}",
        "--set", "fleet.cohorts[0].policy=radar-continuous",
        "--set", "fleet.cohorts[1].policy=radar-continuous",
        "--ui", "plain", "--out", folder[out].path,
      ] + arguments)
  }

  package var run: RunFiles { RunFiles(folder: folder["run"]) }

  package static let secret = "sesame-4711"

  package static func target(deadline: String = "2s") -> String {
    """
    name: acme
    description: A test's.
    client: { name: Acme, version: "1", source: "made up" }
    protocol: http
    url: http://127.0.0.1:1
    identity: { id: "a{phone:05}", token: { file: token } }
    register:
      once: phone
      path: /devices
      headers: { Authorization: "Bearer {token}" }
      message: { id: $id }
      keep: { session: /session }
      answer:
        - { when: { status: 201 }, is: stored }
    upload:
      path: /fixes
      headers: { Authorization: "Bearer {token}", X-Session: "{session}" }
      fixes: 20
      message: { id: $id, points: { each: fix, at: $time.ms, lat: $latitude, lon: $longitude } }
    answer:
      - { when: { status: 200, field: { /ok: true } }, is: stored }
      - { when: { status: 400 }, is: refused, reason: bad points }
      - { when: { status: 503 }, is: retry }
      - { when: { status: 200, field: { /accepted: "*" } }, is: partly, taken: /accepted }
    retry: { on: backoff, first: 1s, factor: 2, longest: 4s, deadline: \(deadline) }
    readback:
      method: GET
      path: /track
      query: { id: $id }
      rows: /points
      time: /at
      timeUnit: ms
      latitude: /lat
      longitude: /lon

    """
  }
}
