internal import Commands
internal import Coordinator
internal import Figures
internal import Foundation
internal import Report
internal import Scenarios
internal import SimulationCore
internal import Studies

/// `flotilla simulate SCENARIO --compare A,B,…`: one scenario under several policies.
enum CompareCommand {
  static func run(
    _ list: String, _ options: SimulateOptions, _ console: Console
  ) throws -> ExitCode {
    if options.inputs != nil {
      throw CommandError(
        exit: .usage,
        message: "--inputs replays one run with the policies it had; leave it or --compare out.")
    }
    let entries = try self.entries(
      ScenarioOptions.names(list, of: "--compare"), list, options.run)
    let plan = entries[0].plan
    RunSupport.printShortening(plan.scenario, options.run, console)
    if options.run.isDryRun {
      console.line(
        """
        Would simulate \(Figure.grouped(plan.scenario.fleet.phones)) phones for \
        \(Figure.plain(plan.scenario.duration.seconds / 3_600)) h after a warm start of \
        \(Figure.plain(plan.scenario.warmStart.seconds / 3_600)) h, once with each of \
        \(entries.map(\.name).joined(separator: ", ")), with \(plan.threads) threads.
        """)
      return .pass
    }
    let folder = try RunSupport.folder(options.run, plan.scenario, kind: "-compare")
    if !options.run.isQuiet { RunSupport.printRecordings(plan.scenario, console) }
    let interruption = Interruption(console)
    let display = RunDisplay(
      plan.firstSnapshot(.simulate), options.run, console, interruption: interruption)
    display.open(on: plan.scenario)
    var keeping = Keeping()
    let record = Comparison(entries).run(
      progress: display.show, shouldStop: { interruption.isRequested },
      // A policy's own run, as `simulate` would have left it.
      finished: { name, outcome in
        _ = keeping { try RunFolder(folder.path(name)).write(outcome) }
      })
    _ = display.close()
    guard let record else {
      display.conclude("Stopped before the first policy was done: nothing to compare.")
      return .interrupted
    }
    return try conclude(record, of: entries.count, folder, display, keeping)
  }

  private static func entries(
    _ names: [String], _ list: String, _ options: RunOptions
  ) throws -> [Comparison.Entry] {
    try names.map { name in
      let scenario =
        name == Comparison.asWritten
        ? try options.scenario.load()
        : try options.scenario.load(policy: name, origin: "--compare \(list)")
      return Comparison.Entry(name: name, plan: RunSupport.plan(options, scenario))
    }
  }

  private static func conclude(
    _ record: ComparisonRecord, of wanted: Int, _ folder: RunFolder, _ display: RunDisplay,
    _ earlier: Keeping
  ) throws -> ExitCode {
    var keeping = earlier
    let report = keeping {
      try folder.write(record.json(), to: Studies.comparison.name)
      return try Studies.comparison.render(folder.url)
    }
    if record.policies.count < wanted {
      display.conclude(
        "Stopped: \(record.policies.count) of \(wanted) policies were done and are compared.")
    }
    if !record.isPaired {
      display.conclude("Not paired: the policies did not meet the same world. Report this.")
    }
    for line in record.report.lines { display.conclude(line) }
    display.conclude("")
    if let report { display.conclude("report   \(report.path)") }
    display.conclude(record)
    try keeping.end()
    return exitCode(record, of: wanted)
  }

  /// A policy that misses a service level is a finding here, not a failure; lost fixes are one.
  private static func exitCode(_ record: ComparisonRecord, of wanted: Int) -> ExitCode {
    if record.policies.contains(where: { $0.verdict == .loss }) { return .loss }
    if !record.isPaired { return .invalidRun }
    return record.policies.count < wanted ? .interrupted : .pass
  }
}
