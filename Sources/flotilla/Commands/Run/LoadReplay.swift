internal import Capacity
internal import Commands
internal import Core
internal import Run
internal import Scenarios

/// Plans a run that sends the uploads of a log again.
enum LoadReplay {
  /// Returns the plan of a run whose phones send the uploads of the log; nil if stopped while
  /// reading.
  static func plan(
    _ options: LoadOptions, _ console: Console, shouldStop: () -> Bool
  ) throws -> RunPlan? {
    try check(options)
    let printer = ProgressPrinter(console, isQuiet: options.run.isQuiet)
    let log = try options.replay.read(printer, shouldStop: shouldStop)
    printer.close()
    guard let log else {
      console.printError("Stopped while reading the log; nothing was sent.")
      return nil
    }
    let replay = try LogReplay(log)
    var scenario = try options.run.scenario.library.load(
      text: replay.scenarioText(options.replay.name), from: "--replay",
      settings: options.run.scenario.settings)
    try replay.put(into: &scenario, from: options.replay.paths)
    if !options.run.isQuiet, options.run.interface != .json {
      for line in lines(replay, log, scenario) { console.line(line) }
    }
    return RunSupport.plan(options.run, scenario, console)
  }

  private static func check(_ options: LoadOptions) throws {
    let (scenario, keys) = (options.run.scenario, options.run)
    try CommandError.refuse([
      "the scenario \(scenario.name)": !scenario.names.isEmpty,
      "--shard": keys.shard != nil, "run.state": scenario.asks(for: "state", of: "run"),
      "mpirun": Ranks.number != nil,
      "pushEndpoint": scenario.settings.contains { $0.text.hasPrefix("pushEndpoint") },
    ]) { "--replay cannot be combined with \($0); remove one." }
  }

  private static func lines(
    _ replay: LogReplay, _ log: PhoneLog, _ scenario: Scenario
  ) -> [String] {
    let span =
      "\(CivilText.text(replay.span.lowerBound, scenario.clock)) to "
      + CivilText.text(replay.span.upperBound, scenario.clock)
    let when = replay.hasReceipts ? "received" : "fixed"
    var lines = [
      "replays  \(Figure.grouped(replay.uploads)) uploads with \(Figure.grouped(replay.fixes)) "
        + "fixes of \(Figure.grouped(replay.recordings.count)) phones, \(when) \(span)"
    ]
    if replay.leftOut > 0 {
      lines.append(
        "left out \(Figure.grouped(replay.leftOut)) rows without a position, or a week apart from "
          + "the others"
      )
    }
    if scenario.speed != 1 {
      lines.append(
        "speed    \(Figure.plain(scenario.speed)): gaps between uploads are divided by it; in a "
          + "target's requests the ages of fixes are divided too")
    }
    lines += log.notes.map { "log      \($0)" }
    return lines
  }
}
