internal import Capacity
internal import Commands
internal import Figures
internal import Foundation
internal import Report

struct StudyFile {
  /// The name of the record's file without its extension, which is also in the folder's name.
  let word: String
  let kind: any Reported.Type

  init(_ word: String, _ kind: any Reported.Type) {
    self.word = word
    self.kind = kind
  }

  /// The record's file, such as `sweep.json`.
  var name: String { "\(word).json" }
  var type: String { word == "compare" ? "comparison" : word }

  func isIn(_ path: URL) -> Bool {
    path.lastPathComponent == name
      || FileManager.default.fileExists(atPath: path.appendingPathComponent(name).path)
  }

  func read<Record: Reported>(_ path: URL, as kind: Record.Type) throws -> Record {
    let file = path.lastPathComponent == name ? path : path.appendingPathComponent(name)
    return try Record.read(from: file)
  }

  /// Writes the report of a record, or of a study's folder, to `out` or else into that folder.
  func render(_ path: URL, _ console: Console, to out: String? = nil) throws -> URL {
    let home = path.lastPathComponent == name ? path.deletingLastPathComponent() : path
    let record: any Reported = try read(path, as: kind)
    let report = record.report
    var pages = [
      "report.html": report.html(.installed),
      "summary.md": report.markdown,
    ]
    pages["\(word).csv"] = record.csv
    return try ReportCommand.write(
      pages, to: out.map { URL(fileURLWithPath: $0, isDirectory: true) } ?? home)
  }
}

enum Studies {
  static let comparison = StudyFile("compare", ComparisonRecord.self)
  static let sweep = StudyFile("sweep", SweepRecord.self)
  static let search = StudyFile("tune", TuneRecord.self)
  static let sensitivity = StudyFile("sensitivity", SensitivityRecord.self)
  static let fit = StudyFile("fit", FitRecord.self)

  static let all = [comparison, sweep, search, sensitivity, fit]
}
