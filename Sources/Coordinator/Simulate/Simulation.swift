package import Fleet
internal import Measure
internal import Phone
internal import Scenarios
internal import ServerLogic
internal import SimulationCore
internal import Telemetry

/// A scenario lived in virtual time: the same fleet and server logic, no sockets.
package struct Simulation {
  let plan: RunPlan
  /// What a live run's server said; nil: an ideal network and the server's brain in process.
  let inputs: InputLog?
  /// Keeps an account for each phone, for who compares policies.
  let compares: Bool

  /// Keeps what the phones did, to be set beside another run.
  var keepsTrace = false
  /// Writes down what the phones ask of a server.
  var meter: DemandMeter?

  package init(_ plan: RunPlan, inputs: InputLog? = nil, compares: Bool = false) {
    self.plan = plan
    self.inputs = inputs
    self.compares = compares
  }

  /// - Returns: the record, and a timeline row for each scenario minute.
  package func run(
    progress: @escaping (RunProgress) -> Void, shouldStop: @escaping () -> Bool
  ) -> RunOutcome {
    let began = plan.wall()
    var outcome = RunOutcome(record: RunRecord(plan))
    outcome.record.slo = []
    let warm = WarmStart(
      plan, answers: inputs == nil ? .inProcess : .fromOutside, shardsPerThread: 8,
      progress: progress,
      shouldStop: shouldStop, compares: compares)
    guard let warm else {
      outcome.judge(interrupted: ["Stopped during the warm start: nothing was measured."])
      return outcome
    }
    outcome.record.timing.warmStartWallSeconds = warm.wall.seconds
    if let inputs {
      replay(inputs, warm, &outcome)
    } else {
      advance(warm, &outcome, progress, shouldStop)
    }
    let wall = plan.wall() - began
    outcome.record.timing.wallSeconds = wall.seconds
    outcome.record.timing.liveWallSeconds = (wall - warm.wall).seconds
    outcome.record.machine.processes["simulation"] = .init(
      ProcessMetrics.current(), over: wall)
    return outcome
  }

  private func replay(_ inputs: InputLog, _ warm: WarmStart, _ outcome: inout RunOutcome) {
    let fleet = warm.fleet
    fleet.replay(inputs)
    let digest = fleet.digest()
    fleet.inOrder { $0.startDraining() }
    let account = fleet.account(digest: digest)
    outcome.setFleet(account, fleet.context)
    outcome.judge(ledger: reconcile([account], with: nil).violations)
  }

  private func advance(
    _ warm: WarmStart, _ outcome: inout RunOutcome, _ progress: @escaping (RunProgress) -> Void,
    _ shouldStop: @escaping () -> Bool
  ) {
    let scenario = plan.scenario
    let fleet = warm.fleet
    var time = VirtualTime(fleet: fleet, backend: Self.backend(fleet, warm.snapshots))
    let accounts = warm.finder.map { PhoneAccounts(fleet, finder: $0) }
    if let accounts { time.received = accounts.received }
    if let meter { time.arrived = meter.arrived }
    var timeline = VirtualTimeline(fleet, scenario)
    let began = plan.wall()
    var last = began
    let watch: (SimInstant) -> Bool = { [plan] at in
      timeline.note(at, fleet)
      let now = plan.wall()
      if now - last >= .milliseconds(200) {
        last = now
        let share = (at - scenario.start).seconds / max(1, scenario.duration.seconds)
        var snapshot = plan.virtualSnapshot("simulate", at, share: share, fleet, wall: now - began)
        snapshot.addFleet(fleet)
        progress(.virtual(snapshot))
      }
      return !shouldStop()
    }
    // Before the sweep at that very instant, which belongs to the measured time.
    time.backend.openMeasure(at: scenario.measureStart)
    fleet.inOrder { $0.startCounterfactuals() }
    time.advance(until: scenario.measureStart, progress: watch)
    let before = fleet.metrics()
    let end = time.advance(until: scenario.measureEnd, progress: watch)
    let digest = fleet.digest()
    let measured = MeasuredLoad(from: before, to: fleet.metrics())
    time.drain()
    fleet.inOrder { $0.closePushes(at: end) }
    time.backend.closeMeasure(at: end)
    outcome.timeline = timeline.rows
    var account = fleet.account(digest: digest, keepsTrace: keepsTrace)
    account.measured = measured
    account.proof = BatchProof(fleet, restored: warm.base) { time.backend.holds($0) }
    finish(account, fleet.context, time.backend, end, &outcome)
    outcome.compared = accounts?.table(measuredUntil: end)
  }

  private func finish(
    _ account: FleetAccount, _ context: FleetContext, _ backend: Backend, _ end: SimInstant,
    _ outcome: inout RunOutcome
  ) {
    let scenario = plan.scenario
    let server = ServerAccount(backend.ledger)
    let sides = reconcile([account], with: server)
    outcome.setFleet(account, context)
    outcome.server = server
    outcome.record.ledger = sides.ledger
    let seconds = max(0, (end - scenario.measureStart).seconds)
    outcome.record.setOffered(account.measured, seconds: seconds)
    outcome.record.setDemand(outcome.timeline, scenario)
    let pushes = backend.occasions.filter { !$0.isWithheld }.map(\.at)
    outcome.setPushes(pushes)
    meter?.pushed(pushes)
    outcome.setStorms(scenario, speed: 1)
    let occasions = backend.occasions
    outcome.record.setWake(
      account.pushEndings, seen: occasions, unreachable: unreachable(backend), until: end, context)
    if keepsTrace { outcome.trace = RunTrace(account, seen: occasions, until: end, scenario) }
    var slo = ServiceLevelJudge(scenario.slo)
    // Virtual time has no response: what only sockets can show is not judged.
    slo.levels.responseP99 = nil
    outcome.record.slo = slo.results(outcome.record)
    outcome.judge(
      ledger: sides.violations,
      interrupted: end < scenario.measureEnd
        ? ["Stopped at \(ClockText.text(end, scenario.clock)) of scenario time."] : [])
  }

  private func unreachable(_ backend: Backend) -> [UnreachableSilence] {
    var all: [UnreachableSilence] = []
    backend.forEachUnreachable { phone, tally in
      all.append(
        UnreachableSilence(
          phone: phone.rawValue, occasions: Int(tally.eligible), answered: Int(tally.answered)))
    }
    return all
  }

  /// The server's brain as it stands at the scenario's start.
  static func backend(_ fleet: PhoneFleet, _ snapshots: SnapshotSpill) -> Backend {
    let scenario = fleet.context.scenario
    var backend = Backend(
      phones: scenario.fleet.phones, seed: scenario.seed, push: scenario.push.terms,
      hashKey: fleet.context.hashKey)
    snapshots.forEachPage { page in
      for snapshot in page { _ = backend.restore(snapshot, at: scenario.start) }
    }
    return backend
  }
}

