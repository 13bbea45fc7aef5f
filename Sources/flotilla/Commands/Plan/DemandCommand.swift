internal import Capacity
internal import Commands
internal import Core
internal import Figures
internal import Foundation
internal import Report
internal import Run
internal import Scenarios
internal import Uploads
internal import Targets

struct DemandOptions: Equatable {
  var run = RunOptions()
  /// The number of phones to simulate; 0 for the default of `DemandCommand.livedPhones`.
  var lived = 0
  var export: DemandText.Format?
  /// The target whose requests are counted, a user's backend.
  var target: String?
  var targetURL: String?
  /// The number of sets of the model's parameters; nil for none.
  var ensemble: Int?
}

enum DemandCommand {
  private static let formats = DemandText.Format.allCases.map(\.rawValue)

  static var command: Command {
    Command(
      "demand", "Predict the request rate of N phones, per second.",
      positionals: [.scenario(\.run.scenario)],
      options: Option.run(\.run) + [
        .count(
          "--lived", \.lived, 0...100_000_000,
          "Phones to simulate; results are scaled up. 0: all, or above 100,000 a third, at least\n"
            + "    100,000."),
        Option(
          "--export", formats.joined(separator: "|"),
          "Print the rate of each second (for h2load: each upload) to standard output.",
          wanted: "one of \(formats.joined(separator: ", "))", { DemandText.Format(rawValue: $0) },
          set: { $1.export = $0 }),
        .text(
          "--target", "TARGET", \.target,
          "Also count the requests that your own backend would get; nothing is sent."),
        .text("--target-url", "URL", \.targetURL, "URL of the target; overrides the target file."),
        .ensemble(
          \.ensemble,
          "Also simulate N sets of the model's parameters, within their stated ranges, with at\n"
            + "    most 300 phones, scaled to all phones: uploads a day and the busiest hour get\n"
            + "    an interval. 0: none (default)."),
        .shard(\.run),
      ],
      examples: [
        "flotilla demand city --phones 300000",
        "flotilla demand city --phones 3M --duration 7d",
        "flotilla demand city --phones 1M --duration 2h --target overland",
        "flotilla demand city --phones 100000 --ensemble 32",
        "flotilla demand city --phones 10000 --export csv | head",
        "flotilla demand push-storm --phones 20000 --duration 20min --export h2load > storm.tsv",
      ],
      start: DemandOptions(), body: run)
  }

  /// The default duration, because storage, growth and quotas are estimated from one day.
  static let standardDuration = "24h"
  /// The largest fleet that is simulated in full by default; larger fleets are sampled.
  private static let allLived = 100_000

  private static func run(_ options: DemandOptions, _ console: Console) throws -> ExitCode {
    try options.run.checkShard([("--ensemble", options.ensemble ?? 0 > 0)])
    try RunSupport.refuseEnsemble(options.ensemble, with: ["--export": options.export != nil])
    let format = options.export
    var options = options
    options.run = wholeDay(options.run)
    // Only the export goes to standard output.
    if format != nil, options.run.interface != .none { options.run.interface = .plain }
    let plan = try RunSupport.sharedPlan(options.run, console)
    let lived = livedPhones(plan.scenario.fleet.phones, wanted: options.lived)
    try RunOptions.check(plan.place, phones: lived)
    let requests = try requestMeter(options, plan)
    let ensemble = try RunSupport.ensembles(
      options.ensemble ?? 0, [plan], options.run, measuresDemand: true
    ).first
    if options.run.isDryRun {
      console.line(announcement(plan, lived: lived, ensemble))
      return .pass
    }
    let folder = try RunSupport.folder(options.run, plan, kind: "-demand")
    let interruption = Interruption(console)
    if format != nil { options.run.isQuiet = true }
    let display = RunDisplay(
      plan.firstSnapshot(.simulate), options.run, console, interruption: interruption,
      isShown: folder != nil)
    let outcome = DemandRun(plan, lived: lived, requests: requests).run(
      progress: display.show, shouldStop: { interruption.isRequested })
    guard let folder, let outcome else { return .pass }
    var record = record(plan, outcome)
    if let ensemble, record.verdict != .interrupted {
      record.ensemble = ensemble.figures(
        progress: display.show, shouldStop: { interruption.isRequested })
    }
    _ = display.close()
    var keeping = Keeping()
    let report = keeping {
      try writeShare(outcome, of: plan, lived: lived, folder)
      return try write(record, outcome, folder, console)
    }
    if let format {
      export(outcome, format, seed: plan.scenario.seed, console)
      if let report { console.printError("report   \(report.path)") }
    } else {
      for line in lines(record) { display.conclude(line) }
      if let report { display.conclude("report   \(report.path)") }
      display.conclude(record.verdict, record.reasons, folder: folder)
    }
    try keeping.end()
    guard let stopped = RunSupport.stopped(ensemble, record) else {
      return RunSupport.exitCode(record.verdict)
    }
    display.conclude(stopped)
    return .interrupted
  }

