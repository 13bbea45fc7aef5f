internal import Capacity
internal import Commands
internal import Figures
internal import Fitting
internal import Foundation
internal import Report

/// A kind of study of several runs, or of a log: its record in a folder, and what is made of it.
struct StudyFile {
  /// Is the record's file, such as `sweep.json`.
  let name: String
  let kind: any Reported.Type

  /// Whether the record lies in this folder, or is this file.
  func isIn(_ path: URL) -> Bool {
    path.lastPathComponent == name
      || FileManager.default.fileExists(atPath: path.appendingPathComponent(name).path)
  }

  /// - Parameter path: a study's folder, or its record.
  func read<Record: Reported>(_ path: URL, as kind: Record.Type) throws -> Record {
    let file = path.lastPathComponent == name ? path : path.appendingPathComponent(name)
    do { return try Record.read(from: file) } catch {
      throw CommandError(exit: .badInput, message: error.description)
    }
  }

  /// Makes the report and what belongs to it from the record.
  ///
  /// - Parameters:
  ///   - path: the study's folder, or its record.
  ///   - out: the folder of the report; nil: that of the record.
  /// - Returns: the report's file.
  func render(_ path: URL, to out: String? = nil) throws -> URL {
    let home = path.lastPathComponent == name ? path.deletingLastPathComponent() : path
    let record: any Reported = try read(path, as: kind)
    let report = record.report
    var pages = [
      "report.html": report.html(ReportCommand.gnuplot?.svg), "summary.md": report.markdown,
    ]
    pages[name.replacing(".json", with: ".csv")] = record.csv
    return try ReportCommand.write(
      pages, to: out.map { URL(fileURLWithPath: $0, isDirectory: true) } ?? home)
  }
}

/// The kinds of studies.
enum Studies {
  static let comparison = StudyFile(name: "compare.json", kind: ComparisonRecord.self)
  static let sweep = StudyFile(name: "sweep.json", kind: SweepRecord.self)
  static let search = StudyFile(name: "tune.json", kind: TuneRecord.self)
  static let sensitivity = StudyFile(name: "sensitivity.json", kind: SensitivityRecord.self)
  static let fit = StudyFile(name: "fit.json", kind: FitRecord.self)

  /// All of them, as a report looks for them.
  static let all = [comparison, sweep, search, sensitivity, fit]
}
