internal import Commands
internal import Core
internal import Foundation
internal import Scenarios
internal import Synchronization
internal import Transport

extension CalibrateCommand {
  /// Runs `--ranges`, `--match` or `--gate`.
  static func runRanges(
    _ options: CalibrateOptions, _ bench: CalibrationBench, rows wanted: [String],
    _ console: Console
  ) throws -> ExitCode {
    guard let folder = bench.library.claimsFolder else {
      throw CommandError(exit: .badInput, message: "no scenarios folder has claims.")
    }
    let claims = try bench.library.claims().filter { wanted.isEmpty || wanted.contains($0.id) }
    guard !claims.isEmpty else {
      throw CommandError(
        exit: .usage,
        message: "--rows names no claim; --ranges, --match and --gate are for claims.")
    }
    try CommandError.refuse(["--rows": options.records && !wanted.isEmpty && options.match > 0]) {
      "\($0) leaves claims out; --match --record needs all of them."
    }
    let commit = Repository.commit(of: folder)
    if options.match > 0 {
      return try runMatch(
        MatchStudy(bench, claims, points: options.match, commit: commit), options, folder, console)
    }
    let sets = options.isGate ? nil : try MatchedSets.read(bench.library)
    let study =
      options.isGate
      ? ScoreGate.study(bench, claims, commit: commit)
      : try sets.map {
        try RangeStudy.matched($0, bench, claims, points: options.ranges, commit: commit)
      } ?? RangeStudy(bench, claims, points: options.ranges, commit: commit)
    let interruption = interruption(console)
    let progress = try simulate(
      study, shipped: options.isGate ? 0 : ClaimRun.seeds, keeps: !options.isGate,
      in: options.out, interruption, console)
    guard let progress else { return .interrupted }
    return options.isGate
      ? try endGate(study.forecasts(progress), study, options, folder, console)
      : try endRanges(study, progress, options, folder, console)
  }

  private static func interruption(_ console: Console) -> Interruption {
    Interruption(
      console,
      announce: { _ in console.printError("Stopping. Press Ctrl-C again to quit immediately.") })
  }

  /// Simulates the points of a study. If the study was stopped, prints a line and returns nil.
  ///
  /// - Parameters:
  ///   - stage: the name of the stage of a match, which begins every printed line.
  ///   - keeps: whether finished points are kept in a file.
  ///   - path: the path of this file; nil for a name made from the study's identity.
  private static func simulate(
    _ study: RangeStudy, stage: String? = nil, shipped: Int, keeps: Bool, in path: String?,
    _ interruption: Interruption, _ console: Console
  ) throws -> RangeStudy.Progress? {
    let identity = keeps ? try study.identity(program: console.surroundings.program) : ""
    let file = keeps ? RangeFile(path ?? "runs/calibrate-\(identity.prefix(8)).json") : nil
    let begun = try file?.read(identity) ?? RangeStudy.Progress(study: "")
    let prefix = stage.map { "\($0): " } ?? ""
    if let file, !begun.draws.isEmpty {
      console.printError("\(prefix)continuing from \(file.path)")
    }
    let pace = RangePace(
      prefix, study.numbers(shipped: shipped).count, begun.draws.count, console)
    let progress = try study.simulate(begun, shipped: shipped) {
      interruption.isRequested
    } keep: { progress in
      try file?.write(progress)
      pace.show(progress.draws.count)
    }
    pace.printer.close()
    guard progress.draws.count >= pace.count else {
      let kept = file.map { "; the same command continues from \($0.path)" } ?? ""
      console.printError(
        "\(prefix)stopped after \(progress.draws.count) of \(pace.count) points\(kept).")
      return nil
    }
    return progress
  }

  private static func runMatch(
    _ study: MatchStudy, _ options: CalibrateOptions, _ folder: String, _ console: Console
  ) throws -> ExitCode {
    guard !study.claims.isEmpty else {
      throw CommandError(exit: .usage, message: "--match needs a claim to fit.")
    }
    let interruption = interruption(console)
    let result = try study.run { stage, points in
      try simulate(
        points, stage: stage, shipped: 0, keeps: true,
        in: options.out.map { "\($0).\(stage.replacing(" ", with: "-"))" }, interruption, console)
    }
    switch options.isJSON ? .json : options.format {
    case .text: console.line(result.text)
    case .csv: console.line(String(result.csv.dropLast()))
    case .json: console.line(try result.json())
    }
    if result.stop != nil { return .interrupted }
    guard options.records else { return .pass }
    guard !result.sets.isEmpty else {
      console.printError("no set is verified; nothing is recorded.")
      return .missed
    }
    try record(result.csv, in: "\(folder)/ensemble.csv", console)
    return .pass
  }

  private static func endRanges(
    _ study: RangeStudy, _ progress: RangeStudy.Progress, _ options: CalibrateOptions,
    _ folder: String, _ console: Console
  ) throws -> ExitCode {
    let table = RangeTable(
      forecasts: study.forecasts(progress), shipped: study.shipped(progress),
      whole: study.wholeRanges > 0 ? study.whole(progress) : [],
      points: study.points - study.wholeRanges)
    switch options.isJSON ? .json : options.format {
    case .text: console.line(table.text)
    case .csv: console.line(table.csv)
    case .json: console.line(try table.json())
    }
    if options.records {
      try record(rows: table.intervals, in: "\(folder)/intervals.csv", options, console)
    }
    return .pass
  }

  private static func endGate(
    _ forecasts: [ClaimForecast], _ study: RangeStudy, _ options: CalibrateOptions,
    _ folder: String, _ console: Console
  ) throws -> ExitCode {
    let path = "\(folder)/gate.csv"
    if options.records {
      try record(
        rows: ScoreGate.text(forecasts, commit: study.commit), in: path, options, console)
      return .pass
    }
    let bytes = FileManager.default.contents(atPath: path) ?? Data()
    guard
      let losses = ScoreGate.losses(forecasts, since: String(decoding: bytes, as: UTF8.self))
    else {
      throw CommandError(
        exit: .badInput,
        message: "\(path) has no scores of these claims; write it with calibrate --gate --record.")
    }
    guard losses.isEmpty else {
      console.printError("worse than \(path): \(losses.joined(separator: "; ")).")
      return .missed
    }
    console.line("no score is worse than \(path)")
    return .pass
  }

  /// Records a table with a line for each claim. With `--rows`, other claims keep their lines.
  private static func record(
    rows text: String, in path: String, _ options: CalibrateOptions, _ console: Console
  ) throws {
    let bytes = FileManager.default.contents(atPath: path) ?? Data()
    let old = options.rows == nil ? "" : String(decoding: bytes, as: UTF8.self)
    try record(RangeTable.replaced(text, in: old), in: path, console)
  }

  private static func record(_ text: String, in path: String, _ console: Console) throws {
    try FileOutput.write(text, to: path)
    console.printError("recorded in \(path)")
  }
}

/// Shows the estimated time left after each point.
private final class RangePace: Sendable {
  private let prefix: String
  let count: Int
  let printer: ProgressPrinter
  private let before: Int
  private let start = MonotonicClock.now

  init(_ prefix: String, _ count: Int, _ before: Int, _ console: Console) {
    (self.prefix, self.count, self.before) = (prefix, count, before)
    printer = ProgressPrinter(console)
  }

  func show(_ done: Int) {
    let elapsed = (MonotonicClock.now - start).seconds
    let left = elapsed / Double(max(1, done - before)) * Double(count - done)
    printer.show(
      "\(prefix)\(done) of \(count) points, \(Int((left / 60).rounded(.up))) min left",
      share: Double(done) / Double(count))
  }
}
