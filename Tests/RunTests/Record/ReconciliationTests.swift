@testable import Core
import Fleet
import Scenarios
import ServerLogic
import TestSupport
import Testing
import Transport
import Uploads
import Wire

@testable import Figures
@testable import Run
@testable import RunSupport

/// Accounts of a fleet in which every fix is accounted for, made by hand.
private enum Accounts {
  static let context = FleetContext(Scenario.standard(phones: 100))

  /// Ten fixes in two batches, all acknowledged and held.
  static func share(_ phones: Range<Int>, hash: UInt64) -> FleetAccount {
    var account = FleetAccount(context, phones: phones)
    account.metrics[.fixesGenerated] = 12
    account.metrics[.fixesPersisted] = 10
    account.metrics[.fixesAcknowledged] = 10
    account.metrics[.batchesCut] = 2
    account.metrics[.batchesAcknowledged] = 2
    account.metrics.acknowledgedHash = hash
    account.proof = BatchProof()
    account.proof?.expectedHash = hash
    return account
  }

  static let shares = [share(0..<40, hash: 5), share(40..<100, hash: .max)]

  /// Sent by both shares: 20 fixes in four batches, and their hashes modulo 2^64.
  static let server: ServerAccount = {
    var server = ServerAccount()
    server.ledger.fixes.received = 20
    server.ledger.fixes.distinct = 20
    server.ledger.batches.received = 5
    server.ledger.batches.distinct = 4
    server.ledger.batches.duplicate = 1
    server.hashSum = 4
    server.isInProcess = true
    return server
  }()
}

@Suite("Both sides of a run's ledger", .quick)
struct ReconciliationTests {
  @Test("shares whose batches the server holds reconcile without a violation")
  func agree() {
    let sides = reconcile(Accounts.shares, with: Accounts.server)
    #expect(sides.violations == [])
    #expect(sides.ledger.fixes.generated == 24 && sides.ledger.fixes.filtered == 4)
    #expect(sides.ledger.fixes.distinct == 20 && sides.ledger.fixes.lost == 0)
    #expect(sides.ledger.batches.duplicate == 1)
  }

  @Test("an acknowledged batch that the server does not hold is a loss, named by its id")
  func missing() {
    var shares = Accounts.shares
    shares[1].proof?.acknowledgedMissing = [
      BatchID(phone: PhoneID(rawValue: 77), epoch: 1, sequence: 3)
    ]
    var server = Accounts.server
    server.isInProcess = false
    server.ledger.fixes.received = 13
    server.ledger.fixes.distinct = 13
    server.hashSum = 9
    let sides = reconcile(shares, with: server)
    #expect(sides.ledger.batches.lost == 1 && sides.ledger.fixes.lost == 7)
    #expect(sides.violations.count == 2)
    #expect(sides.violations.first?.contains("phone 77 batch 3") == true)
    #expect(sides.violations.last?.contains("hash") == true)
  }

  @Test("a held batch whose phone got no answer hides no loss")
  func unknownStored() {
    var shares = Accounts.shares
    shares[0].proof?.unknownStored = 1
    shares[0].proof?.unknownStoredFixes = 4
    shares[0].proof?.acknowledgedMissing = [
      BatchID(phone: PhoneID(rawValue: 1), epoch: 1, sequence: 1)
    ]
    #expect(reconcile(shares, with: Accounts.server).ledger.fixes.lost == 4)
  }

  @Test("the journal of a fleet that resumed supplies the fixes that are missing")
  func journal() {
    var share = Accounts.shares[0]
    share.proof?.missingFixes = 0
    share.sending = SendingAccount()
    share.sending?.counts[.resent] = 6
    // The collector also holds batches of earlier fleets.
    var server = Accounts.server
    server.hashSum = 5
    let sides = reconcile([share], with: server)
    #expect(sides.ledger.fixes.lost == 0 && sides.ledger.batches.resent == 6)
    #expect(sides.violations == [])
  }

