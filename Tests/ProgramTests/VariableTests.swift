import Commands
import Foundation
import LiveSupport
import TestSupport
import Testing

@testable import flotilla
@testable import flotilla_lab

@Suite("Options from the environment", .quick)
struct VariableTests {
  /// Variables of the build, the tests and the programs that are no options.
  private static let others = [
    "ALLOCATIONS", "CI", "FUZZ", "FUZZ_SECONDS", "GOLDEN", "HOMEASSISTANT", "LARGE", "MPI",
    "PUSHES", "ROOM", "SANITIZE", "SHARED", "STRESS", "TIMES", "WEB_TOKEN", "WORLD",
  ]

  @Test("no option has a name that another variable has")
  func names() {
    let options = [Flotilla.root, Lab.root].flatMap { $0.all(path: "") }
      .flatMap { $0.command.arguments }
    let variables = Set(options.map(\.variable))
    #expect(variables.count > 60)
    #expect(variables.isDisjoint(with: Self.others.map { "FLOTILLA_\($0)" }))
  }

  @Test("the record's command has the variables, and errors and help name them")
  func record() async throws {
    let folder = try TemporaryFolder()
    let environment = [
      "FLOTILLA_PHONES": "10", "FLOTILLA_DURATION": "30min", "FLOTILLA_SET": "warmStart=0s",
      "FLOTILLA_UI": "none", "FLOTILLA_OUT": folder["run"].path, "FLOTILLA_JSON": "what",
    ]
    let ended = await flotilla(["simulate", "city"], environment: environment)
    #expect([0, 99].contains(ended.code), "\(ended.errorOutput)")
    let record = try RunFiles(folder: folder["run"]).record
    #expect(try record.count("scenario.phones") == 10)
    #expect(try record.string("command.0") == "FLOTILLA_PHONES=10")
    for (name, value, code) in [("PHONES", "many", 65), ("UI", "what", 2)] as [(_, _, Int32)] {
      let wrong = await flotilla(
        ["simulate", "city"],
        environment: environment.merging(["FLOTILLA_\(name)": value]) { $1 })
      #expect(wrong.code == code && wrong.errorOutput.contains("FLOTILLA_\(name)"))
    }
    let help = await flotilla(["simulate", "--help"])
    #expect(help.text.contains("\n\(Command.variablesSentence)\n"))
  }
}
