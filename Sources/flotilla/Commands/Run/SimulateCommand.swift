internal import Commands
internal import Core
internal import Figures
internal import Fleet
internal import Foundation
internal import Run
internal import Scenarios

enum SimulateCommand {
  static var command: Command {
    SimulateOptions.command { options, console in
      try BuildServer.report("simulate", options.run, console) { try run(options, console, $0) }
    }
  }

  private static func run(
    _ options: SimulateOptions, _ console: Console, _ server: BuildServer
  ) throws -> ExitCode {
    try options.run.checkShard([
      ("--sweep", !options.sweep.isEmpty), ("--compare", options.compare != nil),
      ("--inputs", options.inputs != nil), ("--checkpoint", options.checkpoint != nil),
      ("--from", options.from != nil), ("--ensemble", options.ensemble ?? 0 > 0),
    ])
    try RunSupport.refuseEnsemble(
      options.ensemble, with: ["--inputs": options.inputs != nil, "--from": options.from != nil])
    try ForkOptions.check(options)
    if options.run.junit != nil {
      try CommandError.refuse([
        "--sweep": !options.sweep.isEmpty, "--compare": options.compare != nil,
      ]) { "--junit is for a single run; remove --junit or \($0)." }
    }
    if !options.sweep.isEmpty { return try SweepCommand.run(options, console) }
    if let policies = options.compare {
      return try CompareCommand.run(policies, options, console)
    }
    let fork = try options.from.map { try ForkOptions.fork($0, options.run) }
    let plan =
      try fork.map { RunSupport.plan(options.run, $0.scenario, console) }
      ?? RunSupport.sharedPlan(options.run, console)
    let instant = try ForkOptions.instant(options, plan.scenario, after: fork?.fork)
    let inputs = try options.inputs.map { try inputLog($0, plan) }
    // A part of a fleet, or of a run, has no preview.
    let isWhole =
      Ranks.number == nil && plan.shard == nil && options.inputs == nil && fork == nil
    let ensemble = try RunSupport.ensembles(
      isWhole ? options.ensemble : 0, [plan], options.run
    ).first
    RunSupport.printShortening(plan.scenario, options.run, console)
    if options.run.isDryRun {
      console.line(
        """
        Would simulate \(Figure.grouped(plan.scenario.fleet.phones)) phones for \
        \(ForkOptions.span(plan.scenario, after: fork?.fork)), with \(plan.threads) threads\
        \(ensemble.map { ", then \($0.words)" } ?? "").
        """)
      return .pass
    }
    var simulation = Simulation(plan, inputs: inputs)
    simulation.samplesPhones = true
    simulation.checkpoint = try instant.flatMap {
      try ForkOptions.checkpoint(options, at: $0, plan)
    }
    simulation.fork = try fork.map { try ForkOptions.life($0.fork, plan) }
    let folder = try RunSupport.folder(options.run, plan)
    if !options.run.isQuiet {
      RunSupport.printRecordings(plan.scenario, console)
      RunSupport.printWireFaults(plan.scenario, console)
    }
    let interruption = Interruption(console)
    let display = RunDisplay(
      plan.firstSnapshot(.simulate), options.run, console, interruption: interruption,
      isShown: folder != nil)
    display.open(on: plan.scenario)
    if let fork = simulation.fork { display.show(.note(fork.origin)) }
    var outcome = simulation.run(
      progress: display.show, shouldStop: { interruption.isRequested })
    if let ensemble, outcome.record.verdict != .interrupted {
      outcome.record.ensemble = ensemble.figures(
        progress: display.show, shouldStop: { interruption.isRequested })
    }
    var exit = try RunSupport.finish(.simulate, outcome, of: plan, folder, display, server)
    if let stopped = RunSupport.stopped(ensemble, outcome.record) {
      display.conclude(stopped)
      exit = .interrupted
    }
    return try instant.map { try ForkOptions.conclude(options, $0, outcome, exit, console) } ?? exit
  }

  private static func inputLog(_ path: String, _ plan: RunPlan) throws -> InputLog {
    let file = URL(fileURLWithPath: path).appendingPathComponent("inputs.bin")
    do {
      let log = try InputLog(bytes: [UInt8](Data(contentsOf: file)))
      guard log.scenarioHash == plan.scenarioHash, log.fits(plan.scenario) else {
        throw CommandError(
          exit: .badInput,
          message: """
            \(file.path): these inputs belong to another scenario; use the scenario, --phones, \
            --seed, --duration and --set of that run, and --speed 1 if it had a --target.
            """)
      }
      return log
    } catch let error as InputLogError {
      throw CommandError(exit: .badInput, message: "\(file.path): \(error)")
    } catch let failure as CommandError {
      throw failure
    } catch {
      throw CommandError(
        exit: .badInput,
        message: "\(file.path): cannot be read (\(FileErrorText.reason(error))); give a load run.")
    }
  }
}
