internal import Commands

struct CompletionsOptions: Equatable {
  var shell = ""
}

enum CompletionsCommand {
  static var command: Command {
    Command(
      "completions", "Print a shell completion script.",
      positionals: [Positional(name: "SHELL", help: "Shell: bash, zsh or fish.") { $1.shell = $0 }],
      options: [],
      examples: [
        "flotilla completions bash > /etc/bash_completion.d/flotilla",
        "flotilla completions zsh > ~/.zfunc/_flotilla",
        "flotilla completions fish > ~/.config/fish/completions/flotilla.fish",
      ],
      start: CompletionsOptions(), body: run)
  }

  private static func run(
    _ options: CompletionsOptions, _ console: Console
  ) throws -> ExitCode {
    guard let shell = Completions(rawValue: options.shell) else {
      throw UsageError.badValue(option: "SHELL", value: options.shell, wanted: "bash, zsh or fish")
    }
    console.line(shell.script(Flotilla.root))
    return .pass
  }
}
