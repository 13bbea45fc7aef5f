internal import Capacity
internal import Commands
internal import Core
internal import Figures
internal import Foundation
internal import Run
internal import Scenarios

enum TuneCommand {
  static var command: Command { TuneOptions.command(run) }

  private static func run(_ options: TuneOptions, _ console: Console) throws -> ExitCode {
    try Ranks.require(alone: "tune")
    let study = try study(options, console)
    let command = StudyCommand(
      file: Studies.search, options: options.run, console: console, isJSON: options.isJSON)
    return try command.run(
      study.plan,
      announcement: announcement(study, options.run.isDryRun ? "Would simulate" : "Simulating"),
      first: "candidate", study: { _ in study }
    ) { record, folder in
      let sets = study.ensemble?.sets ?? 0
      let isCut = !record.isInterrupted && record.ensemble?.done ?? 0 < sets
      return StudyCommand.End(
        notes: [isCut ? RunSupport.stopped(record.ensemble, of: sets) : nil],
        files: { try writeWinner(record, study, folder) },
        exit: record.isInterrupted || isCut ? .interrupted : .pass)
    }
  }

  // MARK: Options

  private static func study(_ options: TuneOptions, _ console: Console) throws -> TuneStudy {
    func refuse(_ message: String) -> CommandError { CommandError(exit: .usage, message: message) }
    guard !options.vary.isEmpty else {
      throw refuse("tune requires --vary, such as --vary push.silentAfter=15min..2h:4log.")
    }
    guard !options.goals.isEmpty else {
      throw refuse("tune requires a goal, such as --maximize fresh or --minimize pushes.")
    }
    let goals = options.goals.map { ($0.figure, $0.direction) }
    if Set(goals.map(\.0)).count < goals.count {
      throw refuse("a figure has two goals; remove one --maximize or --minimize.")
    }
    let bounds = try options.subjects.map { text in
      do throws(TuneTextError) { return try TuneBoundText(text) } catch {
        throw refuse("--subject \(error)")
      }
    }
    let scenario = try scenario(options)
    let grid: TuneGrid
    do throws(SweepError) {
      grid = try TuneGrid(options.vary, scenario, from: options.run.scenario.library)
    } catch {
      throw CommandError(
        exit: error.isInScenario ? .badInput : .usage, message: error.description)
    }
    let plan = RunSupport.plan(options.run, scenario, console)
    let ensembles = try RunSupport.ensembles(
      options.ensemble ?? 0, [plan], options.run, axes: grid.axes.map(\.key))
    return TuneStudy(plan, grid, goals: goals, bounds: bounds, ensemble: ensembles.first)
  }

  private static func scenario(_ options: TuneOptions) throws -> Scenario {
    if let policy = options.policy {
      return try options.run.scenario.load(policy: policy, origin: "--policy \(policy)")
    }
    let scenario = try options.run.scenario.load()
    let used = Set(scenario.fleet.cohorts.map(\.policy))
    guard used.count == 1, let only = used.first else {
      let names = used.sorted().map { scenario.policies[$0].name }.joined(separator: ", ")
      throw CommandError(
        exit: .usage,
        message: "the cohorts of \(scenario.name) have \(names); choose one with --policy.")
    }
    let name = scenario.policies[only].name
    return try options.run.scenario.load(policy: name, origin: "--policy \(name)")
  }

  private static func announcement(_ study: TuneStudy, _ verb: String) -> [String] {
    let schedule = study.schedule
    let rungs = schedule.rungs.map { rung in
      "\(rung.candidates) candidates with \(Figure.grouped(rung.phones)) phones for "
        + "\(Figure.plain((rung.seconds / 360).rounded() / 10)) h"
    }
    let share = Figure.percent(schedule.phoneDays / max(schedule.gridPhoneDays, 1e-9))
    let more = Figure.quantity(study.confirmationPhoneDays)
    let sets = study.ensemble.map { ensemble in
      """
      ; then the front and the original settings with \(ensemble.words), \
      \(Figure.quantity(study.ensemblePhoneDays)) phone-days at most
      """
    }
    var lines = [
      """
      \(verb) \(rungs.joined(separator: ", then ")): \(Figure.quantity(schedule.phoneDays)) \
      phone-days at most, \(share) of a full grid; then the winner with \
      \(TuneStudy.confirmingSeeds) other seeds, \(more) phone-days\(sets ?? "").
      """
    ]
    if study.grid.refused > 0 {
      lines.append(
        "\(study.grid.refused) combinations are skipped: the scenario is invalid with them.")
    }
    return lines
  }
}

extension TuneCommand {
  private static func writeWinner(
    _ record: TuneRecord, _ study: TuneStudy, _ folder: RunFolder
  ) throws -> KeyValuePairs<String, String> {
    guard let winner = record.winner else { return [:] }
    var scenario = study.grid.candidates[winner].scenario
    let name = "\(record.policy)-tuned"
    scenario.policies[0].name = name
    scenario.run = scenario.run.recorded
    let words = study.grid.axes.indices.map { n in
      "\(study.grid.axes[n].key)=\(study.grid.candidates[winner].values[n])"
    }
    let head =
      "# The best of \(record.candidates.count) candidates that flotilla tune simulated with seed "
      + "\(record.seed):\n" + words.map { "#   \($0)\n" }.joined()
    let policy = "policies/\(name).yaml"
    let file = "\(scenario.name)-tuned.yaml"
    try FileManager.default.createDirectory(
      atPath: folder.path("policies"), withIntermediateDirectories: true)
    try folder.write(head + scenario.text(ofPolicy: 0), to: policy)
    try folder.write(head + scenario.text, to: file)
    return ["winner": folder.path(policy), "winner": folder.path(file)]
  }
}
