import Foundation
import LiveSupport
import TestSupport
import Testing

@Suite("A fleet in mpirun processes", .live, .timeLimit(.minutes(10)), .needs(.mpirun))
struct RankTests {
  let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func start(
    _ count: Int, _ arguments: [String], options: [String] = []
  ) async throws -> RunningProcess {
    try await MPIJob(folder: folder).start(count, arguments, options: options)
  }

  /// The output of the program, without the lines that mpirun adds after an exit code other than 0.
  private func sentences(_ text: String) -> [Substring] {
    text.split(separator: "\n").filter { $0.hasPrefix("flotilla: ") || $0.contains(": no ") }
  }

  @Test(
    "1, 2 and 4 processes have the run.json and timeline of a run without mpirun")
  func simulate() async throws {
    let trial = Trial(phones: 300, duration: "30min", settings: ["push.rate=3/min"])
    let alone = try await Program.run(["simulate"] + trial.options(out: folder["one"]))
    #expect([0, 99].contains(alone.code), "\(alone.text)\(alone.errorOutput)")
    let one = RunFiles(folder: folder["one"])
    let blocks: Set = ["command", "machine", "timing"]
    let lines = try one.record.lines(without: blocks)
    #expect(lines.count > 100)
    for count in [1, 2, 4] {
      let out = folder["\(count)"]
      let ended = try await start(count, ["simulate"] + trial.options(out: out)).end()
      #expect(ended.code == alone.code, "\(ended.text)\(ended.errorOutput)")
      let all = RunFiles(folder: out)
      #expect(try lines == all.record.lines(without: blocks))
      #expect(try one.text("timeline.csv") == all.text("timeline.csv"))
      #expect(ended.text.split(separator: "\n").count { $0.hasPrefix("verdict") } == 1)
    }
  }

  @Test("two processes compute the same demand per second as one")
  func demand() async throws {
    func words(_ name: String) -> [String] {
      ["demand", "--lived", "200"]
        + Trial(phones: 300, duration: "30min").options(out: folder[name])
    }
    let alone = try await Program.run(words("one"))
    let ended = try await start(2, words("all")).end()
    #expect(alone.code == 0 && ended.code == 0, "\(ended.text)\(ended.errorOutput)")
    let (one, all) = (RunFiles(folder: folder["one"]), RunFiles(folder: folder["all"]))
    let blocks: Set = ["command", "machine", "timing"]
    let lines = try one.record.lines(without: blocks)
    #expect(try lines == all.record.lines(without: blocks) && lines.count > 100)
    #expect(try one.text("demand.csv") == all.text("demand.csv"))
    #expect(try all.record.count("scenario.phones") == 300)
  }

  private static let live = Trial(phones: 300, speed: 120, duration: "12min")

