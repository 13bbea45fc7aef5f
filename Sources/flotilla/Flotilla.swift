internal import Foundation
internal import Scenarios

/// The process: argv in, exit code out. Nothing else in the program reads argv, prints or exits.
@main
enum Flotilla {
  /// The version of the program: `--version`, run records, metrics and the manual state it, and the
  /// changelog's top entry is about it.
  static let version = "0.1.0"

  static func main() {
    unblockSignals()
    // A limit on the size of files shall be an error of a write, as a full disk is, not the end.
    signal(SIGXFSZ, SIG_IGN)
    let console = Console()
    let code = run(Array(CommandLine.arguments.dropFirst()), console)
    exit(Ranks.leave(console.finish(code)).rawValue)
  }

  /// A parent that starts us from a thread with blocked signals hands its mask down, and neither
  /// Ctrl-C nor SIGTERM would ever arrive.
  private static func unblockSignals() {
    var none = sigset_t()
    sigemptyset(&none)
    pthread_sigmask(SIG_SETMASK, &none, nil)
  }

  static var root: Command {
    Command(
      "flotilla",
      "Simulates a fleet of phones that track their own location, and measures their backend.",
      [
        LoadCommand.command, CollectCommand.command, SimulateCommand.command,
        DemandCommand.command, PlanCommand.command, SensitivityCommand.command,
        TuneCommand.command, FitCommand.command,
        ReportCommand.command, ExplainCommand.command, AskCommand.command, WatchCommand.command,
        ScenarioCommand.command, TargetCommand.command, PushEndpointCommand.command,
        VerifyCommand.command, ExportCommand.command, PruneCommand.command,
        CalibrateCommand.command,
        BenchCommand.command, ChaosCommand.command, DictionaryCommand.command,
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
      version: version,
      appendix: [("Exit codes", ExitCode.all.map { ("\($0.rawValue)", $0.meaning) })])
  }

  private static func run(_ words: [String], _ console: Console) -> ExitCode {
    do {
      return try root.run(words, path: "flotilla", console)
    } catch let fault as UsageError {
      // mpirun gives all processes the same words; one says what is wrong with them.
      if Ranks.number ?? 0 > 0 { console.closeErrors() }
      console.printError("flotilla: \(fault) Try --help.")
      return .usage
    } catch let fault as ScenarioError {
      console.printError(fault.description)
      return .badInput
    } catch let end as SilentEndError {
      return end.exit
    } catch let failure as CommandError {
      console.printError("flotilla: \(failure.message)")
      return failure.exit
    } catch {
      // Every room throws typed faults that the commands above turn into a Failure.
      console.printError("flotilla: unexpected: \(error)")
      return .cannotListenOrWrite
    }
  }
}
