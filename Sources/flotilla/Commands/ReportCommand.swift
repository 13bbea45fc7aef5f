internal import Foundation
internal import Measure
internal import Report

/// The options of `flotilla report`.
struct ReportOptions: Equatable {
  /// Folders of runs, or their `run.json`.
  var runs: [String] = []
  /// nil: into the run's own folder.
  var out: String?
}

/// `flotilla report`: a run's report and summary again, from its files alone.
enum ReportCommand {
  static var command: Command {
    Command(
      "report", "Render the reports of runs again, from their files.",
      positionals: [
        Positional(name: "RUN", help: "The folder of a run, or its run.json.", repeats: true) {
          $1.runs.append($0)
        }
      ],
      options: [
        .text("--out", "DIR", \.out, "Where the report goes; without it, into the run's folder.")
      ],
      examples: [
        "flotilla report runs/city-20260302-073000",
        "flotilla report runs/*",
        "flotilla report archive/run.json --out /tmp/again",
      ],
      start: ReportOptions(), body: run)
  }

  private static func run(_ options: ReportOptions, _ console: Console) throws -> ExitCode {
    if options.out != nil, options.runs.count > 1 {
      throw Failure(
        exit: .usage, message: "--out takes the report of one run; give one, or leave it out.")
    }
    for path in options.runs {
      let report = try render(URL(fileURLWithPath: path), to: options.out)
      console.line("report   \(report.path)")
    }
    return .pass
  }

  /// - Parameter run: a run's folder, or its `run.json`.
  /// - Returns: the report's file.
  static func render(_ run: URL, to out: String? = nil) throws -> URL {
    if CompareFiles.areIn(run) { return try CompareFiles.render(run, to: out) }
    if SweepFiles.areIn(run) { return try SweepFiles.render(run, to: out) }
    let files: RunFiles
    do { files = try RunFiles.read(from: run) } catch {
      throw Failure(exit: .badInput, message: error.description)
    }
    let home = run.lastPathComponent == "run.json" ? run.deletingLastPathComponent() : run
    let folder = out.map { URL(fileURLWithPath: $0, isDirectory: true) } ?? home
    return try write(
      [
        "report.html": reportHTML(files, plot: gnuplot?.svg),
        "summary.md": PlanWords.isPlan(files.record)
          ? planMarkdown(files.record) : summaryMarkdown(files.record),
      ], to: folder)
  }

  static var gnuplot: Gnuplot? {
    Gnuplot(searchPath: ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin")
  }

  /// Writes files by name, `report.html` among them.
  ///
  /// - Returns: the report's file.
  static func write(_ files: [String: String], to folder: URL) throws -> URL {
    for (name, text) in files.sorted(by: { $0.key < $1.key }) {
      let file = folder.appendingPathComponent(name)
      do {
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        try Data(text.utf8).write(to: file)
      } catch {
        throw Failure(
          exit: .cannotListenOrWrite,
          message: "\(file.path): cannot be written (\(FileTrouble.reason(error))); choose --out.")
      }
    }
    return folder.appendingPathComponent("report.html")
  }
}