/// A timeline in virtual time: one row a scenario minute.
private struct VirtualTimeline {
  var rows: [TimelineRow] = []
  private let scenario: Scenario
  private var next: SimInstant
  private var last: FleetMetrics

  init(_ fleet: PhoneFleet, _ scenario: Scenario) {
    self.scenario = scenario
    next = scenario.start + .minutes(1)
    last = fleet.metrics()
  }

  mutating func note(_ at: SimInstant, _ fleet: PhoneFleet) {
    guard at >= next else { return }
    let seconds = 60 + (at - next).seconds
    next = at + .minutes(1)
    let metrics = fleet.metrics()
    let census = fleet.census()
    var row = TimelineRow()
    row.scenarioSeconds = Double(at.microseconds) / 1e6
    row.phase = at <= scenario.measureStart ? "ramp" : "measure"
    row.offeredPerSecond = Double(metrics.uploadsStarted - last.uploadsStarted) / seconds
    row.acknowledgedPerSecond =
      Double(metrics.batchesAcknowledged - last.batchesAcknowledged) / seconds
    row.failedPerSecond = Double(metrics.uploadsFailed - last.uploadsFailed) / seconds
    row.inFlight = census.inFlightBatches
    row.outboxFixes = census.outboxFixes
    row.setFreshness(metrics.freshness)
    last = metrics
    rows.append(row)
  }
}

extension TimelineRow {
  mutating func setFreshness(_ metrics: FreshnessMetrics) {
    freshInstalled = metrics.installed.ages.share(within: metrics.limit)
    freshReachable = metrics.reachable.ages.share(within: metrics.limit)
    freshMoving = metrics.moving.ages.share(within: metrics.limit)
  }
}
