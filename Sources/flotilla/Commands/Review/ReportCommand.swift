internal import Capacity
internal import Commands
internal import Core
internal import Figures
internal import Foundation
internal import Report
internal import Scenarios

struct ReportOptions: Equatable {
  /// Folders of runs, or their `run.json`.
  var runs: [String] = []
  /// The output path; nil for the run's folder or, in a comparison, for no files.
  var out: String?
  var isEach = false
  var isMerge = false
  var baseline: String?
  var failsOnRegression = false
  /// The allowed regression of a figure, as a share.
  var tolerance = 0.05
  var csv: String?
  var junit: String?
  /// The folder or `sensitivity.json` of a sensitivity study of the run's scenario.
  var sensitivity: String?

  var isComparison: Bool { !isEach && (baseline != nil || runs.count > 1) }
}

enum ReportCommand {
  static var command: Command {
    Command(
      "report", "Create the report of a run from its files, or compare runs.",
      positionals: [
        Positional(
          name: "RUN", help: "Folder of a run, or its run.json; several runs are compared.",
          repeats: true
        ) { $1.runs.append($0) }
      ],
      options: [
        .text(
          "--out", "DIR", \.out,
          "Folder of the report; default: the run's folder (a comparison is only printed)."),
        .flag("--each", \.isEach, "Report several runs separately instead of comparing them."),
        .flag("--merge", \.isMerge, "Merge the shards of a fleet into one run, and report it."),
        .text("--baseline", "RUN", \.baseline, "Run that the other runs are compared with."),
        .flag("--fail-on-regression", \.failsOnRegression, "Exit with 99 if a figure is worse."),
        Option(
          "--tolerance", "SHARE", "Allowed regression of a figure; default 5%.",
          wanted: "a share, such as 5% or 0.05", share, set: { $1.tolerance = $0 }),
        .text("--csv", "FILE", \.csv, "Write the comparison to this file (CSV)."),
        .text("--junit", "FILE", \.junit, "Write JUnit XML to this file, one case per figure."),
        .text(
          "--sensitivity", "STUDY", \.sensitivity,
          "Output folder of flotilla sensitivity; adds intervals to the main figures."),
      ],
      examples: [
        "flotilla report runs/city-20260302-073000",
        "flotilla report runs/* --each",
        "flotilla report archive/run.json --out /tmp/again",
        "flotilla report --merge runs/a runs/b --out runs/both",
        "flotilla report runs/before runs/after",
        "flotilla report runs/after --baseline runs/before --fail-on-regression --tolerance 10%",
        "flotilla report runs/before runs/after --out /tmp/compared --junit junit.xml",
        "flotilla report runs/city-20260302-073000 --sensitivity runs/city-sensitivity-20260302",
      ],
      start: ReportOptions(), body: run)
  }

  private static func share(_ text: String) -> Double? {
    let isPercent = text.hasSuffix("%")
    let number = Double(isPercent ? String(text.dropLast()) : text)
    guard let number, number.isFinite, number >= 0 else { return nil }
    return isPercent ? number / 100 : number
  }

  private static func run(_ options: ReportOptions, _ console: Console) throws -> ExitCode {
    if options.isMerge { return try MergeCommand.run(options, console) }
    if options.isComparison {
      if options.sensitivity != nil {
        throw CommandError(
          exit: .usage, message: "--sensitivity requires a single run, or --each.")
      }
      return try CompareRunsCommand.run(options, console)
    }
    try CommandError.refuse([
      "--fail-on-regression": options.failsOnRegression, "--csv": options.csv != nil,
      "--junit": options.junit != nil,
    ]) { "\($0) requires a comparison: give two runs, or --baseline RUN." }
    if options.out != nil, options.runs.count > 1 {
      throw CommandError(
        exit: .usage, message: "--out takes the report of one run; remove --each or --out.")
    }
    let study = try options.sensitivity.map {
      try Studies.sensitivity.read(URL(fileURLWithPath: $0), as: SensitivityRecord.self)
    }
    for path in options.runs {
      let report = try render(
        URL(fileURLWithPath: path), console, to: options.out, study)
      console.line("report   \(report.path)")
    }
    return .pass
  }

  /// Renders the report of a run, given by folder or `run.json`, and returns the report's path.
  static func render(
    _ run: URL, _ console: Console, to out: String? = nil, _ study: SensitivityRecord? = nil
  ) throws -> URL {
    if let study = Studies.all.first(where: { $0.isIn(run) }) {
      return try study.render(run, console, to: out)
    }
    var files = try RunFiles.read(from: run)
    if let study, study.scenario.name != files.record.scenario.name {
      throw CommandError(
        exit: .badInput,
        message: """
          --sensitivity is a study of the scenario '\(study.scenario.name)', but \(run.path) of \
          '\(files.record.scenario.name)'; give a study of the same scenario.
          """)
    }
    files.sensitivity = study
    files.evidence = evidence
    let home = run.lastPathComponent == "run.json" ? run.deletingLastPathComponent() : run
    let folder = out.map { URL(fileURLWithPath: $0, isDirectory: true) } ?? home
    return try write(
      [
        "report.html": reportHTML(files, .installed),
        "summary.md": PlanWords.isPlan(files.record)
          ? planMarkdown(files.record) : summaryMarkdown(files.record),
      ], to: folder)
  }

  /// The evidence of the claims in the scenarios folder; nil if missing or unreadable.
  private static var evidence: Facts? {
    (try? ClaimEvidence.read(ScenarioOptions().library)).map { Facts(JSONValue(encoding: $0)) }
  }

  @discardableResult
  static func write(_ files: [String: String], to folder: URL) throws -> URL {
    for (name, text) in files.sorted(by: { $0.key < $1.key }) {
      let file = folder.appendingPathComponent(name)
      do {
        try FileManager.default.createDirectory(
          at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
        try Data(text.utf8).write(to: file)
      } catch {
        throw CommandError(
          exit: .cannotListenOrWrite,
          message: "\(file.path): cannot be written (\(FileErrorText.reason(error))); choose --out."
        )
      }
    }
    return folder.appendingPathComponent("report.html")
  }
}
