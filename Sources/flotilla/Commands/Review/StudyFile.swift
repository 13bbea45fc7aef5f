internal import Capacity
internal import Commands
internal import Figures
internal import Fitting
internal import Foundation
internal import Report

/// A study of several runs, or of a log: its record in a folder, and what is made from that.
protocol StudyFolder: Sendable {
  /// Whether the record lies in this folder, or is this file.
  func isIn(_ path: URL) -> Bool
  /// Makes the report and what belongs to it from the record.
  ///
  /// - Parameters:
  ///   - path: the study's folder, or its record.
  ///   - out: the folder of the report; nil: that of the record.
  /// - Returns: the report's file.
  func render(_ path: URL, to out: String?) throws -> URL
}

/// A kind of study by its record.
struct StudyFile<Record: StoredRecord>: StudyFolder {
  /// Is the record's file, such as `sweep.json`.
  let name: String
  /// The text of each file that is made, by its name.
  fileprivate let pages: @Sendable (Record) -> [String: String]

  func isIn(_ path: URL) -> Bool {
    path.lastPathComponent == name
      || FileManager.default.fileExists(atPath: path.appendingPathComponent(name).path)
  }

  /// - Parameter path: a study's folder, or its record.
  func read(_ path: URL) throws -> Record {
    let file = path.lastPathComponent == name ? path : path.appendingPathComponent(name)
    do { return try Record.read(from: file) } catch {
      throw CommandError(exit: .badInput, message: error.description)
    }
  }

  func render(_ path: URL, to out: String? = nil) throws -> URL {
    let home = path.lastPathComponent == name ? path.deletingLastPathComponent() : path
    return try ReportCommand.write(
      pages(try read(path)), to: out.map { URL(fileURLWithPath: $0, isDirectory: true) } ?? home)
  }
}

/// The kinds of studies.
enum Studies {
  static let comparison = StudyFile<ComparisonRecord>(name: "compare.json") {
    [
      "report.html": comparisonHTML($0, plot: ReportCommand.gnuplot?.svg),
      "summary.md": comparisonMarkdown($0), "compare.csv": comparisonCSV($0),
    ]
  }
  static let sweep = StudyFile<SweepRecord>(name: "sweep.json") {
    [
      "report.html": sweepHTML($0, plot: ReportCommand.gnuplot?.svg),
      "summary.md": sweepMarkdown($0), "sweep.csv": sweepCSV($0),
    ]
  }
  static let search = StudyFile<TuneRecord>(name: "tune.json") {
    [
      "report.html": tuneHTML($0, plot: ReportCommand.gnuplot?.svg),
      "summary.md": tuneMarkdown($0), "tune.csv": tuneCSV($0),
    ]
  }
  static let sensitivity = StudyFile<SensitivityRecord>(name: "sensitivity.json") {
    [
      "report.html": sensitivityHTML($0, plot: ReportCommand.gnuplot?.svg),
      "summary.md": sensitivityMarkdown($0), "sensitivity.csv": sensitivityCSV($0),
    ]
  }
  static let fit = StudyFile<FitRecord>(name: "fit.json") {
    [
      "report.html": fitHTML($0, plot: ReportCommand.gnuplot?.svg),
      "summary.md": fitMarkdown($0),
    ]
  }

  /// All of them, as a report looks for them.
  static let all: [any StudyFolder] = [comparison, sweep, search, sensitivity, fit]
}
