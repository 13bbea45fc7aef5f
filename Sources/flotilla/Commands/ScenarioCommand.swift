internal import Commands
internal import Scenarios

enum ScenarioCommand {
  static var command: Command {
    Command(
      "scenario", "Validate, print and list scenarios, policies and profiles.",
      [check, show, list, schema],
      examples: [
        "flotilla scenario list",
        "flotilla scenario check city --set fleet.phones=20000",
        "flotilla scenario show city", "flotilla scenario schema policy > policy.schema.json",
      ])
  }

  private struct SchemaOptions {
    var kind = "scenario"
  }

  private static var schema: Command {
    let kinds = ScenarioLibrary.SchemaKind.allCases.map(\.rawValue)
    return Command(
      "schema", "Print the JSON Schema of a file format, for editors.",
      positionals: [
        Positional(
          name: "KIND", help: "\(kinds.joined(separator: ", ")); default scenario.",
          isOptional: true
        ) { $1.kind = $0 }
      ],
      options: [],
      examples: [
        "flotilla scenario schema > scenario.schema.json",
        "flotilla scenario schema policy > policy.schema.json",
        "# first line of a file: # yaml-language-server: $schema=scenario.schema.json",
      ],
      start: SchemaOptions()
    ) { options, console in
      guard let kind = ScenarioLibrary.SchemaKind(rawValue: options.kind) else {
        throw UsageError.badValue(
          option: "KIND", value: options.kind, wanted: "one of \(kinds.joined(separator: ", "))")
      }
      console.line(ScenarioLibrary.jsonSchema(of: kind))
      return .pass
    }
  }

  private static var check: Command {
    Command(
      "check", "Validate scenarios, policies and profiles; report all errors.",
      positionals: [
        Positional(
          name: "SCENARIO",
          help: "Names or paths; default: all scenarios, policies and profiles.",
          isOptional: true, repeats: true
        ) { $1.names.append($0) }
      ],
      options: Option.scenario(\.self),
      examples: [
        "flotilla scenario check", "flotilla scenario check my-town.yaml --phones 100",
        "flotilla scenario check scenarios/policies/mine.yaml",
      ],
      start: ScenarioOptions(), body: check)
  }

  private static func check(_ options: ScenarioOptions, _ console: Console) throws -> ExitCode {
    let library = options.library
    var isRight = true
    let scenarios =
      options.names.isEmpty
      ? library.names : options.names.filter { library.dataFile($0) == nil }
    let files =
      options.names.isEmpty
      ? library.dataFiles : options.names.compactMap { library.dataFile($0) }
    if scenarios.isEmpty, files.isEmpty {
      console.printError("No scenarios in \(library.folders.joined(separator: " or ")).")
      isRight = false
    }
    // An error in a policy is printed once, even if several scenarios use it.
    var reported: Set<Diagnostic> = []
    func printError(_ fault: ScenarioError) {
      for diagnostic in fault.diagnostics where reported.insert(diagnostic).inserted {
        console.printError(diagnostic.description)
      }
      isRight = false
    }
    for name in scenarios {
      do throws(ScenarioError) {
        let scenario = try library.load(name, settings: options.settings)
        for remark in scenario.remarks { console.printError("\(name): note: \(remark)") }
        console.line("\(name): valid. \(outline(of: scenario))")
        RunSupport.printRecordings(scenario, console)
      } catch {
        printError(error)
      }
    }
    for file in files {
      do throws(ScenarioError) {
        let outline = try library.check(file)
        for remark in outline.remarks { console.printError("\(file.path): note: \(remark)") }
        console.line("\(file.noun) \(file.name): valid. \(outline.description)")
      } catch {
        printError(error)
      }
    }
    return isRight ? .pass : .badInput
  }

  private struct ShowOptions {
    var scenario = ScenarioOptions()
    var sources = false
  }

  private static var show: Command {
    Command(
      "show", "Print a scenario with all defaults; the output is a valid scenario file.",
      positionals: [.scenario(\.scenario)],
      options: [
        .flag(
          "--sources", \ShowOptions.sources,
          "Add the plausible range, confidence and source of each model parameter.")
      ] + Option.scenario(\.scenario),
      examples: [
        "flotilla scenario show city", "flotilla scenario show city --sources | grep assumed",
        "flotilla scenario show city --set push.holdout=0% > mine.yaml",
      ],
      start: ShowOptions()
    ) { options, console in
      var text = try options.scenario.load().text(withSources: options.sources)
      text.removeLast()
      console.line(text)
      return .pass
    }
  }

  private static var list: Command {
    Command(
      "list",
      "List policies, profiles, and scenarios with the question that each answers.",
      options: [
        .text(
          "--scenarios", "DIR", \ScenarioOptions.folder,
          "Folder to search for scenarios, instead of the usual ones.")
      ],
      examples: ["flotilla scenario list"], start: ScenarioOptions()
    ) { options, console in
      list(options.library, console)
      return .pass
    }
  }

  private static func list(_ library: ScenarioLibrary, _ console: Console) {
    var rows: [(head: String, text: String)] = library.list().map { name, result in
      switch result {
      case .success(let scenario): (name, scenario.question)
      case .failure(let fault): (name, invalid(fault, name))
      }
    }
    for file in library.dataFiles {
      do throws(ScenarioError) {
        rows.append(("\(file.noun) \(file.name)", try library.check(file).description))
      } catch {
        rows.append(("\(file.noun) \(file.name)", invalid(error, file.path)))
      }
    }
    if rows.isEmpty {
      console.printError(
        "No scenarios in \(library.folders.joined(separator: " or ")): give a folder with "
          + "--scenarios DIR.")
    }
    let width = rows.map(\.head.count).max() ?? 0
    for row in rows {
      let padding = String(repeating: " ", count: width - row.head.count)
      console.line("\(row.head)\(padding)  \(row.text)")
    }
  }

  private static func invalid(_ fault: ScenarioError, _ name: String) -> String {
    "invalid (\(fault.diagnostics.count)): see flotilla scenario check \(name)"
  }

  private static func outline(of scenario: Scenario) -> String {
    let cohorts = scenario.fleet.cohorts.map(\.name).joined(separator: ", ")
    let digits = String(scenario.hash, radix: 16)
    return "\(scenario.fleet.phones) phones (\(cohorts)), hash \(digits)"
  }
}