  @Test("an answer that was lost on the way is no violation, unless the server is in process")
  func inFlight() {
    var shares = Accounts.shares
    shares[0].metrics[.batchesCut] += 1
    shares[0].census[.inFlightBatches] = 1
    var server = Accounts.server
    #expect(reconcile(shares, with: server).violations.count == 1)
    server.isInProcess = false
    #expect(reconcile(shares, with: server).violations == [])
  }

  @Test("if no server can be queried, nothing acknowledged counts as stored")
  func unreachable() {
    let sides = reconcile(Accounts.shares, withoutServer: "nobody answers")
    #expect(sides.ledger.fixes.lost == 20 && sides.ledger.batches.lost == 4)
    #expect(
      sides.violations == [
        """
        nobody answers. None of the 20 acknowledged fixes could be shown to be stored.
        """
      ])
  }

  @Test("a store's fault is a sentence, and sums that differ from the counts are faults")
  func storeFaults() {
    var snapshot = SnapshotReply()
    (snapshot.hashSum, snapshot.batches) = (7, LedgerSide(received: 3, distinct: 3))
    func faults(_ change: (inout StoreReading) -> Void) -> [String] {
      var reading = StoreReading(read: 3, committed: 3, hashSum: 7)
      change(&reading)
      return CollectorProof(snapshot: snapshot, held: [:], store: reading)
        .faults(of: "the collector")
    }
    #expect(faults { _ in } == [])
    #expect(
      faults { ($0.faults, $0.faultCount) = (["row 3 is missing"], 9) } == [
        "The store of the collector: row 3 is missing.",
        "The store of the collector: 8 more faults; 'flotilla verify' lists them.",
      ])
    #expect(
      faults { ($0.read, $0.hashSum) = (2, 6) } == [
        "The store of the collector does not match what was committed: "
          + "2 batches stored, 3 committed."
      ])
    // Retention drops batches, and their sums with them.
    #expect(faults { ($0.read, $0.hashSum, $0.dropped) = (2, 6, 1) } == [])
  }

  @Test("a share whose batches were not compared is always reported")
  func unproved() {
    var shares = Accounts.shares
    shares[1].proof = nil
    shares[1].faults = ["At a snapshot: something."]
    let sides = reconcile(shares, with: Accounts.server)
    #expect(sides.violations.first?.contains("not compared") == true)
    #expect(sides.violations.last == "At a snapshot: something.")
  }

  @Test("servers of ranges of phones add as their phones do")
  func servers() {
    var part = ServerAccount()
    part.hashSum = .max
    part.isInProcess = true
    part.ledger.fixes.reject(2, reason: "malformed")
    var sum = Accounts.server
    sum.merge(part)
    #expect(sum.hashSum == 3 && sum.ledger.fixes.rejected == 2 && sum.isInProcess)
  }
}

@Suite("Record of a finished live run", .quick)
struct LiveRecordTests {
  static let plan: RunPlan = {
    let scenario = Accounts.context.scenario
    return RunPlan(
      scenario: scenario, scenarioText: scenario.text, scenarioHash: scenario.hash,
      command: ["test"], version: "t", threads: 1, startedAt: "2026-01-01T00:00:00Z",
      wall: { WallInstant(microseconds: 0) })
  }()

  private func run(
    _ shares: [FleetAccount], _ server: Result<ServerAccount, CollectorRunError>
  ) -> EndedRun {
    EndedRun(
      plan: Self.plan, context: Accounts.context,
      ended: EndedShares(
        shares.map { .measured(RunShare(fleet: $0, server: ServerAccount())) }, of: Self.plan),
      began: Self.plan.scenario.start, server: server, wake: WakeAccount(),
      collector: CollectorUse(address: "192.0.2.1:7", isOurs: false, spent: nil),
      contention: ProcessorContention(cores: 2))
  }

  private func record(_ run: EndedRun) throws -> RunRecord {
    var outcome = RunOutcome(record: RunRecord(Self.plan))
    outcome.record.timing.liveWallSeconds = 10
    try LiveRecord(run).fill(&outcome)
    return outcome.record
  }

