package import Coordinator
package import Figures
internal import Scenarios
internal import SimulationCore
internal import Telemetry
internal import Uploads

/// Runs a scenario at every point of a grid, in virtual time: several points at once, one thread
/// each.
///
/// Beside the points run the same lives
/// without pushes (`push.scheduler` none), one for each combination of the settings that are not
/// under `push`: they are the baseline for what pushes removed.
package struct Sweep: Study {
  private let grid: SweepGrid
  private let plans: [RunPlan]

  /// - Parameter plans: One for each point, in grid order; the sweep sets their threads.
  package init(_ grid: SweepGrid, plans: [RunPlan]) {
    precondition(grid.count == plans.count && !plans.isEmpty, "a plan for each point")
    self.grid = grid
    self.plans = plans
  }

  /// The number of runs that are no point: lives without pushes.
  package var extraRuns: Int { jobs().filter { $0.point == nil }.count }

  /// One run of the sweep.
  struct Job: Sendable {
    /// The place of the point; nil for a separate baseline.
    var point: Int?
    /// The group that the run is the baseline of; nil for none.
    var baselineOf: Int?
    var plan: RunPlan
  }

  /// What is kept of a finished run, without its fleet.
  struct FinishedRun: Sendable {
    let record: RunRecord
    let phones: [String: Int]
    let tally: SweepTally

    init?(_ outcome: RunOutcome) {
      guard let table = outcome.compared else { return nil }
      record = outcome.record
      phones = Dictionary(
        uniqueKeysWithValues: ComparisonRecord.Population.allCases.map {
          ($0.rawValue, table.phones[$0] ?? 0)
        })
      tally = SweepTally(
        reachable: table.rows[.reachable] ?? [], installed: table.rows[.installed] ?? [])
    }
  }

  /// The plan of the first point.
  package var plan: RunPlan { plans[0] }
  /// What all points and baselines cost together.
  package var phoneSeconds: Double {
    jobs().reduce(0) { $0 + $1.plan.scenario.phoneSeconds }
  }

  /// Runs the baselines and the points, and resamples those that were finished.
  package func record(_ runs: StudyRuns) -> SweepRecord? {
    let jobs = jobs()
    let finished = runs.run(
      jobs.count,
      step: { number in
        let begun = jobs[...number].count { $0.point != nil }
        return begun > 0 ? "point \(begun) of \(grid.count)" : "without pushes"
      }
    ) { number, life in life.outcome(of: jobs[number].plan).flatMap(FinishedRun.init) }
    guard finished.contains(where: { jobs[$0.key].point != nil }) else { return nil }
    var record = SweepRecord(plan)
    record.measure(jobs, finished, grid)
    return record
  }

  /// Baselines first, so that an interrupted sweep knows what its pushes removed.
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
