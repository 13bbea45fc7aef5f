internal import Commands
internal import Figures
internal import Foundation
internal import Report
internal import Run
internal import Scenarios

struct StudyCommand {
  let file: StudyFile
  let options: RunOptions
  let console: Console
  var isJSON = false

  struct End {
    var lines: [String]?
    var notes: [String?] = []
    var files: () throws -> KeyValuePairs<String, String> = { [:] }
    var exit = ExitCode.pass
  }

  /// - Parameters:
  ///   - announcement: The lines printed before the study.
  ///   - first: The name of a run, for the message if no run has finished.
  func run<Work: Study>(
    _ plan: RunPlan, announcement: [String], first: String, study: (RunFolder) -> Work,
    end: (Work.Record, RunFolder) -> End
  ) throws -> ExitCode where Work.Record: Reported {
    if !isJSON { RunSupport.printShortening(plan.scenario, options, console) }
    if options.isDryRun {
      for line in announcement { console.line(line) }
      return .pass
    }
    let folder = try RunSupport.folder(options.out, name: "\(plan.scenario.name)-\(file.word)")
    if !options.isQuiet {
      if !isJSON { RunSupport.printRecordings(plan.scenario, console) }
      for line in announcement { console.printError(line) }
    }
    let interruption = Interruption(console)
    let display = RunDisplay(
      plan.firstSnapshot(.simulate), options, console, interruption: interruption)
    display.open(on: plan.scenario)
    let record = study(folder).run(
      progress: display.show, shouldStop: { interruption.isRequested })
    _ = display.close()
    guard let record else {
      say("Stopped before the first \(first) finished; no report.", display)
      return .interrupted
    }
    return try conclude(record, end(record, folder), folder, display)
  }

  func conclude<Record: Reported>(
    _ record: Record, _ end: End, _ folder: RunFolder, _ display: RunDisplay? = nil
  ) throws -> ExitCode {
    var keeping = Keeping()
    let json = try record.json()
    let files = keeping {
      try folder.write(json, to: file.name)
      return try end.files()
    }
    let report = keeping { try file.render(folder.url, console) }
    if isJSON {
      _ = json.withUnsafeBytes { console.write($0) }
    } else {
      for line in end.lines ?? record.report.lines { say(line, display) }
    }
    for note in end.notes { if let note { say(note, display) } }
    say("", display)
    for (word, path) in files ?? [:] {
      say(word + String(repeating: " ", count: 9 - word.count) + path, display)
    }
    if let report { say("report   \(report.path)", display) }
    display?.conclude(record, as: file.type)
    try keeping.end()
    return end.exit
  }

  private func say(_ line: String, _ display: RunDisplay?) {
    if isJSON { return console.printError(line) }
    if let display { return display.conclude(line) }
    console.line(line)
  }
}

extension StudyCommand.End {
  /// Ends a study of `planned` runs, each then with `sets` sets of an ensemble. A run that fails an
  /// SLO is a result, not an error, but lost fixes are an error.
  ///
  /// - Parameter those: the name of the runs, and the use of those that finished before a stop.
  init(
    _ done: [Verdict], of planned: Int, _ those: String, isPaired: Bool,
    _ ensemble: EnsembleFigures?, of sets: Int
  ) {
    let isStopped = done.count < planned || ensemble?.done ?? 0 < sets
    self.init(
      notes: [
        done.count < planned ? "Stopped after \(done.count) of \(planned) \(those)." : nil,
        isStopped && done.count == planned ? RunSupport.stopped(ensemble, of: sets) : nil,
        isPaired ? nil : "Not paired: the simulated worlds differ. Please report this bug.",
      ],
      exit: done.contains(.loss)
        ? .loss : !isPaired ? .invalidRun : isStopped ? .interrupted : .pass)
  }
}

extension Option {
  static func run(_ path: WritableKeyPath<Options, RunOptions>) -> [Option] {
    scenario(path.appending(path: \.scenario)) + files(path) + [
      .word(
        "--ui", path.appending(path: \.interface),
        "Display: a screen, a line per interval, or JSON lines; auto: a screen on terminals.")
    ] + movedOfRuns
  }

  static func files(_ path: WritableKeyPath<Options, RunOptions>) -> [Option] {
    [
      .text(
        "--out", "DIR", path.appending(path: \.out),
        "Output folder; default: runs/SCENARIO-TIME."),
      .flag(
        "--dry-run", path.appending(path: \.isDryRun), "Validate, print what would run, and exit."),
      .flag("--quiet", path.appending(path: \.isQuiet), "Print only the result, no progress."),
    ]
  }

  static func json(_ file: StudyFile, _ path: WritableKeyPath<Options, Bool>) -> Option {
    .flag("--json", path, "Print only \(file.name), to standard output.")
  }
}
