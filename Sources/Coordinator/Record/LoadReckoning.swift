internal import Fleet
internal import Measure
internal import Scenarios
internal import ServerLogic
internal import SimulationCore
internal import Telemetry
internal import Transport
internal import Wire

/// Turns a live run that has ended into its record: both sides of the ledger, the proof that the
/// collector holds what phones know to be acknowledged, validity, and the verdict.
struct LoadReckoning {
  private let plan: RunPlan
  private let stage: LiveStage
  private let site: CollectorSite
  private let end: SimInstant
  private let journal: FleetJournal?

  /// More late answers than this and the figures of phone-time are distorted.
  private static let perturbedShareMax = 0.01
  /// The shortest timer that a phone lives by is its wait for a first fix; `speed` × response
  /// must stay below this share of it.
  private static let responseShareMax = 0.05

  init(
    _ plan: RunPlan, stage: LiveStage, site: CollectorSite, end: SimInstant,
    journal: FleetJournal? = nil
  ) {
    self.journal = journal
    self.plan = plan
    self.stage = stage
    self.site = site
    self.end = end
  }

  func settle(_ outcome: inout RunOutcome) {
    let scenario = plan.scenario
    let fleet = stage.fleet
    fleet.inOrder { $0.closePushes(at: end) }
    outcome.setFleet(fleet, scenario)
    outcome.record.setDigest(stage.digest)
    let totals = stage.recorder.totals(
      allowance: scenario.slo.responseP99 ?? .milliseconds(50))
    let occasions = stage.pushes.occasions(in: scenario, until: end)
    outcome.record.setWake(fleet.pushEndings(), seen: occasions, until: end, fleet.context)
    outcome.trail = RunTrail(fleet, seen: occasions, until: end, scenario)
    fill(&outcome.record, totals)
    outcome.sweeps = stage.pushes.requestInstants
    outcome.setStorms(scenario, speed: scenario.speed)
    var losses = reconcile(&outcome.record)
    outcome.record.slo = ServiceLevelJudge(scenario.slo).results(outcome.record)
    losses += outcome.record.ledger.check() + stage.ledgerFaults
    outcome.judge(
      ledger: losses, invalid: invalid(outcome.record, totals),
      interrupted: end < scenario.measureEnd
        ? ["Stopped at \(ScenarioClock.text(end, scenario.clock)) of scenario time."] : [])
    outcome.record.reasons += distortion(&outcome.record)
  }

  private func fill(_ record: inout RunRecord, _ totals: LiveRecorder.Totals) {
    let scenario = plan.scenario
    record.latency = RunRecord.Latency(totals.latency)
    let seconds =
      max(
        0,
        (min(end, scenario.measureEnd) - max(scenario.measureStart, stage.clock.scenarioStart))
          .seconds) / scenario.speed
    record.offered.batches = totals.offered
    record.offered.fixes = totals.offeredFixes
    if seconds > 0 {
      record.offered.batchesPerSecond = Double(totals.offered) / seconds
      record.offered.fixesPerSecond = Double(totals.offeredFixes) / seconds
      record.throughput.batchesPerSecond = Double(totals.acknowledged) / seconds
    }
    record.throughput.batchesPerSecondMax = stage.timeline.map(\.acknowledgedPerSecond).max()
    for (name, count) in totals.failures { record.errors[name] = count }
    record.machine.collectorAddress = "\(site.endpoint)"
    record.machine.collectorIsOurs = site.isOurs
    fillTraffic(&record)
    fillProcesses(&record)
  }

  private func fillTraffic(_ record: inout RunRecord) {
    let counters = stage.dispatcher.counters()
    record.traffic.bytesSent = Int(counters.bytesWritten)
    record.traffic.bytesReceived = Int(counters.bytesRead)
    record.traffic.connections = Int(counters.connects)
    record.errors["connect-failures"] = Int(counters.connectFailures)
    record.errors["retries"] = Int(counters.retries)
    record.errors["retries-withheld"] = Int(counters.retriesWithheld)
    record.errors["pushbacks"] = Int(counters.pushbacks)
    let acknowledged = stage.fleet.figures()
    guard acknowledged.batchesAcknowledged > 0, acknowledged.fixesAcknowledged > 0 else { return }
    record.traffic.bytesPerBatch =
      Double(counters.bytesWritten) / Double(acknowledged.batchesAcknowledged)
    record.traffic.bytesPerFix =
      Double(counters.bytesWritten) / Double(acknowledged.fixesAcknowledged)
  }

  private func fillProcesses(_ record: inout RunRecord) {
    let wall = WallDuration(seconds: record.timing.liveWallSeconds)
    if let after = stage.cpuAfter {
      record.machine.processes["generator"] = Self.use(after, since: stage.cpuBefore, wall)
    }
    if let before = site.figuresBefore, let after = site.figures() {
      record.machine.processes["collector"] = Self.use(after, since: before, wall)
    }
  }

  private static func use(
    _ after: ProcessFigures, since before: ProcessFigures, _ wall: WallDuration
  ) -> RunRecord.ProcessUse {
    var spent = after
    spent.cpuMicroseconds -= before.cpuMicroseconds
    return RunRecord.ProcessUse(spent, over: wall)
  }

  // MARK: Both sides

