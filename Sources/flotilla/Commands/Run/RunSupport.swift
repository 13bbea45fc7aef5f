internal import Commands
internal import Core
internal import Figures
internal import Foundation
internal import Run
internal import Scenarios
internal import Uploads

enum RunSupport {
  /// Returns the command line for a record, without passwords, with the variables before it.
  static func commandLine(_ console: Console) -> [String] {
    (console.variables + ["flotilla"] + console.surroundings.words).map {
      Redaction.passwords(in: $0)
    }
  }

  static func plan(_ options: RunOptions, _ console: Console) throws -> RunPlan {
    plan(options, try options.scenario.load(), console)
  }

  static func plan(
    _ options: RunOptions, _ scenario: Scenario, _ console: Console
  ) -> RunPlan {
    let cores = ProcessInfo.processInfo.activeProcessorCount
    var shown = scenario
    shown.run = scenario.run.recorded
    var plan = RunPlan(
      scenario: scenario, scenarioText: shown.text, scenarioHash: scenario.hash,
      command: commandLine(console), version: ProgramVersion.text,
      threads: scenario.run.threads > 0 ? scenario.run.threads : cores,
      startedAt: Date().formatted(.iso8601), wall: monotonic)
    plan.cache = RunCache.cache(scenario.run.cache, console.surroundings.environment)
    plan.askedLevels = Set(
      ["responseP99", "answered", "freshness", "located"].filter {
        options.scenario.asks(for: $0, of: "slo")
      })
    return plan
  }

  /// Returns the plan of a run of one or several processes. Only the first process prints.
  static func sharedPlan(_ options: RunOptions, _ console: Console) throws -> RunPlan {
    guard Ranks.number == nil else { return try joinedPlan(options, console) }
    var plan = try plan(options, console)
    try options.place(&plan, console.surroundings.environment)
    return plan
  }

  private static func joinedPlan(_ options: RunOptions, _ console: Console) throws -> RunPlan {
    let link = try Ranks.join()
    if !link.place.isFirst {
      console.closeOutput()
      // An error stops all processes of a run; the first process prints it.
      console.closeErrors()
    }
    var plan = plan(options, try Ranks.scenario(options.scenario, over: link), console)
    plan.program = Ranks.build
    try RunOptions.check(link.place, phones: plan.scenario.fleet.phones)
    try plan.join(link)
    return plan
  }

  /// Returns each plan's scenario at sets of its model's parameters; empty without sets.
  /// - Parameters:
  ///   - asked: The number of sets; nil for a preview of small runs.
  ///   - axes: The keys of a sweep, treated like the keys of `--set`.
  ///   - measuresDemand: Whether the sets also have a rate in the busiest hour.
  static func ensembles(
    _ asked: Int?, _ plans: [RunPlan], _ options: RunOptions, axes: [String] = [],
    measuresDemand: Bool = false
  ) throws -> [Ensemble] {
    let sets = asked ?? (Ensemble.isPreviewCheap(plans) ? Ensemble.preview : 0)
    guard sets > 0 else { return [] }
    let known = axes + options.scenario.settings.map { $0.text.prefix { $0 != "=" }.description }
    let library = options.scenario.library
    let matched = try MatchedSets.read(library)
    return try plans.map {
      try Ensemble(
        $0, sets: sets, library: library, matched: matched, known: known,
        measuresDemand: measuresDemand)
    }
  }

  static func refuseEnsemble(_ sets: Int?, with options: KeyValuePairs<String, Bool>) throws {
    guard sets ?? 0 > 0 else { return }
    try CommandError.refuse(options) { "--ensemble cannot be combined with \($0); remove one." }
  }

  /// Returns the sentence about an ensemble that was stopped after the run itself; nil if it is
  /// complete.
  static func stopped(_ ensemble: Ensemble?, _ record: RunRecord) -> String? {
    guard let sets = ensemble?.sets, record.verdict != .interrupted,
      record.ensemble?.done ?? 0 < sets
    else { return nil }
    return stopped(record.ensemble, of: sets)
  }

  static func stopped(_ figures: EnsembleFigures?, of sets: Int) -> String {
    let used =
      figures == nil
      ? "there are no intervals over the parameters' ranges"
      : "the intervals over the parameters' ranges are of these"
    return "Stopped after \(figures.map { "\($0.done)" } ?? "too few") of \(sets) sets; \(used)."
  }

