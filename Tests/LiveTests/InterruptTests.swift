import Foundation
import LiveSupport
import Testing

@Suite("Signals to a live run", .timeLimit(.minutes(10)))
struct InterruptTests {
  private func started(
    _ folder: TemporaryFolder, _ trial: Trial = .endless
  ) async throws -> (RunningProcess, Int32) {
    let load = try Program.start(["load"] + trial.options(out: folder["run"]))
    try await load.says(" measure ")
    return (load, try await load.collector())
  }

  private func expectGone(_ pid: Int32) async throws {
    try await eventually("the collector ends") {
      try await !ProcessTable.isAlive(pid)
    }
  }

  @Test("Ctrl-C half-way drains, reports, and ends with 130", arguments: [SIGINT, SIGTERM])
  func interrupt(number: Int32) async throws {
    let folder = try TemporaryFolder()
    try await Seats.hold {
      let (load, collector) = try await started(folder)
      load.signal(number)
      let ended = try await load.end()
      #expect(ended.code == 130, "\(ended.text)\(ended.errorOutput)")
      #expect(try await !ProcessTable.isAlive(collector))
    }
    let record = try RunFiles(folder: folder["run"]).record
    #expect(try record.verdict == "interrupted")
    #expect(try record.reasons.first?.hasPrefix("Stopped at 2026-03-02T") == true)
    try record.expectClosedLedger()
    try record.expectNothingLost()
  }

  @Test("Ctrl-C twice ends at once, even when the collector does not move")
  func interruptTwice() async throws {
    let folder = try TemporaryFolder()
    // Without answers the drain waits for what is in flight, longer than this test would.
    var trial = Trial.endless
    trial.settings = ["network.deadline=10min"]
    try await Seats.hold {
      let (load, collector) = try await started(folder, trial)
      kill(collector, SIGSTOP)
      let printed = load.text.count
      try await load.says("uploads under way") {
        $0.dropFirst(printed).contains(#/inflight=[1-9]/#)
      }
      load.signal(SIGINT)
      try await eventually("the first one is heard") {
        load.errorOutput.contains("Again to quit now")
      }
      load.signal(SIGINT)
      let ended = try await load.end()
      #expect(ended.code == 130)
      try await expectGone(collector)
    }
  }

  @Test("SIGKILL leaves no collector behind")
  func killed() async throws {
    let folder = try TemporaryFolder()
    try await Seats.hold {
      let (load, collector) = try await started(folder)
      load.signal(SIGKILL)
      #expect(try await load.end().code == 128 + SIGKILL)
      try await expectGone(collector)
    }
  }
}
