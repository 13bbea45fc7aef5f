import Foundation
import LiveSupport
import TestSupport
import Testing

extension Alone {
  @Suite("fit", .live, .timeLimit(.minutes(10)))
  struct FitTests {
    /// A policy whose interval and sends are known.
    private static let policy = """
      name: known
      version: 1
      app: { showsIndicator: true }
      significantChange: true
      visits: false
      regionRadius: none
      foreground:
        standard: continuous
        filter: { rule: { either: { time: 120s, distance: 100km, turn: 360 } } }
      background:
        standard: continuous
        accuracy: best
        filter: { rule: { either: { time: 120s, distance: 100km, turn: 360 } } }
      send: { interval: 600s, maxFixes: 200 }
      """

    private static let scenario = """
      scenario: known
      seed: 11
      duration: 4h
      warmStart: 1h
      speed: 1200
      phases: { ramp: 0s, drain: 5min }
      fleet:
        phones: 30
        cohorts:
          - { name: all, share: 100%, mobility: commuter, policy: known }
        phone:
          { always: 100%, whenInUse: 0%, provisionalDenied: 0%, forceQuit: 0%, offline: 2%,
            switchedOff: 0% }
      push: { scheduler: none }
      """

    @Test("fit reads a compressed log from standard input, and refuses one that is cut")
    func standardInput() async throws {
      let folder = try TemporaryFolder()
      let log = folder["small.csv"].path
      try "phone,time\na,1772434800\nb,1772434860\n".write(
        toFile: log, atomically: true, encoding: .utf8)
      for line in ["gzip -c '\(log)'", "cat '\(log)'"] {
        let ended = try await Program.line("\(line) | \"$FLOTILLA\" fit --log - --dry-run")
        #expect(ended.code == 0, "\(ended.errorOutput)")
        #expect(ended.text.contains("log: log"))
      }
      let cut = try await Program.line(
        "gzip -c '\(log)' | head -c 40 | \"$FLOTILLA\" fit --log - --dry-run")
      #expect(cut.code == 65)
      #expect(cut.errorOutput.contains("standard input: its gzip data end too early."))
    }

    @Test("fit recovers the interval and the uploads of a known policy from an export")
    func recovery() async throws {
      let folder = try TemporaryFolder()
      try FileManager.default.createDirectory(
        at: folder["policies"], withIntermediateDirectories: true)
      try Self.policy.write(to: folder["policies/known.yaml"], atomically: true, encoding: .utf8)
      try Self.scenario.write(to: folder["known.yaml"], atomically: true, encoding: .utf8)
      // At 1,200 × a quarter of a second without a processor is five minutes between two sends.
      let run = try await Program.run([
        "load", folder["known.yaml"].path, "--ui", "none", "--out", folder["run"].path,
      ])
      // The speed of the machine does not matter here.
      #expect([0, 98, 99].contains(run.code), "\(run.errorOutput)")
      let export = try await Program.run([
        "export", folder["run/collector.sqlite"].path, "--out", folder["log.csv"].path,
      ])
      #expect(export.code == 0, "\(export.errorOutput)")
      let fit = try await Program.run([
        "fit", "--log", folder["log.csv"].path, "--out", folder["fit"].path, "--phones", "20",
        "--runs", "12", "--json",
      ])
      #expect(fit.code == 0, "\(fit.errorOutput)")
      let record = try #require(
        try JSONSerialization.jsonObject(with: fit.output) as? [String: Any])
      let fitted = try #require(record["fitted"] as? [String: Any])
      let seconds = try #require(fitted["seconds"] as? Double)
      let sends = try #require(fitted["sendSeconds"] as? Double)
      #expect((108...132).contains(seconds), "\(seconds) s between fixes, 120 s were set")
      #expect((480...720).contains(sends), "\(sends) s between sends, 600 s were set")
      let figures = try #require(record["figures"] as? [[String: Any]])
      let intervals = figures.first { $0["figure"] as? String == "intervals" }
      let distance = try #require(intervals?["heldDistance"] as? Double)
      #expect(distance < 0.25, "intervals of the held-out half lie \(distance) from the simulation")
      let check = try await Program.run(["scenario", "check", folder["fit/log.yaml"].path])
      #expect(check.code == 0, "\(check.errorOutput)")
      let report = try String(contentsOf: folder["fit/report.html"], encoding: .utf8)
      #expect(report.contains("Hour by weekday"))
      let again = try await Program.run(["report", folder["fit"].path, "--out", folder["b"].path])
      #expect(again.code == 0, "\(again.errorOutput)")
      #expect(try String(contentsOf: folder["b/report.html"], encoding: .utf8) == report)
    }
  }
}
