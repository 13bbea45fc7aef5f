import Foundation
import LiveSupport
import TestSupport
import Testing

#if os(Linux)
  extension Alone {
    /// A run on a machine whose processors others use measures the others.
    @Suite("A machine that others keep busy", .timeLimit(.minutes(10)))
    struct BusyMachineTests {
      /// Processes that do nothing but compute, eight a core, for twenty seconds at most.
      private final class Burners {
        private let processes: [Child]

        init() throws {
          processes = try (0..<(8 * ProcessInfo.processInfo.activeProcessorCount)).map { _ in
            // Ends by itself, should the test be killed.
            try Child("/bin/sh", ["-c", "ulimit -t 20; while :; do :; done"])
          }
        }

        deinit { stop() }

        func stop() {
          for process in processes { process.end(SIGKILL) }
        }
      }

      /// Seven seconds live, with an SLO that only an idle machine could meet, and enough batches for
      /// a p99. The burners start when the run goes live.
      private func run(out: URL) async throws -> (Ended, RecordFile) {
        let trial = Trial(phones: 4_000, settings: ["slo.responseP99=1ms", "warmStart=1h"])
        let load = try Program.start(["load"] + trial.options(out: out) + ["--ui", "plain"])
        try await load.says("phones restored")
        let burners = try Burners()
        defer { burners.stop() }
        let ended = try await load.end()
        return (ended, try RunFiles(folder: out).record)
      }

      @Test("is not the collector's fault: the run is invalid, ends in 98 and says who waited")
      func busy() async throws {
        let folder = try TemporaryFolder()
        let (ended, record) = try await run(out: folder["run"])
        #expect(ended.code == 98, "\(ended.text)\(ended.errorOutput)")
        #expect(try record.verdict == "invalid")
        let first = try #require(try record.reasons.first)
        let sentence =
          #/The (?:collector|generator) waited [\d,]+ ms for a processor that others used: .*/#
        #expect(first.wholeMatch(of: sentence) != nil, "\(first)")
        #expect(ended.text.contains("verdict  invalid\n         \(first)"))
        #expect(try record.number("machine.othersCores") > 0.5)
        #expect(try record.number("machine.processes.collector.waitedSeconds") > 0)
        #expect(try record.number("machine.processes.generator.waitedSeconds") > 0)
        #expect(ended.text.contains(#/genwait=[\d.]+ colwait=[\d.]+/#))
        #expect(try RunFiles(folder: folder["run"]).text("report.html").contains("others used "))
        try record.expectNothingLost()
      }
    }
  }
#endif
