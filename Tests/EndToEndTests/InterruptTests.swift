import Foundation
import Testing

@Suite("Signals to a live run")
struct InterruptTests {
  /// Half a minute of wall time, of which the tests wait for the first few seconds.
  let trial = Trial(speed: 60, duration: "30min")

  private func started(_ folder: TemporaryFolder) async throws -> (RunningProcess, Int32) {
    let load = try Program.start(["load"] + trial.options(out: folder["run"]))
    try await load.says(" measure ")
    let collector = try await load.collector()
    #expect(collector > 0)
    return (load, collector)
  }

  private func expectGone(_ pid: Int32) async throws {
    try await eventually(within: .seconds(15), "the collector ends") {
      try await !ProcessTable.isAlive(pid)
    }
  }

  @Test("Ctrl-C half-way drains, reports, and ends with 130", arguments: [SIGINT, SIGTERM])
  func interrupt(number: Int32) async throws {
    let folder = try TemporaryFolder()
    try await Seats.hold {
      let (load, collector) = try await started(folder)
      load.signal(number)
      let ended = try await load.end(upTo: .seconds(60))
      #expect(ended.code == 130, "\(ended.text)\(ended.complaints)")
      #expect(try await !ProcessTable.isAlive(collector))
    }
    let record = try RunFiles(folder: folder["run"]).record
    #expect(try record.verdict == "interrupted")
    #expect(try record.reasons.first?.hasPrefix("Stopped at 2026-03-02T07:") == true)
    try record.expectClosedLedger()
    try record.expectNothingLost()
  }

  @Test("Ctrl-C twice ends at once, even when the collector does not move")
  func interruptTwice() async throws {
    let folder = try TemporaryFolder()
    try await Seats.hold {
      let (load, collector) = try await started(folder)
      // Without answers the drain would wait for the deadline of what is in flight.
      kill(collector, SIGSTOP)
      try await Task.sleep(for: .milliseconds(500))
      load.signal(SIGINT)
      try await eventually(within: .seconds(10), "the first one is heard") {
        load.complaints.contains("Again to quit now")
      }
      load.signal(SIGINT)
      let ended = try await load.end(upTo: .seconds(4))
      #expect(ended.code == 130)
      try await expectGone(collector)
    }
  }

  @Test("Ctrl-C in the warm start ends with 130 and says that nothing was measured")
  func interruptWarmStart() async throws {
    let folder = try TemporaryFolder()
    var trial = trial
    trial.phones = 20_000
    try await Seats.hold {
      let load = try Program.start(["load"] + trial.options(out: folder["run"]))
      try await eventually(within: .seconds(60), "it warms up") {
        load.complaints.contains("warm start")
      }
      load.signal(SIGINT)
      #expect(try await load.end(upTo: .seconds(30)).code == 130)
    }
    let record = try RunFiles(folder: folder["run"]).record
    #expect(try record.verdict == "interrupted")
    #expect(try record.reasons.first?.contains("warm start") == true)
  }

  @Test("SIGKILL leaves no collector behind")
  func killed() async throws {
    let folder = try TemporaryFolder()
    try await Seats.hold {
      let (load, collector) = try await started(folder)
      load.signal(SIGKILL)
      #expect(try await load.end(upTo: .seconds(10)).code == 128 + SIGKILL)
      try await expectGone(collector)
    }
  }
}
