internal import Capacity
internal import Commands
internal import Core
internal import Figures
internal import Foundation
internal import Report
internal import Run
internal import Scenarios

enum SensitivityCommand {
  static var command: Command { SensitivityOptions.command(run) }

  private static func run(_ options: SensitivityOptions, _ console: Console) throws -> ExitCode {
    try Ranks.require(alone: "sensitivity")
    let study = try study(options, console)
    let command = StudyCommand(
      file: Studies.sensitivity, options: options.run, console: console, isJSON: options.isJSON)
    return try command.run(
      study.plan, announcement: announcement(study, options), first: "run", study: { _ in study },
      end: { record, _ in end(record, top: options.top) })
  }

  // MARK: Options

  private static func study(
    _ options: SensitivityOptions, _ console: Console
  ) throws -> SensitivityStudy {
    let figures = try figures(options.figures)
    let prefixes = try options.vary.map { try ScenarioOptions.names($0, of: "--vary") } ?? []
    var scenario = try options.run.scenario.load()
    let varied = try VariedScenario(
      scenario, library: options.run.scenario.library, only: prefixes)
    if varied.parameters.isEmpty {
      throw CommandError(exit: .usage, message: nothingToVary(varied, prefixes))
    }
    if options.stars == 0, options.points == 0 {
      throw CommandError(
        exit: .usage,
        message: "--trajectories 0 and --points 0 leave nothing to run; remove one.")
    }
    // Each warm start of the study is used only once, so caching has no benefit.
    scenario.run.cache = "off"
    return SensitivityStudy(
      RunSupport.plan(options.run, scenario, console), varied, figures: figures,
      stars: options.stars,
      points: options.points)
  }

  private static func figures(_ list: String?) throws -> [StudyFigure] {
    let known = StudyFigure.headlines
    guard let list else { return known }
    return try ScenarioOptions.names(list, of: "--of").map { name in
      guard let figure = StudyFigure(rawValue: name) else {
        throw UsageError.badValue(
          option: "--of", value: name,
          wanted: "one of \(known.map(\.rawValue).joined(separator: ", "))")
      }
      return figure
    }
  }

  /// Returns an error that lists the first two keys of the paths that have ranges.
  private static func nothingToVary(_ varied: VariedScenario, _ prefixes: [String]) -> String {
    let places = varied.held.filter { $0.reason == .notAsked }.map { held in
      held.path.split(separator: ".").prefix(2).joined(separator: ".")
    }
    var known: [String] = []
    for place in places where !known.contains(place) { known.append(place) }
    return """
      --vary: no parameter with a range starts with \(prefixes.joined(separator: " or ")); \
      ranges exist for \(known.joined(separator: ", ")).
      """
  }

  private static func announcement(
    _ study: SensitivityStudy, _ options: SensitivityOptions
  ) -> [String] {
    let scenario = study.plan.scenario
    let varied = study.varied
    let steps = options.stars * varied.parameters.count
    let hours = Figure.plain(scenario.duration.seconds / 3_600)
    let warm = Figure.plain(scenario.warmStart.seconds / 3_600)
    return [
      """
      \(options.run.isDryRun ? "Would simulate" : "Simulating") \
      \(Figure.grouped(study.runs)) runs of \
      \(Figure.grouped(scenario.fleet.phones)) phones for \(hours) h after a warm start of \
      \(warm) h, \(study.workers) at a time: 1 unchanged, \(options.points) points, \
      \(options.stars) bases with different seeds, and \(Figure.grouped(steps)) single steps.
      """,
      "Varying \(varied.parameters.count) of "
        + "\(varied.parameters.count + varied.held.count) model parameters.",
    ]
  }

  private static func end(_ record: SensitivityRecord, top: Int) -> StudyCommand.End {
    let runs = record.runs
    return StudyCommand.End(
      lines: record.report(top: top).lines,
      notes: [
        record.isInterrupted
          ? "Stopped after \(runs.done) of \(runs.planned) runs; these are reported." : nil,
        runs.losses > 0
          ? "\(runs.losses) runs lost acknowledged data. Please report this bug." : nil,
      ], exit: runs.losses > 0 ? .loss : record.isInterrupted ? .interrupted : .pass)
  }
}
