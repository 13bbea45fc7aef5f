import Foundation
import LiveSupport
import TestSupport
import Testing

@Suite(
  "A fleet over two hosts", .live, .timeLimit(.minutes(10)), .needs(.mpirun), .needs(.hosts))
struct HostTests {
  let folder: TemporaryFolder
  let files: RunFiles
  let hosts: TwoHosts

  init() async throws {
    folder = try TemporaryFolder()
    files = RunFiles(folder: folder["run"])
    hosts = try await TwoHosts()
  }

  private func load(
    _ duration: String, _ options: [String], over collector: [String]
  ) async throws -> RunningProcess {
    let trial = Trial(phones: 300, speed: 240, duration: duration, settings: ["warmStart=10min"])
    let job = MPIJob(folder: folder, hosts: hosts)
    return try await job.start(
      2, ["load"] + trial.options(out: files.folder) + collector, options: options)
  }

  /// When the record was written.
  private func written() throws -> Date? {
    try? files.folder.appending(path: "run.json").resourceValues(
      forKeys: [.contentModificationDateKey]
    ).contentModificationDate
  }

  private func expectSecondMissing() throws {
    let record = try files.record
    #expect(try record.verdict == "interrupted" && record.count("ledger.fixes.lost") == 0)
    let reasons = try record.reasons
    #expect(
      reasons.contains {
        $0.hasPrefix("Phones 150 to 299 are not in the figures: process 2 of 2 failed")
      }, "\(reasons)")
  }

  /// With these, mpirun notices a lost host within 3 s, and kills the remaining processes after some
  /// more: its own second is too short for a report.
  private static let keepalives = [
    "--mca", "oob_tcp_keepalive_time", "1", "--mca", "oob_tcp_keepalive_intvl", "1", "--mca",
    "oob_tcp_keepalive_probes", "2", "--mca", "odls_base_sigkill_timeout", "15",
  ]

  /// A job that ends without a record writes none.
  private func untilWritten(_ job: RunningProcess) async throws {
    try await eventually("the record is written", soFar: job.text + job.errorOutput) {
      let isOver = !job.isAlive
      if try written() != nil { return true }
      try #require(!isOver, "no record: \(job.text)\(job.errorOutput)")
      return false
    }
  }

  @Test(
    "the network fails: the first process reports at once, and no process remains",
    arguments: [true, false])
  func cut(mpirunNotices: Bool) async throws {
    let collector = try await hosts.collector()
    let job = try await load(
      "24h", mpirunNotices ? Self.keepalives : [], over: collector.options)
    try await job.says(" measure ")
    let cut = Date.now
    try hosts.cut()
    try await untilWritten(job)
    if !mpirunNotices {
      // mpirun itself waits for some minutes; two Ctrl-C end it.
      try await job.says("report   ")
      try await eventually("mpirun ends") {
        job.signal(SIGINT)
        return !job.isAlive
      }
    }
    let ended = try await job.end()
    try await eventually("the other host has ended its process") {
      try !hosts.programs(on: 1).contains("flotilla")
    }
    #expect(ended.code != 0, "\(ended.text)\(ended.errorOutput)")
    let seconds = try #require(try written()).timeIntervalSince(cut)
    // mpirun would wait for minutes.
    #expect(seconds < 20, "\(seconds) s")
    try expectSecondMissing()
  }

  @Test("the network fails while a process sends its part: the first stops waiting")
  func cutAtTheEnd() async throws {
    let collector = try await hosts.collector()
    let job = try await load(
      "24h", ["--mca", "odls_base_sigkill_timeout", "20"], over: collector.options)
    try await job.says(" measure ")
    // A part, a hundred kilobytes and more, takes some ten seconds.
    try hosts.slow(to: "128kbit")
    job.signal(SIGINT)
    let before = try hosts.sent()
    try await eventually("its part is on its way", soFar: job.text + job.errorOutput) {
      try #require(try written() == nil)
      return try hosts.sent() > before + 40_000
    }
    try hosts.cut()
    try await untilWritten(job)
    // It would wait twenty seconds before each of its signals.
    job.signal(SIGKILL)
    _ = try await job.end()
    try expectSecondMissing()
  }

  @Test("512 kbit/s are enough for a run: nothing is lost, no process is missing")
  func slow() async throws {
    let collector = try await hosts.collector()
    let job = try await load("12min", [], over: collector.options)
    try await job.says(" measure ")
    try hosts.slow(to: "512kbit")
    let ended = try await job.end()
    #expect([0, 98, 99].contains(ended.code), "\(ended.text)\(ended.errorOutput)")
    let record = try files.record
    try record.expectClosedLedger()
    try record.expectNothingLost()
    // The reason for an invalid run names the process.
    let reasons = try record.reasons
    #expect(
      try record.verdict != "invalid" || reasons.contains { $0.hasPrefix("process 2 of 2: ") },
      "\(reasons)")
    #expect(try record.verdict != "interrupted" && record.count("scenario.phones") == 300)
    #expect(try record.string("machine.generators.1.name") == "generator 2")
  }
}
