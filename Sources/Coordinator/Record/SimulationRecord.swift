package import Fleet
internal import Measure
internal import Scenarios
internal import SimulationCore

/// Turns a simulation that has ended into its record, whether one process or several simulated its
/// phones.
///
/// Pure: no fleet and no clock is asked.
struct SimulationRecord {
  private let plan: RunPlan
  private let context: FleetContext
  private let fleet: FleetAccount
  private let server: ServerAccount
  private let sides: Reconciliation

  /// - Parameter shares: what each process leaves, in any order.
  /// - Throws: an error when the accounts are not those of one fleet.
  init(_ plan: RunPlan, _ context: FleetContext, _ shares: [RunShare]) throws(FleetAccountError) {
    self.plan = plan
    self.context = context
    fleet = try FleetAccount.merged(shares.map(\.fleet))
    guard var server = shares.first?.server else { throw .noAccounts }
    for share in shares.dropFirst() { server.merge(share.server) }
    self.server = server
    sides = reconcile(shares.map(\.fleet), with: server)
  }

  func fill(_ outcome: inout RunOutcome) {
    let scenario = plan.scenario
    let end = fleet.livedUntil
    outcome.timeline = fleet.timeline.map { TimelineRow($0, measureStart: scenario.measureStart) }
    outcome.setFleet(fleet, context)
    outcome.server = server
    outcome.record.ledger = sides.ledger
    let seconds = max(0, (end - scenario.measureStart).seconds)
    outcome.record.setOffered(fleet.measured, seconds: seconds)
    outcome.record.setDemand(outcome.timeline, scenario, phones: fleet.phones.count)
    outcome.setPushes(server.wake.requests)
    outcome.setStorms(scenario, speed: 1)
    outcome.record.setWake(fleet.pushEndings, server.wake, until: end, context)
    if fleet.behaviour != nil {
      outcome.trace = RunTrace(fleet, seen: server.wake.occasions, until: end, scenario)
    }
    var slo = ServiceLevelJudge(scenario.slo)
    // Virtual time has no response time: what only sockets can show is not judged.
    slo.levels.responseP99 = nil
    outcome.record.slo = slo.results(outcome.record)
    outcome.judge(
      ledger: sides.violations,
      interrupted: end < scenario.measureEnd
        ? ["Stopped at \(ClockText.text(end, scenario.clock)) of scenario time."] : [])
  }
}

/// Holds what a process leaves of a simulation of its phones, to be added to what the others leave.
package struct RunShare: Codable, Equatable, Sendable {
  /// Holds what this process's phones know of the run.
  package var fleet: FleetAccount
  /// Holds what the backend of this process received from its phones.
  package var server: ServerAccount

  /// Makes a share from both sides' accounts.
  package init(fleet: FleetAccount, server: ServerAccount) {
    self.fleet = fleet
    self.server = server
  }
}

extension RunOutcome {
  /// Is the share of a run that simulated some of its fleet's phones; nil where it was stopped
  /// before the counting began, or no server could be asked.
  package var share: RunShare? {
    guard let account, let server else { return nil }
    return RunShare(fleet: account, server: server)
  }

  /// Makes the outcome of a simulation by several processes, which equals that of one.
  ///
  /// - Parameters:
  ///   - plan: the plan of the whole run.
  ///   - shares: what each process leaves, in any order.
  /// - Throws: an error when they are not the shares of one run.
  package init(_ plan: RunPlan, shares: [RunShare]) throws(FleetAccountError) {
    let epoch = shares.first?.fleet.identity.epoch ?? FleetContext.firstEpoch
    let record = try SimulationRecord(plan, FleetContext(plan.scenario, epoch: epoch), shares)
    self.init(record: RunRecord(plan))
    record.fill(&self)
  }
}

extension TimelineRow {
  /// Makes the row of a scenario minute in virtual time.
  fileprivate init(_ interval: FleetInterval, measureStart: SimInstant) {
    self.init()
    scenarioSeconds = Double(interval.end.microseconds) / 1e6
    phase = interval.end <= measureStart ? "ramp" : "measure"
    offeredPerSecond = Double(interval.uploadsStarted) / interval.seconds
    acknowledgedPerSecond = Double(interval.batchesAcknowledged) / interval.seconds
    failedPerSecond = Double(interval.uploadsFailed) / interval.seconds
    inFlight = interval.inFlightBatches
    outboxFixes = interval.outboxFixes
    freshInstalled = interval.installed.share
    freshReachable = interval.reachable.share
    freshMoving = interval.moving.share
  }
}
