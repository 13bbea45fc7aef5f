internal import Commands
internal import Foundation

/// Tools for developers of Flotilla.
@main
enum Lab {
  static func main() {
    ProcessSignals.prepare()
    let console = Console()
    root.removeVariables()
    let code = root.end(console.surroundings.words, console)
    exit(console.finish(code, of: root.name).rawValue)
  }

  static var root: Command {
    Command(
      "flotilla-lab", "Benchmark, calibrate and stress-test Flotilla.",
      [
        BenchCommand.command, CalibrateCommand.command, ChaosCommand.command,
        DictionaryCommand.command,
      ],
      examples: [
        "flotilla-lab bench all", "flotilla-lab calibrate", "flotilla-lab chaos --rounds 20",
        "flotilla-lab dictionary train city --out city.dict",
      ],
      version: ProgramVersion.text,
      appendix: [("Exit codes", ExitCode.all.map { ("\($0.rawValue)", $0.meaning) })])
  }
}

enum Programs {
  static var lab: String { Bundle.main.executablePath ?? CommandLine.arguments[0] }

  /// The path of `flotilla`, which is in the same folder as this program.
  static var flotilla: String {
    URL(fileURLWithPath: lab).resolvingSymlinksInPath().deletingLastPathComponent()
      .appendingPathComponent("flotilla").path
  }
}

extension ProgramError: ExitError { var exit: ExitCode { .cannotListenOrWrite } }
