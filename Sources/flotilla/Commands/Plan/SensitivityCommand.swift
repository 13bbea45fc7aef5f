internal import Capacity
internal import Commands
internal import Coordinator
internal import Figures
internal import Foundation
internal import Report
internal import Scenarios
internal import SimulationCore
internal import Studies

/// `flotilla sensitivity SCENARIO`: what its answers hang on, and how far they may be off.
enum SensitivityCommand {
  static var command: Command { SensitivityOptions.command(run) }

  private static func run(_ options: SensitivityOptions, _ console: Console) throws -> ExitCode {
    try Ranks.require(alone: "sensitivity")
    let study = try study(options)
    if options.isDryRun {
      for line in announcement(study, options) { console.line(line) }
      return .pass
    }
    let folder = try RunSupport.folder(options.out, name: "\(study.scenario.name)-sensitivity")
    let interruption = Interruption(console)
    let printer = ProgressPrinter(console, isQuiet: options.isQuiet)
    if !options.isQuiet {
      for line in announcement(study, options) { console.printError(line) }
    }
    let record = study.study.run(
      progress: { printer.show($0.line, share: $0.share) },
      shouldStop: { interruption.isRequested })
    printer.close()
    guard let record else {
      console.printError("Stopped before the first run was done: nothing to report.")
      return .interrupted
    }
    return try conclude(record, folder, options, console)
  }

  // MARK: What is asked

  private struct Asked {
    var scenario: Scenario
    var study: SensitivityStudy
  }

  private static func study(_ options: SensitivityOptions) throws -> Asked {
    let figures = try figures(options.figures)
    let prefixes = try words(options.vary, of: "--vary")
    let scenario = try options.scenario.load()
    let varied = try VariedScenario(
      scenario, library: options.scenario.library, only: prefixes)
    if varied.parameters.isEmpty {
      throw CommandError(exit: .usage, message: nothingToVary(varied, prefixes))
    }
    if options.stars == 0, options.points == 0 {
      throw CommandError(
        exit: .usage,
        message: "--trajectories 0 and --points 0 ask for nothing; leave one of them out.")
    }
    var run = RunOptions()
    run.threads = options.threads
    // Each of these lives is lived once.
    run.cache = .off
    return Asked(
      scenario: scenario,
      study: SensitivityStudy(
        RunSupport.plan(run, scenario), varied, figures: figures, stars: options.stars,
        points: options.points))
  }

  private static func figures(_ list: String?) throws -> [StudyFigure] {
    let known = StudyFigure.headlines
    let names = try words(list, of: "--of")
    let figures = try names.map { name in
      guard let figure = StudyFigure(rawValue: name) else {
        throw UsageError.badValue(
          option: "--of", value: name,
          wanted: "one of \(known.map(\.rawValue).joined(separator: ", "))")
      }
      return figure
    }
    if let twice = figures.indices.first(where: { figures[..<$0].contains(figures[$0]) }) {
      throw CommandError(
        exit: .usage, message: "--of: '\(names[twice])' stands there twice; leave one out.")
    }
    return figures.isEmpty ? known : figures
  }

  /// Empty where the option was not given.
  private static func words(_ list: String?, of option: String) throws -> [String] {
    guard let list else { return [] }
    let words = list.split(separator: ",", omittingEmptySubsequences: false).map {
      $0.trimmingCharacters(in: .whitespaces)
    }
    if words.contains("") {
      throw CommandError(
        exit: .usage, message: "\(option): '\(list)' has an empty name; write A,B,….")
    }
    return words
  }

  /// Says where parameters are, by the first keys of their paths.
  private static func nothingToVary(_ varied: VariedScenario, _ prefixes: [String]) -> String {
    let places = varied.held.filter { $0.reason == .notAsked }.map { held in
      held.path.split(separator: ".").prefix(2).joined(separator: ".")
    }
    var known: [String] = []
    for place in places where !known.contains(place) { known.append(place) }
    return """
      --vary: no parameter with a range begins with \(prefixes.joined(separator: " or ")); they \
      are under \(known.joined(separator: ", ")).
      """
  }

  private static func announcement(
    _ asked: Asked, _ options: SensitivityOptions
  ) -> [String] {
    let scenario = asked.scenario
    let varied = asked.study.varied
    let steps = options.stars * varied.parameters.count
    let hours = Figure.plain(scenario.duration.seconds / 3_600)
    let warm = Figure.plain(scenario.warmStart.seconds / 3_600)
    return [
      """
      \(options.isDryRun ? "Would make" : "Makes") \(Figure.grouped(asked.study.runs)) runs of \
      \(Figure.grouped(scenario.fleet.phones)) phones for \(hours) h after a warm start of \
      \(warm) h, \(asked.study.workers) at a time: 1 as written, \(options.points) points, \
      \(options.stars) bases with another seed each, and \(Figure.grouped(steps)) single steps.
      """,
      "Varies \(varied.parameters.count) of \(varied.parameters.count + varied.held.count) figures "
        + "of the model.",
    ]
  }

  // MARK: What came out

  private static func conclude(
    _ record: SensitivityRecord, _ folder: RunFolder, _ options: SensitivityOptions,
    _ console: Console
  ) throws -> ExitCode {
    var keeping = Keeping()
    let json = keeping { try record.json() }
    let report = keeping {
      try folder.write(json ?? Data(), to: Studies.sensitivity.name)
      return try Studies.sensitivity.render(folder.url)
    }
    if options.isJSON {
      _ = json?.withUnsafeBytes { console.write($0) }
    } else {
      for line in record.report(top: options.top).lines { console.line(line) }
    }
    func say(_ line: String) { options.isJSON ? console.printError(line) : console.line(line) }
    if record.isInterrupted {
      say("Stopped: \(record.runs.done) of \(record.runs.planned) runs were done and are reported.")
    }
    if record.runs.losses > 0 {
      say("In \(record.runs.losses) runs acknowledged data was lost. Report this.")
    }
    if let report { say("report   \(report.path)") }
    try keeping.end()
    if record.runs.losses > 0 { return .loss }
    return record.isInterrupted ? .interrupted : .pass
  }
}
