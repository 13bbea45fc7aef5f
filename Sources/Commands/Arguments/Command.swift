internal import Foundation
internal import Scenarios
internal import Uploads

package struct Command {
  package let name: String
  package let summary: String
  package let usage: String
  /// The sections of the help: titled rows of two columns.
  package let sections: [(title: String, rows: [(String, String)])]
  package let examples: [String]
  /// The subcommands; empty for a command with an action.
  package let subcommands: [Command]
  /// The options for shell completion.
  package let arguments: [Argument]
  package let takesScenario: Bool
  /// The output of `--version` after the name; nil without such an option.
  package let version: String?

  package struct Argument {
    package let name: String
    package let placeholder: String?
    package let help: String

    package static let help = Argument(name: "--help", placeholder: nil, help: "Print this help.")
    package static let version = Argument(
      name: "--version", placeholder: nil, help: "Print the version.")

    package var choices: [String] {
      guard let placeholder, placeholder.contains("|") else { return [] }
      return placeholder.split(separator: "|").map(String.init)
    }
  }

  private let perform: ([String], String, Console) throws -> ExitCode

  /// - Parameter body: runs with the parsed options; throws `CommandError` or a module's error.
  package init<Options>(
    _ name: String, _ summary: String, positionals: [Positional<Options>] = [],
    options: [Option<Options>], examples: [String], start: Options,
    body: @escaping (Options, Console) throws -> ExitCode
  ) {
    self.name = name
    self.summary = summary
    let words = positionals.map { positional in
      let word = positional.repeats ? "\(positional.name)…" : positional.name
      return positional.isOptional ? "[\(word)]" : word
    }
    usage = (words + ["[options]"]).joined(separator: " ")
    let taken = options.filter { $0.key == nil }
    let left = taken.map { [$0.name, $0.placeholder ?? ""].joined(separator: " ") }
    sections = [
      ("Arguments", positionals.map { ($0.name, $0.help) }),
      (
        "Options",
        Array(zip(left, taken.map(\.help))) + [(Argument.help.name, Argument.help.help)]
      ),
    ].filter { !$0.1.isEmpty }
    self.examples = examples
    subcommands = []
    version = nil
    arguments =
      taken.map { Argument(name: $0.name, placeholder: $0.placeholder, help: $0.help) }
      + [.help]
    takesScenario = positionals.contains { $0.name == "SCENARIO" }
    perform = { words, path, console in
      let parser = ArgumentParser(
        options: options, positionals: positionals, command: path,
        environment: console.surroundings.environment)
      let parsed = try parser.parse(words, into: start)
      console.note(variables: try parser.variables(beside: words))
      return try body(parsed, console)
    }
  }

  /// - Parameter version: the output of `--version` after the name; nil without such an option.
  package init(
    _ name: String, _ summary: String, _ subcommands: [Command], examples: [String],
    version: String? = nil, appendix: [(title: String, rows: [(String, String)])] = []
  ) {
    self.name = name
    self.summary = summary
    self.version = version
    usage = "COMMAND …"
    let flags = [Argument.help] + (version == nil ? [] : [Argument.version])
    sections =
      [
        ("Commands", subcommands.map { ($0.name, $0.summary) }),
        ("Options", flags.map { ($0.name, $0.help) }),
      ] + appendix
    self.examples = examples
    self.subcommands = subcommands
    arguments = flags
    takesScenario = false
    perform = { words, path, _ in
      let known = subcommands.map(\.name)
      guard let word = words.first else {
        throw UsageError.missingCommand(of: path, known: known)
      }
      if word.hasPrefix("-") {
        throw UsageError.unknownOption(word, of: path, known: flags.map(\.name))
      }
      throw UsageError.unknownCommand(word, of: path, known: known)
    }
  }

  package func run(_ words: [String], path: String, _ console: Console) throws -> ExitCode {
    if let word = words.first, let next = subcommands.first(where: { $0.name == word }) {
      return try next.run(Array(words.dropFirst()), path: "\(path) \(word)", console)
    }
    if let version, words.first == Argument.version.name {
      console.line("\(name) \(version)")
      return .pass
    }
    // Words after `--` are never options. In a group, only the first word may ask for help.
    let isGroup = !subcommands.isEmpty
    let asked = isGroup ? words.prefix(1) : words.prefix(while: { $0 != "--" })
    if asked.contains(where: { $0 == "--help" || $0 == "-h" }) {
      console.line(help(path: path))
      return .pass
    }
    if path.split(separator: " ").dropFirst().first.map({ Self.readers.contains($0) }) != true,
      let shortage = ProcessNeeds.shortage(cores: ProcessInfo.processInfo.activeProcessorCount)
    {
      throw CommandError(exit: .cannotListenOrWrite, message: shortage)
    }
    return try perform(words, path, console)
  }

  /// The commands without phones or connections, which skip the check of process limits.
  private static let readers: Set<Substring> = [
    "scenario", "report", "verify", "export", "prune", "dictionary", "completions", "manual",
  ]

  package func all(path: String) -> [(path: String, command: Command)] {
    [(path, self)] + subcommands.flatMap { $0.all(path: "\(path) \($0.name)") }
  }

  package func help(path: String) -> String {
    var text = "\(summary)\n\nUsage: \(path) \(usage)\n"
    for section in sections {
      let width = min(28, section.rows.map(\.0.count).max() ?? 0)
      text += "\n\(section.title):\n"
      for (left, right) in section.rows {
        let padding = String(repeating: " ", count: max(0, width - left.count))
        // A long left column takes a separate line.
        let gap = left.count > width ? "\n    " + String(repeating: " ", count: width) : padding
        text += "  \(left)\(gap)  \(right)\n"
      }
    }
    if subcommands.isEmpty { text += "\n\(Self.variablesSentence)\n" }
    text += "\nExamples:\n" + examples.map { "  \($0)" }.joined(separator: "\n")
    return text
  }
}

extension Command {
  /// Runs a command line, prints errors, and returns the exit code.
  package func end(
    _ words: [String], _ console: Console, beforeUsageError: () -> Void = {}
  ) -> ExitCode {
    do {
      return try run(words, path: name, console)
    } catch let fault as UsageError {
      beforeUsageError()
      if case .movedOption = fault {
        console.printError(fault.description)
      } else {
        console.printError("\(name): \(fault) Try --help.")
      }
      return .usage
    } catch let fault as ScenarioError {
      console.printError(fault.description)
      return .badInput
    } catch let end as SilentEndError {
      return end.exit
    } catch let failure as any ExitError {
      console.printError("\(name): \(failure.message)")
      return failure.exit
    } catch {
      // No other error is expected: commands convert the typed errors of all modules.
      console.printError("\(name): unexpected error: \(error)")
      return .cannotListenOrWrite
    }
  }
}
