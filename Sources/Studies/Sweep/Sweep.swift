package import Coordinator
package import Figures
internal import Fleet
internal import Scenarios
internal import SimulationCore
internal import Synchronization
internal import Telemetry
internal import Uploads

/// Runs a scenario at every point of a grid, in virtual time: several points at once, one thread
/// each.
///
/// Points are independent, so the order in which they are finished changes nothing. Only the
/// figures of a finished point are kept, not its fleet. Beside the points run the same lives
/// without pushes (`push.scheduler` none), one for each combination of the settings that are not
/// under `push`: they are the baseline for what pushes removed.
package struct Sweep: Sendable {
  private let grid: SweepGrid
  private let plans: [RunPlan]
  private let threads: Int

  /// - Parameter plans: one for each point, in the grid's order; each runs with the threads that
  ///   the sweep gives it.
  package init(_ grid: SweepGrid, plans: [RunPlan]) {
    precondition(grid.count == plans.count && !plans.isEmpty, "a plan for each point")
    self.grid = grid
    self.plans = plans
    threads = plans[0].threads
  }

  /// Counts the runs that are no point: lives without pushes.
  package var extraRuns: Int { jobs().filter { $0.point == nil }.count }

  /// Is one run of the sweep.
  struct Job: Sendable {
    /// Is the place of the point; nil for a separate baseline.
    var point: Int?
    /// Is the group that the run is the baseline of; nil for none.
    var baselineOf: Int?
    var plan: RunPlan
  }

  /// Holds what is kept of a finished run.
  struct FinishedRun: Sendable {
    var verdict: Verdict
    var world: String
    var behaviour: String
    var wake: RunRecord.Wake
    var freshWithin: Double?
    var phones: [String: Int]
    var tally: SweepTally
  }

  /// - Parameter shouldStop: true ends the sweep; what is finished by then is reported.
  /// - Returns: nil when not one point was finished.
  package func run(
    progress: @escaping @Sendable (RunProgress) -> Void,
    shouldStop: @escaping @Sendable () -> Bool
  ) -> SweepRecord? {
    let began = plans[0].wall()
    let jobs = jobs()
    let workers = max(1, min(threads, jobs.count))
    let sweepProgress = SweepProgress(jobs, plans[0], points: grid.count, show: progress)
    // The fleets' own tasks share the available threads: nested, each gets its part of them.
    let finishedRuns = JobPool.run(jobs.count, workers: workers, shouldStop: shouldStop) {
      number -> FinishedRun? in
      sweepProgress.begin(number)
      var plan = jobs[number].plan
      plan.threads = max(1, threads / workers)
      let outcome = Simulation(plan, compares: true).run(
        progress: { sweepProgress.show($0, of: number) }, shouldStop: shouldStop)
      guard let finished = FinishedRun(outcome) else { return nil }
      sweepProgress.end(number, events: outcome.account?.metrics[.events] ?? 0)
      return finished
    }
    guard finishedRuns.contains(where: { jobs[$0.key].point != nil }) else { return nil }
    var record = SweepRecord(grid, plans[0])
    record.measure(jobs, finishedRuns, grid)
    let wall = plans[0].wall() - began
    record.timing.wallSeconds = wall.seconds
    record.machine.processes["simulation"] = .init(ProcessMetrics.current(), over: wall)
    return record
  }

  /// Lists the runs, baselines first, so that an interrupted sweep can say what its pushes removed.
  func jobs() -> [Job] {
    var jobs: [Job] = []
    var baselines: Set<Int> = []
    for (group, points) in grid.groups().enumerated() {
      if let point = points.first(where: { plans[$0].scenario.push.scheduler == .none }) {
        jobs.append(Job(point: point, baselineOf: group, plan: plans[point]))
        baselines.insert(point)
      } else {
        var plan = plans[points[0]]
        plan.scenario.push.scheduler = .none
        jobs.append(Job(point: nil, baselineOf: group, plan: plan))
      }
    }
    for point in plans.indices where !baselines.contains(point) {
      jobs.append(Job(point: point, baselineOf: nil, plan: plans[point]))
    }
    return jobs
  }
}