  @Test("offered and acknowledged rates are counts per second")
  func rates() {
    var load = Sheet()
    (load[.offeredBatches], load[.offeredFixes], load[.acknowledgedBatches]) = (40, 400, 30)
    var record = RunRecord()
    record.setOffered(load, seconds: 10)
    #expect(record.offered.batchesPerSecond == 4 && record.offered.fixesPerSecond == 40)
    #expect(record.throughput.batchesPerSecond == 3)
  }

  @Test("a store that does not answer at the end shows no loss: the run is not verified")
  func storeAway() throws {
    var run = self.run(Accounts.shares, .failure(.unreachable("")))
    run.server = nil
    run.ended.shares[0].server.unverified = "the store of the collector did not answer (it is away)"
    for n in run.ended.shares.indices { run.ended.shares[n].fleet.proof = nil }
    let record = try self.record(run)
    #expect(record.verdict == .notVerified, "\(record.reasons)")
    #expect(record.ledger.fixes.lost == 0 && record.ledger.batches.lost == 0)
    #expect(record.reasons.first?.hasPrefix("Not verified: the store of the collector") == true)
  }

  private var senders: [FleetAccount] {
    var shares = Accounts.shares
    for n in shares.indices {
      shares[n].measured[.offeredBatches] = 50
      shares[n].sending = SendingAccount()
      shares[n].sending?.counts[.bytesSent] = 1_000
      shares[n].sending?.processes = [
        ProcessMetrics(
          cpuMicroseconds: Int64(n + 1) * 1_000_000, residentBytes: 1, peakResidentBytes: 2)
      ]
    }
    return shares
  }

