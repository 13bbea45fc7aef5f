internal import Scenarios

/// `flotilla scenario check|show|list`.
enum ScenarioCommand {
  static var command: Command {
    Command(
      "scenario", "Validate, print and list scenarios.", [check, show, list],
      examples: [
        "flotilla scenario list",
        "flotilla scenario check city --set fleet.phones=20000",
        "flotilla scenario show city",
      ])
  }

  private static var check: Command {
    Command(
      "check", "Validate scenarios; every mistake is reported at once.",
      positionals: [
        Positional(
          name: "SCENARIO", help: "Names or paths; without one, every scenario there is.",
          isOptional: true, repeats: true
        ) { $1.names.append($0) }
      ],
      options: Option.scenario(\.self),
      examples: ["flotilla scenario check", "flotilla scenario check my-town.yaml --phones 100"],
      start: ScenarioOptions(), body: check)
  }

  private static func check(_ options: ScenarioOptions, _ console: Console) throws -> ExitCode {
    let library = options.library
    var exit = ExitCode.pass
    let names = options.names.isEmpty ? library.names : options.names
    if names.isEmpty {
      console.complain("no scenarios in \(library.folders.joined(separator: " or ")).")
    }
    for name in names {
      do throws(ScenarioFault) {
        let scenario = try library.load(name, settings: options.settings)
        for remark in scenario.remarks { console.complain("\(name): note: \(remark)") }
        console.line("\(name): valid. \(outline(of: scenario))")
        RunSupport.tellRecordings(scenario, console)
      } catch {
        console.complain(error.description)
        exit = .badInput
      }
    }
    return names.isEmpty ? .badInput : exit
  }

  private static var show: Command {
    Command(
      "show", "Print a scenario with every default filled in; the text reads back as the same.",
      positionals: [.scenario(\.self)], options: Option.scenario(\.self),
      examples: [
        "flotilla scenario show city",
        "flotilla scenario show city --set push.holdout=0% > mine.yaml",
      ],
      start: ScenarioOptions()
    ) { options, console in
      var text = try options.load().text
      text.removeLast()
      console.line(text)
      return .pass
    }
  }

  private static var list: Command {
    Command(
      "list", "List the scenarios and the question that each answers.",
      options: [
        .text("--scenarios", "DIR", \ScenarioOptions.folder, "Where to look for scenarios.")
      ],
      examples: ["flotilla scenario list"], start: ScenarioOptions()
    ) { options, console in
      let entries = options.library.list()
      let width = entries.map(\.name.count).max() ?? 0
      for (name, result) in entries {
        let padding = String(repeating: " ", count: width - name.count)
        switch result {
        case .success(let scenario): console.line("\(name)\(padding)  \(scenario.question)")
        case .failure(let fault):
          let count = fault.mistakes.count
          console.line("\(name)\(padding)  invalid (\(count)): see flotilla scenario check \(name)")
        }
      }
      return .pass
    }
  }

  private static func outline(of scenario: Scenario) -> String {
    let cohorts = scenario.fleet.cohorts.map(\.name).joined(separator: ", ")
    let digits = String(scenario.hash, radix: 16)
    return "\(scenario.fleet.phones) phones (\(cohorts)), hash \(digits)"
  }
}
