internal import SimulationCore
internal import Scenarios
internal import Coordinator
internal import Fleet
internal import Foundation
internal import Measure

/// `flotilla simulate`: a scenario in virtual time.
enum SimulateCommand {
  static var command: Command { SimulateOptions.command(run) }

  private static func run(_ options: SimulateOptions, _ console: Console) throws -> ExitCode {
    try options.run.checkShard([
      ("--sweep", !options.sweep.isEmpty), ("--compare", options.compare != nil),
      ("--inputs", options.inputs != nil),
    ])
    if !options.sweep.isEmpty { return try SweepCommand.run(options, console) }
    if let policies = options.compare {
      return try CompareCommand.run(policies, options, console)
    }
    let plan = try RunSupport.sharedPlan(options.run, console)
    let inputs = try options.inputs.map { try inputLog($0, plan) }
    RunSupport.printShortening(plan.scenario, options.run, console)
    if options.run.isDryRun {
      console.line(
        """
        Would simulate \(Figure.grouped(plan.scenario.fleet.phones)) phones for \
        \(Figure.plain(plan.scenario.duration.seconds / 3_600)) h after a warm start of \
        \(Figure.plain(plan.scenario.warmStart.seconds / 3_600)) h, with \(plan.threads) threads.
        """)
      return .pass
    }
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
    let outcome = Simulation(plan, inputs: inputs).run(
      progress: display.show, shouldStop: { interruption.isRequested })
    return try RunSupport.finish(.simulate, outcome, of: plan, folder, display)
  }

  private static func inputLog(_ path: String, _ plan: RunPlan) throws -> InputLog {
    let file = URL(fileURLWithPath: path).appendingPathComponent("inputs.bin")
    do {
      let log = try InputLog(bytes: [UInt8](Data(contentsOf: file)))
      guard log.scenarioHash == plan.scenarioHash else {
        throw CommandError(
          exit: .badInput,
          message: """
            \(file.path): these inputs belong to another scenario; give the same scenario, \
            --phones, --seed, --duration and --set as the run had.
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
        message: "\(file.path): cannot be read (\(FileErrorText.reason(error))); name a load run.")
    }
  }
}
