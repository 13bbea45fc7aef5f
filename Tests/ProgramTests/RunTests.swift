import Foundation
import LiveSupport
import TestSupport
import Testing

@Suite("Runs", .quick)
struct RunTests {
  let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  @Test("two simulations have identical records except command, machine and timing")
  func simulationsAreEqual() async throws {
    let trial = Trial(phones: 200, duration: "12min")
    let one = try await simulate(trial, "one", ["--set", "run.threads=1"])
    let two = try await simulate(trial, "two", ["--set", "run.threads=2"])
    let blocks: Set = ["command", "machine", "timing"]
    let lines = one.lines(without: blocks)
    #expect(lines == two.lines(without: blocks))
    // The comparison is not trivial.
    #expect(lines.count > 100)
    #expect(one.text != two.text)
    #expect(try one.count("ledger.fixes.acknowledged") > 0)

    var other = trial
    other.seed += 1
    let another = try await simulate(other, "another", [])
    #expect(try another.string("digest.plan") != one.string("digest.plan"))
    #expect(try another.string("digest.history") != one.string("digest.history"))
  }

  private func simulate(_ trial: Trial, _ name: String, _ extra: [String]) async throws
    -> RecordFile
  {
    let ended = await flotilla(["simulate"] + trial.options(out: folder[name]) + extra)
    #expect([0, 99].contains(ended.code), "\(ended.text)\(ended.errorOutput)")
    return try RunFiles(folder: folder[name]).record
  }

  @Test("Ctrl-C in the warm start exits with 130 and reports no measurement")
  func interruptWarmStart() async throws {
    var trial = Trial.endless
    trial.phones = 300
    trial.settings = ["warmStart=336h"]
    let ended = await flotilla(
      ["load"] + trial.options(out: folder["run"]), stoppedWhen: { $0.contains("warm start") })
    #expect(ended.code == 130, "\(ended.errorOutput)")
    let record = try RunFiles(folder: folder["run"]).record
    #expect(try record.verdict == "interrupted")
    #expect(try record.reasons.first?.contains("warm start") == true)
  }

  @Test("an unreachable collector exits with 69")
  func unreachable() async throws {
    // Port 1 of loopback is closed.
    let ended = await flotilla(
      ["load"] + Trial().options(out: folder["run"]) + ["--collector", "127.0.0.1:1"])
    #expect(ended.code == 69)
    #expect(ended.errorOutput.contains("127.0.0.1:1"))
    #expect(ended.errorOutput.contains("refused"))
  }

  @Test("an invalid store for several collectors is one line, before the simulation")
  func refusals() async throws {
    let nowhere = "postgresql://me@127.0.0.1:1/fleet"
    for (more, code, text) in [
      (
        ["--set", "collector.count=2"], 65,
        "--set collector.count=2: collector: 2 collectors cannot share 'store: sqlite'; "
          + "write store: "
      ),
      (["--set", "collector.url=\(nowhere)"], 65, "write store: postgresql"),
      (
        ["--set", "collector.store=postgresql", "--set", "collector.url=postgresql://me:x@h/f"], 65,
        "PGPASSWORD or ~/.pgpass"
      ),
      (
        ["--set", "collector.store=postgresql", "--set", "collector.url=\(nowhere)"], 73,
        "cannot be reached"
      ),
      (
        [
          "--set", "collector.store=postgresql", "--set", "collector.count=2", "--collector",
          "127.0.0.1:1",
        ], 2, "remove one of the two"
      ),
    ] as [([String], Int32, String)] {
      let ended = await flotilla(["load"] + Trial().options(out: folder["run"]) + more)
      #expect(ended.code == code && ended.errorOutput.contains(text), "\(ended.errorOutput)")
      #expect(ended.errorOutput.split(separator: "\n").count == 1, "\(ended.errorOutput)")
    }
  }

  @Test("a dictionary requires the encoding columns")
  func dictionary() async throws {
    var trial = Trial()
    trial.phones = 100
    let ended = await flotilla(
      ["load"] + trial.options(out: folder["run"])
        + ["--set", "run.dictionary=/dev/null", "--set", "encoding=rows"])
    #expect(
      ended.code == 65 && ended.errorOutput.contains("needs columns"), "\(ended.errorOutput)")
  }
}
