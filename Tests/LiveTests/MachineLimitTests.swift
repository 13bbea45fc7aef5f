import Foundation
import LiveSupport
import Testing

@Suite("What the machine does not give", .timeLimit(.minutes(10)))
struct MachineLimitTests {
  let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private var small: String {
    Trial(phones: 20, duration: "12min", settings: ["slo={}"]).options(out: folder["run"]).map {
      "'\($0)'"
    }
    .joined(separator: " ")
  }

  private func sentences(_ ended: Ended) -> [Substring] {
    ended.errorOutput.split(separator: "\n").filter { $0.hasPrefix("flotilla: ") }
  }

  @Test("output that cannot be written is an error with one line, and one without a reader is none")
  func fullOutput() async throws {
    for command in [
      "scenario show city", "--help", "demand \(small) --export csv", "simulate \(small)",
    ] {
      let ended = try await Program.line("\"$FLOTILLA\" \(command) > /dev/full")
      #expect(ended.code == 73, "\(command): \(ended.errorOutput)")
      let said = sentences(ended)
      #expect(said.count == 1 && said[0].contains("standard output: cannot be written (No space"))
    }
    // What the caller has closed is no place for the program's files.
    let closed = try await Program.line("\"$FLOTILLA\" simulate \(small) >&- 2>&-")
    #expect(closed.code == 0 || closed.code == 99)
    #expect(try RunFiles(folder: folder["run"]).record.count("scenario.phones") == 20)
  }

  @Test("figures that cannot be kept are printed all the same, and then the error")
  func fullFolder() async throws {
    // A limit on the size of files is the disk that is full.
    for command in ["simulate \(small) --set run.cache=off", "demand \(small) --set run.cache=off"]
    {
      // What it prints goes through a pipe: its reader may write.
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

  @Test(
    "a limit below what a process needs is named before anything begins",
    arguments: [
      ("-n 20", "simulate", "20 files open at once"), ("-n 20", "load", "20 files open at once"),
      ("-n 64", "load", "256 or more to start another process"),
      ("-v 300000", "load", "292 MiB of address space"),
    ])
  func limits(limit: String, command: String, words: String) async throws {
    let ended = try await Program.line("ulimit \(limit); \"$FLOTILLA\" \(command) \(small)")
    #expect(ended.code == 73, "\(ended.text)\(ended.errorOutput)")
    let said = sentences(ended)
    #expect(said.count == 1 && said[0].contains(words) && said[0].contains("'ulimit "))
  }

  @Test("a folder into which a run writes is refused to others, until that ends or is killed")
  func sharedFolder() async throws {
    let trial = Trial.endless
    try await Seats.hold {
      let first = try Program.start(["load"] + trial.options(out: folder["run"]))
      try await first.says("acked=")
      let second = try Program.start(["simulate"] + trial.options(out: folder["run"]))
      let ended = try await second.end()
      #expect(ended.code == 73 && ended.errorOutput.contains("another run writes into this folder"))
      first.signal(SIGKILL)
      _ = try await first.end()
      var short = trial
      (short.phones, short.duration) = (20, "12min")
      let third = try await Program.start(["simulate"] + short.options(out: folder["run"])).end()
      #expect([0, 99].contains(third.code), "\(third.errorOutput)")
    }
  }

  @Test("processes of a launcher that does not link them are refused, and one says why")
  func launchers() async throws {
    for (environment, lines) in [
      ("PMI_SIZE=2 PMI_RANK=0", 1), ("PMI_SIZE=2 PMI_RANK=1", 0),
      ("SLURM_NTASKS=2 SLURM_PROCID=0", 1),
    ] {
      for command in ["simulate \(small)", "load \(small)", "demand \(small)", "tune city"] {
        let ended = try await Program.line("\(environment) \"$FLOTILLA\" \(command)")
        #expect(ended.code == 2 && ended.output.isEmpty, "\(environment) \(command)")
        #expect(sentences(ended).count == lines, "\(ended.errorOutput)")
      }
    }
    #expect(!FileManager.default.fileExists(atPath: folder["run"].path))
  }

  @Test("a collector without descriptors says so in its log, in /readyz and in the run's verdict")
  func collectorDescriptors() async throws {
    try await Seats.hold {
      let collector = try await OwnCollector(
        ["--store", "none"], limits: "ulimit -n 80")
      defer { collector.process.signal(SIGTERM) }
      // They send every minute, two thousand connections a second.
      let trial = Trial(
        phones: 2_000, duration: "12min",
        settings: [
          "connections=per-phone", "network.deadline=20s",
          "fleet.cohorts[0].policy=radar-continuous",
        ])
      let ended = try await Program.start(
        ["load"] + trial.options(out: folder["run"]) + ["--collector", collector.address]
      ).end()
      #expect(ended.code == 98, "\(ended.text)\(ended.errorOutput)")
      let reasons = try RunFiles(folder: folder["run"]).record.reasons
      #expect(
        reasons.contains { $0.hasPrefix("The collector ran out of descriptors") }, "\(reasons)")
      #expect(collector.events.contains("limit.descriptors"), "\(collector.process.errorOutput)")
      let page = try collector.page("/readyz")
      #expect(page.body.contains("80 files open at once"), "\(page.body)")
      #expect(try collector.metric("flotilla_ready") == 0)
    }
  }

  @Test("an IPv6 address is printed as options take it")
  func brackets() async throws {
    try await Seats.hold {
      let collector = try await OwnCollector(["--store", "none"], listen: "[::1]:0")
      defer { collector.process.signal(SIGTERM) }
      #expect(collector.address.hasPrefix("[::1]:"))
      let trial = Trial(phones: 20, duration: "12min")
      let ended = try await Program.start(
        ["load"] + trial.options(out: folder["run"]) + ["--collector", collector.address]
      ).end()
      #expect([0, 98, 99].contains(ended.code), "\(ended.errorOutput)")
      let record = try RunFiles(folder: folder["run"]).record
      #expect(try record.string("machine.collectorAddress") == collector.address)
    }
  }
}
