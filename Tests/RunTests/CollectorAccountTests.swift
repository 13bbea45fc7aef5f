import Collector
import Core
import Figures
import TestSupport
import Testing
import Transport
import Wire
@testable import Run

@Suite("A collector's account of itself", .quick)
struct CollectorAccountTests {
  func account(
    at seconds: Double, stored: UInt64, run: String = "city-1",
    change: (inout SnapshotReply) -> Void = { _ in }
  ) -> CollectorAccount {
    var reply = SnapshotReply()
    reply.wall = WallInstant(microseconds: Int64(seconds * 1e6))
    reply.scenario = SimInstant(microseconds: 1_772_433_060_000_000)
    reply.state = run.isEmpty ? .idle : .open
    reply.runID = run
    reply.batches = LedgerSide(
      received: stored + 3, distinct: stored, duplicate: 1, rejected: [NamedCount("x", 2)])
    reply.fixes = LedgerSide(received: stored * 10, distinct: stored * 10)
    var sheet = Sheet()
    sheet[.bytesRead] = Int(stored) * 100
    (sheet[.connections], sheet[.uploadsWaiting], sheet[.commits]) = (4, 5, 9)
    reply.counters = NamedCount.counts(of: sheet)
    reply.counters += [NamedCount(status: .ok, stored), NamedCount(status: .unavailable, 7)]
    reply.cpuMicroseconds = UInt64(seconds * 250_000)
    reply.freshness = [
      FreshnessMetrics(.reachable, figures: [NamedFigure(.within(.minutes(30)), 0.5)])
    ]
    (sheet[.pushesRequested], sheet[.pushesEligible], sheet[.pushesAnswered]) = (8, 6, 3)
    reply.pushes = NamedCount.counts(of: sheet, .wake)
    change(&reply)
    return CollectorAccount(reply)
  }

  @Test("rates are the difference between two accounts, by the collector's own clock")
  func rates() {
    let before = account(at: 100, stored: 1_000)
    let snapshot = account(at: 102, stored: 1_500)
      .snapshot(since: before, first: before, detail: "there:7070")
    #expect(snapshot.source == .collect && snapshot.name == "city-1")
    #expect(snapshot.rates?.acknowledged == 250)
    #expect(snapshot.rates?.fixes == 2_500)
    #expect(snapshot.rates?.failed == 0)
    #expect(snapshot.rates?.inFlight == 5)
    #expect(snapshot.wire?.bytesUpPerSecond == 25_000)
    #expect(snapshot.processes.first?.cores == 0.25)
    #expect(snapshot.progress.elapsedSeconds == 2)
    #expect(snapshot.progress.scenarioTime == "06:31:00 UTC")
    #expect(snapshot.errors == ["\(StatusCode.unavailable)": 7])
    #expect(snapshot.batches?.received == 1_503 && snapshot.batches?.rejected == 2)
    #expect(snapshot.freshness?.reachable.share == 0.5)
    #expect(snapshot.pushes?.answered == 3 && snapshot.pushes?.eligible == 6)
    #expect(snapshot.outlook.standing == .serving)
  }

  @Test("the first account has no rates, and a collector without a run has no ledger")
  func first() {
    let first = account(at: 1, stored: 0, run: "")
    let snapshot = first.snapshot(since: nil, first: first, detail: "there:7070")
    #expect(snapshot.name == "no run yet")
    #expect(snapshot.rates == nil && snapshot.batches == nil && snapshot.freshness == nil)
    #expect(snapshot.processes.first?.cores == nil)
  }

  @Test("a new run, or a restarted collector, gives no negative rate")
  func restarts() {
    let before = account(at: 100, stored: 1_000)
    let anew = account(at: 101, stored: 4).snapshot(since: before, first: before, detail: "x")
    #expect(anew.rates?.acknowledged == 0)
    let restarted = account(at: 101, stored: 4) { $0.cpuMicroseconds = 10 }
      .snapshot(since: before, first: before, detail: "x")
    #expect(restarted.processes.first?.cores == nil)
    #expect(restarted.rates?.acknowledged == 0)
  }

  @Test("a store that cannot commit is a problem, in the collector's own words")
  func problem() {
    let reply = account(at: 1, stored: 1).reply
    let account = CollectorAccount(
      reply, HealthReply(serving: false, detail: "the disk is full"))
    let snapshot = account.snapshot(since: nil, first: account, detail: "x")
    #expect(snapshot.outlook == Outlook(.problem, "the disk is full"))
  }

  @Test("a draining collector is no problem, unless its store cannot commit either")
  func draining() {
    let reply = account(at: 1, stored: 1) { $0.state = .draining }.reply
    func standing(_ account: CollectorAccount) -> Outlook.Standing {
      account.snapshot(since: nil, first: account, detail: "x").outlook.standing
    }
    let health = HealthReply(serving: false, detail: "draining")
    #expect(standing(CollectorAccount(reply, health)) == .stopping)
    #expect(standing(CollectorAccount(reply, problem: "the disk is full")) == .problem)
  }

  @Test("another process at the same address resets the rates: none at first, and no elapsed time")
  func watch() {
    var watch = CollectorWatch()
    _ = watch.snapshot(of: account(at: 100, stored: 1_000), detail: "x")
    let second = watch.snapshot(of: account(at: 102, stored: 1_500), detail: "x")
    #expect(second.rates?.acknowledged == 250 && second.progress.elapsedSeconds == 2)
    let other = watch.snapshot(of: account(at: 7, stored: 5), detail: "x")
    #expect(other.rates?.acknowledged == 0 && other.progress.elapsedSeconds == 0)
    let after = watch.snapshot(of: account(at: 8, stored: 6), detail: "x")
    #expect(after.rates?.acknowledged == 1 && after.progress.elapsedSeconds == 1)
  }

  @Test("its histogram has the percentiles that it measured")
  func histogram() {
    var measured = Histogram()
    for value in 1...5_000 as ClosedRange<Int64> { measured.record(value) }
    let sparse = measured.sparse
    let reply = SparseHistogram(
      indices: sparse.slots.map { UInt32($0.index) }, counts: sparse.slots.map { UInt64($0.count) },
      min: 1, max: 5_000, sum: UInt64(sparse.sum))
    #expect(Histogram(wire: reply) == measured)
    #expect(
      Histogram(wire: SparseHistogram(indices: [9_999_999], counts: [1], min: 1, max: 1)) == nil)
    #expect(Histogram(wire: SparseHistogram(indices: [1], counts: [.max], min: 1, max: 1)) == nil)
    #expect(Histogram(wire: SparseHistogram())?.isEmpty == true)
  }
}