  static func printShortening(_ scenario: Scenario, _ options: RunOptions, _ console: Console) {
    guard let shortened = scenario.shortened, !options.isQuiet else { return }
    if options.isDryRun || options.interface != .json { console.line(shortened.sentence) }
  }

  static func printRecordings(_ scenario: Scenario, _ console: Console) {
    let recordings = scenario.recordings.filter(\.uploads.isEmpty)
    for recording in recordings.prefix(shownMax) { console.line(recording.report) }
    let others = recordings.count - shownMax
    if others > 0 { console.line("and \(Figure.grouped(others)) other recordings.") }
  }

  /// The most recordings that get a line, since a file may have thousands of tracks.
  private static let shownMax = 20

  /// Prints which faults have no effect, because a simulation has no network.
  static func printWireFaults(_ scenario: Scenario, _ console: Console) {
    let names = Set(scenario.faults.filter(\.kind.isOfWire).map(\.name)).sorted()
    guard !names.isEmpty else { return }
    console.line("Ignored in a simulation, which has no network: \(names.joined(separator: ", ")).")
  }

  @Sendable static func monotonic() -> WallInstant {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return WallInstant(
      microseconds: Int64(time.tv_sec) * 1_000_000 + Int64(time.tv_nsec) / 1_000)
  }

  /// Returns nil in a process that writes no files; `kind` follows the scenario's name.
  static func folder(
    _ options: RunOptions, _ plan: RunPlan, kind: String = ""
  ) throws -> RunFolder? {
    guard plan.leads else { return nil }
    // Shards may start within one second, and share one folder of runs.
    let part = plan.shard.map { "-\($0.place.number + 1)-of-\($0.place.count)" } ?? ""
    return try folder(options.out, name: plan.scenario.name + kind + part)
  }

  static func folder(_ out: String?, name: String) throws -> RunFolder {
    try RunFolder(out, name: name, at: Date())
  }

  /// - Parameters:
  ///   - folder: nil unless the process is the first of its run, which writes files and judges.
  ///   - display: the run's display, which restores the terminal first.
  static func finish(
    _ kind: ShareFile.Kind, _ outcome: RunOutcome, of plan: RunPlan, _ folder: RunFolder?,
    _ display: RunDisplay, _ server: BuildServer
  ) throws -> ExitCode {
    guard let folder else { return .pass }
    var outcome = outcome
    if let shortened = plan.scenario.shortened { outcome.log.insert(shortened.sentence, at: 0) }
    outcome.log += display.close(outcome.record)
    var keeping = Keeping()
    let report = keeping {
      if let shard = plan.shard {
        try folder.write(ShareFile(kind, outcome, of: plan, shard).data(), to: ShareFile.name)
      }
      try folder.write(outcome)
      return try ReportCommand.render(folder.url, display.console)
    }
    let lines = VerdictLines.lines(outcome.record)
    for line in lines { display.conclude(line) }
    server.note(outcome.record, undecided: outcome.undecided, lines)
    if let report { display.conclude("report   \(report.path)") }
    display.conclude(outcome.record.verdict, outcome.record.reasons, folder: folder, report: report)
    try keeping.end()
    return exitCode(outcome.record.verdict)
  }

  static func exitCode(_ verdict: Verdict) -> ExitCode {
    switch verdict {
    case .pass: .pass
    case .loss: .loss
    case .invalid: .invalidRun
    case .interrupted: .interrupted
    case .notVerified, .sloMissed: .missed
    }
  }
}

extension Interruption {
  /// Stops a run and writes the report. An interrupted mpirun sends SIGCONT, then SIGTERM, and a
  /// second later SIGKILL. Under mpirun, signals after the first are therefore ignored.
  convenience init(_ console: Console) {
    guard !Ranks.isJoined else {
      self.init(
        console, [(SIGINT, "SIGINT"), (SIGTERM, "SIGTERM"), (SIGCONT, "SIGCONT")],
        announce: { _ in
          console.printError("Stopping; writing the report.")
          Ranks.stop()
        },
        leave: {})
      return
    }
    self.init(drainingOn: console)
  }
}