  @Test("three processes load one collector: one screen, one record, no loss")
  func load() async throws {
    let ended = try await start(3, ["load"] + Self.live.options(out: folder["run"])).end()
    #expect([0, 98, 99].contains(ended.code), "\(ended.text)\(ended.errorOutput)")
    let run = RunFiles(folder: folder["run"])
    try run.record.expectClosedLedger()
    try run.record.expectNothingLost()
    #expect(try run.record.count("scenario.phones") == 300)
    for name in ["generator", "generator 2", "generator 3"] {
      #expect(try run.record.number("machine.processes.\(name).cpuSeconds") > 0)
    }
    #expect(try run.log.contains("the clock of process 3 of 3 is "))
    // One line a second, of all phones.
    let rows = try run.text("timeline.csv").split(separator: "\n").count - 1
    #expect(
      rows > 3 && ended.text.split(separator: "\n").count { $0.contains(" offered=") } == rows)
    let free = try await Program.run(["simulate"] + Self.live.options(out: folder["free"]))
    #expect([0, 99].contains(free.code))
    #expect(
      try run.record.string("digest.plan")
        == RunFiles(folder: folder["free"]).record.string("digest.plan"))
  }

  private func ranks(of mpirun: RunningProcess) async throws -> [Int32] {
    try await ProcessTable.children(of: mpirun.pid).sorted()
  }

  @Test("a killed process ends the job at once, with a report")
  func killed() async throws {
    var trial = Trial.endless
    trial.phones = 300
    let out = folder["run"]
    // mpirun kills the rest after one second: that is too short for a report.
    let patience = ["--mca", "odls_base_sigkill_timeout", "20"]
    let job = try await start(3, ["load"] + trial.options(out: out), options: patience)
    try await job.says(" measure ")
    let ranks = try await ranks(of: job)
    let began = ContinuousClock.now
    kill(try #require(ranks.last), SIGKILL)
    // mpirun waits for its twenty seconds in any case.
    try await eventually("the first has reported") { !ProcessTable.isRunning(ranks[0]) }
    let seconds = began.duration(to: .now)
    let ended = try await job.end()
    #expect(ended.code == 128 + SIGKILL && seconds < .seconds(10), "\(ended.text) \(seconds)")
    let record = try RunFiles(folder: out).record
    #expect(try record.verdict == "interrupted")
    let reasons = try record.reasons
    #expect(
      reasons.contains {
        $0.hasPrefix("Phones 200 to 299 are not in the figures: process 3 of 3 failed")
      }, "\(reasons)")
    #expect(try record.count("ledger.fixes.lost") == 0)
    #expect(try record.count("ledger.fixes.generated") > 0)
  }

  @Test("Ctrl-C, forwarded by mpirun as SIGCONT and SIGTERM, drains and reports")
  func interrupted() async throws {
    var trial = Trial.endless
    trial.phones = 300
    let out = folder["run"]
    // Three of them drain what is in flight.
    let patience = ["--mca", "odls_base_sigkill_timeout", "20"]
    let job = try await start(3, ["load"] + trial.options(out: out), options: patience)
    try await job.says(" measure ")
    job.signal(SIGINT)
    let ended = try await job.end()
    #expect(ended.code != 0, "\(ended.text)\(ended.errorOutput)")
    let record = try RunFiles(folder: out).record
    #expect(try record.verdict == "interrupted" && record.count("scenario.phones") == 300)
    #expect(try record.reasons.first?.hasPrefix("Stopped at 2026-03-02T") == true)
    try record.expectClosedLedger()
    try record.expectNothingLost()
    #expect(
      FileManager.default.fileExists(atPath: out.appendingPathComponent("report.html").path))
  }

  @Test("invalid input gives one line and the usual exit code")
  func wrong() async throws {
    let out = folder["run"].path
    let simulate = ["simulate", "city", "--phones", "20", "--duration", "10min", "--out", out]
    let another = [
      ":", "-np", "1", Program.url.path, "simulate", "city", "--phones", "30", "--out", out,
    ]
    let cases: [(count: Int, words: [String], code: Int32, says: String)] = [
      (3, ["simulate", "city", "--phones", "2"], 2, "3 processes for 2 phones"),
      (2, ["simulate", "ctiy"], 65, "ctiy: no scenario has this name"),
      (2, ["simulate", "city", "--phnes", "3"], 2, "no option '--phnes'"),
      (
        2, simulate + ["--shard", "1/2"], 2, "--shard cannot be combined with mpirun"
      ),
      (
        2, simulate + ["--compare", "hybrid,elastic"], 2, "--compare requires a single process"
      ),
      (1, simulate + another, 65, "process 2 of 2 has different arguments than the first"),
      (2, ["simulate", "city", "--phones", "20", "--out", "/proc/none"], 73, "/proc/none"),
      (2, ["plan", "city"], 2, "plan requires a single process"),
      (3, ["demand", "city", "--lived", "2", "--out", out], 2, "3 processes for 2 phones"),
    ]
    for (count, words, code, says) in cases {
      let ended = try await start(count, words).end()
      #expect(ended.code == code, "\(words): \(ended.errorOutput)")
      #expect(ended.output.isEmpty, "\(words): \(ended.text)")
      let said = sentences(ended.errorOutput)
      #expect(said.count == 1 && said[0].contains(says), "\(words): \(ended.errorOutput)")
    }
  }

  @Test("a process of another build is named before the simulation")
  func otherBuild() async throws {
    let other = folder["flotilla"]
    try FileManager.default.copyItem(at: Program.url, to: other)
    let handle = try FileHandle(forWritingTo: other)
    try handle.seekToEnd()
    try handle.write(contentsOf: [0])
    try handle.close()
    let words = ["simulate", "city", "--phones", "20", "--out", folder["run"].path]
    let ended = try await start(1, words + [":", "-np", "1", other.path] + words).end()
    #expect(ended.code == 65 && ended.output.isEmpty, "\(ended.text)\(ended.errorOutput)")
    let said = sentences(ended.errorOutput)
    #expect(
      said.count == 1 && said[0].contains("process 2 of 2 is a different build than the first"),
      "\(ended.errorOutput)")
  }

  @Test("a process that cannot load the MPI library prints how to build it")
  func noLibrary() async throws {
    let run = try RunningProcess(
      Program.url, ["simulate", "city", "--phones", "20"],
      environment: ["OMPI_COMM_WORLD_RANK": "0", "FLOTILLA_MPI": "/nowhere.so"])
    let ended = try await run.end()
    #expect(ended.code == 73 && ended.errorOutput.contains("build it with 'make mpi'"))
  }
}
