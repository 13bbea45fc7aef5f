internal import Commands
internal import Core
internal import Figures
internal import Foundation
internal import Report

enum CompareRunsCommand {
  static func run(_ options: ReportOptions, _ console: Console) throws -> ExitCode {
    let paths = (options.baseline.map { [$0] } ?? []) + options.runs
    let runs = try paths.map { (path: $0, files: try files($0)) }
    let record = try RunComparison(runs, tolerance: options.tolerance)
    let page = record.report(runs.map(\.files))
    for line in page.lines { console.line(line) }
    if let csv = options.csv { try FileOutput.write(record.csv, to: csv) }
    if let junit = options.junit { try FileOutput.write(record.junit, to: junit) }
    if let out = options.out {
      let report = try ReportCommand.write(
        [
          "report.html": page.html(.installed),
          "summary.md": page.markdown,
          "comparison.csv": record.csv, "comparison.json": try json(record),
        ], to: URL(fileURLWithPath: out, isDirectory: true))
      console.line("report   \(report.path)")
    }
    return options.failsOnRegression && record.hasRegression ? .missed : .pass
  }

  /// Returns the files of one run. Throws for a comparison of policies and for a sweep.
  private static func files(_ path: String) throws -> RunFiles {
    let url = URL(fileURLWithPath: path)
    if Studies.comparison.isIn(url) || Studies.sweep.isIn(url) {
      throw CommandError(
        exit: .badInput,
        message: """
          \(path): contains several runs; give the folder of one run, or report this folder alone.
          """)
    }
    return try RunFiles.read(from: url)
  }

  private static func json(_ record: RunComparison) throws -> String {
    do { return String(decoding: try record.json(), as: UTF8.self) } catch {
      // Encoding fails only for a number that is not finite.
      throw CommandError(exit: .badInput, message: "comparison.json: \(error)")
    }
  }
}
