internal import Commands
internal import Core
internal import Figures
internal import Run
internal import Scenarios

enum SweepCommand {
  static func run(_ options: SimulateOptions, _ console: Console) throws -> ExitCode {
    try refuseOthers(options)
    let scenario = options.run.scenario
    let grid: SweepGrid
    let scenarios: [Scenario]
    do throws(SweepError) {
      (grid, scenarios) = try SweepGrid.load(
        options.sweep, name: scenario.name, settings: scenario.settings, from: scenario.library)
    } catch {
      console.printError(error.description)
      return error.isInScenario ? .badInput : .usage
    }
    let plans = scenarios.map { RunSupport.plan(options.run, $0, console) }
    let ensembles = try RunSupport.ensembles(
      options.ensemble ?? 0, plans, options.run, axes: grid.axes.map(\.key))
    let sweep = Sweep(grid, plans: plans, ensembles: ensembles)
    return try StudyCommand(file: Studies.sweep, options: options.run, console: console).run(
      plans[0],
      announcement: options.run.isDryRun ? [dryRun(plans, extra: sweep.extraRuns, ensembles)] : [],
      first: "point", study: { _ in sweep },
      end: { record, _ in
        StudyCommand.End(
          record.points.map(\.verdict), of: record.planned, "points; these are reported",
          isPaired: record.isPaired, record.points.first?.ensemble, of: options.ensemble ?? 0)
      })
  }

  private static func refuseOthers(_ options: SimulateOptions) throws {
    if options.inputs != nil {
      throw CommandError(
        exit: .usage,
        message: "--inputs replays a run with its own settings; remove --inputs or --sweep.")
    }
    if options.compare != nil {
      throw CommandError(
        exit: .usage,
        message: """
          --compare cannot be combined with --sweep; remove one, or use \
          --sweep fleet.cohorts[0].policy=A,B.
          """)
    }
  }

  /// Returns a line such as "Would simulate 12 points and 1 run without pushes, …".
  private static func dryRun(
    _ plans: [RunPlan], extra: Int, _ ensembles: [Ensemble]
  ) -> String {
    let first = plans[0].scenario
    let runs = extra == 0 ? "" : " and \(extra) \(extra == 1 ? "run" : "runs") without pushes"
    let phones = plans.map(\.scenario.fleet.phones)
    let hours = plans.map { $0.scenario.duration.seconds / 3_600 }
    func range(_ values: [String]) -> String {
      values.first == values.last && Set(values).count == 1
        ? values[0] : "\(values[0]) to \(values[values.count - 1])"
    }
    return """
      Would simulate \(plans.count) points\(runs): \
      \(range(phones.sorted().map(Figure.grouped))) phones for \
      \(range(hours.sorted().map(Figure.plain))) h each after a warm start of \
      \(Figure.plain(first.warmStart.seconds / 3_600)) h, \
      \(min(plans[0].threads, plans.count + extra)) at a time\
      \(ensembles.first.map { ", then each with \($0.words)" } ?? "").
      """
  }
}
