import Foundation
import LiveSupport
import Testing

@Suite("Limits of the machine", .timeLimit(.minutes(2)))
struct MachineLimitTests {
  let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private var small: String {
    Trial(phones: 20, duration: "12min", settings: ["warmStart=0s", "slo={}", "run.cache=off"])
      .options(out: folder["run"]).map { "'\($0)'" }.joined(separator: " ")
  }

  private func sentences(_ ended: Ended) -> [Substring] {
    ended.errorOutput.split(separator: "\n").filter { $0.hasPrefix("flotilla: ") }
  }

  @Test("a write error of the output is one line; a closed reader is not an error")
  func fullOutput() async throws {
    for command in [
      "scenario show city", "--help", "demand \(small) --export csv", "simulate \(small)",
    ] {
      let ended = try await Program.line("\"$FLOTILLA\" \(command) > /dev/full")
      #expect(ended.code == 73, "\(command): \(ended.errorOutput)")
      let said = sentences(ended)
      #expect(said.count == 1 && said[0].contains("standard output: cannot be written (No space"))
    }
    // The program must not open files on descriptors that the caller closed.
    let closed = try await Program.line("\"$FLOTILLA\" simulate \(small) >&- 2>&-")
    #expect(closed.code == 0 || closed.code == 99)
    #expect(try RunFiles(folder: folder["run"]).record.count("scenario.phones") == 20)
    try await expectPrinted()
  }

  /// If files cannot be written, the figures are still printed before the error.
  private func expectPrinted() async throws {
    // A file size limit simulates a full disk.
    for command in ["simulate \(small)", "demand \(small)"] {
      // Its output goes through a pipe, whose reader may write files.
      let ended = try await Program.line(
        """
        exec 3>&1
        exit $({ { (ulimit -f 0; exec "$FLOTILLA" \(command)) 2>&1; echo $? >&4; } |
          cat >&3; } 4>&1)
        """)
      #expect(ended.code == 73, "\(command): \(ended.text)\(ended.errorOutput)")
      #expect(ended.text.contains("\nverdict  pass") && !ended.text.contains("\nreport "))
      let said = ended.text.split(separator: "\n").filter { $0.hasPrefix("flotilla: ") }
      #expect(said.count == 1 && said[0].contains("run.json"), "\(ended.text)")
    }
  }

  @Test("low limits and unknown launchers are reported before the start")
  func limits() async throws {
    try await expectLaunchers()
    for (limit, command, words) in [
      ("-n 20", "simulate", "the limit of open files is 20;"),
      ("-n 20", "load", "the limit of open files is 20;"),
      ("-n 64", "load", "256 or more to start another process"),
      ("-v 300000", "load", "the address-space limit is 292 MiB"),
    ] {
      let ended = try await Program.line("ulimit \(limit); \"$FLOTILLA\" \(command) \(small)")
      #expect(ended.code == 73, "\(ended.text)\(ended.errorOutput)")
      let said = sentences(ended)
      #expect(said.count == 1 && said[0].contains(words) && said[0].contains("'ulimit "))
    }
  }

  /// Processes of an unknown launcher are rejected, and one prints why.
  private func expectLaunchers() async throws {
    let commands = ["simulate \(small)", "load \(small)", "demand \(small)", "tune city"]
    for (environment, lines, commands) in [
      ("PMI_SIZE=2 PMI_RANK=0", 1, commands), ("PMI_SIZE=2 PMI_RANK=1", 0, [commands[0]]),
      ("SLURM_NTASKS=2 SLURM_PROCID=0", 1, [commands[1]]),
    ] {
      for command in commands {
        let ended = try await Program.line("\(environment) \"$FLOTILLA\" \(command)")
        #expect(ended.code == 2 && ended.output.isEmpty, "\(environment) \(command)")
        #expect(sentences(ended).count == lines, "\(ended.errorOutput)")
      }
    }
    #expect(!FileManager.default.fileExists(atPath: folder["run"].path))
  }

  @Test("the batch system determines the shard number")
  func batchSystem() async throws {
    for (environment, word) in [
      ("SLURM_PROCID=1 SLURM_NTASKS=3", "auto"), ("JOB_COMPLETION_INDEX=1", "auto/3"),
    ] {
      let ended = try await Program.line(
        "\(environment) \"$FLOTILLA\" simulate \(small) --phones 90 --shard \(word)")
      #expect([0, 99].contains(ended.code), "\(ended.text)\(ended.errorOutput)")
      let share = try RecordFile(Data(contentsOf: folder["run/share.json"]))
      #expect(try share.count("number") == 1 && share.count("count") == 3)
      #expect(try RunFiles(folder: folder["run"]).record.count("scenario.phones") == 30)
    }
  }

  @Test("the folder of a run is locked until the run ends or is killed")
  func sharedFolder() async throws {
    let first = try Program.start(["load"] + Trial.open().options(out: folder["run"]))
    try await first.says("acked=")
    let short = Trial.short(phones: 60)
    let second = try await Program.run(["simulate"] + short.options(out: folder["run"]))
    #expect(second.code == 73 && second.errorOutput.contains("another run is writing to this"))
    let collector = try await first.collector()
    first.signal(SIGKILL)
    #expect(try await first.end().code == 128 + SIGKILL)
    try await eventually("no collector is left") { try await !ProcessTable.isAlive(collector) }
    for command in ["load", "load"] {
      try await Program.run([command] + short.options(out: folder["run"])).expectRun()
      try RunFiles(folder: folder["run"]).record.expectNothingLost()
    }
  }
}
