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

      /// Runs its command on the given processors. Once the file named first exists, another program
      /// occupies those for two and a half seconds.
      private static let neighbour = """
        late=$1; shift; pid=$$
        ( for n in $(seq 600); do [ -e "$late" ] && break; sleep 0.05; done
          chrt --idle --all-tasks --pid 0 $pid
          timeout 2.5 sh -c 'while :; do :; done'
          chrt --other --all-tasks --pid 0 $pid ) </dev/null >/dev/null 2>&1 &
        exec "$@"
        """

      @Test("a late process of several is named and makes the run invalid", .needs(.mpirun))
      func late() async throws {
        // An idle-class process gets 0.3 % of the processor, enough for the uploads of few phones.
        let trial = Trial(
          phones: 1_500, speed: 120, duration: "12min", settings: ["slo.responseP99=50ms"])
        let folder = try TemporaryFolder()
        let (out, late) = (folder["run"], folder["late"])
        let words = ["load"] + trial.options(out: out)
        let third = [
          ":", "-np", "1", "taskset", "--cpu-list", "0", "sh", "-c", Self.neighbour, "sh",
          late.path,
          Program.url.path,
        ]
        let job = try await MPIJob(folder: folder).start(2, words + third + words)
        try await job.says(" measure ")
        try Data().write(to: late)
        let ended = try await job.end()
        let record = try RunFiles(folder: out).record
        let reasons = try record.reasons
        #expect(
          try ended.code == 98 && record.verdict == "invalid", "\(reasons)\(ended.errorOutput)")
        #expect(
          reasons.contains { $0.hasPrefix("process 3 of 3: The generator fell behind") },
          "\(reasons)")
        let rows = (0..<3).map { "machine.generators.\($0)" }
        #expect(
          try rows.map { try record.string("\($0).name") }
            == ["generator", "generator 2", "generator 3"])
        let lags = try rows.map { try record.count("\($0).lagMaxMicroseconds") }
        // A hundred times the limit of an invalid run; the kernel decides how far behind it falls.
        #expect(lags[2] > 100_000 && lags[2] == lags.max(), "\(lags)")
      }
    }
  }
#endif
