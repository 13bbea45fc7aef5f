import Foundation
import LiveSupport
import TestSupport
import Testing

/// A collector with a run, observed by `watch`, `ask` and promtool.
@Suite("One position on request", .timeLimit(.minutes(2)))
struct AskTests {
  let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  /// Phones without obstacles to an answer, and a server without scheduled pushes.
  private var trial: Trial {
    var trial = Trial.endless
    trial.phones = 120
    trial.speed = 240
    trial.settings = [
      "warmStart=1h", "push.scheduler=none", "fleet.phone.always=100%",
      "fleet.phone.whenInUse=0%", "fleet.phone.forceQuit=0%", "fleet.phone.refreshOff=0%",
      "fleet.phone.lowPower=0%", "fleet.phone.offline=0%",
    ]
    return trial
  }

  @Test("a phone of a run returns its position; with a short deadline it does not")
  func live() async throws {
    let collector = try await OwnCollector(["--store-path", folder["store.sqlite"].path])
    try await expectOnce(collector)
    try await expectMetrics(collector)
    let early = try await Program.run(["ask", collector.address, "--phone", "1"])
    #expect(early.code == 69 && early.errorOutput.contains("no run is open"))
    let load = try Program.start(
      ["load"] + trial.options(out: folder["run"])
        + ["--collector", collector.address, "--ui", "none"])
    try await eventually("batches are stored") {
      try collector.metric("flotilla_batches_accepted_total") > 5
    }
    try await answers(collector)
    try await silence(collector)
    let nobody = try await Program.run(["ask", collector.address, "--phone", "120"])
    #expect(nobody.code == 65 && nobody.errorOutput.contains("which has 0 to 119"))
    try await eventually("more batches are stored") {
      try collector.metric("flotilla_batches_accepted_total") > 20
    }
    try await expectMetrics(collector)
    #expect(try collector.metric("flotilla_ingest_duration_seconds_count") > 20)
    #expect(try collector.metric("flotilla_store_commits_total") > 0)
    #expect(try collector.metric("flotilla_run_phones") == 120)
    load.signal(SIGINT)
    _ = try await load.end()
  }

  /// A collector without a run, in ASCII for a locale other than UTF-8.
  private func expectOnce(_ collector: OwnCollector) async throws {
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

  /// promtool accepts the output of a scrape.
  private func expectMetrics(_ collector: OwnCollector) async throws {
    guard try OracleRule.mayRun(.promtool) else { return }
    let file = folder["metrics.txt"]
    try collector.page("/metrics").body.write(to: file, atomically: true, encoding: .utf8)
    let result = try await Program.runTool("promtool", ["check", "metrics"], input: file)
    #expect(result.code == 0 && result.text.isEmpty && result.errorOutput.isEmpty)
  }

  /// One of the first phones can get its position immediately.
  private func answers(_ collector: OwnCollector) async throws {
    var tried: [String] = []
    for phone in 0..<20 {
      let ended = try await Program.run([
        "ask", collector.address, "--phone", "\(phone)", "--deadline", "10min", "--json",
      ])
      tried.append(ended.text + ended.errorOutput)
      guard ended.code == 0 else { continue }
      let reply = try JSONDecoder().decode(Reply.self, from: ended.output)
      // A phone whose own report came first has no status of its push.
      if reply.pushStatus == nil { continue }
      #expect(reply.answered && reply.outcome == "answered" && reply.pushStatus == 200)
      #expect(reply.phone == phone && reply.deadlineSeconds == 600)
      let parts = [reply.parts.fix, reply.parts.upload, reply.parts.store].compactMap { $0 }
      #expect(parts.count == 3 && abs(parts.reduce(0, +) - reply.tookSeconds) < 0.001)
      #expect(reply.tookSeconds <= 600 && reply.position.ageSeconds < 600)
      let asked = try await Program.run([
        "ask", collector.address, "--phone", "\(phone)", "--deadline", "10min",
      ])
      if asked.code == 0 { #expect(asked.text.hasPrefix("Phone \(phone) is at 52.")) }
      return
    }
    Issue.record("no phone answered: \(tried)")
  }

  private func silence(_ collector: OwnCollector) async throws {
    let ended = try await Program.run([
      "ask", collector.address, "--phone", "20", "--deadline", "1s", "--accuracy", "1m",
    ])
    #expect(ended.code == 99)
    #expect(ended.text.hasPrefix("Phone 20 gave no position: "))
  }

  private struct Reply: Decodable {
    struct Position: Decodable { let ageSeconds: Double }
    struct Parts: Decodable {
      let fix: Double?
      let upload: Double?
      let store: Double?
    }
    let phone: Int
    let outcome: String
    let answered: Bool
    let pushStatus: Int?
    let deadlineSeconds: Double
    let tookSeconds: Double
    let position: Position
    let parts: Parts
  }
}
