internal import Commands
internal import Foundation

/// The entry point, which runs the command of the command line and exits with its code.
@main
enum Flotilla {
  static func main() {
    ProcessSignals.prepare()
    let console = Console()
    root.removeVariables()
    let code = run(console)
    exit(Ranks.leave(console.finish(code, of: root.name)).rawValue)
  }

  static var root: Command {
    Command(
      "flotilla",
      "Simulate a fleet of location-tracking phones, and load-test their backend.",
      [
        LoadCommand.command, CollectCommand.command, SimulateCommand.command,
        DemandCommand.command, PlanCommand.command, SensitivityCommand.command,
        TuneCommand.command, FitCommand.command,
        ReportCommand.command, ExplainCommand.command, AskCommand.command, WatchCommand.command,
        ScenarioCommand.command, TargetCommand.command, PushEndpointCommand.command,
        VerifyCommand.command, ExportCommand.command, PruneCommand.command,
        CompletionsCommand.command, ManualCommand.command,
      ],
      examples: [
        "flotilla load city",
        "flotilla simulate city --phones 1000",
        "flotilla report runs/city-20260302-073000",
        "flotilla watch 127.0.0.1:7070",
        "flotilla scenario list",
        "flotilla scenario check city",
      ],
      version: ProgramVersion.text,
      appendix: [("Exit codes", ExitCode.all.map { ("\($0.rawValue)", $0.meaning) })])
  }

  private static let moved: Set = ["bench", "calibrate", "chaos", "dictionary"]

  static func run(_ console: Console) -> ExitCode {
    let words = console.surroundings.words
    if let word = words.first, moved.contains(word) {
      console.printError(
        "flotilla: '\(word)' is a command of flotilla-lab; build it with 'make lab'.")
      return .usage
    }
    // mpirun starts all processes with the same arguments, but only one prints their errors.
    return root.end(words, console) { if Ranks.number ?? 0 > 0 { console.closeErrors() } }
  }
}
