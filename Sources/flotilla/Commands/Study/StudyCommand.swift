internal import Commands
internal import Coordinator
internal import Figures
internal import Foundation
internal import Report
internal import Scenarios
internal import Studies

/// What the commands of all studies do: say what would run, show how far it is, write the files,
/// and print what came out.
struct StudyCommand {
  let file: StudyFile
  let options: RunOptions
  let console: Console
  /// Whether standard output has the record and nothing else.
  var isJSON = false

  /// How a study ends.
  struct End {
    /// The lines that say what came out; nil: those of the report.
    var lines: [String]?
    /// What a reader must know of the figures above.
    var notes: [String?] = []
    /// Writes what goes with the record, and returns what to call it and where it is.
    var files: () throws -> KeyValuePairs<String, String> = { [:] }
    var exit = ExitCode.pass
  }

  /// - Parameters:
  ///   - announcement: what would run; printed before it does.
  ///   - first: what a study that was stopped has finished none of.
  ///   - study: makes the study, whose files go to a folder.
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
      say("Stopped before the first \(first) was done: nothing to report.", display)
      return .interrupted
    }
    return try conclude(record, end(record, folder), folder, display)
  }

  /// - Parameter display: what showed the study; nil: nothing did.
  func conclude<Record: Reported>(
    _ record: Record, _ end: End, _ folder: RunFolder, _ display: RunDisplay? = nil
  ) throws -> ExitCode {
    var keeping = Keeping()
    let json = try record.json()
    let files = keeping {
      try folder.write(json, to: file.name)
      return try end.files()
    }
    let report = keeping { try file.render(folder.url) }
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

  /// Standard output holds nothing but JSON where that is asked for.
  private func say(_ line: String, _ display: RunDisplay?) {
    if isJSON { return console.printError(line) }
    if let display { return display.conclude(line) }
    console.line(line)
  }
}

extension Option {
  static func threads(_ path: WritableKeyPath<Options, RunOptions>) -> Option {
    .count(
      "--threads", path.appending(path: \.threads), 0...1_024,
      "Threads for the fleet; 0, the default, is one per core.")
  }

  /// The options of everything that simulates a scenario and shows how far it is.
  static func study(_ path: WritableKeyPath<Options, RunOptions>) -> [Option] {
    scenario(path.appending(path: \.scenario)) + [.threads(path)] + files(path) + [
      .word("--ui", path.appending(path: \.interface), "How the run shows itself."),
      .flag("--no-color", path.appending(path: \.isColorless), "Plain text; NO_COLOR does it too.")
        .rare,
    ]
  }

  /// The options of everything that leaves files.
  static func files(_ path: WritableKeyPath<Options, RunOptions>) -> [Option] {
    [
      .text("--out", "DIR", path.appending(path: \.out), "Where the files go."),
      .flag(
        "--dry-run", path.appending(path: \.isDryRun), "Validate, say what would run, and stop."),
      .flag("--quiet", path.appending(path: \.isQuiet), "No progress, only the result."),
    ]
  }

  static func json(_ file: StudyFile, _ path: WritableKeyPath<Options, Bool>) -> Option {
    .flag("--json", path, "Write \(file.name) to standard output, and nothing else.")
  }
}
