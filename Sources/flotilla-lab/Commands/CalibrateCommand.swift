internal import Commands
internal import Core
internal import Foundation
internal import Scenarios

struct CalibrateOptions: Equatable {
  enum Format: String, CaseIterable { case text, csv, json }

  var seeds = CalibrationBench.Seeds.main
  var format = Format.text
  var isJSON = false
  var rows: String?
  var records = false
  var data: String?
  var folder: String?
  var threads = 0
  var ranges = 0
  var match = 0
  var isGate = false
  var out: String?
}

enum CalibrateCommand {
  static var command: Command {
    Command(
      "calibrate", "Compare simulated phones with published claims and recorded phones.",
      options: [
        .word("--seeds", \.seeds, "Set of seeds; the two sets are disjoint."),
        .text(
          "--rows", "ID,ID", \.rows, "Rows and claims to evaluate, such as C1,C14; default: all."),
        .word("--format", \.format, "Output format."),
        .flag("--json", \.isJSON, "Same as --format json."),
        .flag(
          "--record", \.records,
          "Append the results to claims/history.csv, or write claims/intervals.csv (--ranges), "
            + "claims/ensemble.csv (--match) or claims/gate.csv (--gate)."),
        .count(
          "--ranges", \.ranges, 0...4_096,
          "Number of points over the parameters' ranges, or of matched sets and as many over the "
            + "ranges if claims/ensemble.csv exists; each claim gets an interval."
        ),
        .count(
          "--match", \.match, 0...4_096,
          "Number of points of each wave of a history match with the claims to fit."),
        .text(
          "--out", "FILE", \.out,
          "File of finished points, from which --ranges and --match continue; default "
            + "runs/calibrate-ID.json."),
        .flag(
          "--gate", \.isGate,
          "Compare the score of \(ScoreGate.points) points with claims/gate.csv; exit 99 if it "
            + "fell."),
        .text(
          "--data", "DIR", \.data,
          "Folder of recorded traces; default ../shared/data."),
        .text("--scenarios", "DIR", \.folder, "Folder with scenarios and profiles."),
        .count("--threads", \.threads, 0...1_024, "Number of threads; 0: one per core."),
      ],
      examples: [
        "flotilla-lab calibrate",
        "flotilla-lab calibrate --seeds other",
        "flotilla-lab calibrate --rows C1,C2 --format csv",
        "flotilla-lab calibrate --record",
        "flotilla-lab calibrate --ranges 64 --record",
        "flotilla-lab calibrate --match 400 --record",
        "flotilla-lab calibrate --gate",
      ],
      start: CalibrateOptions(), body: run)
  }

  private static func run(_ options: CalibrateOptions, _ console: Console) throws -> ExitCode {
    var scenario = ScenarioOptions()
    scenario.folder = options.folder
    let wanted = try rows(options, scenario.library)
    let cores = ProcessInfo.processInfo.activeProcessorCount
    let bench = CalibrationBench(
      seeds: options.seeds, library: scenario.library, dataFolder: dataFolder(options.data),
      threads: options.threads > 0 ? options.threads : cores)
    if options.isGate || options.ranges > 0 || options.match > 0 {
      return try runRanges(options, bench, rows: wanted, console)
    }
    if bench.dataFolder == nil {
      console.printError("no recorded traces, skipping rows that need them; give --data DIR.")
    }
    let interruption = Interruption(drainingOn: console)
    let table = try Calibration.run(bench, rows: wanted) { what, number, count in
      if interruption.isRequested { return false }
      console.printError("[\(number)/\(count)] \(what)")
      return true
    }
    switch options.isJSON ? .json : options.format {
    case .text: console.line(table.text)
    case .csv: console.line(table.csv)
    case .json: console.line(try table.json())
    }
    if interruption.isRequested { return .interrupted }
    try keep(table, options, bench.library, console)
    return table.isMissed ? .missed : .pass
  }

  private static func rows(
    _ options: CalibrateOptions, _ library: ScenarioLibrary
  ) throws -> [String] {
    let wanted = options.rows.map { $0.split(separator: ",").map(String.init) } ?? []
    let known = try Calibration.ids(library)
    for id in wanted where !known.contains(id) {
      throw UsageError.badValue(
        option: "--rows", value: id, wanted: "one of \(known.joined(separator: ", "))")
    }
    return wanted
  }

  /// Prints the drift since the history's last records, and optionally appends the results.
  private static func keep(
    _ table: CalibrationTable, _ options: CalibrateOptions, _ library: ScenarioLibrary,
    _ console: Console
  ) throws {
    guard let folder = library.claimsFolder else { return }
    let path = "\(folder)/history.csv"
    let bytes = FileManager.default.contents(atPath: path) ?? Data()
    let file = String(decoding: bytes, as: UTF8.self)
    let run = ClaimHistory.Run(
      date: String(Date.now.formatted(.iso8601).prefix(10)), commit: Repository.commit(of: folder),
      seeds: options.seeds)
    for line in ClaimHistory.drift(table, run, since: file) {
      console.printError("drift: \(line)")
    }
    guard options.records else { return }
    let text = file + ClaimHistory.text(table, run, after: file)
    try FileOutput.write(text, to: path)
    console.printError("recorded in \(path)")
  }

  /// Returns the folder of recorded traces; nil if it is missing.
  private static func dataFolder(_ given: String?) -> String? {
    let candidates = [given].compactMap { $0 } + ["../shared/data", "../../shared/data"]
    var isFolder = ObjCBool(false)
    return candidates.first {
      FileManager.default.fileExists(atPath: $0, isDirectory: &isFolder) && isFolder.boolValue
    }
  }
}
