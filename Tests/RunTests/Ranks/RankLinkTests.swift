import Core
import Figures
import Fleet
import Foundation
import ServerLogic
import Synchronization
import TestSupport
import Testing
import Transport

@testable import Run
@testable import Scenarios
@testable import Uploads
@testable import RunSupport

@Suite("A run over the processes of a job", .quick)
struct RankLinkTests {
  private static func simulate(
    _ plan: RunPlan, over link: (any ShareLink)?, onWindow: @escaping (Int) -> Void = { _ in }
  ) -> RunOutcome {
    var plan = plan
    plan.link = link
    var windows = 0
    return Simulation(plan).run(
      progress: { _ in },
      shouldStop: {
        windows += 1
        onWindow(windows)
        return false
      })
  }

  @Test(
    "any number of processes make the record of one, byte for byte, at any rate of pushes",
    arguments: [1, 2, 4], [1.0 / 60, 10_000])
  func record(count: Int, perSecond: Double) throws {
    let plan = RunPlan.twoHours(threads: 1) { $0.push.rate = Rate(perSecond: perSecond) }
    let ports = MemoryPorts(count)
    let ends = ports.run { Self.simulate(plan, over: $0) }
    let whole = Self.simulate(plan, over: nil)
    #expect(try ends[0].result.recordText() == whole.recordText())
    #expect(ends[0].result.timeline == whole.timeline)
    #expect(ends.allSatisfy(\.isWhole) && ports.left == Set(0..<count))
  }

  @Test("a dead process is named, the others stop, and the measured part is in the record")
  func dies() throws {
    // At every sweep each needs the others.
    let plan = RunPlan.twoHours(threads: 1) { $0.push.rate = Rate(perSecond: 1.0 / 180) }
    let windows = Mutex(0)
    _ = Self.simulate(plan, over: nil) { _ in windows.withLock { $0 += 1 } }
    let late = windows.withLock { $0 } * 7 / 8
    let ports = MemoryPorts(3)
    let began = MonotonicClock.now
    let first = Mutex<RankLink?>(nil)
    let bids = BidCount(3)
    let ends = ports.run { link in
      if link.place.isFirst { first.withLock { $0 = link } }
      return Self.simulate(plan, over: CountedLink(link: link, bids: bids)) { window in
        guard link.place.number == 2, window == late else { return }
        ports.kill(2)
        // mpirun's signal comes while the first waits for bids that will not come.
        bids.wait(for: bids.count(of: 2) + 1, of: 0)
        first.withLock { $0 }?.stop()
      }
    }
    let record = ends[0].result.record
    #expect(record.verdict == .interrupted && !ends[0].isWhole)
    #expect(record.scenario.phones == 133)
    #expect(
      record.reasons.contains(
        "Phones 133 to 199 are not in the figures: process 3 of 3 failed (it exited)."))
    #expect(record.reasons.contains { $0.hasPrefix("Stopped at ") })
    #expect(record.ledger.fixes.generated > 0)
    #expect(MonotonicClock.now - began < .seconds(60))
  }

  @Test("a process that cannot begin releases the others, and all leave")
  func cannotBegin() {
    let plan = RunPlan.twoHours(threads: 1)
    let ports = MemoryPorts(3)
    let ends = ports.run { link -> Verdict? in
      guard link.place.number != 1 else { return nil }
      return Self.simulate(plan, over: link).record.verdict
    }
    #expect(ends[0].result == .interrupted && ends.allSatisfy(\.isWhole))
    #expect(ports.left == [0, 1, 2])
  }

  @Test("different clocks show one instant, and their difference is reported")
  func clocks() throws {
    let ahead: [WallDuration] = [.zero, .seconds(1_000), .zero - .milliseconds(250)]
    let ports = MemoryPorts(3)
    let starts = ThreadShares(3).run { other -> (WallInstant, [String]) in
      let number = other.place.number
      let link = ports.link(number, ahead: ahead[number])
      let start = link.startInstant(in: .milliseconds(300)) { MonotonicClock.now + ahead[number] }
      let notes = link.notes
      _ = link.leave()
      return (start - ahead[number], notes)
    }
    let real = starts.map(\.0.microseconds)
    let spread = try #require(real.max()) - (try #require(real.min()))
    #expect(spread < 20_000, "\(starts)")
    let note = #/the clock of process 2 of 3 is (\d+) µs ahead of the first's, ± (\d+) µs/#
    let found = try #require(try starts[0].1.first.flatMap(note.firstMatch))
    let (offset, bound) = (try #require(Int(found.1)), try #require(Int(found.2)))
    #expect(abs(offset - 1_000_000_000) <= bound, "\(starts[0].1)")
    #expect(starts[0].1.last?.contains("behind the first's") == true)
  }

  @Test("a process's figures of a second reach the first, and no process waits")
  func intervals() throws {
    let ports = MemoryPorts(2)
    let sums = ports.run { link -> [Int] in
      link.post(ShareIntervalTests.share(link.place.isFirst ? 0..<30 : 30..<100, after: 1))
      link.post(nil)
      guard link.place.isFirst else { return [] }
      let limit = MonotonicClock.now + .seconds(20)
      while MonotonicClock.now < limit {
        if let sum = link.takeInterval() { return [sum.second, sum.phones] }
        usleep(1_000)
      }
      return []
    }
    #expect(sums[0].result == [1, 100])
  }

  @Test("mpirun's library is found next to the program or above it, or in the environment")
  func library() throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
    let program = folder.appending(path: "bin/flotilla")
    try FileManager.default.createDirectory(
      at: folder.appending(path: "lib"), withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    #expect(throws: RankPortError.self) {
      try RankEnvironment.library(in: ["FLOTILLA_MPI": "/nowhere"], executable: program.path)
    }
    let file = folder.appending(path: "lib/libflotilla-mpi.so")
    try Data().write(to: file)
    let found = try RankEnvironment.library(in: [:], executable: program.path)
    #expect(found.hasSuffix("lib/libflotilla-mpi.so"))
    #expect(throws: RankPortError.self) { try MPIPort(file.path) }
    #expect(RankEnvironment.rank(in: ["OMPI_COMM_WORLD_RANK": "3"]) == 3)
    #expect(RankEnvironment.rank(in: [:]) == nil)
  }

  @Test("a launcher that links no processes is detected, and a single process is not")
  func unlinked() throws {
    for (environment, number) in [
      (["PMI_SIZE": "2", "PMI_RANK": "1"], 1),
      (["SLURM_NTASKS": "4", "SLURM_PROCID": "0"], 0),
      (["SLURM_STEP_NUM_TASKS": "3", "SLURM_NTASKS": "3", "SLURM_PROCID": "2"], 2),
    ] {
      let process = try #require(RankEnvironment.unlinked(in: environment))
      #expect(process.number == number && process.sentence.contains("--shard"))
    }
    for environment in [
      [:], ["PMI_SIZE": "1", "PMI_RANK": "0"],
      // Within an allocation, and not a task of it.
      ["SLURM_NTASKS": "4"],
      // One task of a job that has more.
      ["SLURM_STEP_NUM_TASKS": "1", "SLURM_NTASKS": "4", "SLURM_PROCID": "0"],
      // Slurm has started mpirun's daemons, and these link the processes.
      ["OMPI_COMM_WORLD_RANK": "1", "SLURM_NTASKS": "4", "SLURM_PROCID": "1"],
    ] { #expect(RankEnvironment.unlinked(in: environment) == nil, "\(environment)") }
  }
}

