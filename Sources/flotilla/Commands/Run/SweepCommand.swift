internal import Commands
internal import Coordinator
internal import Figures
internal import Foundation
internal import Report
internal import Scenarios
internal import SimulationCore
internal import Studies

/// `flotilla simulate SCENARIO --sweep KEY=VALUES …`: one scenario with all combinations of
/// settings.
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
    let plans = scenarios.map { RunSupport.plan(options.run, $0) }
    let sweep = Sweep(grid, plans: plans)
    RunSupport.printShortening(plans[0].scenario, options.run, console)
    if options.run.isDryRun {
      console.line(dryRun(plans, extra: sweep.extraRuns))
      return .pass
    }
    let folder = try RunSupport.folder(options.run, plans[0].scenario, kind: "-sweep")
    if !options.run.isQuiet { RunSupport.printRecordings(plans[0].scenario, console) }
    let interruption = Interruption(console)
    let display = RunDisplay(
      plans[0].firstSnapshot(.simulate), options.run, console, interruption: interruption)
    display.open(on: plans[0].scenario)
    let record = sweep.run(
      progress: { display.show($0) }, shouldStop: { interruption.isRequested })
    _ = display.close()
    guard let record else {
      display.conclude("Stopped before the first point was done: nothing to report.")
      return .interrupted
    }
    return try conclude(record, folder, display)
  }

  private static func refuseOthers(_ options: SimulateOptions) throws {
    if options.inputs != nil {
      throw CommandError(
        exit: .usage,
        message: "--inputs replays one run with the settings it had; leave it or --sweep out.")
    }
    if options.compare != nil {
      throw CommandError(
        exit: .usage,
        message: """
          --compare and --sweep are two questions; leave one out, or sweep \
          fleet.cohorts[0].policy=A,B.
          """)
    }
  }

  /// "Would simulate 12 points and 1 run without pushes, …".
  private static func dryRun(_ plans: [RunPlan], extra: Int) -> String {
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
      \(min(plans[0].threads, plans.count + extra)) at a time.
      """
  }

  private static func conclude(
    _ record: SweepRecord, _ folder: RunFolder, _ display: RunDisplay
  ) throws -> ExitCode {
    var keeping = Keeping()
    let report = keeping {
      try folder.write(record.json(), to: Studies.sweep.name)
      return try Studies.sweep.render(folder.url)
    }
    for line in record.report.lines { display.conclude(line) }
    if record.points.count < record.planned {
      display.conclude(
        "Stopped: \(record.points.count) of \(record.planned) points were done and are reported.")
    }
    if !record.isPaired {
      display.conclude("Not paired: points did not meet one world. Report this.")
    }
    display.conclude("")
    if let report { display.conclude("report   \(report.path)") }
    display.conclude(record)
    try keeping.end()
    return exitCode(record)
  }

  /// A point that misses a service level is a finding here, not a failure; lost fixes are one.
  private static func exitCode(_ record: SweepRecord) -> ExitCode {
    if record.points.contains(where: { $0.verdict == .loss }) { return .loss }
    if !record.isPaired { return .invalidRun }
    return record.points.count < record.planned ? .interrupted : .pass
  }
}