extension Sweep.FinishedRun {
  /// Is nil where the run was stopped.
  fileprivate init?(_ outcome: RunOutcome) {
    guard outcome.record.verdict != .interrupted, let table = outcome.compared else { return nil }
    let record = outcome.record
    verdict = record.verdict
    world = record.digest.world ?? ""
    behaviour = record.digest.behaviour ?? ""
    wake = record.wake
    freshWithin = record.freshness.withinSeconds
    phones = [:]
    for population in ComparisonRecord.Population.allCases {
      phones[population.rawValue] = table.phones[population] ?? 0
    }
    tally = SweepTally(
      reachable: table.rows[.reachable] ?? [], installed: table.rows[.installed] ?? [])
  }
}

/// Tracks how far all runs of a sweep are together.
private final class SweepProgress: Sendable {
  private struct State {
    var shares: [Double]
    var events: [Int]
    var pointsBegun = 0
    /// Is what a run last showed of itself.
    var last: Snapshot?
  }

  private let jobs: [Sweep.Job]
  /// Holds the phone-hours of each run: a bigger one takes longer.
  private let weights: [Double]
  private let plan: RunPlan
  private let points: Int
  private let began: WallInstant
  private let report: @Sendable (RunProgress) -> Void
  private let state: Mutex<State>

  init(
    _ jobs: [Sweep.Job], _ plan: RunPlan, points: Int,
    show: @escaping @Sendable (RunProgress) -> Void
  ) {
    self.jobs = jobs
    self.plan = plan
    self.points = points
    report = show
    began = plan.wall()
    weights = jobs.map { job in
      let scenario = job.plan.scenario
      return Double(scenario.fleet.phones)
        * (scenario.warmStart.seconds + scenario.duration.seconds)
    }
    state = Mutex(
      State(
        shares: [Double](repeating: 0, count: jobs.count),
        events: [Int](repeating: 0, count: jobs.count)))
  }

  func begin(_ number: Int) {
    guard jobs[number].point != nil else { return }
    state.withLock { $0.pointsBegun += 1 }
  }

  /// Shows that a run has ended: one of less than 200 ms has shown nothing itself.
  func end(_ number: Int, events: Int) {
    state.withLock { state in
      state.shares[number] = 1
      state.events[number] = events
      report(.virtual(snapshot(state, state.last ?? plan.firstSnapshot(.simulate))))
    }
  }

  /// Runs one at a time, so that the progress shown never goes back.
  func show(_ progress: RunProgress, of number: Int) {
    guard case .virtual(let one) = progress else { return report(progress) }
    state.withLock { state in
      state.shares[number] = one.lived(of: jobs[number].plan.scenario)
      state.events[number] = one.virtual?.events ?? 0
      state.last = one
      report(.virtual(snapshot(state, one)))
    }
  }

  private func snapshot(_ state: State, _ one: Snapshot) -> Snapshot {
    let whole = weights.reduce(0, +)
    let finishedRuns = zip(weights, state.shares).reduce(0) { $0 + $1.0 * $1.1 }
    let elapsed = (plan.wall() - began).seconds
    let events = state.events.reduce(0, +)
    var snapshot = plan.firstSnapshot(.simulate)
    snapshot.outlook = Outlook(.early, "the phones live in virtual time.")
    snapshot.progress.phase =
      state.pointsBegun > 0 ? "point \(state.pointsBegun) of \(points)" : "without pushes"
    snapshot.progress.share = whole > 0 ? min(1, finishedRuns / whole) : 0
    snapshot.progress.elapsedSeconds = elapsed
    if finishedRuns > 0 {
      snapshot.progress.leftSeconds = elapsed * (whole - finishedRuns) / finishedRuns
    }
    snapshot.progress.scenarioTime = one.progress.scenarioTime
    snapshot.virtual = Snapshot.VirtualPace(
      events: events, eventsPerSecond: elapsed > 0 ? Double(events) / elapsed : 0)
    snapshot.processes = one.processes
    return snapshot
  }
}