  @Test("two senders are one run: their loads add, and each process is listed separately")
  func twoShares() throws {
    let record = try record(run(senders, .success(Accounts.server)))
    #expect(record.verdict != .loss && record.ledger.fixes.lost == 0)
    #expect(record.offered.batches == 100 && record[.bytesSent] == 2_000)
    #expect(record.traffic.bytesPerFix == 100)
    #expect(record.machine.processes["generator"]?.cpuSeconds == 1)
    #expect(record.machine.processes["generator 2"]?.cpuSeconds == 2)
    #expect(
      record.machine.collectorAddress == "192.0.2.1:7" && record.machine.collectorIsOurs == false)
  }

  @Test("the record has the sum of several collectors, and a row for each")
  func collectors() throws {
    var run = run(senders, .success(Accounts.server))
    func metrics(_ seconds: Int64) -> ProcessMetrics {
      ProcessMetrics(
        cpuMicroseconds: seconds * 1_000_000, residentBytes: 1, peakResidentBytes: 2)
    }
    run.collector.isOurs = true
    run.collector.spent = [metrics(3), metrics(4)].sum
    run.collector.database = metrics(5)
    run.collector.parts = [3, 4].enumerated().map { number, seconds in
      var uploads = Sheet()
      uploads[.acknowledged] = number + 10
      return .init(
        address: "127.0.0.1:\(number)", spent: metrics(Int64(seconds)), restarts: number,
        uploads: uploads)
    }
    let record = try record(run)
    let use = record.machine.processes.mapValues { Int($0.cpuSeconds) }
    #expect(use["collector"] == 7 && use["collector 1"] == 3 && use["collector 2"] == 4)
    #expect(use["database"] == 5)
    let rows = try #require(record.machine.collectors)
    #expect(rows.map(\.acknowledgedBatches) == [10, 11] && rows.map(\.restarts) == [0, 1])
    let lines = VerdictLines.lines(record)
    #expect(
      lines.contains { $0.hasPrefix("collector 2") && $0.hasSuffix("11 batches, restarts 1") })
  }

  @Test("collectors on one store hold the same batches; their refusals and duplicates add")
  func stores() {
    func side(_ duplicate: UInt64, _ rejected: UInt64) -> LedgerSide {
      LedgerSide(
        received: 100 + duplicate + rejected, distinct: 100, duplicate: duplicate,
        rejected: rejected > 0 ? [NamedCount("malformed", rejected)] : [])
    }
    var snapshots = [SnapshotReply(), SnapshotReply()]
    (snapshots[0].batches, snapshots[1].batches) = (side(3, 1), side(4, 2))
    let account = ServerAccount(
      CollectorProof(snapshot: snapshots[0], held: [:], others: [snapshots[1]]))
    let batches = account.ledger.batches
    #expect(batches.distinct == 100 && batches.duplicate == 7 && batches.rejected == 3)
    #expect(batches.received == 110)
  }

  @Test("a late sender makes the whole run invalid, and is quoted")
  func late() throws {
    var shares = senders
    shares[1].sending?.lateReasons = ["The second was late."]
    let record = try record(run(shares, .success(Accounts.server)))
    #expect(record.verdict == .invalid)
    #expect(record.reasons.contains { $0.contains("The second was late.") })
  }

  @Test("without the collector's last account all that it acknowledged counts as lost")
  func silentCollector() throws {
    let record = try record(run(senders, .failure(.unreachable("the collector is gone"))))
    #expect(record.verdict == .loss && record.ledger.fixes.lost == 20)
  }

  @Test("a run without an acknowledged batch does not pass, even without SLOs")
  func nothing() throws {
    let shares = [0..<40, 40..<100].map { phones in
      var share = FleetAccount(Accounts.context, phones: phones)
      share.proof = BatchProof()
      return share
    }
    var server = ServerAccount()
    server.isInProcess = true
    let record = try record(run(shares, .success(server)))
    #expect(record.slo.isEmpty && record.verdict == .sloMissed)
    #expect(record.reasons == ["None of 0 fixes was acknowledged."])
  }

  @Test("too few uploads for a p99 are a remark, and a miss if the user set it as an SLO")
  func fewUploads() throws {
    func judged(response: Int64, isAsked: Bool) throws -> RunRecord {
      var shares = senders
      for place in shares.indices {
        for _ in 0..<17 {
          shares[place].sending?.latency.record(
            BatchTiming(generatorLag: 0, connect: 0, hold: 0, service: response))
        }
      }
      var run = run(shares, .success(Accounts.server))
      run.plan.scenario.slo.responseP99 = .milliseconds(50)
      run.plan.askedLevels = isAsked ? ["responseP99"] : []
      return try record(run)
    }
    let healthy = try judged(response: 8_000, isAsked: false)
    #expect(healthy.verdict == .pass && healthy.slo.isEmpty)
    #expect(healthy.reasons.count == 1)
    let remark = try #require(healthy.reasons.first)
    #expect(remark.hasPrefix("responseP99 is unknown: p99 needs 368 uploads, and 34 were"))
    #expect(remark.contains("--duration 12 h"))
    let asked = try judged(response: 8_000, isAsked: true)
    #expect(asked.verdict == .sloMissed && asked.reasons.contains(remark))
    #expect(asked.reasons[0] == "responseP99 could not be measured, the SLO is 50 ms.")
    let slow = try judged(response: 80_000, isAsked: false)
    #expect(slow.verdict == .sloMissed, "half of them took longer already")
  }

  @Test("pushes that cannot be judged yet are a remark, and a miss if the user set an SLO")
  func fewPushes() throws {
    func judged(_ asked: Set<String>) throws -> RunRecord {
      var run = run(senders, .success(Accounts.server))
      run.plan.scenario.slo.answered = 0.63
      run.plan.askedLevels = asked
      return try record(run)
    }
    let open = try judged([])
    #expect(open.verdict == .pass && open.slo.isEmpty)
    #expect(open.reasons.contains { $0.hasPrefix("answered is unknown: none of the ") })
    let asked = try judged(["answered"])
    #expect(asked.verdict == .sloMissed)
    #expect(asked.reasons[0] == "answered could not be measured, the SLO is 63.0 %.")
  }

  @Test("two accounts of the same phones are refused")
  func twice() {
    #expect(throws: FleetAccountError.notNeighbours(0..<40, 0..<40)) {
      try LiveRecord(run([Accounts.shares[0], Accounts.shares[0]], .success(Accounts.server)))
    }
  }
}
