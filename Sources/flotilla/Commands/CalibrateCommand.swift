internal import Calibration
internal import Foundation
internal import Scenarios

/// The options of `flotilla calibrate`.
struct CalibrateOptions: Equatable {
  enum Format: String, CaseIterable { case text, csv, json }

  var seeds = CalibrationBench.Seeds.main
  var format = Format.text
  var rows: String?
  var data: String?
  var folder: String?
  var threads = 0
}

/// `flotilla calibrate`: published claims and recorded phones beside simulated ones.
enum CalibrateCommand {
  static var command: Command {
    Command(
      "calibrate", "Set published claims and recorded phones beside simulated ones.",
      options: [
        .word("--seeds", \.seeds, "Which of two disjoint sets of seeds."),
        .text("--rows", "ID,ID", \.rows, "Only these rows, such as C1,C14."),
        .word("--format", \.format, "How the table is written."),
        .text(
          "--data", "DIR", \.data,
          "Recorded traces; by default $FLOTILLA_DATA or ../shared/data. Absent: rows are skipped."
        ),
        .text("--scenarios", "DIR", \.folder, "Where scenarios and profiles are looked up."),
        .count("--threads", \.threads, 0...1_024, "Threads of a simulation; 0: one a core."),
      ],
      examples: [
        "flotilla calibrate",
        "flotilla calibrate --seeds other",
        "flotilla calibrate --rows C1,C2 --format csv",
      ],
      start: CalibrateOptions(), body: run)
  }

  private static func run(_ options: CalibrateOptions, _ console: Console) throws -> ExitCode {
    let wanted = options.rows.map { $0.split(separator: ",").map(String.init) } ?? []
    for id in wanted where !Calibration.ids.contains(id) {
      throw UsageError.badValue(
        option: "--rows", value: id,
        wanted: "one of \(Calibration.ids.joined(separator: ", "))")
    }
    var scenario = ScenarioOptions()
    scenario.folder = options.folder
    let cores = ProcessInfo.processInfo.activeProcessorCount
    let bench = CalibrationBench(
      seeds: options.seeds, library: scenario.library, dataFolder: dataFolder(options.data),
      threads: options.threads > 0 ? options.threads : cores)
    if bench.dataFolder == nil {
      console.printError("no recorded traces: rows that need them are skipped; give --data DIR.")
    }
    let interruption = Interruption(console)
    let table = try Calibration.run(bench, rows: wanted) { group, number, count in
      if interruption.isRequested { return false }
      console.printError("[\(number)/\(count)] \(group)")
      return true
    }
    switch options.format {
    case .text: console.line(table.text)
    case .csv: console.line(table.csv)
    case .json: console.line(try table.json())
    }
    if interruption.isRequested { return .interrupted }
    return table.isShort ? .missed : .pass
  }

  /// The folder of recorded traces, where it is there.
  private static func dataFolder(_ given: String?) -> String? {
    let candidates =
      [given, ProcessInfo.processInfo.environment["FLOTILLA_DATA"]].compactMap { $0 }
      + ["../shared/data", "../../shared/data"]
    var isFolder = ObjCBool(false)
    return candidates.first {
      FileManager.default.fileExists(atPath: $0, isDirectory: &isFolder) && isFolder.boolValue
    }
  }
}
