internal import Commands
internal import Core
internal import Figures
internal import Foundation
internal import Run
internal import Scenarios
internal import Uploads
internal import Targets

enum LoadTarget {
  /// Checks that the target may be loaded and answers; returns nil without a target.
  static func setup(
    _ options: LoadOptions, _ scenario: Scenario, _ console: Console
  ) throws -> TargetSetup? {
    guard options.target.name != nil else {
      if options.target != TargetChoice() || scenario.run.rateLimit != nil {
        throw CommandError(
          exit: .usage,
          message: "--target-url and run.rateLimit require --target.")
      }
      return nil
    }
    try check(options, scenario.run)
    return try setup(options.target, options.run, scenario, console)
  }

  /// Checks that the target may be loaded and that it answers.
  static func setup(
    _ wanted: TargetChoice, _ run: RunOptions, _ scenario: Scenario, _ console: Console
  ) throws -> TargetSetup {
    let reader = TargetReader(folders: run.scenario.library.folders)
    let target = try reader.load(wanted.name ?? "", url: wanted.url)
    let setup = try TargetSetup(
      target, phones: scenario.fleet.phones, rateLimit: scenario.run.rateLimit,
      now: { Int64(Date().timeIntervalSince1970 * 1e6) })
    if run.isDryRun { return setup }
    if let why = setup.unreachable() {
      throw CommandError(exit: .collectorUnreachable, message: "no answer from \(why)")
    }
    if !setup.isNear { try tryOut(setup, console) }
    return setup
  }

  static func paced(_ options: LoadOptions) throws -> LoadOptions {
    // Uploads of a log keep their own gaps, which a speed shortens.
    guard let name = options.target.name, options.replay.paths.isEmpty else { return options }
    try checkSpeed(options)
    var options = options
    options.run.scenario.settings.append(
      ScenarioChange("speed=1", option: "--target \(name)"))
    return options
  }

  private static func check(_ options: LoadOptions, _ run: RunSettings) throws {
    try CommandError.refuse([
      "--collector": options.collector != nil, "run.via": run.via != nil,
      "run.state": run.state != nil, "run.twin": run.hasTwin,
      "run.dictionary": run.dictionary != nil, "run.capture": run.capture != nil,
      "run.tokenFile": run.tokenFile != nil, "run.carrier": run.carrier != .flotilla,
      "tls": run.tls != nil, "run.proof": !run.readsStore,
    ]) {
      "\($0) applies to Flotilla's collector and cannot be combined with --target; "
        + "set it in the target file."
    }
  }

  private static func checkSpeed(_ options: LoadOptions) throws {
    let speeds = options.run.scenario.settings.filter { $0.text.hasPrefix("speed=") }
    if let speed = speeds.first(where: { $0.text != "speed=1" }) {
      throw CommandError(
        exit: .usage,
        message: "\(speed.option ?? "--set \(speed.text)"): a target runs in wall-clock time; "
          + "the speed must be 1. Remove the setting.")
    }
  }

  /// Returns a line on events of a policy that the server does not take.
  static func without(_ events: EventUse.Kinds, _ setup: TargetSetup?) -> String {
    let why =
      switch setup?.target.events {
      case nil where setup == nil: "Flotilla's collector takes none; load a target with 'events'"
      case nil: "\(setup?.target.name ?? "") has no 'events'; add the request"
      case let request?: "\(setup?.target.name ?? "") takes \(request.kinds.text)"
      }
    return "events   \(events.text) not sent: \(why)"
  }

  /// Returns a line about the uploads before the run; nil without priming.
  static func priming(_ setup: TargetSetup) -> String? {
    let prime = setup.target.prime
    guard prime > .zero else { return nil }
    let rate = [setup.target.primeRate, setup.rateLimit].compactMap { $0?.perSecond }.min() ?? 0
    return "primes   \(setup.target.name) with \(TargetFigures.Primed.span(prime.seconds)) of "
      + "history, at most \(Figure.plain(rate)) requests/s"
  }

  /// Throws if priming is longer than the warm start.
  static func checkPrime(_ setup: TargetSetup, _ scenario: Scenario) throws {
    let prime = setup.target.prime
    guard prime > scenario.warmStart else { return }
    func span(_ time: SimDuration) -> String { TargetFigures.Primed.span(time.seconds) }
    throw CommandError(
      exit: .badInput,
      message: "\(setup.target.name): prime (\(span(prime))) is longer than the warm start of "
        + "\(scenario.name) (\(span(scenario.warmStart))); "
        + "write --set warmStart=\(span(prime).replacing(" ", with: "")), or a shorter prime.")
  }

  /// Throws unless a host on the Internet has a rate limit and passes a trial.
  private static func tryOut(_ setup: TargetSetup, _ console: Console) throws {
    let name = setup.target.name
    guard setup.rateLimit != nil else {
      throw CommandError(
        exit: .badInput,
        message: "\(name): \(setup.host) is neither this machine nor in a private network; set "
          + "rateLimit, or run.rateLimit=100/s.")
    }
    guard setup.trial(of: 0).ending == .passed else {
      throw CommandError(
        exit: .badInput,
        message: "\(name): the trial of one registration, one upload and one read-back failed; "
          + "run 'flotilla target try \(name)'.")
    }
    if (Ranks.number ?? 0) == 0 {
      console.line("target   \(name) accepted one upload; starting the run")
    }
  }
}
