import Foundation
import LiveSupport
import TestSupport
import Testing

extension Alone {
  /// A search for the capacity of another backend with a known limit.
  @Suite("plan --target", .live, .timeLimit(.minutes(10)), .needs(.python))
  struct TargetPlanTests {
    private static let target = """
      name: acme
      description: A test's.
      client: { name: Acme, version: "1", source: "made up" }
      protocol: http
      url: http://127.0.0.1:1
      identity: { id: "a{phone:05}" }
      register:
        path: /devices
        message: { id: $id }
        keep: { session: /session }
        answer:
          - { when: { status: 201 }, is: stored }
      upload:
        path: /fixes
        headers: { X-Session: "{session}" }
        fixes: 20
        message: { id: $id, points: { each: fix, at: $time.ms, lat: $latitude, lon: $longitude } }
      answer:
        - { when: { status: 200, field: { /ok: true } }, is: stored }
      retry: { on: backoff, first: 1s, factor: 2, longest: 4s, deadline: 5s }

      """

    private func arguments(_ folder: TemporaryFolder, _ url: String) throws -> [String] {
      try Data(Self.target.utf8).write(to: folder["acme.yaml"])
      return [
        "plan", "city", "--target", folder["acme.yaml"].path, "--target-url", url, "--phones", "60",
        "--duration", "10min", "--set", "warmStart=10min", "--set", "faults=[]",
        "--set", "slo.responseP99=500ms", "--ui", "plain", "--out", folder["plan"].path,
      ]
    }

    @Test("the search finds a limit of 30 requests/s, and exceeds it once")
    func ceiling() async throws {
      let folder = try TemporaryFolder()
      let script = Program.root.appendingPathComponent("Tests/LiveTests/Python/receiver.py")
      let server = try RunningProcess(
        try #require(Program.tool("python3")), [script.path, "--stay", "--answers", "ceiling-30"])
      defer { server.signal(SIGKILL) }
      try await server.says("its address") { $0.contains(#/listening on .*:\d+\n/#) }
      let url = "http://\(server.text.dropFirst("listening on ".count).dropLast())"
      let arguments = try arguments(folder, url)
      let ended = try await Program.run(
        arguments + ["--set", "run.rateLimit=250/s", "--time-limit", "40s", "--trial", "1"])
      #expect([0, 99].contains(ended.code), "\(ended.text)\(ended.errorOutput)")
      let record = try RunFiles(folder: folder["plan"]).record
      let upper = try record.number("targetCapacity.upperBound")
      // Sleeps take longer than stated, never shorter; a backlog takes a step or two to show.
      #expect(upper > 15 && upper <= 85, "\(ended.text)")
      #expect(ended.text.contains("target   acme sustained"))
      #expect(ended.text.contains(#/ uploads\/s, [\d.]+ s: .* stored, .* failed/#))
      #expect(ended.text.contains(#/At .* uploads\/s .* of the uploads took longer than 500 ms/#))
      let page = try RunFiles(folder: folder["plan"]).text("report.html")
      #expect(page.contains("Load steps of acme"))
    }
  }
}
