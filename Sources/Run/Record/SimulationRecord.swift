internal import Core
internal import Figures
internal import Fleet
internal import Scenarios

/// Turns an ended simulation of one or several processes into its record.
struct SimulationRecord {
  private let plan: RunPlan
  private let ended: EndedShares
  private let context: FleetContext
  private let fleet: FleetAccount
  private let server: ServerAccount
  private let sides: Reconciliation

  /// - Throws: an error if the accounts do not belong to one fleet.
  init(_ plan: RunPlan, _ context: FleetContext, _ ended: EndedShares) throws(FleetAccountError) {
    self.plan = plan
    self.ended = ended
    self.context = context
    fleet = try ended.fleet()
    server = try ended.server()
    sides = reconcile(ended.shares.map(\.fleet), with: server)
  }

  func fill(_ outcome: inout RunOutcome) {
    let scenario = plan.scenario
    let end = fleet.livedUntil
    outcome.timeline = fleet.timeline.map { TimelineRow($0, measureStart: scenario.measureStart) }
    outcome.setFleet(fleet, context)
    if plan.shard != nil { outcome.share = ended.shares.first }
    outcome.server = server
    outcome.record.clocks?.seen = server.clocks
    outcome.record.ledger = sides.ledger
    let seconds = max(0, (end - scenario.measureStart).seconds)
    outcome.record.setOffered(fleet.measured, seconds: seconds)
    if seconds > 0 {
      outcome.record.throughput.fixesPerSecond =
        Double(fleet.measured[.acknowledgedFixes]) / seconds
    }
    outcome.record.setDemand(outcome.timeline, scenario, phones: fleet.phones.count)
    outcome.setPushes(server.wake.requests)
    let began = fleet.timeline.first.map { $0.end - SimDuration(seconds: $0.seconds) }
    outcome.setStorms(scenario, from: began, speed: 1)
    // `setWake` takes seconds, and only the leading process's result is read.
    if plan.leads { outcome.record.setWake(fleet, server.wake, until: end, context) }
    if fleet.behaviour != nil {
      outcome.trace = RunTrace(fleet, seen: server.wake.occasions, until: end, scenario)
    }
    var slo = ServiceLevelJudge(scenario)
    // A simulation has no sockets, so its response time is not evaluated.
    slo.levels.responseP99 = nil
    outcome.record.slo = slo.results(outcome.record)
    let (remarks, undecided) = slo.setOpenAside(
      &outcome.record, asked: plan.askedLevels, measured: seconds)
    outcome.judge(
      ledger: sides.violations, interrupted: ended.missing + plan.interruption(at: end))
    outcome.record.reasons += remarks
    outcome.undecided = undecided
  }
}

extension TimelineRow {
  fileprivate init(_ interval: FleetInterval, measureStart: SimInstant) {
    self.init()
    scenarioSeconds = Double(interval.end.microseconds) / 1e6
    phase = interval.end <= measureStart ? "ramp" : "measure"
    offeredPerSecond = Double(interval.counts[.uploadsStarted]) / interval.seconds
    acknowledgedPerSecond = Double(interval.counts[.batchesAcknowledged]) / interval.seconds
    failedPerSecond = Double(interval.counts[.uploadsFailed]) / interval.seconds
    inFlight = interval.counts[.inFlightBatches]
    outboxFixes = interval.counts[.outboxFixes]
  }
}
