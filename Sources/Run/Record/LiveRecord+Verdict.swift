internal import Core
internal import Figures
internal import Fleet
internal import Scenarios
internal import Uploads

extension LiveRecord {
  /// The maximum share of late answers; above it, the figures of phone-time count as distorted.
  private static let perturbedShareMax = 0.01
  /// The maximum share of a phone's shortest timer that `speed` × response may take.
  private static let responseShareMax = 0.05

  func judge(_ outcome: inout RunOutcome) {
    let remarks = setLevels(&outcome)
    outcome.judge(
      ledger: sides.violations, invalid: invalid(outcome.record),
      interrupted: missing + plan.interruption(at: run.end),
      unverified: unverified + (target?.doubts ?? []),
      missed: Self.unacknowledged(outcome.record))
    outcome.record.reasons += remarks + distortion(&outcome.record)
    if let target = outcome.record.target { outcome.record.reasons.insert(target.sureness, at: 0) }
  }

  private func setLevels(_ outcome: inout RunOutcome) -> [String] {
    let judge = ServiceLevelJudge(plan.scenario, isProven: run.unverified == nil)
    outcome.record.slo = judge.results(outcome.record)
    let open = judge.setOpenAside(
      &outcome.record, asked: plan.askedLevels, measured: measuredSeconds)
    outcome.undecided = open.undecided
    return open.remarks
  }

  private static func unacknowledged(_ record: RunRecord) -> [String] {
    let fixes = record.ledger.fixes
    guard fixes.acknowledged == 0 else { return [] }
    return ["None of \(Figure.grouped(fixes.generated)) fixes was acknowledged."]
  }

  private var missing: [String] {
    guard !run.ended.missing.isEmpty else { return [] }
    return run.ended.missing + [
      """
      timeline.csv and the collector's resource usage cover all phones that sent; the other \
      figures cover phones \(fleet.phones.lowerBound) to \(fleet.phones.upperBound - 1).
      """
    ]
  }

  private var unverified: [String] {
    guard let why = run.unverified else { return [] }
    return [
      """
      \(Judgement.unverified)\(why). Whether the \(sides.ledger.fixes.acknowledged) acknowledged \
      fixes are stored could not be checked; nothing shows that one was lost.
      """
    ]
  }

  /// Returns why the run is invalid: a late generator, limits of the machine, or other programs.
  private func invalid(_ record: RunRecord) -> [String] {
    guard let sending = fleet.sending else { return [] }
    var reasons = descriptorReasons(sending)
    // Other programs come first as a reason, since a generator without CPU is late as well.
    if let limit = plan.scenario.slo.responseP99,
      let reason = run.contention.reason(
        limit: limit, responseP99: sending.latency.response.percentile(0.99))
    {
      reasons.append(reason)
    }
    reasons += lateReasons()
    reasons += sending.processes.indices.compactMap { n in
      record.machine.processes[Self.generator(n)].flatMap { use in
        Validity.cpuReason(
          process: Self.generator(n), cpuSeconds: use.cpuSeconds,
          wallSeconds: record.timing.liveWallSeconds, cores: record.machine.cores)
      }
    }
    let ports = sending.counts[.portLimitHits]
    if ports > 0 {
      reasons.append("The generator ran out of local ports \(ports) times; use fewer phones.")
    }
    return reasons
  }

  /// Returns which side reached its limit of open files, which distorts both sides' figures.
  private func descriptorReasons(_ sending: SendingAccount) -> [String] {
    var reasons: [String] = []
    let hits = sending.counts[.descriptorLimitHits]
    if hits > 0 {
      let limit = run.descriptorLimit.map { " of \($0)" } ?? ""
      reasons.append(
        """
        The generator ran out of descriptors \(Figure.grouped(hits)) times: its limit\(limit) \
        open files was reached. Raise it with 'ulimit -n \((run.descriptorLimit ?? 1_024) * 8)' \
        in the shell that starts it, or use fewer phones.
        """)
    }
    if case .success(let server)? = run.server, let refused = server.refusedForDescriptors,
      refused > 0
    {
      reasons.append(
        """
        \(RunRecord.collectorWasShort): it refused \(Figure.grouped(refused)) connections. \
        Raise its limit of open files with 'ulimit -n' in the shell that starts it.
        """)
    }
    return reasons
  }

  /// Returns why generators were late, judged one by one, since a sum would hide a late generator.
  private func lateReasons() -> [String] {
    let place = plan.place
    let sending = run.ended.shares.map(\.fleet.sending)
    var bound: [String] = []
    if plan.scenario.slo.responseP99 != nil {
      bound = sending.enumerated().compactMap { number, sending in
        sending.flatMap { Self.generatorBound($0.latency) }.map { place.label($0, from: number) }
      }
      // One process may have too few batches for a p99, but all processes together may have enough.
      if bound.isEmpty, let reason = fleet.sending.flatMap({ Self.generatorBound($0.latency) }) {
        bound = [reason]
      }
    }
    return bound
      + sending.enumerated().flatMap { number, sending in
        (sending?.lateReasons ?? []).map { place.label($0, from: number) }
      }
  }

  private static func generatorBound(_ latency: LatencyHistograms) -> String? {
    Validity.generatorBoundReason(
      "p99", latency.response.percentile(0.99), lag: latency.generatorLag.percentile(0.99))
  }

  private func distortion(_ record: inout RunRecord) -> [String] {
    let metrics = fleet.metrics
    let scenario = plan.scenario
    // At a speed of 1 a late answer is a real result, for example of an outage.
    guard scenario.speed > 1, !scenario.replaysUploads else { return [] }
    var reasons: [String] = []
    let late = Double(metrics[.outcomesLate]) / Double(max(1, metrics[.outcomesConsumed]))
    if late > Self.perturbedShareMax {
      reasons.append(
        """
        Distorted by speed \(Figure.plain(scenario.speed)): \(Figure.percent(late)) of the answers \
        came later than in the modelled network, so freshness, wake and energy are not \
        representative.
        """)
    }
    if let p99 = record.latency.response.p99 {
      let stretched = Double(p99) / 1e6 * scenario.speed
      if stretched > Self.responseShareMax * Self.shortestTimer(scenario).seconds {
        reasons.append(
          """
          Distorted by speed \(Figure.plain(scenario.speed)): p99 response is \
          \(Figure.plain(stretched)) s of simulated time, more than 5 % of a phone's shortest timer.
          """)
      }
    }
    record.freshness.distorted = !reasons.isEmpty
    return reasons
  }

  /// Returns the shortest timer that phones use, among bursts and the background budget.
  private static func shortestTimer(_ scenario: Scenario) -> SimDuration {
    var shortest = SimDuration.minutes(10)
    for cohort in scenario.fleet.cohorts {
      shortest = min(shortest, cohort.os.value.system.rules.backgroundTaskBudget)
      let background = scenario.policies[cohort.policy].settings.background
      if case .burst(let duration, _) = background.service.pattern {
        shortest = min(shortest, duration)
      }
    }
    return shortest
  }
}