  static func lines(_ record: RunRecord) -> [String] {
    PlanWords.lines(record) + (record.targetDemand?.lines ?? [])
      + (record.targetCapacity?.lines ?? [])
  }

  private static func requestMeter(
    _ options: DemandOptions, _ plan: RunPlan
  ) throws -> RequestMeter? {
    guard let name = options.target else {
      guard options.targetURL == nil else {
        throw CommandError(
          exit: .usage, message: "--target-url requires --target.")
      }
      return nil
    }
    guard options.export == nil else {
      throw CommandError(
        exit: .usage, message: "--export cannot be combined with --target; remove one.")
    }
    guard plan.place.count == 1 else {
      throw CommandError(
        exit: .usage, message: "--target requires a single process; remove --shard or mpirun.")
    }
    let reader = TargetReader(folders: options.run.scenario.library.folders)
    let target = try reader.load(name, url: options.targetURL)
    return try RequestMeter(target, plan.scenario)
  }

  /// Returns options without a ramp, for one day from the scenario's start or the given duration.
  static func wholeDay(_ options: RunOptions) -> RunOptions {
    var options = options
    options.scenario.settings =
      ["duration=\(standardDuration)", "phases.ramp=0s"] + options.scenario.settings
    return options
  }

  static func livedPhones(_ phones: Int, wanted: Int) -> Int {
    if wanted > 0 { return min(wanted, phones) }
    let third = (phones + Int(SubsetScaling.factorMax) - 1) / Int(SubsetScaling.factorMax)
    return phones <= allLived ? phones : max(allLived, third)
  }

  private static func announcement(
    _ plan: RunPlan, lived: Int, _ ensemble: Ensemble?
  ) -> String {
    """
    Would simulate \(Figure.grouped(lived)) of \
    \(Figure.grouped(plan.scenario.fleet.phones)) phones for \
    \(Figure.plain(plan.scenario.duration.seconds / 3_600)) h after a warm start of \
    \(Figure.plain(plan.scenario.warmStart.seconds / 3_600)) h, with \(plan.threads) threads\
    \(ensemble.map { ", then \($0.words)" } ?? "").
    """
  }

  /// Returns a record with the demand of all phones and the shares of the simulated phones.
  static func record(_ plan: RunPlan, _ outcome: DemandRun.Outcome) -> RunRecord {
    var record = RunRecord.of(plan)
    record.scenario.phones = outcome.demand.phones
    record.digest = outcome.run.record.digest
    record.timing = outcome.run.record.timing
    record.machine = outcome.run.record.machine
    record.plan = PlanRecord(demand: outcome.demand)
    record.targetDemand = outcome.target
    record.freshness = outcome.run.record.freshness
    record.stale = outcome.run.record.stale
    record.wake = outcome.run.record.wake
    record.energy = outcome.run.record.energy
    record.systems = outcome.run.record.systems
    record.verdict = outcome.run.record.verdict == .interrupted ? .interrupted : .pass
    record.reasons = PlanWords.reasons(outcome.demand)
    if record.verdict == .interrupted { record.reasons += outcome.run.record.reasons }
    return record
  }

  /// Writes the batches for a merge, if this process has no link to others.
  private static func writeShare(
    _ outcome: DemandRun.Outcome, of plan: RunPlan, lived: Int, _ folder: RunFolder
  ) throws {
    guard let shard = plan.shard else { return }
    let share = ShareFile(.demand, outcome.run, of: plan, lived: lived, shard)
    try folder.write(share.data(), to: ShareFile.name)
  }

  static func write(
    _ record: RunRecord, _ outcome: DemandRun.Outcome, _ folder: RunFolder, _ console: Console
  ) throws -> URL {
    try folder.write(record.json(), to: "run.json")
    try folder.write(csv(outcome), to: "demand.csv")
    return try ReportCommand.render(folder.url, console)
  }

  static func csv(_ outcome: DemandRun.Outcome) -> String {
    var text = ""
    DemandText.write(
      outcome.recorder, .csv, factor: outcome.demand.scale, arrivals: outcome.recorder.series
    ) {
      text += $0
      return true
    }
    return text
  }

  private static func export(
    _ outcome: DemandRun.Outcome, _ format: DemandText.Format, seed: UInt64, _ console: Console
  ) {
    let arrivals = format == .h2load ? outcome.arrivals(seed: seed) : outcome.recorder.series
    var piece = ""
    func flush() -> Bool {
      defer { piece.removeAll(keepingCapacity: true) }
      return Array(piece.utf8).withUnsafeBytes { console.write($0) }
    }
    DemandText.write(outcome.recorder, format, factor: outcome.demand.scale, arrivals: arrivals) {
      piece += $0
      return piece.utf8.count < 1 << 16 || flush()
    }
    _ = flush()
  }
}

extension DemandRun.Outcome {
  /// Returns the arrivals of the simulated phones, scaled to all phones.
  func arrivals(seed: UInt64) -> ArrivalSeries {
    SubsetScaling(factor: demand.scale, dispersion: demand.dispersion)
      .scaled(recorder.series, seed: seed)
  }
}
