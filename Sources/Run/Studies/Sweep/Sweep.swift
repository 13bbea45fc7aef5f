internal import Core
package import Figures
internal import Scenarios
internal import Uploads

/// Runs a scenario at every point of a grid in virtual time, several points at once with one thread
/// each.
///
/// Each combination of the settings outside `push` is also run without pushes (`push.scheduler`
/// none), with the same fleet. The baseline shows how much stale time pushes removed.
package struct Sweep: Study {
  private let grid: SweepGrid
  private let plans: [RunPlan]
  private let ensembles: [Ensemble]

  /// - Parameters:
  ///   - plans: one for each point, in grid order; the sweep sets their threads.
  ///   - ensembles: one for each plan, at the same sets of the model's parameters; may be empty.
  package init(_ grid: SweepGrid, plans: [RunPlan], ensembles: [Ensemble] = []) {
    precondition(grid.count == plans.count && !plans.isEmpty, "a plan for each point")
    self.grid = grid
    self.plans = plans
    self.ensembles = ensembles
  }

  package var extraRuns: Int { jobs().filter { $0.point == nil }.count }

  struct Job: Sendable {
    /// The index of the point; nil for a separate baseline.
    var point: Int?
    var baselineOf: Int?
    var plan: RunPlan
  }

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

  package var plan: RunPlan { plans[0] }
  package var phoneSeconds: Double {
    jobs().reduce(0) { $0 + $1.plan.scenario.phoneSeconds }
      + ensembles.reduce(0) { $0 + $1.phoneSeconds }
  }

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
    if record.points.count == plans.count, let first = ensembles.first {
      let values = runs.values(of: ensembles)
      let reference = record.best ?? record.freshest ?? 0
      for place in values.indices {
        record.points[place].ensemble = EnsembleFigures(
          sets: first.sets, phones: first.phones, values[place],
          from: place == reference ? nil : values[reference])
      }
    }
    return record
  }

  /// Returns the jobs, baselines first, so that an interrupted sweep can show what pushes removed.
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
