internal import Commands
internal import Core
internal import Figures
internal import Foundation
internal import Run
internal import Scenarios
internal import Transport
internal import Uploads
internal import Targets

enum LoadTarget {
  /// Checks that the target may be loaded and answers; nil if the run is against collectors.
  static func setup(
    _ options: LoadOptions, _ scenario: Scenario, _ console: Console
  ) throws -> TargetSetup? {
    guard options.target.name != nil else {
      if options.target != TargetChoice() {
        throw CommandError(
          exit: .usage,
          message: "--target-url and --rate-limit are for --target; name a target as well.")
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
      target, phones: scenario.fleet.phones, rateLimit: wanted.rateLimit,
      now: { Int64(Date().timeIntervalSince1970 * 1e6) })
    if run.isDryRun { return setup }
    if let why = setup.unreachable() {
      throw CommandError(exit: .collectorUnreachable, message: "no answer from \(why)")
    }
    if !setup.isNear { try tryOut(setup, console) }
    return setup
  }

  static func paced(_ options: LoadOptions) throws -> LoadOptions {
    guard let name = options.target.name else { return options }
    try checkSpeed(options)
    var options = options
    options.run.scenario.settings.append(
      ScenarioChange("speed=1", option: "--target \(name)"))
    return options
  }

  private static func check(_ options: LoadOptions, _ run: RunSettings) throws {
    try CommandError.refuse([
      "--collector": options.collector != nil, "run.via": run.via != nil,
      "--state": options.state != nil, "--twin": options.hasTwin,
      "run.dictionary": run.dictionary != nil, "run.capture": run.capture != nil,
      "run.tokenFile": run.tokenFile != nil, "run.carrier": run.carrier != .flotilla,
      "tls": run.tls != nil, "run.proof": !run.readsStore,
    ]) {
      "\($0) is for a collector of Flotilla's; it does not go with --target. "
        + "What a target is like stands in its file."
    }
  }

  private static func checkSpeed(_ options: LoadOptions) throws {
    let speeds = options.run.scenario.settings.filter { $0.text.hasPrefix("speed=") }
    if let speed = speeds.first(where: { $0.text != "speed=1" }) {
      throw CommandError(
        exit: .usage,
        message: "\(speed.option ?? "--set \(speed.text)"): the clock of somebody else's server is "
          + "the wall; against a target the speed is 1. Leave it out.")
    }
  }

  /// Returns nil without priming.
  static func priming(_ setup: TargetSetup) -> String? {
    let prime = setup.target.prime
    guard prime > .zero else { return nil }
    let rate = [setup.target.primeRate, setup.rateLimit].compactMap { $0?.perSecond }.min() ?? 0
    return "primes   \(setup.target.name) with the \(TargetFigures.Primed.span(prime.seconds)) "
      + "before, by \(Figure.plain(rate)) requests/s at most"
  }

  /// The time of priming must be within the warm start.
  static func checkPrime(_ setup: TargetSetup, _ scenario: Scenario) throws {
    let prime = setup.target.prime
    guard prime > scenario.warmStart else { return }
    func span(_ time: SimDuration) -> String { TargetFigures.Primed.span(time.seconds) }
    throw CommandError(
      exit: .badInput,
      message: "\(setup.target.name): prime is \(span(prime)), and the warm start of "
        + "\(scenario.name), in which its phones live that time, \(span(scenario.warmStart)); "
        + "write --set warmStart=\(span(prime).replacing(" ", with: "")), or a shorter prime.")
  }

  /// A host on the Internet is loaded only with its owner's consent, slowly enough, and after a
  /// successful trial.
  private static func tryOut(_ setup: TargetSetup, _ console: Console) throws {
    let name = setup.target.name
    guard setup.rateLimit != nil else {
      throw CommandError(
        exit: .badInput,
        message: "\(name): \(setup.host) is neither this machine nor a private network; write a "
          + "rateLimit, or --rate-limit 100/s.")
    }
    guard setup.trial(of: 0).ending == .passed else {
      throw CommandError(
        exit: .badInput,
        message: "\(name): one registration, one upload and one read-back did not pass; "
          + "'flotilla target try \(name)' says why.")
    }
    if (Ranks.number ?? 0) == 0 {
      console.line("target   \(name) took one upload; the run begins")
    }
  }
}