  /// - Returns: sentences of what is missing; empty: acknowledged ⊆ stored, and the sums agree.
  private func reconcile(_ record: inout RunRecord) -> [String] {
    let snapshot: SnapshotReply
    let held: [PhoneID: [HoldingsReply.Row]]
    do throws(CollectorTrouble) {
      (snapshot, held) = try site.proof(stage)
    } catch {
      record.ledger.fixes.lost = record.ledger.fixes.acknowledged
      record.ledger.batches.lost = record.ledger.batches.acknowledged
      return [
        """
        \(error). None of the \(record.ledger.fixes.acknowledged) acknowledged fixes could be \
        shown to be stored.
        """
      ]
    }
    func pushes(_ name: String) -> Int {
      snapshot.pushes.first { $0.name == name }.map { Int($0.value) } ?? 0
    }
    record.wake.setAllSilent(
      unreachable: pushes("unreachableEligible"),
      answeredByThemselves: pushes("unreachableAnswered"))
    Self.fill(&record.ledger.fixes, snapshot.fixes)
    Self.fill(&record.ledger.batches, snapshot.batches)
    func isStored(_ id: BatchID) -> Bool {
      (held[id.phone] ?? []).contains { $0.epoch == id.epoch && $0.holds(id.sequence) }
    }
    if let journal, let resender = stage.resender {
      record.ledger.batches.resent = resender.count
      return reconcile(&record, journal, snapshot.hashSum, isStored)
    }
    let proof = StoredProof(stage.fleet, restored: stage.restored, stored: isStored)
    record.ledger.batches.lost = proof.acknowledgedMissing.count
    let storedForPhones = record.ledger.fixes.distinct - proof.unknownHeldFixes
    record.ledger.fixes.lost = max(
      proof.acknowledgedMissing.isEmpty ? 0 : 1, record.ledger.fixes.acknowledged - storedForPhones)
    return proof.differences(hashSum: snapshot.hashSum)
  }

  /// Of a fleet that lived before: the journal knows what all its lives have submitted.
  private func reconcile(
    _ record: inout RunRecord, _ journal: FleetJournal, _ hashSum: UInt64,
    _ isStored: (BatchID) -> Bool
  ) -> [String] {
    do throws(JournalError) {
      let content = try FleetJournal.content(of: journal.path)
      guard let content else { throw .missing(path: journal.path) }
      let proof = StoredProof(content, stored: isStored)
      record.ledger.batches.lost = proof.acknowledgedMissing.count
      record.ledger.fixes.lost = proof.acknowledgedMissing.reduce(0) {
        $0 + Int(content.batches[$1]?.submission.fixCount ?? 0)
      }
      return proof.differences(hashSum: hashSum)
    } catch {
      return [error.description]
    }
  }

  private static func fill(_ account: inout Account, _ side: LedgerSide) {
    account.received = Int(side.received)
    account.distinct = Int(side.distinct)
    account.duplicate = Int(side.duplicate)
    for reason in side.rejected where reason.value > 0 {
      account.reject(Int(reason.value), reason: reason.name)
    }
  }

  // MARK: Validity

  /// Only the generator's own lateness and limits invalidate.
  private func invalid(_ record: RunRecord, _ totals: LiveRecorder.Totals) -> [String] {
    var reasons: [String] = []
    if plan.scenario.slo.responseP99 != nil,
      let reason = Validity.generatorBoundReason(
        "p99", totals.latency.response.percentile(0.99),
        lag: totals.latency.generatorLag.percentile(0.99))
    {
      reasons.append(reason)
    }
    if let reason = totals.deficitReason { reasons.append(reason) }
    if let use = record.machine.processes["generator"],
      let reason = Validity.cpuReason(
        process: "generator", cpuSeconds: use.cpuSeconds,
        wallSeconds: record.timing.liveWallSeconds, cores: record.machine.cores)
    {
      reasons.append(reason)
    }
    let counters = stage.dispatcher.counters()
    if counters.descriptorLimitHits > 0 {
      reasons.append(
        """
        The generator ran out of descriptors \(counters.descriptorLimitHits) times; raise \
        'ulimit -n'.
        """)
    }
    if counters.portLimitHits > 0 {
      reasons.append(
        "The generator ran out of local ports \(counters.portLimitHits) times; use fewer phones.")
    }
    return reasons
  }

  /// Figures of phone-time are marked where transport time, which does not compress, shows in them.
  private func distortion(_ record: inout RunRecord) -> [String] {
    let figures = stage.fleet.figures()
    let scenario = plan.scenario
    // At the speed of life an answer is late because it was: of an outage that is the finding.
    guard scenario.speed > 1 else { return [] }
    var reasons: [String] = []
    let late = Double(figures.outcomesLate) / Double(max(1, figures.outcomesConsumed))
    if late > Self.perturbedShareMax {
      reasons.append(
        """
        Distorted by speed \(Figure.plain(scenario.speed)): \(Figure.percent(late)) of the answers \
        came later than the modelled network, so freshness, wake and energy are not the phones' \
        own.
        """)
    }
    if let p99 = record.latency.response.p99 {
      let stretched = Double(p99) / 1e6 * scenario.speed
      if stretched > Self.responseShareMax * Self.shortestTimer(scenario).seconds {
        reasons.append(
          """
          Distorted by speed \(Figure.plain(scenario.speed)): p99 response is \
          \(Figure.plain(stretched)) s of scenario time, more than 5 % of a phone's shortest timer.
          """)
      }
    }
    record.freshness.distorted = !reasons.isEmpty
    return reasons
  }

  /// The shortest of the timers that phones live by: bursts, and the background budget.
  private static func shortestTimer(_ scenario: Scenario) -> SimDuration {
    var shortest = SimDuration.minutes(10)
    for cohort in scenario.fleet.cohorts {
      shortest = min(shortest, cohort.os.value.backgroundTaskBudget)
      let background = scenario.policies[cohort.policy].settings.background
      if case .burst(let duration, _) = background.service.pattern {
        shortest = min(shortest, duration)
      }
    }
    return shortest
  }
}

extension HoldingsReply.Row {
  func holds(_ sequence: UInt32) -> Bool {
    (first <= sequence && sequence <= contiguous) || extra.contains(sequence)
  }
}
