internal import Commands
internal import Figures
internal import Foundation
internal import Run
internal import Scenarios

enum MergeCommand {
  static func run(_ options: ReportOptions, _ console: Console) throws -> ExitCode {
    try CommandError.refuse([
      "--each": options.isEach, "--baseline": options.baseline != nil,
      "--sensitivity": options.sensitivity != nil, "--csv": options.csv != nil,
      "--junit": options.junit != nil, "--fail-on-regression": options.failsOnRegression,
    ]) { "\($0) requires a finished run; merge first, then report the result." }
    let merged = try merged(
      options.runs.map { URL(fileURLWithPath: $0, isDirectory: true) }, console)
    switch merged {
    case .run(let outcome, let plan):
      let folder = try RunSupport.folder(options.out, name: plan.scenario.name)
      var keeping = Keeping()
      let report = keeping {
        try folder.write(outcome)
        return try ReportCommand.render(folder.url, console)
      }
      for line in VerdictLines.lines(outcome.record) { console.line(line) }
      if let report { console.line("report   \(report.path)") }
      try keeping.end()
      return RunSupport.exitCode(outcome.record.verdict)
    case .demand(let outcome, let plan):
      let folder = try RunSupport.folder(options.out, name: plan.scenario.name + "-demand")
      return try PlanCommand.conclude(
        DemandCommand.record(plan, outcome), ["demand.csv": DemandCommand.csv(outcome)],
        RunOptions(), folder, console)
    }
  }

  private indirect enum Merged {
    case run(RunOutcome, of: RunPlan)
    case demand(DemandRun.Outcome, of: RunPlan)
  }

  private static func merged(
    _ folders: [URL], _ console: Console
  ) throws(ShareMergeError) -> Merged {
    let merged = try MergedRun(folders: folders)
    let plan = plan(try scenario(of: merged.first), merged.first, console)
    switch merged.first.kind {
    case .simulate, .load: return .run(try merged.outcome(plan), of: plan)
    case .demand: return .demand(try merged.demand(plan), of: plan)
    }
  }

  private static func scenario(of file: ShareFile) throws(ShareMergeError) -> Scenario {
    let scenario: Scenario
    do throws(ScenarioError) {
      scenario = try ScenarioOptions().library.load(text: file.scenario, from: ShareFile.name)
    } catch {
      throw .otherScenario("\(error)")
    }
    guard scenario.hash == file.scenarioHash else {
      throw .otherScenario("its text, or a recording that it names, has changed")
    }
    return scenario
  }

  private static func plan(
    _ scenario: Scenario, _ file: ShareFile, _ console: Console
  ) -> RunPlan {
    var plan = RunSupport.plan(RunOptions(), scenario, console)
    plan.startedAt = file.startedAt
    plan.startsAt = file.startsAt
    return plan
  }
}