/// Counts the sweeps for which each process has requested the others' bids.
private final class BidCount: Sendable {
  private let condition = NSCondition()
  private let counts: Mutex<[Int]>

  init(_ processes: Int) { counts = Mutex(Array(repeating: 0, count: processes)) }

  func count(of number: Int) -> Int { counts.withLock { $0[number] } }

  func add(_ number: Int) {
    condition.lock()
    counts.withLock { $0[number] += 1 }
    condition.broadcast()
    condition.unlock()
  }

  func wait(for count: Int, of number: Int) {
    condition.lock()
    while self.count(of: number) < count { condition.wait() }
    condition.unlock()
  }
}

/// The link of a process whose exchanges are counted.
private struct CountedLink: ShareLink {
  let link: RankLink
  let bids: BidCount
  var place: SharePlace { link.place }

  func agree(on mine: SweepBids) -> SweepCut {
    bids.add(place.number)
    return link.agree(on: mine)
  }

  func exchange<Value: Codable & Sendable>(_ mine: Value) -> [Value?] { link.exchange(mine) }

  func startInstant(
    in lead: WallDuration, wall: @Sendable () -> WallInstant
  ) -> WallInstant { link.startInstant(in: lead, wall: wall) }

  func post(_ interval: ShareInterval?) { link.post(interval) }
  func takeInterval() -> ShareInterval? { link.takeInterval() }
  func stop() { link.stop() }
  var notes: [String] { link.notes }
  func send(_ parcel: Data, to process: Int) { link.send(parcel, to: process) }
  func takeParcels() -> [(from: Int, parcel: Data)] { link.takeParcels() }
  var isStopped: Bool { link.isStopped }
  func end(_ mine: ShareEnd) -> [ShareEnd] { link.end(mine) }
}
