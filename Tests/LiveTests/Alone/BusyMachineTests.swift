import Foundation
import LiveSupport
import TestSupport
import Testing

#if os(Linux)
  extension Alone {
    /// A run on a busy machine measures the other programs.
    @Suite("A busy machine", .live, .timeLimit(.minutes(10)))
    struct BusyMachineTests {
      /// Busy processes, eight per core, for at most 20 seconds.
      private final class Burners {
        private let processes: [Child]

        init() throws {
          processes = try (0..<(8 * ProcessInfo.processInfo.activeProcessorCount)).map { _ in
            // Ends by itself if the test is killed.
            try Child("/bin/sh", ["-c", "ulimit -t 20; while :; do :; done"])
          }
        }

        deinit { stop() }

        func stop() {
          for process in processes { process.end(SIGKILL) }
        }
      }

      /// A measured part of 7 s, with an SLO that only an idle machine meets, and enough batches for
      /// a p99. The busy processes start with the measured part.
      private func run(out: URL) async throws -> (Ended, RecordFile) {
        let trial = Trial(phones: 4_000, settings: ["slo.responseP99=1ms", "warmStart=1h"])
        let load = try Program.start(["load"] + trial.options(out: out) + ["--ui", "plain"])
        try await load.says("phones restored")
        let burners = try Burners()
        defer { burners.stop() }
        let ended = try await load.end()
        return (ended, try RunFiles(folder: out).record)
      }

      @Test("the run is invalid, exits with 98 and names the process that waited")
      func busy() async throws {
        let folder = try TemporaryFolder()
        let (ended, record) = try await run(out: folder["run"])
        #expect(ended.code == 98, "\(ended.text)\(ended.errorOutput)")
        #expect(try record.verdict == "invalid")
        let first = try #require(try record.reasons.first)
        let sentence =
          #/The (?:collector|generator) waited [\d,]+ ms for a CPU that other processes used: .*/#
        #expect(first.wholeMatch(of: sentence) != nil, "\(first)")
        #expect(ended.text.contains("verdict  invalid\n         \(first)"))
        #expect(try record.number("machine.othersCores") > 0.5)
        #expect(try record.number("machine.processes.collector.waitedSeconds") > 0)
        #expect(try record.number("machine.processes.generator.waitedSeconds") > 0)
        #expect(ended.text.contains(#/genwait=[\d.]+ colwait=[\d.]+/#))
        let page = try RunFiles(folder: folder["run"]).text("report.html")
        #expect(page.contains("other processes used "))
        try record.expectNothingLost()
      }
    }
  }
#endif
